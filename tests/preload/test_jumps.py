# SPDX-License-Identifier: MIT
"""A jump out of a wait or an initialiser leaves nothing behind, as on glibc's locks."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled, run_on

LOCKS = ("mutex", "event_mutex-exchange-test_and_set")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled(tmp_path_factory.mktemp("jumps"), "jumps")


@pytest.mark.matrix(3)
@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("then", ["ends", "is_cancelled", "goes_on"])
@pytest.mark.parametrize("wait", ["semaphore", "condition", "initialiser"])
def test_a_thread_may_jump_out_of_a_wait(
    program: Path, wait: str, then: str, lock: str, stats: bool
) -> None:
    glibcs = run_on("glibc", program, wait, then)
    done = run_on(lock, program, wait, then, stats=stats)
    assert (glibcs.returncode, done.returncode) == (0, 0)
    assert done.stdout == glibcs.stdout != ""
