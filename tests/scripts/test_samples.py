# SPDX-License-Identifier: MIT
"""What make test takes of what make test-long does whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter

import pytest
import samples
from scripted import ROOT

ORDERS = "tests/library/test_orders.py"
LEVELS = "tests/checker/test_levels.py"


def collected(*words: str, **environment: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "--no-header", *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={
            **os.environ,
            "PYTEST_ADDOPTS": "-o addopts=--import-mode=importlib",
            samples.PART: "",
            **environment,
        },
    )
    return {line for line in done.stdout.splitlines() if "::" in line}


def a_share(file: str, every: set[str]) -> int:
    """How many of them are taken, by the file's own mark."""
    (share,) = re.findall(r"mark\.matrix\((\d+)\)", (ROOT / file).read_text())
    return -(-len(every) // int(share))


def test_the_samples_of_some_seeds_are_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    entries = list(range(10))
    kept: set[int] = set()
    for seed in range(40):
        monkeypatch.setenv(samples.SEED, str(seed))
        left = samples.all_but_one_in(4, entries, "name")
        assert len(left) == 7 and left == samples.all_but_one_in(4, entries, "name")
        kept |= set(entries) - set(left)
    assert kept == set(entries)
    assert samples.all_but_one_in(4, [1], "name") == []


def test_a_usual_run_takes_a_share_and_a_long_one_all() -> None:
    every = collected(ORDERS, **{samples.LONG: "1"})
    some = collected(ORDERS, **{samples.LONG: "", samples.SEED: "1"})
    assert some < every and len(some) == a_share(ORDERS, every)
    assert collected(ORDERS, **{samples.LONG: "", samples.SEED: "1"}) == some
    assert collected(ORDERS, **{samples.LONG: "", samples.SEED: "2"}) != some


def test_of_a_file_that_is_a_matrix_a_share_of_its_tests_runs() -> None:
    def of_the_file(name: str, *words: str, **environment: str) -> set[str]:
        return {one for one in collected(*words, **environment) if one.startswith(name)}

    file = "tests/study/test_verdicts.py"
    every = of_the_file(file, "tests/study", **{samples.LONG: "1"})
    some = of_the_file(file, "tests/study", **{samples.LONG: "", samples.SEED: "1"})
    assert some < every and len(some) == a_share(file, every)
    assert of_the_file(file, file, **{samples.LONG: ""}) == every


def test_of_files_that_share_a_lot_a_share_runs_each_whole() -> None:
    def files(**environment: str) -> dict[str, int]:
        return Counter(
            one.partition("::")[0] for one in collected("tests/packaging", **environment)
        )

    every = files(**{samples.LONG: "1"})
    lot = {one for one in every if ".lot(8, " in (ROOT / one).read_text()}
    some = files(**{samples.LONG: "", samples.SEED: "1"})
    assert len(lot) > 5 and len(lot & some.keys()) == -(-len(lot) // 8)
    assert every.keys() - lot == some.keys() - lot
    drawn = set()
    for seed in range(5):
        drawn |= lot & files(**{samples.LONG: "", samples.SEED: str(seed)}).keys()
    assert len(drawn) > 1
    left_out = min(lot - some.keys())
    assert collected(left_out, **{samples.LONG: "", samples.SEED: "1"})


def test_the_parts_of_a_long_run_are_the_whole() -> None:
    every = collected(ORDERS, **{samples.LONG: "1"})
    parts = [
        collected(ORDERS, **{samples.LONG: "1", samples.PART: f"{number}/3"})
        for number in (1, 2, 3)
    ]
    assert set.union(*parts) == every and sum(map(len, parts)) == len(every)
    assert all(parts)


def test_what_a_long_run_does_in_turns_three_seeds_do_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def levels(*words: str, **environment: str) -> set[str]:
        every = collected(*words, **{samples.LONG: "1", **environment})
        return {one for one in every if one.startswith(f"{LEVELS}::test_the_verdict_")}

    every = levels(LEVELS, "-k", "verdict")
    turns = []
    for seed in (5, 6, 7):
        monkeypatch.setenv(samples.SEED, str(seed))
        turns.append({one for one in every if samples.is_in_turn(3, one)})
    assert set.union(*turns) == every and sum(map(len, turns)) == len(every)
    assert max(map(len, turns)) < 0.35 * len(every)
    # By its own name it would be whole.
    folder = ("tests/checker", "--ignore-glob=*/test_[!l]*.py")
    assert levels(*folder, **{samples.SEED: "5"}) == turns[0]
    of_a_turn = levels(*folder, **{samples.SEED: "5", samples.PART: "1/6"})
    assert 0.14 * len(turns[0]) < len(of_a_turn) < 0.2 * len(turns[0])


def test_make_hands_the_part_on() -> None:
    told = subprocess.run(
        ["make", "-n", "test-long", "PART=2/6"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert f"{samples.PART}='2/6' scripts/test_long.sh" in told


@pytest.mark.parametrize("part", ["4/3", "0/3", "1/0", "2", "a/b", "-1/3"])
def test_a_part_that_there_is_not_is_said(monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    monkeypatch.setenv(samples.PART, part)
    with pytest.raises(ValueError, match="such as 2/6"):
        samples.is_in_part("tests/one.py::test")


def test_who_asks_for_one_by_its_name_gets_it() -> None:
    every = collected(ORDERS, **{samples.LONG: "1"})
    for one in sorted(every)[:3]:
        assert collected(one, **{samples.LONG: ""}) == {one}
    mutexes = {one for one in every if "shared_mutex" in one}
    assert mutexes and collected(ORDERS, "-k", "shared_mutex", **{samples.LONG: ""}) == mutexes


def test_slow_proofs_are_left_to_the_long_run() -> None:
    proofs = "tests/library/test_proofs.py"
    long = collected(proofs, "-m", "slow", **{samples.LONG: "1"})
    assert len(long) >= 8 and not long & collected(proofs, **{samples.LONG: ""})
