# SPDX-License-Identifier: MIT
"""A program that has the C library's functions by another way than their names has the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled, run_on

LOCKS = ("mutex", "event_mutex-exchange-test_and_set")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("versions"), "versions")


@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("way", ["version", "underscores", "condition"])
def test_a_function_is_replaced_by_whichever_name(
    program: Path, way: str, lock: str, stats: bool
) -> None:
    glibcs = run_on("glibc", program, way)
    done = run_on(lock, program, way, stats=stats)
    assert (glibcs.returncode, done.returncode) == (0, 0), done.stderr
    assert done.stdout == glibcs.stdout != ""
