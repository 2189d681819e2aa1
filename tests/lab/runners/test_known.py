# SPDX-License-Identifier: MIT
"""What `fencepost bench` hands over to programs of their own, and what it refuses to."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fencepost.runners.known import RUNNERS

ROOT = Path(__file__).resolve().parents[3]
MODULES = [name for name, runner in RUNNERS.items() if "/" not in runner.command]


def bench(*words: str) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "fencepost", "bench", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("name", MODULES)
def test_it_says_what_it_can_do(name: str) -> None:
    done = bench(name, "--", "--help")
    assert done.returncode == 0, done.stderr
    assert f"usage: fencepost bench {name} --" in done.stdout


@pytest.mark.parametrize("name", RUNNERS)
def test_an_option_that_it_does_not_take_is_refused(name: str) -> None:
    done = bench(name, "--seconds", "1")
    assert done.returncode == 3
    assert f"{name} does not take --seconds" in done.stderr


@pytest.mark.parametrize("name", [n for n, runner in RUNNERS.items() if not runner.takes])
def test_none_is_passed_over(name: str) -> None:
    done = bench(name, "--only", "x")
    assert done.returncode == 3
    assert f"{name} does not take --only" in done.stderr


def test_what_is_never_short_is_not_said_to_be() -> None:
    done = bench("claims", "quick")
    assert done.returncode == 3
    assert "claims has no quick form" in done.stderr


def test_a_mistake_in_its_own_options_is_told_as_its_own() -> None:
    done = bench("checker", "--", "--rounds", "0")
    assert done.returncode == 2
    assert "fencepost bench checker --" in done.stderr


def test_a_cluster_is_measured_beside_jobs() -> None:
    done = bench("cluster", "--rounds", "1", "--", "--size", "5", "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert "64 executions each time" in done.stdout
