# SPDX-License-Identifier: MIT
"""The manual's pages of the command line, of what its parsers know: one of all, one a command."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Mapping

from fencepost.console.version import version


def pages(
    parser: argparse.ArgumentParser,
    commands: Mapping[str, argparse.ArgumentParser],
    short: Mapping[str, str],
) -> dict[str, str]:
    """The pages by the names of their files; `short` says in a line what each command does."""
    others = [f"fencepost-{name}" for name in commands]
    whole = _page("fencepost", parser.description or "", parser, others)
    found = {"fencepost.1": whole}
    for name, command in commands.items():
        found[f"fencepost-{name}.1"] = _page(
            f"fencepost-{name}", short[name], command, ["fencepost"]
        )
    return found


def _page(name: str, short: str, parser: argparse.ArgumentParser, others: list[str]) -> str:
    usage = " ".join(parser.format_usage().removeprefix("usage:").split())
    lines = (
        f'.TH {_text(name.upper())} 1 "" "fencepost {version().split()[0]}" "User commands"',
        ".SH NAME",
        f"{_text(name)} \\- {_text(' '.join(short.split()).rstrip('.'))}",
        ".SH SYNOPSIS",
        _text(usage),
        ".SH DESCRIPTION",
        *_paragraphs(parser.description or short),
        *_commands(parser),
        ".SH OPTIONS",
        *_options(parser),
        *_epilog(parser.epilog or ""),
        ".SH SEE ALSO",
        _text(", ".join(f"{other}(1)" for other in sorted(others))),
    )
    return "\n".join(lines) + "\n"


def _text(text: str) -> str:
    """Text that roff prints unchanged: no escape, no request, and dashes that can be copied."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return f"\\&{escaped}" if escaped.startswith(".") else escaped


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield _text(" ".join(paragraph.split()))


def _commands(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield ".SH COMMANDS"
            for choice in action._choices_actions:
                yield from (".TP", f".B {_text(choice.dest)}", _text(choice.help or ""))


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    # argparse offers its groups in no other way.
    for group in parser._action_groups:
        actions = [one for one in group._group_actions if one.help != argparse.SUPPRESS]
        if actions and group.title and group.title not in ("options", "positional arguments"):
            yield f".SS {_text(group.title[:1].upper() + group.title[1:])}"
            yield from _paragraphs(group.description or "")
        for action in actions:
            if isinstance(action, argparse._SubParsersAction):
                continue
            yield from (".TP", _invocation(parser, action), _help(parser, action) or "\\&")


def _invocation(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    formatter = parser._get_formatter()
    return f".B {_text(formatter._format_action_invocation(action))}"


def _help(parser: argparse.ArgumentParser, action: argparse.Action) -> str:
    return _text(parser._get_formatter()._expand_help(action)) if action.help else ""


def _epilog(text: str) -> Iterator[str]:
    """Its titles are lines that end in a colon; what is indented below is printed as it is."""
    titled = verbatim = False
    for line in text.strip("\n").splitlines():
        is_indented = line.startswith(" ")
        if is_indented != verbatim:
            yield ".EX" if is_indented else ".EE"
        verbatim = is_indented
        is_title = line.endswith(":") and not is_indented
        if is_title or (line and not titled):
            yield f".SH {_text(line[:-1].upper() if is_title else 'NOTES')}"
            titled = True
        if line and not is_title:
            yield _text(line[2:] if is_indented else line)
    if verbatim:
        yield ".EE"
