# SPDX-License-Identifier: MIT
"""The programs of the checker's benchmark have the executions that are recorded, in small sizes
and, some of them, as measured; and the search has not become worse at what it may do better or
worse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fencepost.runners.checker.exploring import Checker, explore
from fencepost.runners.checker.programs import SUBJECTS, Subject
from fencepost.runners.checker.results import read_recorded
from fencepost.toolchain.toolchain import build_directory

ROOT = Path(__file__).resolve().parents[3]
BENCH = ROOT / "bench" / "checker"


RECORDED = read_recorded(BENCH / "baseline.json")


@pytest.fixture(scope="module")
def program_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Subject, bool], Path]:
    """What differs in the model alone is one program."""
    checker = Checker("here", ROOT, build_directory())
    made: dict[tuple[str, str], Path] = {}

    def build(subject: Subject, small: bool) -> Path:
        key = (subject.source, subject.sized(small)[0])
        if key not in made:
            directory = tmp_path_factory.mktemp("program") / "built"
            made[key] = checker.program(subject, directory, small)
        return made[key]

    return build


@pytest.mark.matrix(4)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_program_of_the_suite_has_the_executions_that_are_recorded(
    subject: Subject, program_of: Callable[[Subject, bool], Path]
) -> None:
    run = explore(program_of(subject, True), subject)
    assert run.executions == subject.sized(small=True)[1]


@pytest.mark.matrix(4)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_as_it_is_measured_it_has_no_more_blocked_ones_than_are_recorded(
    subject: Subject, program_of: Callable[[Subject, bool], Path]
) -> None:
    run = explore(program_of(subject, False), subject)
    assert run.executions == subject.executions
    assert run.blocked <= RECORDED[subject.name]["blocked"]


def test_what_is_recorded_is_of_these_programs() -> None:
    assert {subject.name for subject in SUBJECTS} == set(RECORDED)
    for subject in SUBJECTS:
        found = RECORDED[subject.name]
        assert (found["model"], found["flags"]) == (subject.model, subject.flags)
        assert found["executions"] == subject.executions
