# SPDX-License-Identifier: MIT
"""Which runs of a file `fencepost bench --report` and `report` take together, and which they tell
apart."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.measure.groups import differences, groups_of
from fencepost.measure.results import read_results
from fencepost.results.file import read_file
from fencepost.results.schema import Metric
from measured import lines, write_lines
from scripted import Run

NS = Metric("cpu_time", "ns", "lower")
PEER = [10.0, 10.1, 9.9, 10.05, 10.2]


def a_run(
    times: float, run: str, metric: Metric = NS, subject: str = "locks_uncontended", **facts: Any
) -> list[dict[str, Any]]:
    """Ours takes so many times as long as parking_lot."""
    figures = {"fencepost_mutex": [times * one for one in PEER], "parking_lot": PEER}
    return lines(figures, run, "lock_and_unlock", metric, subject=subject, **facts)


def an_experiment(program: str, seconds: float = 0.2) -> dict[str, Any]:
    subject = "locks_uncontended"
    return {"programs": {subject: program}, "windows": {subject: seconds}}


DIFFERENT = {
    "machine": ({"machine": "x86_64, X"}, {"machine": "aarch64, Y"}),
    "kernel": ({"kernel": "6.1"}, {"kernel": "6.18"}),
    "commit": ({"commit": "a"}, {"commit": "b"}),
    "compiler": ({"compiler": "GNU 12"}, {"compiler": "Clang 14"}),
    "unit": ({"metric": NS}, {"metric": Metric("cpu_time", "us", "lower")}),
    "program": ({"experiment": an_experiment("a")}, {"experiment": an_experiment("b")}),
    "length of windows": (
        {"experiment": an_experiment("a", 0.1)},
        {"experiment": an_experiment("a", 1.0)},
    ),
}


def ratios(text: str) -> list[str]:
    return re.findall(r"(\d+(?:\.\d+)?) × \[", text.replace("\\", ""))


@pytest.mark.parametrize("what", DIFFERENT)
def test_runs_that_differ_have_tables_of_their_own(
    fencepost: Run, tmp_path: Path, what: str
) -> None:
    one, other = DIFFERENT[what]
    file = write_lines(tmp_path / "r.jsonl", a_run(2.0, "r1", **one), a_run(0.5, "r2", **other))
    said = fencepost("bench", "--report", file).stdout
    assert said.startswith(f"These runs differ in {what}: each kind has tables of its own.")
    assert ratios(said) == ["2", "2", "0.5", "0.5"]
    assert said.index("r1: ") < said.index("2 × [") < said.index("r2: ") < said.index("0.5 × [")
    assert "within noise" not in said and "not distinguishable" not in said
    with pytest.raises(UnusableInput, match=f"they differ in {what}"):
        read_results(file)


def test_runs_that_belong_together_are_taken_together_and_named(
    fencepost: Run, tmp_path: Path
) -> None:
    both = {"commit": "a", "experiment": an_experiment("p")}
    file = write_lines(
        tmp_path / "r.jsonl",
        a_run(2.0, "r1", **both),
        a_run(2.0, "r2", **both),
        a_run(3.0, "r3", subject="event_counts", commit="a"),
    )
    said = fencepost("bench", "--report", file).stdout
    assert said.startswith("3 runs together: r1, r2, r3\n")
    assert "30 windows kept" in said
    assert set(ratios(said)) == {"2"}
    windows = read_results(file)
    assert (
        len(windows.values("locks_uncontended", "lock_and_unlock", "parking_lot", NS.figure)) == 10
    )


def test_of_one_run_nothing_is_said(fencepost: Run, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "r.jsonl", a_run(2.0, "r1"))
    assert fencepost("bench", "--report", file).stdout.startswith("locks uncontended: ")


def test_sources_that_were_changed_are_others(tmp_path: Path) -> None:
    clean = {"commit": "a", "changed_since_commit": False, "changes": None}
    changed = {"commit": "a", "changed_since_commit": True, "changes": "x"}
    file = write_lines(
        tmp_path / "r.jsonl",
        a_run(1, "r1", **clean),
        a_run(1, "r2", **changed),
        a_run(1, "r3", **{**changed, "changes": "y"}),
        a_run(1, "r4", **clean),
    )
    assert [list(group.runs) for group in groups_of(read_file(file))] == [
        ["r1", "r4"],
        ["r2"],
        ["r3"],
    ]


def test_the_same_files_are_the_same_whatever_the_commit_is(tmp_path: Path) -> None:
    """As `bench atomics` says of its programs and libraries."""
    file = write_lines(
        tmp_path / "r.jsonl",
        a_run(1, "r1", commit="a", measured={"library": "x"}),
        a_run(1, "r2", commit="b", measured={"library": "x"}),
        a_run(1, "r3", commit="b", measured={"library": "y"}),
    )
    found = read_file(file)
    assert [list(group.runs) for group in groups_of(found)] == [["r1", "r2"], ["r3"]]
    assert differences(found.runs["r1"], found.runs["r3"]) == ["measured"]


def test_a_report_has_lines_and_targets_for_each_commit(fencepost: Run, tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "r.jsonl", a_run(2.0, "r1", commit="aaa"), a_run(0.5, "r2", commit="bbb")
    )
    said = fencepost("report", file, "--markdown", "-").stdout.replace("\\", "")
    assert re.search(r"commit aaa:\n\n.*\n.*\n.* 2 × \[.* worse \|\n", said)
    assert re.search(r"commit bbb:\n\n.*\n.*\n.* 0.5 × \[.* better \|\n", said)
    assert re.search(r"lock and unlock \(r1\) .* ✗ missed", said)
    assert re.search(r"lock and unlock \(r2\) .* ✓ met", said)
    page = tmp_path / "page.html"
    assert fencepost("report", file, "--html", page).stdout.count("commit bbb") == 1
    for run in ("r1", "r2"):
        assert f"best peer that was measured; {run}: " in page.read_text()
