# SPDX-License-Identifier: MIT
"""Real C and C++ programs, each with the verdict that the axioms give it: the comment at its top
says how it is checked and what is expected (docs/checker/check.md, "Programs that say what is
expected").

`make test` checks a sample, drawn anew with each commit, and `make test-long` all.
"""

from __future__ import annotations

import json
import re
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
from fencepost.explore.annotated import Case, cases_of, lines_marked, told, unlike
from replayed import mistakes as replay_mistakes

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).resolve().parent / "programs"
#: Bugs that were real, in the same form: docs/checker/gallery.md.
GALLERY = ROOT / "examples" / "gallery"
INTERRUPTED = 130
#: A program takes a few seconds; this is for a machine that has much else to do.
SECONDS = 500


def id_of(case: Case) -> str:
    folder = PROGRAMS if case.path.is_relative_to(PROGRAMS) else GALLERY.parent
    return f"{case.path.relative_to(folder)}[{case.name}]"


def options_of(case: Case) -> tuple[str, ...]:
    """Of its only run."""
    (options,) = case.runs
    return options


def all_programs() -> list[Path]:
    found = (path for folder in (PROGRAMS, GALLERY) for path in folder.rglob("*"))
    return sorted(path for path in found if path.suffix in {".c", ".cpp"})


def all_cases() -> list[Case]:
    return [case for path in all_programs() for case in cases_of(path)]


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
    options = options_of(case)
    words = ["check", str(case.path), "--json", *options, "--model", ",".join(case.expected)]
    if "--timeout" not in options:
        words += ["--timeout", str(SECONDS)]
    if "--cc" not in options:  # what gcc is refused clang is not to be asked
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


def complaints(case: Case, answer: Answer) -> Iterator[str]:
    """Say, for each model, in what an answer differs from what was expected."""
    yield from answer.mistakes
    for model in case.expected:
        found = answer.by_model.get(model)
        if found is None:
            yield f"{model}: no answer (exit status {answer.status}): {answer.stderr.strip()}"
        else:
            yield from (f"{model}: {text}; {told(found)}" for text in unlike(case, model, found))


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, id=id_of(case), marks=pytest.mark.slow if case.slow else pytest.mark.matrix(60)
        )
        for case in all_cases()
    ],
)
def test_program_gets_the_verdict_that_the_axioms_give_it(case: Case) -> None:
    found = list(complaints(case, check_here(case)))
    assert not found, "\n".join(found)


def test_every_program_states_what_is_expected_of_it() -> None:
    for path in all_programs():
        head = re.match(r"(//.*\n)*", path.read_text())
        assert head
        of_all, *cases = re.split(r"^// case:", head[0], flags=re.MULTILINE)
        assert cases, f"{path} has no case"
        assert all("\n// expect: " in f"{of_all}{case}" for case in cases), path
        for case in cases_of(path):
            assert len(case.runs) == 1, f"{id_of(case)} has several lines of options"
            for expected in case.expected.values():
                if expected.at is not None:
                    found = lines_marked(path, expected.at)
                    assert found, f"{id_of(case)}: no line @{expected.at}"


def main() -> int:
    """Check the cases whose names contain one of the arguments, and say what differs."""
    selected = [
        case for case in all_cases() if any(word in id_of(case) for word in sys.argv[1:] or [""])
    ]
    wrong = 0
    with ThreadPoolExecutor(2) as pool:
        for case, answer in zip(selected, pool.map(check, selected), strict=True):
            found = list(complaints(case, answer))
            counts = {model: got.get("executions") for model, got in answer.by_model.items()}
            print(f"{'ok   ' if not found else 'WRONG'} {id_of(case)} {counts}", flush=True)
            for line in found:
                print(f"      {line}", flush=True)
            wrong += bool(found)
    print(f"{wrong} of {len(selected)} cases differ from what is expected")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
