# SPDX-License-Identifier: MIT
"""The benchmark programs run. No test asks how fast anything is."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from fencepost.measure.programs import find_program
from fencepost.measure.quick import ENOUGH
from fencepost.measure.subjects import SUBJECTS
from fencepost.measure.window import list_variants
from fencepost.report.bench_targets import TARGETS
from fencepost.report.headlines import HEADLINES

pytestmark = pytest.mark.crowd

ROOT = Path(__file__).resolve().parents[2]


def build_directory() -> Path:
    """Where benchmarks are built: FENCEPOST_BENCH_DIR, build/bench, or the build under test."""
    candidates = [
        os.environ.get("FENCEPOST_BENCH_DIR"),
        "build/bench",
        os.environ.get("FENCEPOST_BUILD_DIR"),
        "build/release",
    ]
    for candidate in candidates:
        if candidate and find_program(ROOT / candidate, "event_counts"):
            return ROOT / candidate
    pytest.skip("the benchmarks are not built: make bench, or -DFENCEPOST_BENCH=ON")


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_benchmark_runs_one_short_window_without_an_error(
    subject: str, tmp_path: Path
) -> None:
    program = find_program(build_directory(), subject)
    if program is None:
        pytest.skip(f"{subject} is not built")
    out = tmp_path / "out.json"
    done = subprocess.run(
        [
            str(program),
            "--benchmark_min_time=0.002",
            f"--benchmark_out={out}",
            "--benchmark_out_format=json",
        ],
        capture_output=True,
        text=True,
        timeout=300,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = json.loads(out.read_text())["benchmarks"]
    assert {row["name"] for row in rows} == {v.name for v in list_variants(subject, program)}
    for row in rows:
        assert not row.get("error_occurred"), row
        figure = SUBJECTS[subject].figure
        # Of threads that did not get a processor in so short a window nothing is done.
        assert row[figure] >= 0, row


def test_every_target_names_a_benchmark_that_exists_unless_its_peer_is_left_out() -> None:
    directory = build_directory()
    for subject in SUBJECTS:
        program = find_program(directory, subject)
        if program is None:
            continue
        known = {(v.work, v.variant) for v in list_variants(subject, program)}
        works = {work for work, _ in known}
        for target in TARGETS:
            if target.subject == subject:
                assert target.work in works, target
                assert (target.work, target.ours) in known, target
        for line in HEADLINES:
            if line.subject == subject:
                assert (line.work, line.ours) in known, line
                assert re.search(ENOUGH[subject], f"{line.work}/{line.ours}"), line


def test_what_is_enough_for_a_first_impression_exists() -> None:
    directory = build_directory()
    for subject, pattern in ENOUGH.items():
        program = find_program(directory, subject)
        if program is not None:
            chosen = [v for v in list_variants(subject, program) if re.search(pattern, str(v))]
            assert 2 <= len(chosen) <= 24, (subject, chosen)
