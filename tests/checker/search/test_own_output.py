# SPDX-License-Identifier: MIT
"""What a program says of its own failure stands beneath the counterexample: its output in that
execution, whatever its bytes are, capped, and with every number of jobs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.matrix(4)

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "process_end" / "prints.cpp"

EVERYTHING = [
    "ready 1, data 0",
    'by printf "0" \\',
    "not UTF-8: \\xe9, UTF-8: é",
    "escape \\x1b[31m",
    "by puts",
    "by fputs",
    "by fwrite",
    "by\\x00write",
    "c",
    "by dprintf",
]


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "fencepost"), "check", str(PROGRAM), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def violation(*arguments: str) -> dict[str, Any]:
    done = check("--json", *arguments)
    assert done.returncode == 1, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["violation"]
    return found


@pytest.mark.parametrize("options", [[], ["--all"], ["--all", "--jobs", "2"]])
@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_output_is_that_of_the_execution_that_is_told(options: list[str], compiler: str) -> None:
    found = violation("--cc", compiler, *options)
    assert found["output"].splitlines() == [*EVERYTHING, "the data is lost"]
    assert found["output_left_out"] == 0


def test_output_is_shown_beneath_the_counterexample() -> None:
    lines = check().stdout.splitlines()
    start = lines.index("  the program prints:")
    assert start > lines.index(" in the end")
    shown = [line.removeprefix("    ") for line in lines[start + 1 : lines.index("next:")] if line]
    assert shown == [*EVERYTHING, "the data is lost"]


@pytest.mark.parametrize(
    ("kind", "flag", "said"),
    [
        ("assertion", "-DASSERTS", 'strcmp("\\xc3\\xa9", "\\xe9")'),
        ("uncaught", "-DTHROWS", "runtime_error: lost \\xe9\\x1b[1m"),
    ],
)
def test_messages_that_are_not_utf8_are_told(kind: str, flag: str, said: str) -> None:
    found = violation("--", flag)
    assert found["kind"] == kind
    assert said in found["message"]
    assert found["output"].splitlines() == EVERYTHING


def test_only_the_end_of_much_output_is_kept() -> None:
    found = violation("--", "-DMUCH")
    assert len(found["output"]) == 8192
    assert found["output"].endswith("line 2998\nline 2999\nthe data is lost\n")
    lines = sum(len(f"line {i}\n") for i in range(3000))
    assert lines < found["output_left_out"] + 8192 < lines + 200


def test_nothing_is_said_where_nothing_is_printed() -> None:
    quiet = PROGRAM.with_name("exit_status.cpp")
    command = [str(ROOT / "fencepost"), "check", "--json", str(quiet), "--"]
    done = subprocess.run([*command, "-DEND=return"], capture_output=True, text=True, check=False)
    assert "output" not in json.loads(done.stdout)["violation"]


def test_however_much_is_printed_little_is_held() -> None:
    found = violation("--", "-DMUCH=400000")
    assert len(found["output"]) == 8192
    assert found["output"].endswith("line 399999\nthe data is lost\n")
    lines = sum(len(f"line {i}\n") for i in range(400000))
    assert lines < found["output_left_out"] + 8192 < lines + 200
    confined = violation("--sandbox", "--", "-DMUCH=400000")
    assert confined["output"] == found["output"]
