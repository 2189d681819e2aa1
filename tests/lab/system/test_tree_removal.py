# SPDX-License-Identifier: MIT
"""Folders that somebody made so that they cannot be removed are removed, and nothing else is."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from fencepost.system.tree_removal import remove_tree


def _nest(folder: Path, depth: int, mode: int = 0o777) -> None:
    """Folders in folders, deeper than a path can say."""
    place = os.open(folder, os.O_PATH)
    for level in range(depth):
        name = f"d{level % 2}"
        os.mkdir(name, dir_fd=place)
        inner = os.open(name, os.O_PATH, dir_fd=place)
        if mode != 0o777:
            os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=inner))
            Path(f"/proc/self/fd/{place}").chmod(mode)
        os.close(place)
        place = inner
    os.close(place)


def test_no_depth_ends_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        _nest(folder, 3000)
        remove_tree(folder)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert list(tmp_path.iterdir()) == []


def test_no_number_of_files_and_no_name_ends_it(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    for inner in (folder, folder / "a", folder / "a" / "b", folder / "a" / "b" / "c"):
        inner.mkdir()
        for name in range(5000):
            os.close(os.open(inner / str(name), os.O_CREAT | os.O_WRONLY))
        (inner / os.fsdecode(b"\xff\xfe\n")).mkdir()
        (inner / ("x" * 255)).mkdir()
        os.mkfifo(inner / "pipe")
    remove_tree(folder)
    assert list(tmp_path.iterdir()) == []


def test_links_are_removed_and_not_followed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    (kept / "inner").mkdir(parents=True)
    (kept / "inner" / "file").touch()
    kept.chmod(0o500)
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    for place in (folder, folder / "inner"):
        (place / "link").symlink_to(kept)
        (place / "nowhere").symlink_to("nowhere")
    link = tmp_path / "link"
    link.symlink_to(kept)
    remove_tree(link)
    remove_tree(folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept", "link"]
    assert (kept / "inner" / "file").is_file() and kept.stat().st_mode & 0o777 == 0o500


def test_folders_of_ones_own_that_grant_nothing_are_removed(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:  # as somebody to whom they grant nothing
        status = 1
        try:
            tmp_path.chmod(0o777)
            os.chdir(tmp_path)  # whatever above denies it to others
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresuid(65534, 65534, 65534)
            folder = Path("folder")
            folder.mkdir()
            _nest(folder, 10, 0)
            remove_tree(folder)
            status = len(list(Path().iterdir()))
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_what_cannot_be_removed_stays_and_nobody_who_adds_to_it_holds_it_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    remove_tree(tmp_path / "there is none")
    remove_tree(tmp_path / "no" / "folder")
    (tmp_path / "file").touch()
    remove_tree(tmp_path / "file")
    assert (tmp_path / "file").is_file()
    folder = tmp_path / "folder"
    (folder / "inner").mkdir(parents=True)
    remove = os.rmdir

    def and_make_another(name: str, *, dir_fd: int) -> None:
        remove(name, dir_fd=dir_fd)
        os.mkdir(f"{name}x"[-9:], dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", and_make_another)
    remove_tree(folder, 0.1)
    assert len(list(folder.iterdir())) == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to mount")
def test_what_is_mounted_there_stays(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)
    script = 'mount -t tmpfs none folder/inner && touch folder/inner/file && exec "$@"'
    program = """
from pathlib import Path
from fencepost.system.tree_removal import remove_tree
remove_tree(Path("folder"))
print(list(Path("folder/inner").iterdir()))
"""
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", script, "sh", sys.executable, "-c", program],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "folder/inner/file" in done.stdout, done
