# SPDX-License-Identifier: MIT
"""Locks use the dynamic linker before the program begins, and not while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled, run_on

LOCKS = ("glibc", "mutex", "event_mutex-exchange-test_and_set")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("look_ups")
    compiled(made, "look_ups")
    compiled(made, "waits_for_thread.so")
    return made


@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("lock", LOCKS)
def test_a_constructor_in_dlopen_may_wait_for_a_thread_that_uses_locks(
    folder: Path, lock: str, stats: bool
) -> None:
    done = run_on(lock, folder / "look_ups", folder / "waits_for_thread.so", stats=stats)
    assert (done.returncode, done.stdout) == (0, "opened\n"), done.stderr


@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("lock", LOCKS)
def test_dlerror_tells_what_it_would_have_told(folder: Path, lock: str, stats: bool) -> None:
    done = run_on(lock, folder / "look_ups", stats=stats)
    assert done.stdout.startswith("/not/there.so: cannot open"), done.stdout
