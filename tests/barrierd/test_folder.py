# SPDX-License-Identifier: MIT
"""The folder where a clock is pinned, and the file system that --mount makes for it."""

from __future__ import annotations

import errno
import os

import pytest
from clock_place import DAEMON, READER, TWO_FOLDERS, WITHOUT_CALL, Place

NOBODY = "65534"
WITHOUT_BPF = (*WITHOUT_CALL, "bpf")


def test_without_a_bpf_file_system_it_says_how_to_get_one(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain")
    done = place.run(DAEMON, "--directory", elsewhere)
    assert done.returncode == 1
    assert "mount -t bpf" in done.stderr and "--mount" in done.stderr


def test_nothing_is_mounted_over_files(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    used = tmp_path_factory.mktemp("used")
    (used / "file").touch()
    done = place.run(DAEMON, "--once", "--mount", "--directory", used)
    assert done.returncode == 1
    assert f"{used} is not empty" in done.stderr
    assert place.run("ls", used).stdout == "file\n"


def test_two_that_mount_at_once_agree_on_one(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    words = (DAEMON, "--mount", "--directory", elsewhere)
    both = [place.start(*words), place.start(*words)]
    ended = None
    while ended is None:
        ended = next((one for one in both if one.poll() is not None), None)
    (left,) = [one for one in both if one is not ended]
    assert ended.stderr is not None and left.stdout is not None
    assert "another fencepost-barrierd runs" in ended.stderr.read()
    assert "generation" in left.stdout.readline()
    mounts = place.run("grep", "-c", f" {elsewhere} ", "/proc/mounts").stdout
    assert mounts.strip() == "1"
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert left.wait() == 0


def test_who_has_mounted_and_comes_second_to_the_lock_leaves_it_mounted(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    done = place.run(TWO_FOLDERS, tmp_path_factory.mktemp("plain") / "made")
    assert done.returncode == 0, done.stderr


def test_mount_makes_the_file_system_and_stop_removes_it(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    assert place.run(DAEMON, "--once", "--mount", "--directory", elsewhere).returncode == 0
    assert place.run(READER, "open", elsewhere / "interrupt_clock").stdout == "alive\n"
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert not elsewhere.exists()


def test_stop_removes_the_file_system_by_any_of_its_names(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    real = tmp_path_factory.mktemp("plain")
    (real / "link").symlink_to(real)
    for name in (real / "link" / "made", real / ".." / real.name / "made"):
        assert place.run(DAEMON, "--once", "--mount", "--directory", name).returncode == 0
        assert place.run(DAEMON, "--stop", "--directory", name).returncode == 0
        assert not (real / "made").exists()


def test_a_start_that_fails_leaves_no_file_system(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    forbidden = (*WITHOUT_BPF, str(errno.EPERM))
    for words in ((), ("--once",)):
        done = place.run(*forbidden, DAEMON, "--mount", "--directory", elsewhere, *words)
        assert done.returncode == 1, done
        assert not elsewhere.exists()
        assert str(elsewhere) not in place.run("cat", "/proc/mounts").stdout


def test_who_looks_into_the_folder_does_not_keep_its_file_system(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain") / "made"
    assert place.run(DAEMON, "--once", "--mount", "--directory", elsewhere).returncode == 0
    inside = place.start("sh", "-c", f"cd {elsewhere} && echo inside && exec cat")
    assert inside.stdout is not None and inside.stdout.readline() == "inside\n"
    done = place.run(DAEMON, "--stop", "--directory", elsewhere)
    assert (done.returncode, done.stderr) == (0, "")
    assert not elsewhere.exists()
    inside.communicate("")


def test_nobody_holds_up_who_mounts(place: Place, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("plain")
    for folder in (elsewhere, elsewhere.parent):
        folder.chmod(0o755)
    words = ("flock", elsewhere, "sh", "-c", "echo locked && exec cat")
    holder = place.start(*words, user=NOBODY)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "locked\n"
    done = place.run(DAEMON, "--once", "--mount", "--directory", elsewhere)
    assert (done.returncode, done.stderr) == (0, "")
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert not elsewhere.exists()
    holder.communicate("")


def test_what_keeps_two_from_mounting_at_once_is_for_root_alone(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("plain")
    lock = elsewhere / ".fencepost-mount"
    words = (DAEMON, "--once", "--mount", "--directory", elsewhere)
    lock.touch()
    os.chown(lock, int(NOBODY), int(NOBODY))
    done = place.run(*words)
    assert done.returncode == 1 and f"{lock} belongs to another user" in done.stderr
    os.chown(lock, 0, 0)  # what a start has left that was killed
    assert place.run(*words).returncode == 0
    assert place.run(DAEMON, "--stop", "--directory", elsewhere).returncode == 0
    assert not elsewhere.exists()
