# SPDX-License-Identifier: MIT
"""The arithmetic of `fencepost bench`: ratios, targets, and when a window is disturbed."""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import pytest
from fencepost.compare.posterior import location
from fencepost.compare.ratios import Ratio, typical_ratio
from fencepost.measure.results import Windows, windows_of
from fencepost.measure.window import Outcome
from fencepost.report.bench_tables import measured_beside, target_rows, variant_rows
from fencepost.report.bench_targets import TARGETS
from fencepost.results.file import read_file
from measured import lines, write_lines


def window(variant: str, number: int, kept: bool = True, **figures: float) -> dict[str, Any]:
    return {
        "kind": "window",
        "subject": "locks_contended",
        "work": "short_section/threads:2",
        "variant": variant,
        "round": number,
        "kept": kept,
        "figures": figures,
    }


def test_a_ratio_is_the_typical_one_of_its_rounds() -> None:
    ratio = typical_ratio([2.0, 1.0, 4.0, 2.0], [4.0, 4.0, 4.0, 4.0])
    assert ratio is not None
    low, high = location([math.log(one) for one in (0.5, 0.25, 1.0, 0.5)]).interval(0.95)
    assert ratio.value == pytest.approx(0.5, rel=0.02)
    assert (ratio.low, ratio.high) == pytest.approx((math.exp(low), math.exp(high)))


def test_rounds_are_judged_as_they_were_taken_wherever_they_stand_in_a_file(tmp_path: Path) -> None:
    (run, *taken) = lines({"a": [100, 101, 102, 103, 104, 105]})
    random.Random(1).shuffle(taken)
    windows = windows_of(read_file(write_lines(tmp_path / "r.jsonl", [run, *taken])))
    values = windows.values("rings", "threads:2", "a", "speed")
    assert values == [100, 101, 102, 103, 104, 105]


def test_noise_that_both_sides_share_does_not_widen_the_interval() -> None:
    noise = [1.0, 3.0, 2.0, 5.0, 4.0]
    ratio = typical_ratio([2 * n for n in noise], noise)
    assert ratio is not None
    assert (ratio.low, ratio.value, ratio.high) == (2.0, 2.0, 2.0)


def test_a_verdict_says_when_the_bound_lies_within_the_interval() -> None:
    ratio = Ratio(0.98, 0.95, 1.02, 9)
    assert ratio.verdict(1.1, at_least=False) == "yes"
    assert ratio.verdict(1.0, at_least=False) == "yes, within noise"
    assert ratio.verdict(1.0, at_least=True) == "no, within noise"
    assert ratio.verdict(0.9, at_least=False) == "no"
    assert ratio.verdict(0.9, at_least=True) == "yes"


def test_disturbed_windows_are_counted_and_left_out() -> None:
    windows = Windows()
    windows.add(window("fencepost_mutex", 0, sections_per_second=3e6))
    windows.add(window("fencepost_mutex", 1, kept=False, sections_per_second=1.0))
    windows.add(window("parking_lot", 0, sections_per_second=2e6))
    assert windows.discarded == 1
    rows = target_rows(windows)
    assert [row[3] for row in rows] == ["1.5 × [1 round]"]
    assert rows[0][-1] == "too few rounds"


def test_what_is_added_to_something_is_compared_round_by_round() -> None:
    windows = Windows()
    times = {
        "plain_load": (1.0, 3.0, 2.0),
        "fencepost_rcu": (2.0, 4.0, 3.0),
        "urcu_memb": (3.0, 5.0, 4.0),
    }
    for variant, rounds in times.items():
        for number, time_taken in enumerate(rounds):
            one = window(variant, number, cpu_time=time_taken)
            windows.add({**one, "subject": "protected_reads", "work": "read"})
    first = target_rows(windows)[0]
    assert first[0] == "read: beyond plain load"
    assert first[3:] == ["0.5 × [0.5, 0.5]", "≤ 0.6 ×", "yes"]


@pytest.mark.parametrize(
    ("figures", "others", "disturbed"),
    [
        ({}, 0.1, True),
        ({}, 0.02, False),
        ({"one_thread": 1.0, "real_time": 1.02, "cpu_time": 1.0}, 1.0, False),
        ({"one_thread": 1.0, "real_time": 1.3, "cpu_time": 1.0}, 0.0, True),
    ],
)
def test_a_window_is_disturbed_when_others_used_a_processor_that_mattered(
    figures: dict[str, float], others: float, disturbed: bool
) -> None:
    outcome = Outcome(figures, {}, elapsed=0.5, others=others)
    assert outcome.is_disturbed(0.15) is disturbed


def test_a_target_without_a_peer_is_the_figure_itself() -> None:
    windows = Windows()
    for number in range(3):
        windows.add(window("fencepost_mutex", number, fairness=0.9))
    rows = target_rows(windows)
    assert [row[2:] for row in rows] == [
        ["—", "0.9 [0.9, 0.9]", f"≥ {bound}", "yes"] for bound in ("0.5", "0.01")
    ]


def test_variants_are_shown_by_work_with_the_best_first_and_in_numbers_that_are_read() -> None:
    windows = Windows()
    for threads in (8, 32, 2):
        for variant, speed in (("slow", 1234.5 * threads), ("fast", 3e6 * threads)):
            for number_ in range(3):
                one = window(variant, number_, sections_per_second=speed)
                windows.add({**one, "work": f"short_section/threads:{threads}"})
    rows = variant_rows(windows)
    assert [row[:2] for row in rows] == [
        [f"short section, threads {threads}", variant]
        for threads in (2, 8, 32)
        for variant in ("fast", "slow")
    ]
    assert rows[0][2] == "6 M sections/s"
    assert rows[1][2:4] == ["2,469 sections/s", "[2,469, 2,469]"]


def test_fairness_is_at_most_one_and_so_is_its_interval() -> None:
    windows = Windows()
    for number, fairness in enumerate((0.99, 0.97, 1.0, 0.93)):
        windows.add(window("fencepost_mutex", number, fairness=fairness))
    target = next(one for one in TARGETS if one.figure == "fairness")
    measured = measured_beside(windows, target, "fairness")
    assert measured is not None
    assert measured.low < measured.value < measured.high == 1.0
