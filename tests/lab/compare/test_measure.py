# SPDX-License-Identifier: MIT
"""fencepost compare --measure: commands in turns until the answer is known. The commands print
numbers, so that no test depends on how fast anything is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted import Run

pytestmark = pytest.mark.matrix(5)

#: Prints 100, 101, 102 and then again, one number a call.
COUNTING = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) >n; echo $((100 + n % 3))"


def of_kind(path: Path, kind: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in read if line["kind"] == kind]


def measure(fencepost: Run, *words: str) -> Any:
    return fencepost("compare", "--measure", "--take", "number", "--into", "m.jsonl", *words)


def test_it_ends_as_soon_as_it_is_known_and_says_how_sure_that_is(
    fencepost: Run, tmp_path: Path
) -> None:
    done = measure(fencepost, COUNTING, "echo 120", "--better", "lower")
    assert done.returncode == 0, done.stderr
    assert "number is lower, better: by more than 1 %" in done.stdout
    assert "whenever one stops: wrong in at most 5 %" in done.stdout
    windows = of_kind(tmp_path / "m.jsonl", "window")
    assert 8 <= len(windows) / 2 <= 20
    orders = {w["variant"] for w in windows[::2]}
    assert len(orders) == 2  # neither is always first


def test_without_an_answer_it_ends_with_the_budget_and_goes_on_with_the_same_file(
    fencepost: Run, tmp_path: Path
) -> None:
    done = measure(fencepost, COUNTING, "echo 101", "--rounds", "5", "--rope", "0.1%")
    assert done.returncode == 2
    assert "not distinguishable by these 5 rounds" in done.stdout
    done = measure(fencepost, COUNTING, "echo 101", "--rounds", "3", "--rope", "0.1%")
    assert "5 rounds were there already" in done.stderr
    assert "not distinguishable by these 8 rounds" in done.stdout
    windows = of_kind(tmp_path / "m.jsonl", "window")
    assert sorted(w["round"] for w in windows) == [n // 2 for n in range(16)]
    assert len({run["seed"] for run in of_kind(tmp_path / "m.jsonl", "run")}) == 1
    again = fencepost("compare", COUNTING, "echo 101", "--results", "m.jsonl", "--rope", "0.1%")
    assert "8 rounds, in turns" in again.stdout


def test_what_is_answered_is_measured_no_longer(fencepost: Run, tmp_path: Path) -> None:
    done = measure(
        fencepost, COUNTING, "echo 300", "echo 101", "--rope", "0.1%", "--rounds", "25", "--json"
    )
    answers = {a["b"]: a for a in map(json.loads, done.stdout.splitlines())}
    assert answers["echo 300"]["verdict"] == "lower"
    assert answers["echo 300"]["questions"] == 2
    assert answers["echo 300"]["rounds"][0] < 20
    assert answers["echo 101"]["rounds"] == [25, 25]


def test_a_command_beside_itself_is_equal(fencepost: Run) -> None:
    done = measure(fencepost, COUNTING, COUNTING, "--rope", "5%")
    assert done.returncode == 0, done.stderr
    assert "practically equal" in done.stdout


def test_to_be_ended_is_to_keep_what_there_is(fencepost: Run, tmp_path: Path) -> None:
    ends = "test -e n && test $(cat n) = 9 && kill $PPID && sleep 20; echo 101"
    done = measure(fencepost, COUNTING, ends, "--rope", "0.1%", "--seed", "1")
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    assert "not distinguishable by these" in done.stdout
    assert len(of_kind(tmp_path / "m.jsonl", "window")) >= 15


def test_a_command_that_fails_now_and_then_is_told_of_and_the_others_go_on(
    fencepost: Run, tmp_path: Path
) -> None:
    fails = "test $(cat n) = 4 && { echo 5; echo why >&2; exit 7; }; echo 120"
    done = measure(fencepost, COUNTING, fails, "--warm-up", "2", "--seed", "3")
    assert done.returncode == 0, done.stderr
    failures = of_kind(tmp_path / "m.jsonl", "failure")
    assert failures and all(one["message"] == "exit status 7: why" for one in failures)
    assert "in which a command failed are left out" in done.stdout


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("exit 4", "exit status 4"),
        ("sleep 20", "did not end in 0.3 s (--timeout)"),
        ("echo fast", "printed 'fast' last, which is no number"),
        ("true", "printed nothing"),
        ("echo -3", "ratios need numbers above zero"),
        ("echo nan", "ratios need numbers above zero"),
        ("./no_such_program", "exit status 127"),
    ],
)
def test_a_command_that_cannot_be_measured_is_named_at_once(
    fencepost: Run, command: str, told: str
) -> None:
    done = measure(fencepost, "echo 1", command, "--timeout", "0.3")
    assert done.returncode == 3
    assert f"{command}: " in done.stderr
    assert told in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["echo 1"], "one command is nothing to compare"),
        (["echo 1", "echo 2", "--cpu", "4095"], "processors that may be used are"),
        (["echo 1", "echo 2", "--cpu", "x"], "no list of processors"),
        (["echo 1", "echo 2", "--budget", "0"], "above zero"),
        (["echo 1", "echo 2", "--rounds", "0"], "no whole number from 1 to"),
        (["echo 1", "echo 2", "--into", "/dev/full"], "No space left on device"),
        (["echo 1", "echo 2", "--into", "/proc/no/file"], "/proc/no"),
    ],
)
def test_what_cannot_be_begun_is_refused(fencepost: Run, words: Sequence[str], told: str) -> None:
    done = measure(fencepost, *words)
    assert done.returncode == 3
    assert told in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_of_other_measurements_or_of_another_machine_is_left_alone(
    fencepost: Run, tmp_path: Path
) -> None:
    assert measure(fencepost, COUNTING, "echo 120").returncode == 0
    path = tmp_path / "m.jsonl"
    before = path.read_text()
    done = measure(fencepost, COUNTING, "echo 130")
    assert done.returncode == 3
    assert "it holds other measurements than these" in done.stderr
    assert path.read_text() == before
    path.write_text(before.replace('"kernel": "', '"kernel": "another '))
    done = measure(fencepost, COUNTING, "echo 120")
    assert done.returncode == 3
    assert "begun on another machine: kernel" in done.stderr


def test_times_are_taken_without_a_word_from_the_command(fencepost: Run, tmp_path: Path) -> None:
    spin = "i=0; while [ $i -lt 60000 ]; do i=$((i + 1)); done"
    for take, figure in (("wall", "wall_time"), ("cpu", "cpu_time")):
        done = fencepost(
            "compare",
            "--measure",
            "--take",
            take,
            "--rounds",
            "3",
            "--into",
            f"{take}.jsonl",
            spin,
            spin,
        )
        assert done.returncode in (0, 2), done.stderr
        windows = of_kind(tmp_path / f"{take}.jsonl", "window")
        assert all(window["figures"][figure] > 0 for window in windows)


def test_cpu_time_is_not_told_in_ticks(fencepost: Run, tmp_path: Path) -> None:
    """By a clock that ticks a hundred times a second these would take nothing, or one tick."""
    fencepost(
        "compare",
        "--measure",
        "--take",
        "cpu",
        "--rounds",
        "6",
        "--into",
        "c.jsonl",
        "true",
        "sleep 0",
    )
    assert not of_kind(tmp_path / "c.jsonl", "failure")
    found = [w["figures"]["cpu_time"] for w in of_kind(tmp_path / "c.jsonl", "window")]
    assert len({round(100 * value, 9) for value in found}) > 3
    assert all(round(value, 6) == value for value in found)


@pytest.mark.parametrize("other", ["echo 0.01", "cat c"])
def test_numbers_in_coarse_steps_are_not_answered(
    fencepost: Run, tmp_path: Path, other: str
) -> None:
    """0.01 may be anything that is rounded to it."""
    (tmp_path / "c").write_text("0.01\n")
    done = measure(fencepost, "echo 0.01", other + " # 2", "--rounds", "30")
    assert done.returncode == 2, done.stdout
    assert "not distinguishable" in done.stdout
    assert "come in steps of about 100 %" in done.stdout
    assert "too coarse for 1 %" in done.stdout


def program(path: Path, number: str) -> None:
    path.write_text(f"#!/bin/sh\necho {number}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(
    ("old", "new"),
    [("./old", "./new"), ("./old", "env X=1 ./new"), ("./old", "sh new.sh"), ("old.sh", "new.sh")],
)
def test_nothing_is_answered_by_rounds_of_a_program_that_has_changed(
    fencepost: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, old: str, new: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    for name in ("old", "old.sh"):
        program(tmp_path / name, "1000")
    for name in ("new", "new.sh"):
        program(tmp_path / name, "1100")
    first = measure(fencepost, old, new)
    assert first.returncode == 0, first.stderr
    before = (tmp_path / "m.jsonl").read_text()
    again = measure(fencepost, old, new)
    assert "rounds were there already" in again.stderr
    assert again.returncode == 0
    for name in ("new", "new.sh"):
        program(tmp_path / name, "500")
    kept = (tmp_path / "m.jsonl").read_text()
    changed = measure(fencepost, old, new)
    assert changed.returncode == 3
    assert "is another program than it was; --into names another file" in changed.stderr
    assert "new" in changed.stderr.split(" is another program")[0]
    assert (tmp_path / "m.jsonl").read_text() == kept
    assert kept.startswith(before)


def test_a_program_that_changes_meanwhile_is_told(fencepost: Run, tmp_path: Path) -> None:
    program(tmp_path / "new", "120")
    changes = "echo '#' >>other; echo 100"
    program(tmp_path / "other", "1")
    done = measure(fencepost, changes, "./new; true ./other", "--rounds", "3")
    assert done.returncode == 3
    assert "./other changed while it was measured" in done.stderr


@pytest.mark.parametrize("answered", [True, False])
def test_rounds_are_gone_on_with_only_by_the_same_question(
    fencepost: Run, tmp_path: Path, answered: bool
) -> None:
    sides = ("echo 100", "echo 120") if answered else (COUNTING, "echo 101")
    rounds = ("--rounds", "3") if not answered else ()
    measure(fencepost, *sides, "--better", "higher", *rounds)
    before = (tmp_path / "m.jsonl").read_text()
    for words, told in (
        (["--better", "lower"], "in it higher is better, and here lower is better (--better)"),
        ([], "in it higher is better, and here neither higher nor lower is better"),
        (["--better", "higher", "--cpu", "0"], "--cpu was not given and is 0"),
    ):
        done = measure(fencepost, *sides, *words, *rounds)
        assert done.returncode == 3
        assert told in done.stderr
        assert "--into names another file" in done.stderr
    path = tmp_path / "m.jsonl"
    assert path.read_text() == before
    path.write_text(before.replace('"programs"', '"others"'))
    done = measure(fencepost, *sides, "--better", "higher")
    assert done.returncode == 3
    assert "does not say which programs were measured" in done.stderr


def test_rounds_that_failed_earlier_are_told_again(fencepost: Run, tmp_path: Path) -> None:
    fails = "test $(cat n) = 4 && exit 7; echo 101"
    words = (COUNTING, fails, "--rope", "0.1%", "--rounds", "4", "--seed", "3")
    assert "1 rounds in which a command failed" in measure(fencepost, *words).stdout
    assert "1 rounds in which a command failed" in measure(fencepost, *words).stdout
