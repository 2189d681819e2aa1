# SPDX-License-Identifier: MIT
"""The file of a program's locks: what is read is what src/profiler/record/layout.hpp says, and
nothing that somebody puts there does harm."""

from __future__ import annotations

import os
import random
import subprocess
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.profile.directory import OthersShare, prefix, processes, read_directory
from fencepost.profile.file import Module, Unfinished, read_lock_file
from fencepost.profile.running import choose, running_in
from written_locks import READ_WRITE, WrittenLocks, histogram

ROOT = Path(__file__).resolve().parents[3]


def _filled() -> WrittenLocks:
    written = WrittenLocks(parent=7, ended=0, lost_locks=3, lost_threads=4, behind="futex_mutex")
    program = written.add_module("/usr/bin/program", 0x1000)
    made, taken = written.add_site(0x1234, program), written.add_site(0x99)
    lock = written.add_lock(
        0xABC0,
        READ_WRITE,
        made,
        acquisitions=10,
        shared=20,
        contended=3,
        waited=500,
        slept=200,
        sleeps=2,
        held=900,
        wakes=5,
        handovers=6,
        refused=7,
        timed_out=8,
        waits=histogram(b3=2, b39=1),
        holds=histogram(b0=30),
    )
    written.add_thread(
        42,
        "worker",
        waits_for=lock,
        waits_at=taken,
        waits_shared=1,
        since=77,
        waited=5,
        slept=6,
        sleeps=7,
        held=((lock, taken, 70),),
        more_held=2,
        handle=0xF00,
        joins=0xBA5,
    )
    written.add_stack([taken, made], waited=500, count=3, site=made)
    return written


def test_what_was_written_is_read(tmp_path: Path) -> None:
    read = read_lock_file(_filled().write(tmp_path))
    assert (read.pid, read.parent, read.behind) == (os.getpid(), 7, "futex_mutex")
    assert (read.lost_locks, read.lost_threads, read.sees_sleeps) == (3, 4, True)
    made = read.site(1)
    assert made is not None and made.module is not None
    assert (made.address, made.module.path, made.module.base) == (
        0x1234,
        "/usr/bin/program",
        0x1000,
    )
    assert read.site(0) is None and read.site(3) is None
    lock = read.locks[7]
    assert (lock.kind, lock.address, lock.site) == ("read_write", 0xABC0, 1)
    assert (
        lock.acquisitions,
        lock.shared,
        lock.contended,
        lock.handovers,
        lock.refused,
        lock.timed_out,
        lock.waited,
        lock.slept,
        lock.sleeps,
        lock.held,
        lock.wakes,
    ) == (10, 20, 3, 6, 7, 8, 500, 200, 2, 900, 5)
    assert (lock.waits[3], lock.waits[39], lock.holds[0]) == (2, 1, 30)
    (thread,) = read.threads.values()
    assert (thread.tid, thread.name, thread.waits_for, thread.waits_since) == (42, "worker", 7, 77)
    assert (thread.waited, thread.slept, thread.sleeps, thread.more_held) == (5, 6, 7, 2)
    assert (thread.handle, thread.joins, thread.waits_shared) == (0xF00, 0xBA5, True)
    assert [(held.lock, held.site, held.since) for held in thread.held] == [(7, 2, 70)]
    (stack,) = read.stacks
    assert (stack.waited, stack.count, stack.site, stack.frames) == (500, 3, 1, (2, 1))


def test_the_layout_is_the_recorders(tmp_path: Path) -> None:
    """A file that is written by means of layout.hpp, each field with a number of its own."""
    program, written = tmp_path / "writer", tmp_path / "1-1.locks"
    subprocess.run(
        [
            "g++",
            "-std=c++20",
            "-I",
            ROOT / "src/profiler/record",
            "-o",
            program,
            ROOT / "tests/lab/layout_writer.cpp",
        ],
        check=True,
    )
    written.write_bytes(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    read = read_lock_file(written)
    assert (read.pid, read.parent, read.began, read.began_real, read.ended) == (1, 2, 3, 4, 5)
    assert (read.lost_locks, read.lost_threads, read.sees_sleeps) == (6, 7, True)
    assert (read.behind, read.thread_time, read.late_threads) == ("ticket", 8, 11)
    assert (read.lost_children, read.lost_children_error, read.is_confined) == (9, 10, True)
    site = read.site(1)
    assert site is not None and site.module is not None
    assert (site.address, site.module.base, site.module.path) == (20, 21, "/a/file")
    lock = read.locks[7]
    assert (lock.address, lock.kind, lock.site, lock.initialised, lock.ended) == (
        30,
        "futex",
        31,
        True,
        True,
    )
    assert lock.unseen
    assert (
        lock.acquisitions,
        lock.shared,
        lock.contended,
        lock.handovers,
        lock.refused,
        lock.timed_out,
        lock.waited,
        lock.slept,
        lock.sleeps,
        lock.held,
        lock.wakes,
    ) == tuple(range(40, 51))
    assert lock.waits == tuple(range(100, 140)) and lock.holds == tuple(range(200, 240))
    assert (lock.beyond, lock.unmeasured) == (300, 301)
    thread = read.threads[1]
    assert (thread.tid, thread.waits_for, thread.waits_at, thread.waits_shared) == (
        50,
        51,
        52,
        True,
    )
    assert (thread.waits_since, thread.waited, thread.slept, thread.sleeps) == (53, 54, 55, 56)
    assert (thread.name, thread.more_held, thread.handle, thread.joins) == ("worker", 57, 58, 59)
    assert (thread.began, thread.unseen, thread.retakes) == (64, True, 65)
    (held,) = thread.held
    assert (held.lock, held.site, held.since, held.shared, held.depth) == (60, 61, 62, True, 63)
    (stack,) = read.stacks
    assert (stack.waited, stack.count, stack.site, stack.kind) == (71, 72, 73, "spin")
    assert stack.frames == (74, 75)


def test_what_is_no_such_file_is_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "1-1.locks"
    with pytest.raises(UnusableInput, match="is gone"):
        read_lock_file(path)
    for content, said in (
        (b"text that is long enough" * 20, "no file of a program's locks"),
        (b"short", "cut off"),
        (WrittenLocks().content()[:100], "cut off"),
    ):
        path.write_bytes(content)
        with pytest.raises(UnusableInput, match=said):
            read_lock_file(path)
    for content in (b"", bytes(4096)):
        path.write_bytes(content)
        with pytest.raises(Unfinished):
            read_lock_file(path)
    content = bytearray(WrittenLocks().content())
    content[56 + 8] = 1  # an entry of the first table has one byte
    path.write_bytes(content)
    with pytest.raises(UnusableInput, match="another version"):
        read_lock_file(path)
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(UnusableInput, match="no regular file"):
        read_lock_file(path)
    path.unlink()
    path.symlink_to("/etc/passwd")
    with pytest.raises(UnusableInput, match="a link"):
        read_lock_file(path)


def test_of_a_table_no_more_is_read_than_a_recorder_has_room_for(tmp_path: Path) -> None:
    """A sparse file of one page may claim to be of any size."""
    content = bytearray(WrittenLocks().content())
    for table in range(5):
        capacity, used = 56 + 24 * table + 12, 56 + 24 * table + 16
        content[capacity : capacity + 4] = content[used : used + 4] = b"\xff\xff\xff\x00"
    path = tmp_path / "1-1.locks"
    path.write_bytes(content)
    os.truncate(path, 30 << 30)
    read = read_lock_file(path)
    assert len(read.sites) == 16384
    assert max(read.locks, default=0) < 131072
    assert max(read.threads, default=0) < 8192


def test_who_looks_for_programs_that_run_reads_no_tables(tmp_path: Path) -> None:
    """Anybody may put many files of any size where root looks."""
    written = WrittenLocks(began=time.monotonic_ns())
    written.add_lock(0x10, acquisitions=1)
    path = written.write(tmp_path)
    assert read_lock_file(path).locks
    (found,) = running_in(tmp_path)
    assert found.recorded.behind == read_lock_file(path).behind
    assert not (found.recorded.locks or found.recorded.sites or found.recorded.threads)


def test_another_users_file_is_refused_and_names_nothing_where_root_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = _filled().write(tmp_path)
    me = os.geteuid()

    def module() -> Module:
        site = read_lock_file(path).site(1)
        assert site is not None and site.module is not None
        return site.module

    assert module().is_ours
    if me != 0:
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        assert not module().is_ours
    else:
        os.chown(path, 65534, 65534)
        assert not module().is_ours
        monkeypatch.setattr(os, "geteuid", lambda: 1234)
        with pytest.raises(UnusableInput, match="another user's"):
            read_lock_file(path)


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a file another user's for the rest of the test, in which one is root."""
    me = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    return lambda path: os.chown(path, me or 65534, -1)


def test_another_users_record_has_one_name(tmp_path: Path, others: Callable[[Path], None]) -> None:
    """Or many names of one large file would be as many large files."""
    path = _filled().write(tmp_path)
    others(path)
    assert read_lock_file(path).locks
    os.link(path, tmp_path / "1-2.locks")
    for name in (path, tmp_path / "1-2.locks"):
        with pytest.raises(UnusableInput, match="another name"):
            read_lock_file(name, head_only=True)


def test_of_another_users_files_so_many_are_looked_at_and_the_rest_is_told(
    tmp_path: Path, others: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    for pid in range(1, 6):
        others(WrittenLocks(pid=pid, began=1).write(tmp_path))
    assert len(read_directory(tmp_path)[0]) == 5
    monkeypatch.setattr("fencepost.profile.directory.MOST_FILES", 3)
    for heads_only in (False, True):
        read, (told,) = read_directory(tmp_path, heads_only)
        assert len(read) == 3 and told.startswith("2 files or directories of other users")
    share = OthersShare()
    assert len(read_directory(tmp_path, True, share)[0]) == 3
    assert read_directory(tmp_path, True, share) == ([], []) and share.left_out().startswith("7 ")
    monkeypatch.setattr("fencepost.profile.directory.MOST_FILES", 5)
    monkeypatch.setattr("fencepost.profile.directory.MOST_BYTES", 2 * read[0].size)
    read, (told,) = read_directory(tmp_path)
    assert len(read) == 2 and told.startswith("3 files")
    assert len(read_directory(tmp_path, heads_only=True)[0]) == 5


def test_what_is_left_out_is_told_to_who_asks_for_a_program(
    tmp_path: Path,
    others: Callable[[Path], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("fencepost.profile.directory.places", lambda: [tmp_path])
    monkeypatch.setattr("fencepost.profile.directory.MOST_FILES", 1)
    inner = tmp_path / f"{prefix(os.getpid())}x" / "inner"
    inner.mkdir(parents=True)
    for pid in (999_999_997, 999_999_998):
        others(WrittenLocks(pid=pid, began=1).write(inner))
    with pytest.raises(UnusableInput, match="\n1 files or directories"):
        choose(0)
    WrittenLocks(began=time.monotonic_ns()).write(inner).chmod(0o600)
    if inner.stat().st_uid != 0:
        return  # all of these are another user's
    assert choose(0).pid == os.getpid()
    assert "1 files or directories" in capsys.readouterr().err


def test_of_records_that_say_the_same_beginning_of_a_process_ones_own_counts(
    tmp_path: Path, others: Callable[[Path], None]
) -> None:
    trusted = WrittenLocks(pid=999_999_998, began=5, behind="mutex").write(tmp_path)
    forged = tmp_path / "forged"
    forged.mkdir()
    copies = [WrittenLocks(pid=999_999_998, began=5, behind="none").write(forged)]
    copies.append(forged / "x")
    copies[1].write_bytes(copies[0].read_bytes())
    for copy in copies:
        others(copy)
    paths = [copies[0], trusted, copies[1]] if os.geteuid() == trusted.stat().st_uid else copies
    (found,) = processes(map(read_lock_file, paths))
    assert found.fate == "killed"
    if trusted in paths:
        assert found.recorded.behind == "mutex"


def test_a_table_that_is_full_needs_little_more_memory_than_it_has_bytes(tmp_path: Path) -> None:
    written = WrittenLocks()
    for lock in range(5000):
        times = [1 << 60 | lock << 8 | bucket for bucket in range(40)]
        written.add_lock(0x1000 + lock, waits=times, holds=times, acquisitions=1 << 50)
    path = written.write(tmp_path)
    tracemalloc.start()
    try:
        read = read_lock_file(path)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read.locks[5006].waits == read.locks[5006].holds == tuple(times)
    assert most < 2.5 * path.stat().st_size


def test_a_file_that_is_cut_short_has_fewer_entries(tmp_path: Path) -> None:
    content = _filled().content()
    path = tmp_path / "1-1.locks"
    for size in range(264, len(content), 101):
        path.write_bytes(content[:size])
        read = read_lock_file(path)
        assert len(read.locks) <= 7 and len(read.threads) <= 1
    assert read_lock_file(path).locks


def test_torn_words_do_no_harm(tmp_path: Path) -> None:
    """Any bytes but those that say what the file is."""
    from fencepost.profile.report import report
    from fencepost.profile.summary import Run, Summary
    from fencepost.profile.symbols import PlaceNames
    from fencepost.profile.waits import Waits, deadlocks

    path = tmp_path / "1-1.locks"
    content = _filled().content()
    sizes = {56 + 24 * n + 8 + m for n in range(5) for m in range(4)}
    for seed in range(200):
        chance = random.Random(seed)
        torn = bytearray(content)
        for _ in range(chance.choice((1, 10, 1000))):
            at = chance.randrange(8, len(torn))
            if at not in sizes:
                torn[at] = chance.randrange(256)
        path.write_bytes(torn)
        read = read_lock_file(path)
        waits = Waits(read, None)
        deadlocks(waits, waits)
        summary = Summary(Run("mutex", "program", 1.0), processes([read]), PlaceNames())
        assert summary.as_json()["schema"]
        assert report(summary, 80).isprintable() or "\n" in report(summary, 80)


def test_a_name_cannot_command_the_terminal(tmp_path: Path) -> None:
    written = WrittenLocks()
    written.add_thread(1, "\x1b[2Jx")
    written.write(tmp_path)
    (thread,) = read_lock_file(written.write(tmp_path)).threads.values()
    assert thread.name == "\\x1b[2Jx"
