# SPDX-License-Identifier: MIT
"""The programs of the checker's benchmark, in their small sizes, have the executions that are
recorded; and the search has not become worse at what it may do better or worse."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fencepost.toolchain.toolchain import build_directory
from suite.exploring import Checker, explore
from suite.programs import SUBJECTS, Subject
from suite.results import read_recorded

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "bench" / "checker"


RECORDED = read_recorded(BENCH / "baseline.json")


@pytest.fixture(scope="module")
def program_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Subject], Path]:
    """The small program; what differs in the model alone is one."""
    checker = Checker("here", ROOT, build_directory())
    made: dict[tuple[str, str], Path] = {}

    def build(subject: Subject) -> Path:
        key = (subject.source, subject.sized(small=True)[0])
        if key not in made:
            directory = tmp_path_factory.mktemp("program") / "built"
            made[key] = checker.program(subject, directory, small=True)
        return made[key]

    return build


@pytest.mark.matrix(2)
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_a_program_of_the_suite_has_the_executions_that_are_recorded(
    subject: Subject, program_of: Callable[[Subject], Path]
) -> None:
    run = explore(program_of(subject), subject)
    assert run.executions == subject.sized(small=True)[1]
    if subject.small is None:
        assert run.blocked <= RECORDED[subject.name]["blocked"]


def test_what_is_recorded_is_of_these_programs() -> None:
    assert {subject.name for subject in SUBJECTS} == set(RECORDED)
    for subject in SUBJECTS:
        found = RECORDED[subject.name]
        assert (found["model"], found["flags"]) == (subject.model, subject.flags)
        assert found["executions"] == subject.executions
