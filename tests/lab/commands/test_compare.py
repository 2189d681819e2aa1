# SPDX-License-Identifier: MIT
"""fencepost compare on results that are there: what it says, and what it refuses."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from fencepost.results.schema import Metric
from measured import lines, write_lines
from scripted import Run

pytestmark = pytest.mark.matrix(3)

SOURCE = np.random.default_rng(1)
NOISE = np.exp(SOURCE.normal(0, 0.01, (4, 20)))
DRIFT = np.exp(np.cumsum(SOURCE.normal(0, 0.05, 20)))
FIGURES = {
    "fast": [float(v) for v in 110 * DRIFT * NOISE[0]],
    "slow": [float(v) for v in 100 * DRIFT * NOISE[1]],
    "same": [float(v) for v in 100 * DRIFT * NOISE[2]],
    "near": [float(v) for v in 101 * DRIFT * NOISE[3]],
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "results.jsonl", lines(FIGURES))


def test_a_difference_is_told_with_its_direction(fencepost: Run, results: Path) -> None:
    done = fencepost("compare", "fast", "slow", "--results", results)
    assert done.returncode == 0, done.stderr
    assert "P(a > b + 1 %) = > 99.9 %" in done.stdout
    assert "fast's speed is higher, better: by more than 1 %" in done.stdout
    done = fencepost("compare", "slow", "fast", "--results", results)
    assert "slow's speed is lower, worse" in done.stdout


def test_equality_and_ignorance_are_told_apart(fencepost: Run, results: Path) -> None:
    done = fencepost("compare", "slow", "same", "--results", results, "--rope", "5%")
    assert done.returncode == 0, done.stderr
    assert "practically equal: within 5 %" in done.stdout
    done = fencepost("compare", "near", "same", "--results", results, "--rope", "0.8 %")
    assert done.returncode == 2, done.stdout
    assert "not distinguishable by these 20 rounds" in done.stdout
    assert "more rounds" in done.stdout


def test_many_are_held_to_a_stricter_bound_and_sorted(fencepost: Run, results: Path) -> None:
    done = fencepost("compare", "slow", "*", "--results", results, "--rope", "3%")
    rows = [line for line in done.stdout.splitlines() if line.startswith("| threads")]
    effects = [float(row.split("|")[4].split("×")[0]) for row in rows]
    assert len(rows) == 3
    assert effects == sorted(effects)
    assert "Holm" in done.stdout
    everything = fencepost("compare", "*", "--results", results, "--all-pairs", "--json")
    answers = [json.loads(line) for line in everything.stdout.splitlines()]
    assert len(answers) == 6
    assert all(answer["questions"] == 6 for answer in answers)
    for answer in answers:
        low, high = answer["interval"]
        wide = answer["simultaneous_interval"]
        assert wide[0] < low < answer["ratio"] < high < wide[1]


def test_holm_lets_no_more_answers_be_wrong_than_one_question_would() -> None:
    from fencepost.compare.select import Pair, Sample
    from fencepost.compare.verdict import UNKNOWN, Rope, compare, judged

    metric = Metric("speed", "", "higher")
    side = Sample("a", "s", "w", metric, {}, ())
    source = np.random.default_rng(5)
    border = 1.01
    wrong_alone = wrong_together = 0
    for _ in range(40):
        # Five questions whose truth lies on the border: every answer "higher" would be wrong.
        comparisons = []
        for _ in range(5):
            ones = tuple(border * np.exp(source.normal(0, 0.02, 8)))
            comparisons.append(compare(Pair(side, side, ones, (1.0,) * 8, True), Rope(0.01), 0.95))
        wrong_alone += any(one.higher > 0.95 for one in comparisons)
        wrong_together += any(one.verdict != UNKNOWN for one in judged(comparisons))
    assert wrong_together <= 6
    assert wrong_together <= wrong_alone


def test_the_same_variant_in_two_files_is_compared_without_pairs(
    fencepost: Run, tmp_path: Path
) -> None:
    write_lines(tmp_path / "before.jsonl", lines({"x": FIGURES["slow"]}, run="1", commit="aaa"))
    write_lines(tmp_path / "after.jsonl", lines({"x": FIGURES["fast"]}, run="2", commit="bbb"))
    done = fencepost("compare", "before.jsonl", "after.jsonl")
    assert "commit differs: aaa and bbb" in done.stdout
    assert "not measured in turns" in done.stdout
    done = fencepost("compare", "before.jsonl", "after.jsonl", "--paired")
    assert done.returncode == 0
    assert "in turns" in done.stdout
    assert "before.jsonl's speed is lower, worse" in done.stdout


def test_a_database_and_google_benchmarks_output_are_read_too(
    fencepost: Run, results: Path, tmp_path: Path
) -> None:
    fencepost("results", results, "--into", "results.db")
    direct = fencepost("compare", "fast", "slow", "--results", results)
    stored = fencepost("compare", "fast", "slow", "--results", "results.db")
    assert stored.stdout == direct.stdout
    rows = [
        {
            "name": name,
            "run_type": "iteration",
            "repetition_index": n,
            "time_unit": "ns",
            "real_time": value,
            "cpu_time": value,
        }
        for name in ("fast", "slow")
        for n, value in enumerate(FIGURES[name])
    ]
    (tmp_path / "g.json").write_text(json.dumps({"context": {}, "benchmarks": rows}))
    done = fencepost("compare", "fast", "slow", "--results", "g.json", "--metric", "real_time")
    assert "real_time, lower is better; 20 and 20 rounds" in done.stdout


def test_pairs_are_made_of_the_runs_that_both_sides_have(fencepost: Run, tmp_path: Path) -> None:
    both = {"a": FIGURES["slow"], "b": FIGURES["fast"]}
    more = {"a": [4 * value for value in FIGURES["slow"]]}
    path = write_lines(
        tmp_path / "r.jsonl",
        lines(both, run="1", interleaved=False),
        lines(more, run="2", interleaved=False),
    )
    done = fencepost("compare", "a", "b", "--results", path, "--paired")
    assert "20 rounds, in turns" in done.stdout
    assert "a's speed is lower, worse" in done.stdout
    assert "20 figures have no counterpart in their round: left out" in done.stdout


def test_rounds_of_one_number_in_several_runs_are_not_paired_by_guessing(
    fencepost: Run, tmp_path: Path
) -> None:
    for name, (variant, runs) in {"1": ("a", "12"), "2": ("b", "34")}.items():
        parts = (lines({variant: FIGURES["slow"]}, run=run) for run in runs)
        write_lines(tmp_path / f"{name}.jsonl", *parts)
    words = ("compare", "a", "b", "--results", "1.jsonl", "2.jsonl")
    done = fencepost(*words, "--paired")
    assert done.returncode == 3
    assert "a has a round 0 in 1 and in 2, and nothing says which" in done.stderr
    assert "40 and 40 rounds" in fencepost(*words).stdout


def test_the_order_of_lines_changes_no_answer(fencepost: Run, tmp_path: Path) -> None:
    run, *windows = lines(FIGURES, interleaved=False)
    answers = set()
    for number, some in enumerate((windows, windows[::-1])):
        path = write_lines(tmp_path / f"{number}.jsonl", [run], some)
        answers.add(fencepost("compare", "near", "same", "--results", path).stdout)
    assert len(answers) == 1


def test_rounds_that_one_side_lacks_and_figures_that_are_no_numbers_are_left_out_and_told(
    fencepost: Run, tmp_path: Path
) -> None:
    figures = {"fast": [math.nan, *FIGURES["fast"][1:]], "slow": FIGURES["slow"][:-1]}
    path = write_lines(tmp_path / "r.jsonl", lines(figures))
    path.write_text(path.read_text()[:-5])
    done = fencepost("compare", "fast", "slow", "--results", path)
    assert done.returncode == 0, done.stderr
    assert "17 rounds, in turns" in done.stdout
    assert "1 figures that are no numbers are left out" in done.stdout
    assert "no counterpart" in done.stdout
    assert "incomplete" in done.stderr


def test_a_ratio_that_drifts_is_remarked_on(fencepost: Run, tmp_path: Path) -> None:
    growing = [100 * (1 + 0.02 * n) * float(NOISE[0][n]) for n in range(20)]
    path = write_lines(tmp_path / "r.jsonl", lines({"a": growing, "b": [100.0] * 20}))
    done = fencepost("compare", "a", "b", "--results", path)
    assert "the ratio drifts" in done.stdout


# ------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fats", "slow", "--results", "results.jsonl"], "did you mean fast?"),
        (["fast", "--results", "results.jsonl"], "nothing to compare"),
        (["fast", "slow", "--results", "no.jsonl"], "No such file"),
        (["fast", "slow"], "--results FILE says where they are"),
        (["results.jsonl", "results.jsonl"], "a run that the other file has, too"),
        (["results.jsonl"], "one file is nothing to compare"),
        (["fast", "slow", "--results", "results.jsonl", "--metric", "sped"], "did you mean speed?"),
        (["fast", "slow", "--results", "results.jsonl", "--work", "none"], "no windows"),
        (["fast", "slow", "--results", "results.jsonl", "--work", "("], "no pattern"),
        (["fast", "slow", "--results", "results.jsonl", "--rope", "x"], "no share"),
        (["fast", "slow", "--results", "results.jsonl", "--rope", "200%"], "between 0 %"),
        (["fast", "slow", "--results", "results.jsonl", "--certainty", "10%"], "below 50 %"),
    ],
)
def test_what_cannot_be_compared_is_refused_in_clear_words(
    fencepost: Run, results: Path, words: Sequence[str], told: str
) -> None:
    done = fencepost("compare", *words)
    assert done.returncode == 3
    assert told in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("figures", "told"),
    [
        ({"a": [1.0, 2.0], "b": [1.0, 2.0]}, "2 rounds of a are too few"),
        ({"a": [1.0], "b": [1.0]}, "1 rounds of a are too few"),
        ({"a": [1.0, 2.0, 0.0], "b": [1.0, 2.0, 3.0]}, "not above zero in 1 of 3"),
        ({"a": [1.0, 2.0, 3.0], "b": [1.0, -2.0, 3.0]}, "not above zero in 1 of 3"),
        ({"a": [math.inf] * 3, "b": [1.0] * 3}, "0 rounds of a are too few"),
    ],
)
def test_figures_that_say_nothing_are_refused(
    fencepost: Run, tmp_path: Path, figures: dict[str, list[float]], told: str
) -> None:
    path = write_lines(tmp_path / "r.jsonl", lines(figures))
    done = fencepost("compare", "a", "b", "--results", path)
    assert done.returncode == 3
    assert told in done.stderr


def test_figures_of_two_machines_are_mixed_only_when_that_is_asked_for(
    fencepost: Run, tmp_path: Path
) -> None:
    write_lines(tmp_path / "one.jsonl", lines({"x": FIGURES["slow"]}, run="1"))
    write_lines(tmp_path / "two.jsonl", lines({"x": FIGURES["fast"]}, run="2", kernel="6.12"))
    done = fencepost("compare", "one.jsonl", "two.jsonl")
    assert done.returncode == 3
    assert "kernel differs: 6.1 and 6.12" in done.stderr
    assert "--across-machines" in done.stderr
    done = fencepost("compare", "one.jsonl", "two.jsonl", "--across-machines")
    assert done.returncode in (0, 2)
    assert "kernel differs" in done.stdout


def test_different_units_are_not_compared(fencepost: Run, tmp_path: Path) -> None:
    other = Metric("speed", "bytes/s", "higher")
    write_lines(tmp_path / "one.jsonl", lines({"x": FIGURES["slow"]}, run="1"))
    write_lines(tmp_path / "two.jsonl", lines({"x": FIGURES["slow"]}, run="2", metric=other))
    done = fencepost("compare", "one.jsonl", "two.jsonl")
    assert done.returncode == 3
    assert "is in items/s" in done.stderr
    assert "in bytes/s" in done.stderr


@pytest.mark.parametrize("variants", ["ab", "aa"])
def test_runs_that_disagree_about_what_is_better_are_not_judged(
    fencepost: Run, tmp_path: Path, variants: str
) -> None:
    """Whether they are of one side or of two."""
    lower = Metric("speed", "items/s", "lower")
    first = {"a": FIGURES["slow"], "c": FIGURES["fast"]}
    path = write_lines(
        tmp_path / "r.jsonl",
        lines(first, run="1"),
        lines({variants[1]: FIGURES["same"]}, run="2", metric=lower),
    )
    sides = ("a", "b") if variants == "ab" else ("a", "c")
    for words in (sides, sides[::-1]):
        done = fencepost("compare", *words, "--results", path)
        assert done.returncode == 3, done.stdout
        assert "by some of these runs higher speed is better, by others lower" in done.stderr


def test_what_one_run_says_of_better_counts_where_the_other_says_nothing(
    fencepost: Run, tmp_path: Path
) -> None:
    silent = Metric("speed", "items/s", "")
    path = write_lines(
        tmp_path / "r.jsonl",
        lines({"a": FIGURES["slow"]}, run="1", metric=silent),
        lines({"b": FIGURES["fast"]}, run="2"),
    )
    done = fencepost("compare", "a", "b", "--results", path, "--paired")
    assert "a's speed is lower, worse" in done.stdout
    done = fencepost("compare", "b", "a", "--results", path, "--paired")
    assert "b's speed is higher, better" in done.stdout
