# SPDX-License-Identifier: MIT
"""The benchmark's runner interleaves, keeps, resumes and counts right: on programs that stand in
for those that measure."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.measure.results import Windows
from fencepost.runners.atomics.pieces import OURS, REFERENCE, SYSTEM, Built, all_pieces
from fencepost.runners.atomics.saved import Saved, read, save
from fencepost.runners.atomics.tables import say_stack, say_targets

ROOT = Path(__file__).resolve().parents[3]
RUNNER = (str(ROOT / "fencepost"), "bench", "atomics")

pytestmark = pytest.mark.matrix(3)

#: Prints figures for each NAME=PATH that it is given, or for itself; each library's is its own.
STAND_IN = """#!/bin/bash
if [[ $* == "-w list" ]]; then printf '%s\\n' '__atomic_load_16/seq_cst' '__atomic_load_1/seq_cst'
exit; fi
if [[ -n $FAILS && $* == *"$FAILS"* ]]; then echo "this one fails" >&2; exit 1; fi
[[ -n $INTERRUPTS && $* == *"$INTERRUPTS"* ]] && kill -INT $PPID && exec tail -f /dev/null
others= all=
for word; do case $word in *=*) all+=", \\"${word%%=*}\\": {\\"FIGURE\\": ${#word}.5}";; esac; done
[[ -n $all ]] || for word; do [[ $previous == -k ]] && all=", \\"$word\\": {\\"FIGURE\\": 7.5}"
previous=$word; done
echo "{\\"pinned\\": true, \\"variants\\": {${all:2}}}"
"""


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A build directory with stand-ins for what is measured and what measures."""
    folder = tmp_path / "bench" / "atomics"
    folder.mkdir(parents=True)
    for name, figure in (
        ("operations", "nanoseconds"),
        ("contended", "operations_per_second"),
        ("lifo", "elements_per_second"),
    ):
        program = folder / name
        program.write_text(STAND_IN.replace("FIGURE", figure))
        program.chmod(0o755)
    library = tmp_path / "libatomic.so.1"
    library.write_text("a library")
    kinds = ["default", "mutex", REFERENCE]
    (folder / "kinds.txt").write_text("".join(f"{kind}={library}\n" for kind in kinds))
    return tmp_path


def run(built: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        # Whoever runs the tests in the background has SIGINT ignored, and children inherit it.
        [
            "env",
            "--default-signal=INT",
            *RUNNER,
            "--build-dir",
            str(built),
            "--others",
            "1000",
            "--",
            "--no-build",
            "--system",
            str(built / "libatomic.so.1"),
            *words,
        ],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        timeout=120,
        env={**os.environ, **environment},
    )


def windows_in(built: Path) -> list[dict[str, Any]]:
    lines = (built / "bench" / "atomics" / "results.jsonl").read_text().splitlines()
    return [found for found in map(json.loads, lines) if found["kind"] == "window"]


def test_each_round_has_every_piece_once_in_an_order_of_its_own(built: Path) -> None:
    done = run(built, "--rounds", "3", "--only", "contended")
    assert done.returncode == 0, done.stderr
    orders = []
    for number in range(3):
        works = [w["work"] for w in windows_in(built) if w["round"] == number]
        orders.append(list(dict.fromkeys(works)))
        assert all(works.count(work) == 2 for work in works)  # ours and the system's
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert len({tuple(order) for order in orders}) == 3
    first = [w["variant"] for w in windows_in(built)][::2]
    assert set(first) == {OURS, SYSTEM}  # neither is always first


def test_the_same_seed_draws_the_same_orders(built: Path) -> None:
    taken = []
    for seed in ("5", "5", "6"):
        assert run(built, "--rounds", "1", "--seed", seed, "--only", "lifo").returncode == 0
        taken.append([(w["work"], w["variant"]) for w in windows_in(built)])
    assert taken[0] == taken[1] != taken[2]


def test_a_run_that_is_interrupted_keeps_what_it_has_and_goes_on(built: Path) -> None:
    few = ("--rounds", "2", "--only", "lifo/stack/threads:(1|2|4)/")
    done = run(built, *few, INTERRUPTS="pthread_mutex -t 4")
    assert done.returncode == 130, done.stderr
    assert "interrupted" in done.stderr
    kept = len(windows_in(built))
    assert f"{kept} windows kept" in done.stdout

    done = run(built, *few, "--resume")
    assert done.returncode == 0, done.stderr
    counts: dict[tuple[str, str], int] = {}
    for window in windows_in(built):
        key = window["work"], window["variant"]
        counts[key] = counts.get(key, 0) + 1
    assert set(counts.values()) == {2}
    assert len(windows_in(built)) > kept

    again = run(built, *few, "--resume")
    assert len(windows_in(built)) == sum(counts.values())
    assert again.stdout.splitlines()[:-1] == done.stdout.splitlines()[:-1]


def test_windows_of_another_build_are_not_gone_on_with(built: Path) -> None:
    few = ("--rounds", "1", "--only", "lifo/stack/threads:1/")
    assert run(built, *few).returncode == 0
    (built / "libatomic.so.1").write_text("another library")
    done = run(built, *few, "--resume")
    assert done.returncode == 1
    assert "another build" in done.stderr
    # Without --resume they are put aside, not lost.
    before = len(windows_in(built))
    assert run(built, *few).returncode == 0
    aside = built / "bench" / "atomics" / "results.previous.jsonl"
    assert aside.read_text().count('"window"') == before


def test_a_piece_that_fails_is_named_and_the_others_go_on(built: Path) -> None:
    done = run(built, "--rounds", "2", "--only", "contended/exchange", FAILS="-t 8")
    assert done.returncode == 1
    assert done.stderr.count("this one fails") == 1
    works = {w["work"] for w in windows_in(built)}
    assert "exchange/threads:8" not in works
    assert "exchange/threads:32" in works


def test_out_of_time_it_stops_without_a_complaint(built: Path) -> None:
    done = run(built, "--for", "0.000001", "--rounds", "5", "--only", "lifo")
    assert done.returncode == 0, done.stderr
    assert "0 windows kept" in done.stdout


@pytest.mark.parametrize(
    "words, complaint",
    [
        (["--only", "nothing"], "no piece matches"),
        (["--only", "("], "is no pattern"),
        (["--rounds", "0"], "no whole number from 1 to"),
        (["--for", "long"], "is no number"),
        (["--for", "-1"], "above zero"),
        (["--report", "/nowhere"], "no such file"),
        (["--system", "/nowhere"], "--system /nowhere: no such file"),
        (["--build-dir", "/nowhere"], "bench_atomics"),
    ],
)
def test_what_cannot_be_is_refused(built: Path, words: list[str], complaint: str) -> None:
    done = run(built, *words)
    assert done.returncode != 0
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_a_folder_that_is_no_build_directory_is_said(tmp_path: Path) -> None:
    done = subprocess.run(
        [*RUNNER, "--build-dir", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "make build" in done.stderr


# ---------------------------------------------------------------------------- figures


def some_windows() -> Windows:
    windows = Windows(discarded=3)

    def add(subject: str, work: str, variant: str, figure: str, *values: float) -> None:
        for number, value in enumerate(values):
            windows.add(
                {
                    "kept": True,
                    "subject": subject,
                    "work": work,
                    "variant": variant,
                    "round": number,
                    "figures": {figure: value},
                }
            )

    for work, ours in (
        ("__atomic_load_16/seq_cst", (5.0, 5.0, 5.0)),
        ("__atomic_load_1/relaxed", (20.0, 20.0, 20.0)),
        ("__atomic_load_2/relaxed", (9.0, 9.0, 9.0)),
        ("__atomic_load_4/relaxed", (9.0, 9.0, 11.0)),
    ):
        add("operations", work, OURS, "nanoseconds", *ours)
        add("operations", work, SYSTEM, "nanoseconds", 10.0, 10.0, 10.0)
    work = "load_and_compare_exchange/threads:1"
    add("contended", work, OURS, "operations_per_second", 1.2, 1.4, 1.5)
    add("contended", work, SYSTEM, "operations_per_second", 1.0, 1.0, 1.0)
    for variant, value in ((REFERENCE, 10.0), ("mutex", 20.0)):
        add("lifo", "stack/threads:2", variant, "elements_per_second", value, value, value)
        add("lifo", "stack/threads:4", variant, "elements_per_second", value)
    return windows


def test_the_small_file_says_what_the_windows_say(tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    found = Saved(some_windows(), [{"kind": "run", "machine": "one"}])
    save(found, path)
    again = read(path)
    assert again.windows == found.windows
    assert again.runs == found.runs


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"schema": 9}', '{"schema": 1, "discarded": 0, "figures": 3}']
)
def test_what_is_no_file_of_figures_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "figures.json"
    path.write_text(text)
    with pytest.raises(SystemExit, match=r"schema 9|not a file of results"):
        read(path)


def test_rows_with_a_target_are_shown_and_of_the_others_those_that_are_slower() -> None:
    text = "\n".join(say_targets(some_windows(), everything=False))
    assert "__atomic_load_16, seq_cst" in text
    assert "1.36 × [0.95, 1.94]" in text and "yes, within noise" in text
    # Of the third the interval holds the bound, though its middle meets it.
    assert "3 other calls, none of which is to be slower: 1 are not, 1 are, 1 may be" in text
    assert "__atomic_load_1, relaxed" in text
    assert "__atomic_load_2, relaxed" not in text
    assert "__atomic_load_2, relaxed" in "\n".join(say_targets(some_windows(), everything=True))


def test_the_stack_is_shown_as_multiples_of_the_pthread_mutex() -> None:
    (mutex,) = (
        line for line in say_stack(some_windows(), descheduled=False) if line.startswith("| mutex")
    )
    # Of a single round there is no interval.
    assert mutex.replace(" ", "") == "|mutex|2.00[2.00,2.00]|2.00|"


def test_every_kind_of_lock_is_a_variant_of_the_stack(built: Path) -> None:
    library = built / "libatomic.so.1"
    kinds = {"default": library, "mutex": library, "spin": library}
    found = Built(built / "bench" / "atomics", library, kinds, {"default": library}, library)
    pieces = all_pieces(found)
    plain = {p.variant for p in pieces if p.work == "stack/threads:256"}
    assert {"mutex", "spin", SYSTEM, "instruction"} <= plain
    assert "default" not in plain
    (together,) = (
        p.libraries for p in pieces if p.work == "exchange/threads:256" and p.subject == "kinds"
    )
    assert {name.split("=")[0] for name in together} == {"mutex", "spin", SYSTEM}
    # Where a lock does not say when it is taken, its owner cannot be descheduled.
    forced = {p.variant for p in pieces if p.work == "stack/threads:256/descheduled:1000"}
    assert forced == plain - {"mutex", "spin"}
