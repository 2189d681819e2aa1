# SPDX-License-Identifier: MIT
"""Programs do the same while their locks are recorded, and what cannot be recorded is said."""

from __future__ import annotations

import errno
import json
import os
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fencepost.profile.file import MOST

pytestmark = pytest.mark.crowd

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
PROGRAMS = BUILD / "tests" / "preload"
RECORDER = BUILD / "preload" / "libfencepost_profiler.so"

#: The C library's own, and one each of those that sleep in different ways.
LOCKS = ("glibc", "mutex", "event_mutex-asymmetric-compare_exchange_acquire")


def _run(
    lock: str, directory: Path, *words: str | Path, after: str = "", **more: str
) -> subprocess.CompletedProcess[str]:
    libraries = [str(RECORDER)]
    if lock != "glibc":
        libraries.append(str(BUILD / "preload" / f"libfencepost_preload_{lock}.so"))
    if after:
        libraries.append(after)
    environment = {
        "FENCEPOST_PROFILER": str(directory),
        "FENCEPOST_PROFILER_LOCK": lock,
        "LD_PRELOAD": " ".join(libraries),
    }
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=1800,
        check=False,
        env={**os.environ, **environment, **more},
    )


def _said(path: Path) -> bytes:
    return path.read_bytes()[:4096]


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: some programs make hundreds of records."""
    folder = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else tmp_path
    with tempfile.TemporaryDirectory(dir=folder) as name:
        yield Path(name)


@pytest.mark.matrix(6)
@pytest.mark.parametrize(
    ("lock", "more"),
    [pytest.param(lock, {}, id=lock) for lock in LOCKS]
    + [pytest.param("mutex", {"FENCEPOST_PROFILER_STACKS": "1"}, id="with the calls")],
)
def test_a_recorded_lock_does_what_the_standards_say(
    lock: str, more: dict[str, str], records: Path
) -> None:
    done = _run(lock, records, PROGRAMS / "preload_conformance", **more)
    lines = done.stdout.splitlines()
    assert [line for line in lines if not line.startswith("ok ")] == [], done.stderr
    assert (done.returncode, done.stderr) == (0, "")
    assert len(lines) > 30
    # The program, and those of its children that took a lock.
    assert len(list(records.glob("*.locks"))) > 2


def test_a_reader_has_room_for_all_that_the_recorder_has(tmp_path: Path) -> None:
    done = _run("mutex", tmp_path, PROGRAMS / "preload_conformance", "excludes")
    assert done.returncode == 0, done.stderr
    header = next(tmp_path.glob("*.locks")).read_bytes()[:4096]
    # After the first 56 bytes a table each: offset, bytes of an entry, entries, used.
    tables = [struct.unpack_from("=QIII", header, 56 + 24 * n) for n in range(5)]
    assert [capacity for _, _, capacity, _ in tables] == list(MOST.values())


@pytest.mark.parametrize("lock", LOCKS)
def test_so_in_the_standard_library_of_cpp(lock: str, tmp_path: Path) -> None:
    done = _run(lock, tmp_path, PROGRAMS / "preload_standard_library")
    assert (done.returncode, done.stderr) == (0, "")
    files = list(tmp_path.glob("*.locks"))
    assert len(files) == 1
    assert _said(files[0]).startswith(b"FPLOCK02")
    assert lock.encode() in _said(files[0])


def test_so_below_an_allocator_that_locks(tmp_path: Path) -> None:
    """jemalloc takes POSIX mutexes inside malloc(), from before the first constructor on."""
    found = sorted(Path("/usr/lib").glob("*/libjemalloc.so.2"))
    if not found:
        pytest.skip("libjemalloc2 is not installed")
    cases = ("excludes", "wakes_all", "locks_before_main_and_after", "five_hundred_threads")
    for words in (("preload_conformance", *cases), ("preload_standard_library",)):
        done = _run(
            "mutex",
            tmp_path,
            PROGRAMS / words[0],
            *words[1:],
            after=str(found[0]),
            FENCEPOST_PROFILER_STACKS="1",
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_a_program_runs_unrecorded_where_no_file_can_be_made(tmp_path: Path) -> None:
    nowhere = tmp_path / "nowhere"
    done = _run("mutex", nowhere, PROGRAMS / "preload_conformance", "excludes")
    assert (done.returncode, done.stdout) == (0, "ok excludes\n")
    said = f"fencepost run: nothing is recorded of this process in {nowhere}: error ENOENT\n"
    assert done.stderr == said


def test_a_full_file_system_costs_the_record_and_not_the_program(tmp_path: Path) -> None:
    """Room is asked for; memory of a full file system that is touched unasked kills."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        done = _run("mutex", tmp_path, PROGRAMS / "preload_conformance", "ten_thousand_mutexes")
        assert (done.returncode, done.stdout) == (0, "ok ten_thousand_mutexes\n"), done.stderr
        assert list(tmp_path.glob("*.locks"))
        (tmp_path / "filled").write_bytes(b"")
        with pytest.raises(OSError), (tmp_path / "filled").open("wb", buffering=0) as filled:
            while filled.write(bytes(4096)):
                pass
        done = _run("mutex", tmp_path, PROGRAMS / "preload_conformance", "ten_thousand_mutexes")
        assert (done.returncode, done.stdout) == (0, "ok ten_thousand_mutexes\n")
        assert done.stderr == ""
        (note,) = tmp_path.glob("*.unrecorded")
        assert int(str(note.readlink())) == errno.ENOSPC
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_the_recorder_exports_what_it_stands_before() -> None:
    told = subprocess.run(["nm", "-D", RECORDER], capture_output=True, text=True, check=True).stdout
    names = {line.split()[-1].split("@")[0] for line in told.splitlines() if " T " in line}
    of_locks = subprocess.run(
        ["nm", "-D", BUILD / "preload" / "libfencepost_preload_mutex.so"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    locks = {line.split()[-1].split("@")[0] for line in of_locks.splitlines() if " T " in line}
    assert locks - names <= {
        *("sem_getvalue", "pthread_once", "__pthread_once", "call_once", "mtx_init", "cnd_init")
    }
    assert names >= {"mtx_init", "cnd_init"}  # without them nobody knows who initialised a lock
    assert names - locks <= {
        *("mtx_init", "cnd_init", "pthread_join", "syscall", "prctl", "dlclose"),
        *(
            "pthread_create",
            "thrd_create",
            "sem_init",
            "sem_destroy",
            "sem_wait",
            "sem_trywait",
            "sem_timedwait",
        ),
        *("sem_clockwait", "sem_post"),
    }


def test_a_wait_in_the_standard_library_of_cpp_is_its_callers(tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    subprocess.run(
        [
            ROOT / "fencepost",
            "run",
            "--stats",
            told,
            "--lock",
            "mutex",
            "--",
            PROGRAMS / "preload_standard_library",
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    (process,) = json.loads(told.read_text())["processes"]
    waits = [lock for lock in process["locks"] if lock["kind"] == "condition"]
    assert any(lock["contended"] + lock["timed_out"] for lock in waits)
    for lock in waits:
        assert lock["site"]["module"].endswith("preload_standard_library"), lock["site"]


def test_a_lock_is_one_wherever_it_is_taken_first(tmp_path: Path) -> None:
    """Threads that meet it at once, from several places, and children that inherit it."""
    told = tmp_path / "told.json"
    subprocess.run(
        [
            ROOT / "fencepost",
            "run",
            "--stats",
            told,
            "--lock",
            "mutex",
            "--",
            PROGRAMS / "preload_conformance",
            "forks_while_others_lock",
        ],
        check=True,
        capture_output=True,
        timeout=600,
    )
    processes = json.loads(told.read_text())["processes"]
    assert len(processes) == 52  # the program, the case, and its 50 children
    for process in processes:
        used = [lock for lock in process["locks"] if lock["kind"] == "mutex"]
        addresses = [lock["address"] for lock in used]
        assert len(addresses) == len(set(addresses))
