# SPDX-License-Identifier: MIT
"""How a program says itself how it is checked and what is expected of it: lines of the comment at
its top.

    // options: --timeouts
    // case: two -DTHREADS=2
    // case: three -DTHREADS=3
    // expect: c++20=violated:data-race x86,sc=holds at=HERE
    // slow

Before the first `case:` a line is about all cases, after one about that one. A case is a name and
flags for the compiler. `flags:` are more of them. Each `options:` is a run with options of
`fencepost check`, an empty one a run without; those of a case are in place of those of all.
`expect:` says for models which verdict comes of it, `all=` for MODELS, and what else there is to
be found: see Expected. `slow` takes more than a few seconds. All may be left out: one case without
a name, one run without options, and it holds under MODELS.
"""

from __future__ import annotations

import argparse
import copy
import difflib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from fencepost.console.input_error import UnusableInput
from fencepost.execution.schema import VIOLATIONS
from fencepost.explore.arguments import (
    add_bounds,
    add_compiler,
    add_jobs,
    models_of,
    refuse_contradictions,
    with_counts,
)
from fencepost.system.source_file import source_text_of

#: Of a program that does not say under which.
MODELS = ("c++20", "x86", "sc")
ALL = "all"
KINDS = frozenset(VIOLATIONS)
#: Refused is what was not explored, with a reason at a line; an error is what cannot be compiled.
VERDICTS = frozenset({"holds", "violated", "inconclusive", "refused", "error"})
_KEYS = ("case", "flags", "options", "expect")
_COUNTS = ("executions", "blocked")
_DETAILS = (*_COUNTS, "at", "says")


@dataclass(frozen=True)
class Expected:
    """What is expected of a program under one model."""

    #: One of these: of VERDICTS, or `violated:` and one of KINDS.
    verdicts: tuple[str, ...] = ("holds",)
    #: Where it holds: how many there are.
    executions: int | None = None
    blocked: int | None = None
    #: Where it does not: the mark `// @NAME` at a line that is named (of several, as A|B, one), and
    #: what is read there, as a regular expression.
    at: str | None = None
    says: str | None = None
    #: A line of a header that the program includes will do, too.
    or_in_header: bool = False

    def __str__(self) -> str:
        return " or ".join(self.verdicts)


_ALL_HOLD: Mapping[str, Expected] = {model: Expected() for model in MODELS}


@dataclass(frozen=True)
class Case:
    """One way in which a program is compiled, the runs of it, and what is expected of each."""

    path: Path
    name: str = ""
    flags: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ((),)
    expected: Mapping[str, Expected] = field(default_factory=lambda: _ALL_HOLD, hash=False)
    slow: bool = False

    @property
    def title(self) -> str:
        return f"{self.path}[{self.name}]" if self.name else str(self.path)

    @property
    def holds_under(self) -> tuple[str, ...]:
        """The models under which nothing else is expected."""
        return tuple(
            model for model, expected in self.expected.items() if expected.verdicts == ("holds",)
        )


@dataclass
class _Lines:
    """What was said so far, of all cases or of one."""

    name: str = ""
    flags: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ()
    expected: dict[str, Expected] = field(default_factory=dict)
    slow: bool = False


def cases_of(path: Path) -> list[Case]:
    """Raises UnusableInput if the file cannot be read or its comment is not understood."""
    of_all = said = _Lines()
    cases: list[_Lines] = []
    for number, line in _comment(path):
        place = f"{path}:{number}"
        key, colon, rest = line.partition(":")
        if line == "slow":
            said.slow = True
        if not colon:
            continue
        if key not in _KEYS:
            _refuse_misspelt(key, place)
            continue
        words = _split(rest, place)
        if key == "flags":
            said.flags += words
        elif key == "options":
            said.runs += (words,)
        elif key == "expect":
            _expect(said.expected, words, place)
        elif not words or words[0].startswith("-"):
            raise UnusableInput("'case:' needs a name before the flags", place)
        elif any(words[0] == case.name for case in cases):
            raise UnusableInput(f"two cases are called {words[0]}", place)
        else:
            said = _Lines(words[0], words[1:])
            cases.append(said)
    return [
        Case(
            path,
            case.name,
            (*of_all.flags, *case.flags) if case is not of_all else of_all.flags,
            case.runs or of_all.runs or ((),),
            case.expected or of_all.expected or _ALL_HOLD,
            case.slow or of_all.slow,
        )
        for case in cases or [of_all]
    ]


def _comment(path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = source_text_of(path)
    except OSError as error:
        raise UnusableInput(error.strerror or str(error), str(path)) from None
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//"):
            break
        yield number, line[2:].strip()


def _split(text: str, place: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UnusableInput(f"{str(error).lower()}: '{text.strip()}'", place) from None


def _refuse_misspelt(key: str, place: str) -> None:
    """What is passed over in silence would be taken for checked."""
    near = difflib.get_close_matches(key, _KEYS, 1, 0.8) if key.isidentifier() else []
    if near:
        raise UnusableInput(f"'{key}:' is not understood; is it to be '{near[0]}:'?", place)


def _expect(expected: dict[str, Expected], words: Sequence[str], place: str) -> None:
    verdicts: dict[str, tuple[str, ...]] = {}
    details = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value:
            raise UnusableInput(f"expect: '{word}' is no MODEL=VERDICT and no DETAIL=VALUE", place)
        if key in _DETAILS:
            details[key] = _detail(key, value, place)
            continue
        for model in MODELS if key == ALL else _models(key, place):
            verdicts[model] = _verdicts(value, place)
    if not verdicts:
        raise UnusableInput("expect: there is no MODEL=VERDICT, such as all=holds", place)
    for model, said in verdicts.items():
        expected[model] = replace(Expected(said), **details)


def _detail(key: str, value: str, place: str) -> Any:
    if key in _COUNTS:
        if not (value.isascii() and value.isdecimal()):
            raise UnusableInput(f"expect: {key}={value}: it is to be a number", place)
        return int(value)
    if key == "says":
        try:
            re.compile(value)
        except re.error as error:
            raise UnusableInput(f"expect: says={value}: {error}", place) from None
    return value


def _models(names: str, place: str) -> list[str]:
    try:
        return models_of([names])
    except UnusableInput as error:
        raise UnusableInput(f"expect: {error.message}", place) from None


def _verdicts(text: str, place: str) -> tuple[str, ...]:
    found = []
    for word in text.split("|"):
        whole = f"violated:{word}" if word in KINDS else word  # "violated:memory|data-race"
        verdict, colon, kind = whole.partition(":")
        if verdict not in VERDICTS or (colon and (verdict != "violated" or kind not in KINDS)):
            known = ", ".join(sorted(VERDICTS)) + ", or violated: and " + ", ".join(sorted(KINDS))
            raise UnusableInput(f"expect: there is no verdict '{word}' (known: {known})", place)
        found.append(whole)
    return tuple(found)


# ---- options that stand in a file


class _Options(argparse.ArgumentParser):
    """What is wrong with them is said of the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self._path = path
        add_compiler(self)
        add_jobs(self, "")
        add_bounds(self.add_argument_group())

    def error(self, message: str) -> NoReturn:
        raise UnusableInput(f"options: {message}", str(self._path))


def arguments_of(
    case: Case, run: tuple[str, ...], given: argparse.Namespace | None = None
) -> argparse.Namespace:
    """What the options of one of its runs mean, and the case's flags, beside what was given for
    all. Raises UnusableInput."""
    given = argparse.Namespace(trust=[], passed_on=[]) if given is None else given
    everywhere = copy.copy(given)
    everywhere.jobs = 1  # those of all are shared out
    args = _Options(case.path).parse_args(with_counts(list(run)), everywhere)
    args.passed_on = [*case.flags, *given.passed_on]
    try:
        refuse_contradictions(args)
    except UnusableInput as error:
        raise UnusableInput(f"options: {error.message}", str(case.path)) from None
    return args


# ---- what came of it


def unlike(case: Case, model: str, found: Mapping[str, Any]) -> Iterator[str]:
    """In what a result, as `fencepost check --json` has it, differs from what is expected."""
    expected = case.expected[model]
    names = _names_of(found)
    message, place = told(found)
    if not set(names) & set(expected.verdicts):
        yield f"expected {expected}, got {names[0]}"
        return
    if "holds" in names:
        for what in _COUNTS:
            count = getattr(expected, what)
            if count is not None and found[what] != count:
                yield f"expected {count} {what}, got {found[what]}"
        return
    if expected.at is not None:
        wanted = lines_marked(case.path, expected.at)
        named = {int(line) for line in re.findall(rf"{re.escape(case.path.name)}:(\d+)", place)}
        in_header = expected.or_in_header and re.match(r"\S+(\.hp*|/include/\S+):\d+", place)
        if not named & wanted and not in_header:
            lines = " or ".join(map(str, sorted(wanted))) or f"marked @{expected.at}, which none is"
            yield f"expected line {lines}, got {place!r}"
    if expected.says is not None and not re.search(expected.says, message):
        yield f"expected to read /{expected.says}/, got {message!r}"


def _names_of(found: Mapping[str, Any]) -> tuple[str, ...]:
    """The names that a result goes by in an expectation, what says most first."""
    if found["verdict"] is None:
        return "error", "refused"
    if found["verdict"] == "violated":
        return f"violated:{found['violation']['kind']}", "violated"
    return (*(["refused"] if "error" in found else []), found["verdict"])


def told(found: Mapping[str, Any]) -> tuple[str, str]:
    """The message of a result, and what names the place."""
    if found.get("violation"):
        return found["violation"]["message"], str(found["violation"]["location"])
    if "error" in found:
        error = found["error"]
        return error["message"], f"{error['location']} {error['message']}"
    reason = found.get("reason", "")
    return reason, reason


def lines_marked(path: Path, names: str) -> set[int]:
    """With `// @NAME`, or one of several names separated by |."""
    marker = re.compile(rf"// @({'|'.join(map(re.escape, names.split('|')))})\b")
    lines = source_text_of(path).splitlines()
    return {number for number, line in enumerate(lines, 1) if marker.search(line)}
