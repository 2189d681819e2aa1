# SPDX-License-Identifier: MIT
"""Whose a lock is, and what the child of a fork() finds of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled, run_on

pytestmark = pytest.mark.crowd

LOCKS = ("mutex", "futex_mutex", "spin_mutex", "event_mutex-exchange-test_and_set")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("owners")
    compiled(made, "owners")
    library = compiled(made, "notifies_in_children.so")
    compiled(made, "forks_while_notified", library, f"-Wl,-rpath,{made}")
    return made


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize(
    "case",
    ["dead_recursive", "dead_checking", "dead_writer"],
)
def test_a_thread_has_not_what_one_before_it_had(folder: Path, case: str, lock: str) -> None:
    """Though everything in its memory is where the other's was."""
    here, glibcs = (run_on(name, folder / "owners", case).stdout for name in (lock, "glibc"))
    assert here == glibcs != ""


@pytest.mark.parametrize("lock", LOCKS)
@pytest.mark.parametrize("case", ["shared_recursive", "shared_checking", "shared_writer"])
def test_a_child_has_not_what_its_parent_has_in_shared_memory(
    folder: Path, case: str, lock: str
) -> None:
    here, glibcs = (run_on(name, folder / "owners", case).stdout for name in (lock, "glibc"))
    assert here == glibcs != ""


@pytest.mark.parametrize("lock", LOCKS)
def test_a_child_may_unlock_what_the_forking_thread_wrote(folder: Path, lock: str) -> None:
    assert run_on(lock, folder / "owners", "writer_forks").stdout == "0 0\n"


@pytest.mark.parametrize("lock", ["glibc", *LOCKS])
def test_a_fork_may_fall_into_a_notification_of_a_shared_condition_variable(
    folder: Path, lock: str
) -> None:
    done = run_on(lock, folder / "forks_while_notified")
    assert (done.returncode, done.stdout) == (0, "all have ended\n")
