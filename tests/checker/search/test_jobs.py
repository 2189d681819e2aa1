# SPDX-License-Identifier: MIT
"""Several processes that share a search find what one finds, each execution once."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import DISTURBED, LATE, Exploring, build, build_disturbed, disturb, explore


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that takes minutes, if it is let."""
    return build("families/lastzero.c", tmp_path_factory.mktemp("endless"), "-DN=20")


@pytest.fixture(scope="module")
def disturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_disturbed(tmp_path_factory.mktemp("disturbed"))


def test_three_processes_find_what_one_finds(program: Path) -> None:
    options = "all=1 dump=1 progress=0"
    alone = explore(program, options)
    assert len(alone.executions) == sum(alone.executions.values()) > 1
    shared = explore(program, f"{options} jobs=3 alone=1")
    assert shared.executions == alone.executions
    assert shared.counters == alone.counters
    assert shared.status == alone.status
    found = [answer.result["violation"] for answer in (alone, shared)]
    if found[0]:
        assert found[0]["kind"] == found[1]["kind"]
        assert len(found[0]["events"]) == len(found[1]["events"]), "the shortest one is told"


def test_the_first_violation_stops_all(tmp_path: Path) -> None:
    program = build("locks/reader_writer_lock.cpp", tmp_path, "-DLEAVE=relaxed")
    answer = explore(program, "jobs=3 alone=1")
    assert (answer.status, answer.result["verdict"]) == (1, "violated")
    assert answer.result["violation"]["kind"] == "data-race"


def test_what_is_found_soon_is_the_same_with_any_number_of_jobs(tmp_path: Path) -> None:
    program = build("locks/reader_writer_lock.cpp", tmp_path, "-DLEAVE=relaxed")
    violations = [explore(program, f"jobs={jobs}").result["violation"] for jobs in (1, 2, 5)]
    assert violations[0] == violations[1] == violations[2]


def test_no_execution_of_a_limit_is_lost_between_processes(tmp_path: Path) -> None:
    program = build("families/lastzero.c", tmp_path, "-DN=6")
    whole = sum(explore(program, "").counters[1:3])
    for most in range(1, 2 * whole):
        answer = explore(program, f"jobs=4 alone=1 progress=0 max_executions={most}")
        assert sum(answer.counters[1:3]) == min(most, whole)
        assert answer.result["verdict"] == ("holds" if most >= whole else "inconclusive")


def test_the_work_of_a_process_that_dies_is_done_again(disturbed: Path, tmp_path: Path) -> None:
    environment = disturb("kill", tmp_path)
    answer = explore(disturbed, "jobs=2 alone=1", None, environment)
    assert list(tmp_path.iterdir()) == [], "one has died"
    assert answer.counters == DISTURBED
    assert answer.status == 0


def test_it_stops_when_asked_and_says_so(disturbed: Path, tmp_path: Path) -> None:
    environment = disturb("interrupt", tmp_path)
    answer = explore(disturbed, "jobs=2 alone=1", None, environment)
    assert (answer.status, answer.result["reason"]) == (2, "interrupted")
    assert 0 < answer.result["executions"] < DISTURBED[1]


@pytest.mark.parametrize(
    ("limit", "reason"),
    [("max_executions=2000", "the limit on executions"), ("timeout=0.05", "the time limit")],
)
def test_limits_stop_all(endless: Path, limit: str, reason: str) -> None:
    answer = explore(endless, f"jobs=2 alone=1 {limit}")
    assert answer.status == 2
    assert reason in answer.result["reason"]


def test_nobody_is_left_when_the_first_process_is_killed(endless: Path) -> None:
    exploring = Exploring(endless, "jobs=2 alone=1 progress=0.05")
    exploring.until_progress()
    workers = exploring.workers()
    assert len(workers) == 2
    exploring.process.kill()
    exploring.answer()  # ends when nobody holds the pipe any more
    for worker in workers:
        assert not Path(f"/proc/{worker}/exe").exists()


def test_what_is_not_supported_is_said_whoever_meets_it(tmp_path: Path) -> None:
    source = tmp_path / "late.c"
    source.write_text(LATE)
    program = build(str(source), tmp_path / "built")
    answer = explore(program, "jobs=3 alone=1")
    assert answer.status == 2
    assert "system call" in answer.result["reason"]
    assert answer.result["place"] != 0
