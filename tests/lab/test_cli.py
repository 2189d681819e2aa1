# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT, Run


def test_help_lists_the_commands(fencepost: Run) -> None:
    done = fencepost("--help")
    assert done.returncode == 0
    assert "check" in done.stdout


def test_an_unknown_command_is_answered_with_the_nearest_one(fencepost: Run) -> None:
    done = fencepost("chekc")
    assert done.returncode == 3
    assert "did you mean 'check'?" in done.stderr


def test_bad_usage_is_not_mistaken_for_a_verdict(fencepost: Run) -> None:
    assert fencepost("check").returncode == 3
    assert fencepost("check", "--no-such-option", "a.c").returncode == 3
    assert fencepost("check", "--timeout", "-1", "a.c").returncode == 3


def test_the_help_of_check_explains_the_exit_statuses(fencepost: Run) -> None:
    done = fencepost("check", "--help")
    assert "exit status" in done.stdout and "inconclusive" in done.stdout


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["--help", "run --list", "bench --list", "check --help"])
def test_where_the_disk_is_full_every_command_says_so(words: str, unbuffered: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [str(ROOT / "fencepost"), *words.split()], stdout=full, stderr=subprocess.PIPE,
            text=True, env=dict(os.environ, PYTHONUNBUFFERED=unbuffered), check=False,
        )  # fmt: skip
    assert done.returncode == 3
    assert done.stderr == "fencepost: no space left on the device\n"
