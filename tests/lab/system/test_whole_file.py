# SPDX-License-Identifier: MIT
"""Files that are written whole, also where other users may write."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.results.file import ResultsFile
from fencepost.results.schema import Measured
from fencepost.results.store import add_to_store
from fencepost.system.whole_file import copy_whole, refuse_what_cannot_be_written, write_whole


def test_a_link_beside_it_leads_nowhere(tmp_path: Path) -> None:
    """Whoever may write there too can foresee the name and the number of the process."""
    victim = tmp_path / "victim"
    victim.write_text("kept")
    shared = tmp_path / "shared"
    shared.mkdir()
    for name in (f".told.json.{os.getpid()}", ".told.json", "told.json~"):
        (shared / name).symlink_to(victim)
    write_whole(shared / "told.json", "told")
    assert victim.read_text() == "kept"
    assert (shared / "told.json").read_text() == "told"
    assert not (shared / "told.json").is_symlink()


def test_who_may_read_it_is_as_for_any_file(tmp_path: Path) -> None:
    path = tmp_path / "told"
    before = os.umask(0o027)
    try:
        write_whole(path, "one")
        assert path.stat().st_mode & 0o777 == 0o640
        path.chmod(0o604)
        write_whole(path, "other")
        assert (path.stat().st_mode & 0o777, path.read_text()) == (0o604, "other")
    finally:
        os.umask(before)


def test_links_that_lead_in_a_circle_are_refused(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for write in (refuse_what_cannot_be_written, lambda path: write_whole(path, "told")):
        with pytest.raises(UnusableInput, match="loop: Too many levels of symbolic links"):
            write(loop)
    assert loop.is_symlink()


def test_a_name_may_be_as_long_as_the_file_system_takes_it(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 255)
    write_whole(path, "told")
    assert path.read_text() == "told"
    with pytest.raises(OSError, match="name too long"):
        refuse_what_cannot_be_written(tmp_path / ("x" * 256))


def test_what_cannot_be_written_leaves_what_was_there(tmp_path: Path) -> None:
    with pytest.raises(UnusableInput, match="is a directory"):
        write_whole(tmp_path, "")
    with pytest.raises(UnusableInput, match="/dev/full: No space left"):
        write_whole(Path("/dev/full"), "x" * 100_000)
    path = tmp_path / "told"
    path.write_text("kept")
    with pytest.raises(UnicodeEncodeError):
        write_whole(path, "\ud800")
    assert path.read_text() == "kept" and list(tmp_path.iterdir()) == [path]


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """Where anybody may write, as in /tmp."""
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Makes a name another user's; where only root can, all of one's own are for the test."""
    me = os.geteuid()
    if me != 0:
        monkeypatch.setattr(os, "geteuid", lambda: me + 1)
        return lambda path: None
    return lambda path: os.chown(path, 65534, -1, follow_symlinks=False)


Write = Callable[[Path], object]


def _append(path: Path) -> None:
    ResultsFile(path).close()


def _add(path: Path) -> None:
    add_to_store(path, Measured())


WRITERS: list[Write] = [
    refuse_what_cannot_be_written,
    lambda path: write_whole(path, "told"),
    lambda path: copy_whole(Path(__file__), path),
    _append,
    _add,
]


def test_who_made_a_name_first_does_not_say_who_may_read_it(
    shared: Path, others: Callable[[Path], None]
) -> None:
    path = shared / "told"
    path.touch()
    path.chmod(0o666)
    others(path)
    before = os.umask(0o027)
    try:
        write_whole(path, "told")
    finally:
        os.umask(before)
    assert (path.stat().st_mode & 0o777, path.read_text()) == (0o640, "told")


@pytest.mark.parametrize("write", WRITERS)
def test_a_pipe_of_another_user_is_refused_and_not_waited_for(
    shared: Path, others: Callable[[Path], None], write: Write
) -> None:
    os.mkfifo(shared / "told")
    others(shared / "told")
    with pytest.raises(UnusableInput, match="a pipe of another user's is in the way"):
        write(shared / "told")


@pytest.mark.parametrize("write", WRITERS)
def test_no_link_of_another_user_leads_to_a_file_of_ones_own(
    tmp_path: Path, shared: Path, others: Callable[[Path], None], write: Write
) -> None:
    victim = tmp_path / "folder" / "victim"
    victim.parent.mkdir()
    victim.touch()
    (shared / "file").symlink_to(victim)
    (shared / "folder").symlink_to(victim.parent)
    (shared / "deeper").symlink_to("folder/victim")
    for link in (shared / "file", shared / "folder"):
        others(link)
    for path in ("file", "folder/victim", "deeper", "../shared/file"):
        with pytest.raises(UnusableInput, match="a link of another user's is in the way"):
            write(shared / path)
    assert victim.stat().st_size == 0


@pytest.mark.parametrize("write", WRITERS[1:])
def test_folders_that_are_missing_are_made_but_behind_no_link_of_another_user(
    tmp_path: Path, shared: Path, others: Callable[[Path], None], write: Write
) -> None:
    write(shared / "new" / "and" / "newer" / "told")
    assert (shared / "new" / "and" / "newer" / "told").is_file()
    (tmp_path / "folder").mkdir()
    (shared / "folder").symlink_to(tmp_path / "folder")
    others(shared / "folder")
    with pytest.raises(UnusableInput, match="a link of another user's is in the way"):
        write(shared / "folder" / "new" / "told")
    assert list((tmp_path / "folder").iterdir()) == []


def test_a_copy_is_for_whom_the_file_is(tmp_path: Path) -> None:
    (tmp_path / "program").write_bytes(b"\0\xff")
    (tmp_path / "program").chmod(0o750)
    copy_whole(tmp_path / "program", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == b"\0\xff"
    assert (tmp_path / "copy").stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize("write", [_append, _add])
def test_nothing_is_added_to_a_file_of_another_user_where_anybody_may_write(
    shared: Path, others: Callable[[Path], None], write: Write
) -> None:
    path = shared / "told"
    path.touch()
    others(path)
    with pytest.raises(UnusableInput, match="a file of another user's is in the way"):
        write(path)
    shared.chmod(0o755)
    write(path)


def test_links_of_ones_own_lead_where_they_lead(tmp_path: Path, shared: Path) -> None:
    (tmp_path / "folder").mkdir()
    (shared / "folder").symlink_to("../folder")
    (shared / "file").symlink_to(shared / "folder" / "told")
    write_whole(shared / "file", "told")
    assert (shared / "file").is_symlink()
    ResultsFile(shared / "folder" / "told").close()
    assert (tmp_path / "folder" / "told").read_text() == "told\n"
    write_whole(shared / "folder" / ".." / "shared" / "new", "told")
    assert (shared / "new").read_text() == "told"


def test_a_pipe_of_ones_own_is_written_to_whoever_reads_it_and_whenever(shared: Path) -> None:
    path = shared / "told"
    os.mkfifo(path)
    text = "told" * 100_000
    with ThreadPoolExecutor() as pool:
        read = pool.submit(path.read_text)
        write_whole(path, text)
        assert read.result() == text
        written = pool.submit(write_whole, path, text)
        assert path.read_text() == text
        written.result()
    assert path.is_fifo()


def test_a_pipe_that_nobody_reads_from_is_not_waited_for_without_end(
    shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fencepost.system.output_place._PATIENCE", 0.0)
    os.mkfifo(shared / "told")
    for write in (lambda path: write_whole(path, "told"), ResultsFile):
        with pytest.raises(UnusableInput, match="nobody reads from this pipe"):
            write(shared / "told")


def test_what_has_no_name_is_written_to() -> None:
    """As a shell's process substitution and /dev/stdout have it."""
    reader, writer = os.pipe()
    try:
        for name in (f"/dev/fd/{writer}", f"/proc/self/fd/{writer}"):
            refuse_what_cannot_be_written(Path(name))
            write_whole(Path(name), "told")
            assert os.read(reader, 100) == b"told"
            results = ResultsFile(Path(name))
            results.write({"told": 1})
            results.close()
            assert os.read(reader, 100) == b'{"told": 1}\n'
    finally:
        os.close(reader)
        os.close(writer)
    write_whole(Path("/dev/null"), "told")
