# SPDX-License-Identifier: MIT
from __future__ import annotations

from scripted import Run


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
