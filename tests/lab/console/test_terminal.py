# SPDX-License-Identifier: MIT
"""What is printed at a terminal: it fits, and has colours only where they are wanted."""

from __future__ import annotations

import os
import pty
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CHECK = [ROOT / "fencepost", "check", "examples/checker/missed_signal.c"]


def at_a_terminal(**variables: str) -> str:
    """What `fencepost check` prints there."""
    ours, its = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "LANG": "C.UTF-8", **variables}
    environment.pop("NO_COLOR", None) if "NO_COLOR" not in variables else None
    process = subprocess.Popen(CHECK, cwd=ROOT, env=environment, stdout=its, stderr=its)
    os.close(its)
    parts = []
    while True:
        try:
            part = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        parts.append(part)
    os.close(ours)
    assert process.wait() == 1
    return b"".join(parts).decode().replace("\r\n", "\n")


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*[A-Za-z]", "", text)


@pytest.mark.parametrize("columns", [80, 110])
def test_it_fits(columns: int) -> None:
    text = plain(at_a_terminal(COLUMNS=str(columns)))
    table = text.partition(" step ")[2].partition("marks where")[0]
    assert "pthread_cond_wait" in table and "waits on condition go" in table
    assert max(map(len, table.splitlines())) <= columns
    assert max(map(len, text.partition(" in the end")[0].splitlines())) <= max(columns, 90)


def test_there_are_colours() -> None:
    assert "\x1b[" in at_a_terminal()


@pytest.mark.parametrize("variables", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_there_are_none_where_they_are_not_wanted(variables: dict[str, str]) -> None:
    assert "\x1b[" not in at_a_terminal(**variables)


def test_what_a_program_reads_is_not_cut() -> None:
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    done = subprocess.run(CHECK, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert "examples/checker/missed_signal.c                  what happens" in done.stdout
    assert "pthread_create(&worker, NULL, work, NULL);" in done.stdout
