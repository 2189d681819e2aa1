# SPDX-License-Identifier: MIT
"""Files that are written whole, also where other users may write."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.system.whole_file import refuse_what_cannot_be_written, write_whole


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
