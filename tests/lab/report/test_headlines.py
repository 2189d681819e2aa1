# SPDX-License-Identifier: MIT
"""The lines with which `fencepost bench` ends and `fencepost report` begins."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from fencepost.measure.subjects import SUBJECTS
from fencepost.report.headlines import HEADLINES, of_windows
from fencepost.results.schema import Window
from measured import lines, write_lines
from scripted import Run

#: By how much the figures of a round differ.
_NOISE = (1.0, 1.01, 0.99, 1.02, 0.98)


def figures(middle: float) -> list[float]:
    return [middle * noise for noise in _NOISE]


def test_there_are_ten_and_each_has_peers() -> None:
    assert len(HEADLINES) == 10
    assert all(one.peers and one.ours.startswith("fencepost_") for one in HEADLINES)


def rows(text: str) -> list[list[str]]:
    of_them = text.partition("best peer that was measured")[2]
    found = [line for line in of_them.splitlines() if " × [" in line]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in found]


def test_both_commands_say_the_same(fencepost: Run, tmp_path: Path) -> None:
    """Both commands take the better of two peers, where less is better and where more is."""
    parts = []
    for line in HEADLINES:
        subject = SUBJECTS[line.subject]
        worse, best = (50.0, 100.0) if subject.more_is_better else (100.0, 50.0)
        measured = {line.ours: figures(75.0), line.peers[-1]: figures(best)}
        if len(line.peers) > 1:
            measured[line.peers[0]] = figures(worse)
        parts.append(
            lines(measured, f"r{len(parts)}", line.work, subject.metrics[0], subject=line.subject)
        )
    file = write_lines(tmp_path / "results.jsonl", *parts)
    page = tmp_path / "page.html"
    measured_rows = rows(fencepost("bench", "--report", str(file)).stdout)
    assert [row[4] for row in measured_rows] == ["worse"] * 10
    assert [row[2] for row in measured_rows] == [
        one.peers[-1].replace("_", " ") for one in HEADLINES
    ]
    told = fencepost("report", str(file), "--html", str(page)).stdout
    assert rows(told) == measured_rows
    assert told.index("× [") < told.index("written: ")
    markdown = fencepost("report", str(file), "--markdown", "-").stdout
    assert markdown.index("best peer") < markdown.index("Measured on")
    said = page.read_text()
    assert said.index("best peer") < said.index('class="subject"')


@pytest.mark.parametrize(
    ("ours", "said"),
    [
        (figures(100.5), "not distinguishable"),
        (figures(120), "better"),
        (figures(80), "worse"),
        ([100.0, 101.0], "not known: too few rounds"),
    ],
)
def test_the_words_follow_the_interval(
    fencepost: Run, tmp_path: Path, ours: list[float], said: str
) -> None:
    line = next(one for one in HEADLINES if one.subject == "rings")
    peer = [100.0, 101.0, 99.0, 102.0, 98.0][: len(ours)]
    measured = {line.ours: list(reversed(ours)), line.peers[0]: peer}
    metric = SUBJECTS["rings"].metrics[0]
    file = write_lines(tmp_path / "r.jsonl", lines(measured, "r", line.work, metric))
    (row,) = rows(fencepost("bench", "--report", str(file)).stdout)
    assert row[4] == said


def test_of_figures_that_are_zero_nothing_is_said_to_be_better(
    fencepost: Run, tmp_path: Path
) -> None:
    line = next(one for one in HEADLINES if one.subject == "locks_contended")
    metric = SUBJECTS[line.subject].metrics[0]
    zeros = {line.ours: [0.0] * 5, line.peers[0]: [0.0] * 5}
    file = write_lines(
        tmp_path / "r.jsonl", lines(zeros, "r", line.work, metric, subject=line.subject)
    )
    for words in (("bench", "--report", str(file)), ("report", str(file), "--markdown", "-")):
        said = fencepost(*words).stdout
        assert "no ratio: the peer's may be zero" in said.replace("\\", "")
        assert "inf" not in said and "better |" not in said and "yes" not in said


@pytest.mark.parametrize("rounds", [3, 5])
@pytest.mark.parametrize("question", ["rings", "locks_uncontended"])
def test_beside_equal_peers_ours_is_neither_better_nor_worse(question: str, rounds: int) -> None:
    """A subject where more is better, and one where less is; each with six peers."""
    line = next(one for one in HEADLINES if one.subject == question)
    figure = SUBJECTS[question].figure
    source = random.Random(f"{question} {rounds}")
    told, times = 0, 300
    for _ in range(times):
        windows = [
            Window(
                "r",
                question,
                line.work,
                variant,
                number,
                {figure: 100 * math.exp(0.03 * source.gauss(0, 1))},
            )
            for number in range(rounds)
            for variant in (line.ours, *line.peers)
        ]
        (row,) = of_windows(windows)
        told += row[4] != "not distinguishable"
    assert len(line.peers) == 6
    assert told / times <= 0.06
