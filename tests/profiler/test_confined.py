# SPDX-License-Identifier: MIT
"""A program without room for a record of its locks does the same without it, and this is said."""

from __future__ import annotations

import errno
import json
import os
import resource
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from fencepost.profile.directory import read_directory
from fencepost.profile.file import LockFile
from fencepost.profile.unrecorded import unrecorded

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
CONFORMANCE = BUILD / "tests" / "preload" / "preload_conformance"
LIBRARIES = ("libfencepost_profiler.so", "libfencepost_preload_mutex.so")


@pytest.fixture(scope="module")
def confined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("confined") / "confined"
    source = ROOT / "tests" / "profiler" / "confined.c"
    subprocess.run(["gcc", "-O1", "-Wall", "-pthread", "-o", made, source], check=True)
    return made


@pytest.fixture
def records() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        yield Path(name)


def _recorded(directory: Path) -> dict[str, str]:
    return {
        "FENCEPOST_PROFILER": str(directory),
        "FENCEPOST_PROFILER_LOCK": "mutex",
        "LD_PRELOAD": " ".join(str(BUILD / "preload" / name) for name in LIBRARIES),
    }


def _environment(directory: Path) -> dict[str, str]:
    return {**os.environ, **_recorded(directory)}


def _run(
    directory: Path, *words: str | Path, limit: Callable[[], None] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
        env=_environment(directory),
        preexec_fn=limit,
    )


def _lowered(which: int, to: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(which, (to, to))


def _without_record(directory: Path) -> list[tuple[int, int]]:
    return [(one.processes, one.error) for one in unrecorded(directory, _files(directory))]


def _files(directory: Path) -> list[LockFile]:
    files, troubles = read_directory(directory)
    assert troubles == []
    return files


@pytest.mark.parametrize(
    ("which", "to", "expected"),
    [
        pytest.param(resource.RLIMIT_FSIZE, 0, errno.EFBIG, id="no files"),
        pytest.param(resource.RLIMIT_FSIZE, 512 << 10, errno.EFBIG, id="small files"),
        pytest.param(resource.RLIMIT_FSIZE, 1 << 20, None, id="files of a megabyte"),
        pytest.param(resource.RLIMIT_FSIZE, 100 << 20, None, id="files of many megabytes"),
        pytest.param(resource.RLIMIT_AS, 100 << 20, None, id="address space"),
    ],
)
def test_a_program_keeps_within_its_limits(
    which: int, to: int, expected: int | None, records: Path
) -> None:
    done = _run(records, CONFORMANCE, "excludes", "ten_thousand_mutexes", limit=_lowered(which, to))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "ok excludes\nok ten_thousand_mutexes\n"
    if expected is not None:
        assert _without_record(records) == [(1, expected)]
        return
    assert _without_record(records) == []
    for path in records.glob("*.locks"):
        assert path.stat().st_size <= to
    # What finds no room in a smaller table is counted together.
    taken = max(sum(lock.acquisitions for lock in file.locks.values()) for file in _files(records))
    assert taken >= 10_000


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("file_size", errno.EFBIG),
        ("descriptors", errno.EMFILE),
        ("root", errno.ENOENT),
        ("calls", errno.ENOSYS),
        ("calls_by_number", errno.ENOSYS),
        ("memory", None),
    ],
)
def test_so_do_its_children_when_it_confines_itself(
    mode: str, expected: int | None, confined: Path, records: Path
) -> None:
    if mode == "root" and os.geteuid() != 0:
        pytest.skip("needs root, to change its root directory")
    done = _run(records, confined, mode)
    assert (done.returncode, done.stderr) == (0, "")
    assert _without_record(records) == ([] if expected is None else [(1, expected)])
    files = _files(records)
    assert len(files) == (2 if expected is None else 1)
    assert sum(lock.acquisitions for lock in files[0].locks.values()) == 5001
    assert files[0].is_confined == (expected == errno.ENOSYS)


def test_what_a_confined_program_executes_makes_no_record(confined: Path, records: Path) -> None:
    done = _run(records, confined, "old_kernel", CONFORMANCE, "excludes")
    assert (done.returncode, done.stdout, done.stderr) == (0, "ok excludes\n", "")
    assert [file.is_confined for file in _files(records)] == [True]


def test_the_report_says_what_is_not_recorded_and_why(confined: Path, tmp_path: Path) -> None:
    told = tmp_path / "told.json"
    command = [ROOT / "fencepost", "run", "--lock", "mutex", "--stats", told, "--"]
    done = subprocess.run(
        [*command, confined, "file_size"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "1 process ran unrecorded: no file may be large enough (RLIMIT_FSIZE" in done.stderr
    (one,) = json.loads(told.read_text())["unrecorded"]
    assert (one["processes"], one["error"]) == (1, "EFBIG")
    done = subprocess.run(
        [*command[:-3], "--stats", "--", "sh", "-c", f"ulimit -f 0; {CONFORMANCE} excludes"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "ok excludes\n")
    assert "sh recorded nothing\n1 process ran unrecorded" in done.stderr


def test_a_word_to_nobody_ends_nothing(tmp_path: Path) -> None:
    """Where no note can be left, standard error is told: unless it is a pipe that nobody reads, or
    one that is full, or a file that may not grow."""
    words = [CONFORMANCE, "excludes"]
    nowhere = _environment(tmp_path / "nowhere")
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(words, env=nowhere, stdout=subprocess.DEVNULL, stderr=writer, timeout=600)
    os.close(writer)
    assert done.returncode == 0
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with pytest.raises(BlockingIOError):
        while os.write(writer, bytes(4096)):
            pass
    os.set_blocking(writer, True)
    done = subprocess.run(words, env=nowhere, stdout=subprocess.DEVNULL, stderr=writer, timeout=600)
    os.close(reader)
    os.close(writer)
    assert done.returncode == 0
    with (tmp_path / "said").open("wb") as said:
        said.write(bytes(4096))
        said.flush()
        done = subprocess.run(
            words,
            env=nowhere,
            stdout=subprocess.DEVNULL,
            stderr=said,
            timeout=600,
            preexec_fn=_lowered(resource.RLIMIT_FSIZE, 4096),
        )
    assert done.returncode == 0


def test_a_full_file_system_is_noticed_by_old_kernels_too(confined: Path, tmp_path: Path) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting a small file system needs root")
    try:
        recorded = [f"{name}={value}" for name, value in _recorded(tmp_path).items()]
        words = [confined, "old_kernel", "/usr/bin/env", *recorded, CONFORMANCE]
        done = subprocess.run(
            [*words, "ten_thousand_mutexes"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        largest = max(_files(tmp_path), key=lambda file: len(file.locks))
        assert len(largest.locks) > 100 and largest.lost_locks > 0
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_disks_file_system_reads_nothing_ahead_of_a_record(
    confined: Path, tmp_path: Path
) -> None:
    """It would be a hole, of megabytes for each page."""
    with subprocess.Popen(
        [confined, "patience"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=_environment(tmp_path),
    ) as process:
        assert process.stdout is not None and process.stdin is not None
        assert process.stdout.readline() == b"ready\n"
        maps = Path(f"/proc/{process.pid}/smaps").read_text()
        process.stdin.write(b"\n")
    assert process.returncode == 0
    flags = maps[maps.index(".locks") :].partition("VmFlags:")[2].splitlines()[0].split()
    assert "rr" in flags
