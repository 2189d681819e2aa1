# SPDX-License-Identifier: MIT
"""The latency study of the heavy fences: the program's figures, how they are judged and kept, and
that the documentation says what the results say that are beside it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fencepost.compare.ratios import Ratio
from fencepost.measure.results import Windows
from fencepost.measure.windows import drawn_rounds
from fencepost.runners.latency.claims import claim_rows, verdict
from fencepost.runners.latency.figures import FIGURES, figures, quantile_axis, quantile_place
from fencepost.runners.latency.judged import LEVEL, csm_interval, dominance
from fencepost.runners.latency.page import PAGE, SAID, rewrite
from fencepost.runners.latency.pieces import STRATEGIES, SURROUNDINGS
from fencepost.runners.latency.samples import (
    BINS,
    PER_DECADE,
    Samples,
    quantile,
    samples_of,
    time_said,
)
from fencepost.runners.latency.saved import Saved, read, save
from fencepost.toolchain.toolchain import build_directory
from scipy.stats import binom

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "bench" / "barriers"

RESULTS = ROOT / "docs" / "design" / "barrier_latency"


@pytest.fixture(scope="module")
def program() -> Path:
    path = build_directory() / "bench" / "barriers" / "latency"
    if not path.exists():
        pytest.skip("bench_barriers_latency is not built")
    return path


def run(program: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *options], capture_output=True, text=True, check=False)


def samples(*rounds: dict[int, float]) -> Samples:
    """Make samples of rounds, each of which says how many waits took so many nanoseconds."""
    counts = np.zeros((len(rounds), BINS))
    for row, found in enumerate(rounds):
        for nanoseconds, count in found.items():
            counts[row, round(math.log10(nanoseconds) * PER_DECADE)] += count
    return Samples(counts, 0, 1.0, 0.0, 1e9)


def window(key: str, heavy: str, number: int, first: int, kept: bool = True) -> dict[str, Any]:
    figures = {f"bin {first + n}": 10.0 * (n + 1) for n in (0, 1, 3)}
    return {
        "kind": "window",
        "subject": "latency",
        "work": key,
        "variant": heavy,
        "round": number,
        "kept": kept,
        "figures": {
            **figures,
            "samples": 70.0,
            "not_running": 7.0,
            "reader_share": 0.99,
            "load_share": 0.01,
            "most": 1e6,
        },
    }


def some_results() -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = [
        {
            "kind": "run",
            "schema": 2,
            "machine": "a <machine>",
            "processors": 2,
            "kernel": "6",
            "started": "2026-01-02T03:04:05",
        }
    ]
    for number in range(3):
        for key in SURROUNDINGS:
            for n, strategy in enumerate(STRATEGIES):
                lines.append(window(key.key, strategy.heavy, number, 100 + 40 * n + number))
    return [*lines, window("alone", "global", 3, 600, kept=False)]


def written(lines: list[dict[str, Any]], path: Path) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_every_wait_is_in_a_bin(program: Path) -> None:
    done = run(program, "--heavy", "private_expedited", "--seconds", "0.05")
    report = json.loads(done.stdout)
    if not report["usable"]:
        pytest.skip("membarrier does not work here")
    assert report["heavy"] == "private_expedited"
    assert sum(report["bins"]) == report["samples"] > 0
    assert report["bins"][0] > 0 < report["bins"][-1]
    assert report["first_bin"] <= math.log10(report["median"]) * PER_DECADE
    assert report["median"] <= report["p90"] <= report["p99"] <= report["p999"] <= report["most"]
    assert report["not_running"] == 0, "there are no readers"
    assert report["reader_share"] == report["load_share"] == 0


def test_what_runs_beside_the_waiter_is_reported(program: Path) -> None:
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("readers need a second processor")
    for seconds in ("0.3", "3", "30"):  # beside much else a reader may not get a turn so soon
        words = ("--heavy", "full_fences", "--seconds", seconds, "--readers", "--load")
        report = json.loads(run(program, *words).stdout)
        if report["reader_share"] > 0:
            break
    assert 0 < report["reader_share"] <= 1.01
    assert 0 <= report["load_share"] <= 1.01
    assert report["samples"] + report["not_running"] > 0


@pytest.mark.parametrize(
    ("options", "answer"),
    [
        ([], "there is no heavy side called ''"),
        (["--heavy", "membarier"], "no heavy side called 'membarier'"),
        (["--heavy", "none", "--seconds", "-1"], "--seconds -1: a number from"),
        (["twice"], "what is twice?"),
        (["--nonsense"], "--help lists the options"),
    ],
)
def test_options_that_cannot_be_are_refused(program: Path, options: list[str], answer: str) -> None:
    done = run(program, *options)
    assert done.returncode == 2
    assert answer in done.stderr
    assert done.stdout == ""


def test_an_earlier_run_is_gone_on_with_in_the_same_orders() -> None:
    whole = list(drawn_rounds({"a": 0, "b": 0, "c": 0}, 3, 1))
    assert [sorted(items) for _, items in whole] == [["a", "b", "c"]] * 3
    rest = list(drawn_rounds({"a": 1, "b": 3, "c": 2}, 3, 1))
    assert [sorted(items) for _, items in rest] == [[], ["a"], ["a", "c"]]


def test_the_interval_is_where_the_evidence_is_at_the_level() -> None:
    low, high = csm_interval(700, 1000)
    assert low < 0.7 < high
    for end in (low, high):
        assert 1001 * binom.pmf(700, 1000, end) == pytest.approx(LEVEL, rel=1e-3)
    assert csm_interval(0, 1000)[0] == 0
    assert csm_interval(1000, 1000)[1] == 1
    assert csm_interval(1000, 1000)[0] == pytest.approx((LEVEL / 1001) ** (1 / 1000))


def test_who_is_always_faster_dominates() -> None:
    found = dominance(samples({1e3: 50, 2e3: 50}), samples({1e5: 10}))
    assert found.faster.value == pytest.approx(1)
    assert (found.successes, found.pairs) == (10, 10)
    assert found.shortfall == 0
    assert found.speedup.value == pytest.approx(100 / math.sqrt(2), rel=0.05)


def test_who_is_faster_most_of_the_time_falls_short_where_he_is_not() -> None:
    found = dominance(samples({1e3: 90, 1e6: 10}), samples({1e4: 100}))
    assert found.faster.value == pytest.approx(0.9)
    assert found.shortfall == pytest.approx(0.1)
    assert found.shortfall_at == pytest.approx(1e4, rel=0.05)


def test_ten_times_as_fast_is_less_often_so() -> None:
    ours, theirs = samples({1e3: 100}), samples({5e3: 50, 5e4: 50})
    assert dominance(ours, theirs).faster.value == pytest.approx(1)
    assert dominance(ours, theirs, times=10).faster.value == pytest.approx(0.5)


def test_the_same_is_faster_half_of_the_time() -> None:
    same = samples({1e3: 60, 1e4: 40}, {1e3: 40, 1e4: 60})
    found = dominance(same, same)
    assert found.faster.value == pytest.approx(0.5)
    assert found.speedup.value == pytest.approx(1)


def test_quantiles_are_within_a_bin() -> None:
    share = samples({1e3: 50, 1e4: 49, 1e6: 1}).share
    assert quantile(share, 0.25) == pytest.approx(1e3, rel=0.04)
    assert quantile(share, 0.75) == pytest.approx(1e4, rel=0.04)
    assert quantile(share, 0.995) == pytest.approx(1e6, rel=0.04)


@pytest.mark.parametrize(
    ("interval", "said"),
    [
        (Ratio(0.6, 0.55, 0.65, 3), "confirmed"),
        (Ratio(0.4, 0.35, 0.45, 3), "refuted"),
        (Ratio(0.5, 0.45, 0.55, 3), "not distinguishable"),
        (Ratio(0.6, 0.55, 0.65, 2), "too few rounds"),
    ],
)
def test_verdicts_go_by_the_interval(interval: Ratio, said: str) -> None:
    assert verdict(interval, 0.5) == said


def test_the_small_file_says_the_same(tmp_path: Path) -> None:
    path = written(some_results(), tmp_path / "all.jsonl")
    save(path, tmp_path / "small.jsonl")
    whole, small = read(path), read(tmp_path / "small.jsonl")
    assert small.runs == whole.runs
    assert (whole.windows.discarded, small.windows.discarded) == (1, 0)
    for strategy in STRATEGIES:
        one = samples_of(whole.windows, "alone", strategy.heavy)
        other = samples_of(small.windows, "alone", strategy.heavy)
        assert one is not None
        assert other is not None
        assert (one.counts == other.counts).all()
        assert other.number == 210
        assert other.not_running == 21
    save(tmp_path / "small.jsonl", tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_text() == (tmp_path / "small.jsonl").read_text()


@pytest.mark.parametrize("line", ["{", '{"kind": "window"}', '{"kind": "run", "schema": 1}'])
def test_what_is_no_result_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(SystemExit, match=r"results\.jsonl:1"):
        read(path)


def test_each_strategy_is_a_curve_in_each_panel(tmp_path: Path) -> None:
    found = read(written(some_results(), tmp_path / "all.jsonl"))
    drawn = list(figures(found, tmp_path))
    assert [path.name for path in drawn] == list(FIGURES)
    svg = "{http://www.w3.org/2000/svg}"
    for path in drawn:
        tree = xml.parse(path).getroot()
        texts = [text.text for text in tree.iter(f"{svg}text")]
        assert any("a <machine>, 2 processors" in (text or "") for text in texts)
        named = [strategy.name for strategy in STRATEGIES if strategy.name in texts]
        curves = [one.attrib["class"].split()[0] for one in tree.iter(f"{svg}polyline")]
        assert curves.count("line") == len(SURROUNDINGS) * len(named)
        rounds = 3 if path.name == "quantiles.svg" else 0
        assert curves.count("thin") == rounds * curves.count("line")
        if path.name in ("densities.svg", "quantiles.svg"):
            assert len(named) == len(STRATEGIES)


def test_axes_say_what_they_mean() -> None:
    assert [time_said(value) for value in (10, 1e3, 2.5e6, 1e9)] == [
        "10 ns",
        "1 µs",
        "2.5 ms",
        "1 s",
    ]
    axis = quantile_axis(0.999)
    assert [said for _, said in axis.marks] == ["0 %", "50 %", "90 %", "99 %", "99.9 %"]
    assert axis.place(quantile_place(0.9)) == pytest.approx(1 / 3)


def test_a_page_gets_the_tables_between_its_marks(tmp_path: Path) -> None:
    found = read(written(some_results(), tmp_path / "all.jsonl"))
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- figures: claims -->\nold\n<!-- end of figures -->\nbehind\n")
    rewrite(found, page)
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("behind\n")
    assert "old" not in text
    assert len(list(claim_rows(found))) + 2 == text.count("\n|")
    rewrite(Saved(Windows()), page)
    assert "Not measured yet." in page.read_text()


def test_the_documentation_says_what_the_results_beside_it_say(tmp_path: Path) -> None:
    found = read(RESULTS / "results.jsonl")
    page = tmp_path / "page.md"
    page.write_text(PAGE.read_text())
    rewrite(found, page)
    assert page.read_text() == PAGE.read_text(), (
        "fencepost bench latency --report … -- --documents was forgotten"
    )
    assert all(f"<!-- figures: {name} -->" in page.read_text() for name in SAID)
    for path in figures(found, tmp_path):
        assert path.read_text() == (RESULTS / path.name).read_text(), path.name


@pytest.mark.parametrize(
    ("option", "place", "said"),
    [
        ("--figures", "/no/where", "there is no folder '/no'"),
        ("--save", "/dev/full", "No space left on device; nothing was written there"),
    ],
)
def test_what_cannot_be_written_is_said(option: str, place: str, said: str) -> None:
    words = ["bench", "latency", "--report", RESULTS / "results.jsonl", "--", option, place]
    done = subprocess.run([ROOT / "fencepost", *words], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
