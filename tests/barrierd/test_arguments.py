# SPDX-License-Identifier: MIT
"""The command line of the daemon, which needs no privilege."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from clock_place import DAEMON

pytestmark = pytest.mark.skipif(not DAEMON.is_file(), reason="fencepost-barrierd is not built")


def barrierd(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([DAEMON, *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--no-such-thing"], "unknown argument '--no-such-thing'"),
        (["start"], "unknown argument 'start'"),
        ([""], "unknown argument ''"),
        (["--once", "--stop"], "--once and --stop exclude each other"),
        (["--once=yes"], "--once takes no value"),
        (["--directory"], "--directory needs a value"),
        (["--directory", "run"], "not 'run'"),
        (["--directory="], "not ''"),
        (["--hooks", "arm"], "not 'arm'"),
        (["--seconds", "0"], "not '0'"),
        (["--seconds", "-1"], "not '-1'"),
        (["--seconds", "1s"], "not '1s'"),
        (["--seconds", "nan"], "not 'nan'"),
        (["--seconds=1e99"], "not '1e99'"),
    ],
)
def test_bad_usage_is_named(words: list[str], complaint: str) -> None:
    done = barrierd(*words)
    assert done.returncode == 3
    assert complaint in done.stderr and done.stdout == ""


def test_help_says_what_it_needs_and_what_there_is_not() -> None:
    done = barrierd("--help")
    assert done.returncode == 0
    for word in ("CAP_BPF", "5.17", "nobody wakes", "exit status"):
        assert word in done.stdout
    assert barrierd("--version").stdout.startswith("fencepost-barrierd ")


@pytest.mark.parametrize("task", ["--help", "--version"])
def test_output_that_is_lost_is_an_error(task: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run([DAEMON, task], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"cannot write the standard output: No space left on device" in done.stderr


@pytest.mark.parametrize("task", ["--status", "--stop", "--self-test"])
def test_a_folder_without_a_clock_is_an_error_with_a_hint(task: str, tmp_path: Path) -> None:
    done = barrierd(task, "--directory", str(tmp_path))
    assert done.returncode == 1
    assert f"{tmp_path} is not on a BPF file system" in done.stderr
    done = barrierd(task, "--directory", str(tmp_path / "nothing"))
    assert done.returncode == 1
    assert "does not exist" in done.stderr and "--directory" in done.stderr
