# SPDX-License-Identifier: MIT
"""Programs that know nothing of the library do the same on each of its locks as on glibc's."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.crowd

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
PROGRAMS = BUILD / "tests" / "preload"

LOCKS = (
    "glibc",
    "mutex",
    "futex_mutex",
    "spin_mutex",
    "event_mutex-seq_cst-compare_exchange_seq_cst",
    "event_mutex-seq_cst-test_and_set",
    "event_mutex-exchange-compare_exchange_acquire",
    "event_mutex-exchange-compare_exchange_seq_cst",
    "event_mutex-exchange-test_and_set",
    "event_mutex-lock_exchange-test_and_set",
    "event_mutex-asymmetric-compare_exchange_acquire",
    "event_mutex-asymmetric-compare_exchange_seq_cst",
    "event_mutex-asymmetric-test_and_set",
)


def _run(lock: str, *words: str | Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "fencepost", "run", "--lock", lock, "--", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=1800,
        check=False,
        env={**os.environ, **more},
    )


def test_every_lock_that_is_built_is_tested() -> None:
    listed = subprocess.run(
        [ROOT / "fencepost", "run", "--list"], capture_output=True, text=True, check=True
    ).stdout
    names = [line.split()[0] for line in listed.split("\n\n")[0].splitlines()]
    assert sorted(names) == sorted(LOCKS)


@pytest.mark.matrix(20)
@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_does_what_the_standards_say(lock: str) -> None:
    done = _run(lock, PROGRAMS / "preload_conformance")
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], done.stderr
    assert len(lines) > 30
    assert done.returncode == 0


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_the_child_of_a_fork_has_what_the_forking_thread_had(lock: str) -> None:
    done = _run(lock, PROGRAMS / "preload_conformance", "the_child_has_the_checked_mutex")
    assert (done.returncode, done.stdout) == (0, "ok the_child_has_the_checked_mutex\n")


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_who_is_cancelled_takes_no_post_of_a_semaphore_along(lock: str) -> None:
    done = _run(lock, PROGRAMS / "preload_conformance", "the_cancelled_takes_no_post_along")
    assert (done.returncode, done.stdout) == (0, "ok the_cancelled_takes_no_post_along\n")


@pytest.mark.parametrize(
    "case",
    [
        "cancelled_before_a_semaphore_with_a_clock",
        "cancelled_before_a_wait_until_before_the_epoch",
    ],
)
def test_waits_that_are_over_at_once_are_points_of_cancellation(case: str) -> None:
    """As POSIX says; glibc lets two of them be none."""
    done = _run("mutex", PROGRAMS / "preload_conformance", case)
    assert (done.returncode, done.stdout) == (0, f"ok {case}\n")


@pytest.mark.matrix(3)
@pytest.mark.parametrize("lock", LOCKS[1:])
@pytest.mark.parametrize(
    "case",
    [
        "unlocked_once_more_may_be_destroyed",
        "unlocked_once_more_it_stays_free",
        "another_thread_does_not_end_a_writers_turn",
        "shared_once_and_given_back_by_two_it_is_free",
    ],
)
def test_a_lock_that_is_unlocked_too_often_stays_whole(lock: str, case: str) -> None:
    """With glibc it cannot be destroyed, or no writer gets it."""
    done = _run(lock, PROGRAMS / "preload_conformance", case)
    assert (done.returncode, done.stdout) == (0, f"ok {case}\n")


def test_too_many_readers_are_told_to_try_again() -> None:
    """EAGAIN three times, and nothing where there is room."""
    done = _run("mutex", PROGRAMS / "preload_full")
    assert (done.returncode, done.stdout) == (0, "11 11 11 0 0\n")


@pytest.mark.parametrize(
    ("lock", "word"), [("mutex", "8"), ("mutex", "0x1e"), ("futex_mutex", "0x40000001")]
)
def test_what_waiters_left_behind_by_a_fork_leave_in_the_word_is_no_lock(
    lock: str, word: str
) -> None:
    """Free, locked, freed, and of no further use: 0, EBUSY, 0, 0."""
    done = _run(lock, PROGRAMS / "preload_reserved", word)
    assert (done.returncode, done.stdout) == (0, "0 16 0 0\n")


@pytest.mark.parametrize("lock", LOCKS)
def test_the_standard_library_of_cpp_works_on_it(lock: str) -> None:
    done = _run(lock, PROGRAMS / "preload_standard_library")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("lock", LOCKS)
def test_libraries_that_are_opened_late_use_it(lock: str) -> None:
    done = _run(lock, PROGRAMS / "preload_opener")
    count, where = done.stdout.split()
    assert count == "4002", done.stderr
    assert f"libfencepost_preload_{lock}.so" in where or (lock == "glibc" and "libc.so" in where)


@pytest.mark.parametrize("lock", ["mutex", "event_mutex-asymmetric-compare_exchange_acquire"])
def test_it_serves_the_locks_inside_an_allocator(lock: str) -> None:
    """jemalloc takes POSIX mutexes inside malloc(), from before the first constructor on."""
    found = sorted(Path("/usr/lib").glob("*/libjemalloc.so.2"))
    if not found:
        pytest.skip("libjemalloc2 is not installed")
    done = _run(lock, PROGRAMS / "preload_standard_library", LD_PRELOAD=str(found[0]))
    assert (done.returncode, done.stderr) == (0, "")
    done = _run(lock, PROGRAMS / "preload_conformance", LD_PRELOAD=str(found[0]))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "library", sorted(BUILD.glob("preload/libfencepost_preload_*.so")), ids=lambda path: path.stem
)
def test_a_library_exports_what_it_stands_before_and_needs_glibc_alone(library: Path) -> None:
    told = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in told.splitlines() if " T " in line}
    prefixes = ("__pthread_", "pthread_", "sem_", "mtx_", "cnd_", "call_once")
    assert names and all(name.startswith(prefixes) for name in names)
    # Every function on locks, condition variables and semaphores of the C library but those that
    # glibc does for itself on objects that are its own, or that look at attributes alone.
    glibcs = subprocess.run(
        ["nm", "-D", "--defined-only", "/lib/x86_64-linux-gnu/libc.so.6"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    there = {
        line.split()[-1].split("@")[0]
        for line in glibcs.splitlines()
        if line.split()[-1].startswith(
            (
                "pthread_mutex_",
                "pthread_cond_",
                "pthread_rwlock_",
                "pthread_spin_",
                "pthread_once",
                "sem_",
                "call_once",
            )
        )
    }
    assert there - names <= {
        "pthread_mutex_consistent",
        "pthread_mutex_consistent_np",
        "pthread_mutex_getprioceiling",
        "pthread_mutex_setprioceiling",
        "sem_open",
        "sem_close",
        "sem_unlink",
    }
    needed = subprocess.run(["readelf", "-d", library], capture_output=True, text=True, check=True)
    libraries = [line for line in needed.stdout.splitlines() if "(NEEDED)" in line]
    assert len(libraries) == 1 and "libc.so.6" in libraries[0]


def test_on_aarch64() -> None:
    """The same cases, compiled for AArch64 and run by qemu."""
    missing = [
        name for name in ("aarch64-linux-gnu-gcc", "qemu-aarch64") if shutil.which(name) is None
    ]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    subprocess.run(
        [
            ROOT / "scripts" / "build.sh",
            "aarch64",
            "fencepost_preload_mutex",
            "fencepost_preload_event_mutex-exchange-test_and_set",
            "preload_conformance",
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        timeout=1800,
    )
    build = ROOT / "build" / "aarch64"
    for lock in ("mutex", "event_mutex-exchange-test_and_set"):
        library = build / "preload" / f"libfencepost_preload_{lock}.so"
        done = subprocess.run(
            [
                ROOT / "scripts" / "emulate.sh",
                "qemu-aarch64",
                "-L",
                "/usr/aarch64-linux-gnu",
                "-E",
                f"LD_PRELOAD={library}",
                build / "tests" / "preload" / "preload_conformance",
                "initialised_statically",
                "excludes",
                "times_out",
                "wakes_one_by_one",
                "wakes_all",
                "cancelled_in_a_wait",
                "spin_lock_excludes",
                "read_write_locks",
                "c11_mutexes",
                "c11_conditions",
                "lets_one_in",
                "cancelled_in_a_semaphore",
                "by_one_thread",
                "by_another_when_the_first_is_cancelled",
                "by_the_child_of_a_fork",
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stdout.count("ok ") == 15
