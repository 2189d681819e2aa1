# SPDX-License-Identifier: MIT
"""Real C and C++ programs, each with the verdict that the axioms give it.

A program states what is expected of it in the comment at its top:

    // case: NAME                 a variant; a file may have many
    // flags: -DTHREADS=3         flags for the compiler
    // options: --timeouts        options of `fencepost check`
    // slow                       only checked by `make test-long`
    // expect: c++20=violated:data-race x86=holds sc=holds executions=3 at=NAME says="REGEX"

`expect` names a verdict for each model to be checked, `all=` for the three of them, alternatives
separated by `|`: `holds`, `violated`, `violated:KIND`, `inconclusive`, `refused` (an error that
names the place, before anything was explored) or `error` (the same, and exit status 3).
`executions=` counts the complete executions where the verdict is `holds`; `at=` is the line that
must be named otherwise, marked in the source by a comment `// @NAME`; `says=` must be found in the
message.  A second `expect` line adds models with another count.

`make test` checks a sample, drawn anew with each commit, and `make test-long` all.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir, nullcontext, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from replayed import mistakes as replay_mistakes

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
#: Bugs that were real, in the same form: docs/gallery.md.
GALLERY = ROOT / "examples" / "gallery"
MODELS = ("c++20", "x86", "sc")
KNOWN = (*MODELS, "c++14")
INTERRUPTED = 130
#: A program takes a few seconds; this is for a machine that has much else to do.
SECONDS = 500
KINDS = {
    "assertion",
    "data-race",
    "lost-wakeup",
    "deadlock",
    "non-termination",
    "memory",
    "invalid-order",
    "uncaught",
    "exit-status",
}
VERDICTS = {"holds", "violated", "inconclusive", "refused", "error"}


@dataclass
class Expectation:
    """What is expected under one model."""

    verdicts: list[str]
    executions: int | None = None
    blocked: int | None = None
    at: str | None = None
    says: str | None = None
    or_in_header: bool = False  # a line of a header that the program includes will do, too


@dataclass
class Case:
    """One program with one set of flags."""

    path: Path
    name: str = ""
    flags: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    slow: bool = False
    expected: dict[str, Expectation] = field(default_factory=dict)

    @property
    def id(self) -> str:
        folder = PROGRAMS if self.path.is_relative_to(PROGRAMS) else GALLERY.parent
        return f"{self.path.relative_to(folder)}[{self.name}]"

    def expect(self, text: str) -> None:
        words = dict(word.split("=", 1) for word in shlex.split(text))
        executions, blocked = (words.pop(key, None) for key in ("executions", "blocked"))
        at, says = words.pop("at", None), words.pop("says", None)
        if "all" in words:
            words |= dict.fromkeys(MODELS, words.pop("all"))
        for model, verdicts in words.items():
            assert model in KNOWN, f"{self.id}: no model is called {model}"
            alternatives = verdicts.split("|")
            for position, verdict in enumerate(alternatives):
                if verdict in KINDS:  # "violated:memory|data-race"
                    alternatives[position] = f"violated:{verdict}"
                word, _, kind = alternatives[position].partition(":")
                assert word in VERDICTS and (not kind or kind in KINDS), f"{self.id}: {verdict}?"
            counts = (int(count) if count else None for count in (executions, blocked))
            self.expected[model] = Expectation(alternatives, *counts, at, says)


def cases_of(path: Path) -> list[Case]:
    """Read the cases of the comment at the top of a program."""
    cases: list[Case] = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        key, _, rest = line[2:].strip().partition(":")
        rest = rest.strip()
        if key == "case":
            cases.append(Case(path, rest))
        elif key == "flags":
            cases[-1].flags += shlex.split(rest)
        elif key == "options":
            cases[-1].options += shlex.split(rest)
        elif key == "expect":
            cases[-1].expect(rest)
        elif key == "slow" and not rest:
            cases[-1].slow = True
    return cases


def all_programs() -> list[Path]:
    found = (path for folder in (PROGRAMS, GALLERY) for path in folder.rglob("*"))
    return sorted(path for path in found if path.suffix in {".c", ".cpp"})


def all_cases() -> list[Case]:
    return [case for path in all_programs() for case in cases_of(path)]


def lines_marked(path: Path, name: str) -> set[int]:
    marker = re.compile(rf"// @{name}\b")
    lines = path.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if marker.search(line)}


@dataclass
class Answer:
    """What one call of `fencepost check` printed."""

    by_model: dict[str, dict[str, Any]]
    status: int
    stderr: str
    #: In how counterexamples are told: replayed.py.
    mistakes: list[str] = field(default_factory=list)


def words_of(case: Case) -> list[str]:
    """`fencepost check` of one case under the models that it speaks of, as words."""
    words = ["check", str(case.path), "--json", *case.options, "--model", ",".join(case.expected)]
    if "--timeout" not in case.options:
        words += ["--timeout", str(SECONDS)]
    if "--cc" not in case.options:  # what gcc is refused clang is not to be asked
        words += ["--cc", "gcc"]
    return [*words, "--", *case.flags]


def answer_of(status: int, stdout: str, stderr: str) -> Answer:
    objects = [json.loads(line) for line in stdout.splitlines() if line.startswith("{")]
    return Answer({found["model"]: found for found in objects}, status, stderr)


def check(case: Case) -> Answer:
    command = [str(ROOT / "fencepost"), *words_of(case)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return answer_of(done.returncode, done.stdout, done.stderr)


def check_here(case: Case) -> Answer:
    """The same without a process for it: half of what a check of a small program takes. Each
    counterexample is performed again."""
    from fencepost.cli import main as fencepost  # as a script this file does without
    from fencepost.execution.schema import Violation

    told = Violation.from_json
    mistakes: list[str] = []

    def replayed(data: dict[str, Any], model: str = "") -> Violation:
        mistakes.extend(f"{model}: {text}" for text in replay_mistakes(data, model))
        return told(data, model)

    with (
        mock.patch.object(Violation, "from_json", replayed),
        redirect_stdout(StringIO()) as out,
        redirect_stderr(StringIO()) as err,
        chdir(ROOT),
        mock.patch("fencepost.commands.check.Stop.handled", nullcontext),  # Ctrl-C is pytest's
    ):
        status = fencepost(words_of(case))
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    return replace(answer_of(status, out.getvalue(), err.getvalue()), mistakes=mistakes)


def verdict_of(found: dict[str, Any], status: int) -> set[str]:
    """The names an answer goes by in an expectation."""
    if found["verdict"] is None:
        return {"error", "refused"} if status == 3 else {"refused"}
    if found["verdict"] == "violated":
        return {"violated", f"violated:{found['violation']['kind']}"}
    names = {found["verdict"]}
    if "error" in found:
        names.add("refused")
    return names


def text_and_place(found: dict[str, Any]) -> tuple[str, str]:
    if found.get("violation"):
        return found["violation"]["message"], str(found["violation"]["location"])
    if "error" in found:
        error = found["error"]
        return error["message"], str(error["location"]) + " " + error["message"]
    return found.get("reason", ""), found.get("reason", "")


def complaints(case: Case, answer: Answer) -> Iterator[str]:
    """Say, for each model, in what an answer differs from what was expected."""
    yield from answer.mistakes
    for model, expected in case.expected.items():
        found = answer.by_model.get(model)
        if found is None:
            yield f"{model}: no answer (exit status {answer.status}): {answer.stderr.strip()}"
            continue
        names = verdict_of(found, answer.status)
        message, place = text_and_place(found)
        story = f"{max(names, key=len)} at {place!r}: {message!r}"
        if not names & set(expected.verdicts):
            yield f"{model}: expected {' or '.join(expected.verdicts)}, got {story}"
            continue
        if "holds" in names:
            counts = {"executions": expected.executions, "blocked": expected.blocked}
            for what, count in counts.items():
                if count is not None and found[what] != count:
                    yield f"{model}: expected {count} {what}, got {found[what]}"
            continue
        if expected.at is not None:
            wanted = lines_marked(case.path, expected.at)
            named = {int(line) for line in re.findall(rf"{case.path.name}:(\d+)", place)}
            in_header = expected.or_in_header and re.match(r"\S+(\.hp*|/include/\S+):\d+", place)
            if not named & wanted and not in_header:
                yield f"{model}: expected line {sorted(wanted)}, got {story}"
        if expected.says is not None and not re.search(expected.says, message):
            yield f"{model}: expected to read /{expected.says}/, got {story}"


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=case.id, marks=pytest.mark.slow if case.slow else pytest.mark.matrix(15)
        )
        for case in all_cases()
    ],
)
def test_program_gets_the_verdict_that_the_axioms_give_it(case: Case) -> None:
    found = list(complaints(case, check_here(case)))
    assert not found, "\n".join(found)


def test_every_program_states_what_is_expected_of_it() -> None:
    for path in all_programs():
        cases = cases_of(path)
        assert cases, f"{path} has no case"
        assert len({case.name for case in cases}) == len(cases), f"{path} names a case twice"
        for case in cases:
            assert case.expected, f"{case.id} expects nothing"
            for expected in case.expected.values():
                if expected.at is not None:
                    assert lines_marked(path, expected.at), f"{case.id}: no line @{expected.at}"


def main() -> int:
    """Check the cases whose names contain one of the arguments, and say what differs."""
    selected = [
        case for case in all_cases() if any(word in case.id for word in sys.argv[1:] or [""])
    ]
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        for case, answer in zip(selected, pool.map(check, selected), strict=True):
            found = list(complaints(case, answer))
            counts = {model: got.get("executions") for model, got in answer.by_model.items()}
            print(f"{'ok   ' if not found else 'WRONG'} {case.id} {counts}", flush=True)
            for line in found:
                print(f"      {line}", flush=True)
            wrong += bool(found)
    print(f"{wrong} of {len(selected)} cases differ from what is expected")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
