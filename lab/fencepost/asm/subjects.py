# SPDX-License-Identifier: MIT
"""What can be compiled and looked at: files, and the protocols of the study and the library by
name; and which of their functions are meant."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from pathlib import Path

from fencepost.asm.examined import Examined, Subject
from fencepost.asm.protocols import SUBJECTS
from fencepost.console.input_error import UnusableInput
from fencepost.system.source_file import check_source
from fencepost.toolchain.compile_source import C_SUFFIXES, CPP_SUFFIXES


def file_subject(name: str) -> Subject:
    path = Path(name)
    if not path.exists():
        raise UnusableInput("no such file", name)
    if path.suffix not in C_SUFFIXES | CPP_SUFFIXES:
        known = " ".join(sorted(C_SUFFIXES | CPP_SUFFIXES))
        raise UnusableInput(
            f"not a C or C++ source file (known: {known}); of a header name a file that uses it",
            name,
        )
    check_source(path)
    return Subject(path)


def protocol_subjects() -> dict[str, Subject]:
    """By their names: SUBJECT/ID, ID where that is of one subject or the first, and the names that
    functions had in the argument. The study is not installed: then there are none."""
    found: dict[str, Subject] = {}
    for subject in SUBJECTS.values():
        if not (subject.directory / "protocols.json").is_file():
            continue
        source = subject.directory / "instructions.cpp"
        for protocol in subject.protocols():
            flags = tuple(protocol.flags())
            one = Subject(source, flags, protocol.id, subject.functions)
            found[f"{subject.name}/{protocol.id}"] = one
            found.setdefault(protocol.id, one)
            if called := protocol.unlock_was_called:
                found[called] = Subject(source, flags, called, ("leave",))
    return found


def protocol_subject(name: str) -> Subject:
    known = protocol_subjects()
    if not known:
        raise UnusableInput("protocols are of the source tree, and the study is not installed here")
    if name not in known:
        raise UnusableInput(
            f"there is no protocol '{name}'{nearest(name, known)}; --list names them"
        )
    return known[name]


def nearest(name: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(known), n=3, cutoff=0.5)
    quoted = [f"'{one}'" for one in near]
    return f"; did you mean {' or '.join(quoted)}?" if near else ""


def bare(function: str) -> str:
    """The name of a demangled function without its type, namespaces' names included."""
    name = re.sub(r" \[clone .*\]$", "", function)
    depth, end = 0, len(name)
    for at in range(len(name) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(name[at], 0)
        if depth == 0 and name[at] == "(":
            end = at
            break
    name = name[:end] if name.rstrip().endswith((")", "const", "&")) else name
    # Of a template the type that it returns is in front.
    return re.sub(r"^.*\s(?![^<]*>)(?=\S)", "", name) if "operator" not in name else name


def _named(function: str, wanted: str, symbol: str) -> bool:
    name = bare(function)
    plain = re.sub(r"<.*>", "", name)
    return wanted in (function, symbol, name, plain) or any(
        one.endswith(f"::{wanted}") for one in (name, plain)
    )


def select(examined: list[Examined], wanted: list[str]) -> list[Examined]:
    """The functions of these names; where there are none, those that a name as a regular expression
    is found in."""
    found: list[Examined] = []
    for name in wanted:
        exact = [one for one in examined if _named(one.function, name, one.listing.symbol)]
        try:
            pattern = re.compile(name)
        except re.error as error:
            raise UnusableInput(f"'{name}' is no regular expression: {error}") from None
        found += exact or [one for one in examined if pattern.search(one.function)]
    return [one for one in examined if one in found]


def not_found(name: str, examined: list[Examined]) -> str:
    """Why there is no such function in what was compiled, as far as that can be told."""
    sources = ", ".join(dict.fromkeys(one.source.name for one in examined))
    for one in examined:
        for instruction in one.listing.instructions:
            for inner, outer in zip(instruction.frames, instruction.frames[1:], strict=False):
                if inner.function and _named(inner.function, name, inner.function):
                    where = f"{outer.file}:{outer.line}"
                    return (
                        f"'{name}' is no function of its own here: it was inlined, into "
                        f"{one.function} ({where}).\nShow that one by --function "
                        f"'{bare(one.function)}', or write __attribute__((noinline)) in front of "
                        f"{name}, or compile with -- -fno-inline"
                    )
    functions = list(dict.fromkeys(bare(one.function) for one in examined))
    if not functions:
        return (
            f"{sources or 'the object'} has no function: what is static, inline or a template and "
            "is not called is not compiled; call it, write __attribute__((used)) in front of it, "
            "or instantiate the template (and -flto leaves all functions to the linker)"
        )
    hint = nearest(name, functions) or nearest(name, [one.split("::")[-1] for one in functions])
    shown = ", ".join(functions[:12]) + (", …" if len(functions) > 12 else "")
    return (
        f"there is no function '{name}' in {sources}{hint}\nfunctions: {shown}\n(static, inline or "
        "template functions that nothing calls are not compiled)"
    )
