# SPDX-License-Identifier: MIT
"""The benchmarks run, and the runner counts right. No test asks how fast anything is."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUNNER = ROOT / "bench" / "library" / "run.py"
sys.path.insert(0, str(RUNNER.parent))
from measuring.ratios import Ratio, ratio_of_medians  # noqa: E402
from measuring.results import Windows  # noqa: E402
from measuring.subjects import SUBJECTS as MEASURED  # noqa: E402
from measuring.subjects import TARGETS  # noqa: E402
from measuring.tables import target_rows  # noqa: E402
from measuring.window import Outcome, list_variants  # noqa: E402

SUBJECTS = tuple(MEASURED)


def load_runner() -> ModuleType:
    spec = importlib.util.spec_from_file_location("fencepost_bench_runner", RUNNER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


runner = load_runner()


def build_directory() -> Path:
    """Where benchmarks are built: FENCEPOST_BENCH_DIR, build/bench, or the build under test."""
    candidates = [os.environ.get("FENCEPOST_BENCH_DIR"), "build/bench",
                  os.environ.get("FENCEPOST_BUILD_DIR"), "build/release"]  # fmt: skip
    for candidate in candidates:
        if candidate and runner.find_program(ROOT / candidate, SUBJECTS[0]):
            return ROOT / candidate
    pytest.skip("the benchmarks are not built: make bench, or -DFENCEPOST_BENCH=ON")


def run(*arguments: str, results: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(RUNNER), "--build-dir", str(build_directory()),
         "--results", str(results), *arguments],
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ---------------------------------------------------------------------------- the programs


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_benchmark_runs_one_short_window_without_an_error(
    subject: str, tmp_path: Path
) -> None:
    program = runner.find_program(build_directory(), subject)
    if program is None:
        pytest.skip(f"{subject} is not built")
    out = tmp_path / "out.json"
    done = subprocess.run(
        [str(program), "--benchmark_min_time=0.002", f"--benchmark_out={out}",
         "--benchmark_out_format=json"],
        capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert {row["name"] for row in rows} == {v.name for v in list_variants(subject, program)}
    for row in rows:
        assert not row.get("error_occurred"), row
        figure = MEASURED[subject].figure
        assert row[figure] > 0, row


def test_every_target_names_a_benchmark_that_exists_unless_its_peer_is_left_out() -> None:
    directory = build_directory()
    for subject in SUBJECTS:
        program = runner.find_program(directory, subject)
        if program is None:
            continue
        known = {(v.work, v.variant) for v in list_variants(subject, program)}
        works = {work for work, _ in known}
        for target in TARGETS:
            if target.subject == subject:
                assert target.work in works, target
                assert (target.work, target.ours) in known, target


# ---------------------------------------------------------------------------- the runner


def test_a_run_prints_ratios_beside_targets_and_keeps_every_window(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    done = run("--subject", "event_counts", "--only", "event_count$|release_store_and_load",
               "--repetitions", "3", "--window", "0.005", "--others", "1000",
               results=results)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "met?" in done.stdout
    assert "fencepost two word event count" in done.stdout
    described, *windows = lines_of(results)
    assert described["kind"] == "run"
    for key in ("machine", "kernel", "compiler", "flags", "commit", "load", "processors"):
        assert key in described
    assert all(window["kind"] == "window" for window in windows)
    rounds: dict[str, list[int]] = {}
    for window in windows:
        rounds.setdefault(window["variant"], []).append(window["round"])
    assert all(numbers == [0, 1, 2] for numbers in rounds.values())
    # Interleaved: each variant once before any comes twice.
    first = [window["variant"] for window in windows[: len(rounds)]]
    assert sorted(first) == sorted(rounds)

    again = subprocess.run([sys.executable, str(RUNNER), "--report", str(results)],
                           capture_output=True, text=True, check=True)  # fmt: skip
    assert again.stdout in done.stdout


def test_an_interrupted_run_prints_what_it_has(tmp_path: Path) -> None:
    results = tmp_path / "results.jsonl"
    process = subprocess.Popen(
        [sys.executable, str(RUNNER), "--build-dir", str(build_directory()), "--results",
         str(results), "--subject", "event_counts", "--repetitions", "10000", "--window", "0.005",
         "--others", "1000"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if results.exists() and len(results.read_text().splitlines()) > 40:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "interrupted" in errors
    assert "met?" in out


def test_unknown_subjects_are_refused_with_the_nearest_name(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(RUNNER), "--subject", "ring"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert "did you mean rings" in done.stderr


def test_where_nothing_is_built_it_says_what_to_do(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(RUNNER), "--build-dir", str(tmp_path)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "make bench" in done.stderr


def test_a_benchmark_that_crashes_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    library = tmp_path / "library"
    library.mkdir()
    program = library / "event_counts"
    program.write_text(
        "#!/bin/bash\n"
        'for word; do case $word in --benchmark_list_tests) printf "w/good\\nw/bad\\n"; exit;;\n'
        "  --benchmark_filter=*bad*) kill -SEGV $$;;\n"
        "  --benchmark_out=*) out=${word#*=};; esac; done\n"
        'echo \'{"context": {}, "benchmarks": [{"name": "w/good", "run_type": "iteration", '
        '"real_time": 2.0, "cpu_time": 2.0, "one_thread": 1}]}\' >"$out"\n'
    )
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(RUNNER), "--build-dir", str(tmp_path), "--subject", "event_counts",
         "--repetitions", "2", "--results", str(tmp_path / "r.jsonl")],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "w/bad: status -11" in done.stderr
    assert [line["variant"] for line in lines_of(tmp_path / "r.jsonl")[1:]] == ["good", "good"]


# ---------------------------------------------------------------------------- its arithmetic


def window(variant: str, number: int, kept: bool = True, **figures: float) -> dict[str, Any]:
    return {"kind": "window", "subject": "locks_contended", "work": "short_section/threads:2",
            "variant": variant, "round": number, "kept": kept, "figures": figures}  # fmt: skip


def test_a_ratio_is_that_of_the_medians() -> None:
    ratio = ratio_of_medians([1.0, 2.0, 300.0], [4.0, 4.0, 4.0])
    assert ratio is not None
    assert ratio.value == 0.5
    assert ratio.low == 0.25
    assert ratio.high == 75.0


def test_noise_that_both_sides_share_does_not_widen_the_interval() -> None:
    noise = [1.0, 3.0, 2.0, 5.0, 4.0]
    ratio = ratio_of_medians([2 * n for n in noise], noise)
    assert ratio is not None
    assert (ratio.low, ratio.value, ratio.high) == (2.0, 2.0, 2.0)


def test_the_interval_of_a_known_ratio_covers_it_about_as_often_as_it_says() -> None:
    source = random.Random(7)
    covered = 0
    for _ in range(200):
        ours = [source.gauss(90, 5) for _ in range(15)]
        peer = [source.gauss(100, 5) for _ in range(15)]
        ratio = ratio_of_medians(ours, peer, resamples=200)
        assert ratio is not None
        covered += ratio.low <= 0.9 <= ratio.high
    assert covered >= 170


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
    assert [row[3] for row in rows] == ["1.5 × [1.5, 1.5]"]
    assert rows[0][-1] == "yes"


def test_what_is_added_to_something_is_compared_round_by_round() -> None:
    windows = Windows()
    times = {"plain_load": (1.0, 3.0, 2.0), "fencepost_rcu": (2.0, 4.0, 3.0),
             "urcu_memb": (3.0, 5.0, 4.0)}  # fmt: skip
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


def test_results_of_another_schema_are_refused(tmp_path: Path) -> None:
    old = tmp_path / "old.jsonl"
    old.write_text('{"kind": "run", "schema": 999}\n')
    done = subprocess.run([sys.executable, str(RUNNER), "--report", str(old)],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert "schema 999" in done.stderr
