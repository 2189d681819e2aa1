# SPDX-License-Identifier: MIT
"""What was said and what was measured: claims are judged right, ask about what exists, and the page
says what the committed results say."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from fencepost.measure.subjects import SUBJECTS
from fencepost.results.file import read_results
from fencepost.results.schema import Measured, Metric, Run, Window
from fencepost.runners.claims.claim import (
    CONFIRMED,
    EQUAL,
    HIGHER,
    LOWER,
    NOT_HERE,
    REFUTED,
    UNKNOWN,
    Claim,
    Question,
)
from fencepost.runners.claims.groups import GROUPS, MEASURED
from fencepost.runners.claims.judged import found, stack_of_the_runtime, together
from fencepost.runners.claims.kept import lines
from fencepost.runners.claims.page import PAGE, STACK, command_text, rewritten

ROOT = Path(__file__).resolve().parents[3]
RUNNER = (ROOT / "fencepost", "bench", "claims")

SAVED = ROOT / "docs" / "design" / "findings" / "results.jsonl"


def measured(**figures: list[float]) -> Measured:
    """Variants of one work, measured in turns."""
    found = Measured()
    metric = Metric("time", "ns", "lower")
    found.runs["r"] = Run("r", True, {"s": [metric]}, {"machine": "m"})
    for variant, values in figures.items():
        for number, value in enumerate(values):
            found.windows.append(Window("r", "s", "w", variant, number, {"time": value}))
    return found


NOISE = [1.0, 1.01, 0.99, 1.005, 0.995, 1.002, 0.998, 1.0, 1.004]
RESULTS = measured(
    slow=[2 * value for value in NOISE],
    fast=list(reversed(NOISE)),
    same=NOISE[1:] + NOISE[:1],
    wild=[1, 3, 0.4, 1.6, 0.7, 2.2, 0.5, 1.1, 0.9],
)


def asked(one: str, expected: str, other: str) -> Question:
    return Question("s", "w", one, expected, other)


@pytest.mark.parametrize(
    ("test", "verdict"),
    [
        (asked("fast", LOWER, "slow"), CONFIRMED),
        (asked("fast", HIGHER, "slow"), REFUTED),
        (asked("fast", EQUAL, "slow"), REFUTED),
        (asked("fast", EQUAL, "same"), CONFIRMED),
        (asked("fast", LOWER, "same"), REFUTED),
        (asked("fast", LOWER, "wild"), UNKNOWN),
    ],
)
def test_a_claim_is_confirmed_refuted_or_left_open_as_its_comparison_says(
    test: Question, verdict: str
) -> None:
    text, said = found(RESULTS, Claim("…", "somebody", (test,)))
    assert said == verdict
    assert re.search(r"× \[.*\], " + verdict, text)


def test_a_claim_of_several_tests_holds_only_if_all_do() -> None:
    assert together([CONFIRMED, CONFIRMED]) == CONFIRMED
    assert together([CONFIRMED, REFUTED, UNKNOWN]) == (
        "in part: 1 confirmed, 1 refuted, 1 not distinguishable here"
    )


def test_a_claim_about_other_machines_is_never_judged_by_this_one() -> None:
    claim = Claim("…", "somebody", (asked("fast", LOWER, "slow"),), not_here="said of AArch64")
    text, said = found(RESULTS, claim)
    assert said == NOT_HERE
    assert "said of AArch64" in text
    assert "0.5" in text


def test_a_claim_whose_sides_were_not_measured_says_so() -> None:
    claim = Claim("…", "somebody", (asked("fast", LOWER, "unheard"),))
    assert found(RESULTS, claim) == ("not measured yet", UNKNOWN)


def test_every_claim_says_who_and_has_a_test_or_a_reason_or_a_page() -> None:
    for group in GROUPS:
        for claim in group.claims:
            assert re.search(r"20(15|17|19|20)|July|August", claim.who), claim
            assert claim.tests or claim.figures or claim.not_here or claim.elsewhere, claim


def test_every_test_is_about_what_its_groups_command_measures() -> None:
    for group in MEASURED:
        named = [word for word in group.command if word in SUBJECTS]
        assert named
        pattern = re.compile(
            group.command[group.command.index("--only") + 1] if "--only" in group.command else "."
        )
        for claim in group.claims:
            for test in claim.tests:
                assert test.subject in named, test
                known = {metric.figure for metric in SUBJECTS[test.subject].metrics}
                assert test.metric is None or test.metric in known, test
                for variant in (test.one, test.other):
                    assert pattern.search(f"{test.subject}/{test.work}/{variant}"), test


def test_what_is_kept_of_results_is_what_claims_are_about() -> None:
    full = measured(baseline=NOISE)
    assert [line["kind"] for line in lines(full)] == ["run"]
    run = Run("r", True, {"event_mutexes": SUBJECTS["event_mutexes"].metrics}, {})
    figures = {"cpu_ns_each": 1.23456789, "sections_per_second": 2.0, "slowest": 3.0}
    place = ("r", "event_mutexes", "four_mutexes/threads:1", "solution_1", 0, figures)
    told = list(lines(Measured({"r": run}, [Window(*place), Window(*place, False)])))
    assert [line["kind"] for line in told] == ["run", "window"]
    assert told[0]["discarded"] == 1
    assert told[1]["figures"] == {"cpu_ns_each": 1.23457, "sections_per_second": 2.0}


def test_the_page_says_what_the_committed_results_say() -> None:
    results = read_results([SAVED])
    results.extend(stack_of_the_runtime(STACK))
    assert rewritten(PAGE.read_text(), results) == PAGE.read_text()


def test_every_claim_that_is_measured_here_has_its_figures_in_the_committed_results() -> None:
    results = read_results([SAVED])
    there = {(window.subject, window.work, window.variant) for window in results.windows}
    for group in MEASURED:
        assert f"\n{command_text(group)}\n" in PAGE.read_text()
        for claim in group.claims:
            for test in claim.tests:
                for variant in (test.one, test.other):
                    assert (test.subject, test.work, variant) in there, test


def test_the_runner_reports_without_measuring(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RUNNER, "--report", SAVED],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "| said" in done.stdout
    missing = subprocess.run(
        [*RUNNER, "--report", tmp_path / "none.jsonl"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert missing.returncode == 3
    assert "none.jsonl" in missing.stderr
    assert all(json.loads(line) for line in SAVED.read_text().splitlines())
