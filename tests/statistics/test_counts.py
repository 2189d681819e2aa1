# SPDX-License-Identifier: MIT
"""What is counted of a program's locks is what the program did with them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "tests" / "statistics" / "counted.c"
LOCKS = ("mutex", "glibc")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("counted") / "counted"
    subprocess.run(["gcc", "-O1", "-g", "-Wall", "-pthread", "-o", made, SOURCE], check=True)
    return made


def _told(lock: str, folder: Path, *words: str | Path) -> dict[str, Any]:
    """The JSON of a run."""
    file = folder / "told.json"
    done = subprocess.run(
        [ROOT / "fencepost", "run", "--lock", lock, "--stats", file, "--", *words],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(file.read_text())
    told["report"] = done.stderr
    return told


def _only(told: dict[str, Any], kind: str) -> dict[str, Any]:
    """The one lock of this kind."""
    (lock,) = (
        lock for process in told["processes"] for lock in process["locks"] if lock["kind"] == kind
    )
    found: dict[str, Any] = lock
    return found


def test_a_notification_and_a_post_are_counted_once(program: Path, tmp_path: Path) -> None:
    told = _told("mutex", tmp_path, program, "notify")
    assert _only(told, "condition")["wakes"] == 1
    assert _only(told, "semaphore")["wakes"] == 2


@pytest.mark.parametrize("lock", LOCKS)
def test_threads_one_after_another_hand_a_lock_over(
    program: Path, tmp_path: Path, lock: str
) -> None:
    """Though each may have the place in the table of the one before."""
    counted = _only(_told(lock, tmp_path, program, "hand_over"), "mutex")
    assert (counted["acquisitions"], counted["handovers"]) == (10, 9)
