# SPDX-License-Identifier: MIT
"""`fencepost barrierd`, with a daemon that only says what it was asked."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from fencepost.commands.barrierd import table
from scripted import ROOT

DAEMON = """\
#!/bin/sh
echo "$0 $*" >&2
"""

STATUS: dict[str, Any] = {
    "clock": "/run/fencepost/interrupt_clock",
    "alive": True,
    "owner": 17,
    "hooks": "x86",
    "nohz_full": True,
    "cpus": [
        {
            "cpu": 0,
            "age_ns": 1_250_000,
            "interrupts_per_s": 250.0,
            "switches_per_s": 1.0,
            "vouched_per_s": 0.0,
            "nohz_full": False,
            "online": True,
        },
        {
            "cpu": 1,
            "age_ns": None,
            "interrupts_per_s": 0.0,
            "switches_per_s": 0.0,
            "vouched_per_s": 0.0,
            "nohz_full": True,
            "online": False,
        },
    ],
    "programs": [{"program": "local_timer", "missed": 3, "runs_per_s": 250.0, "ns_per_run": 90.4}],
    "cores": 0.00021,
}


@pytest.fixture
def build(tmp_path: Path) -> Path:
    daemon = tmp_path / "src" / "barrierd" / "fencepost-barrierd"
    daemon.parent.mkdir(parents=True)
    daemon.write_text(DAEMON)
    daemon.chmod(0o755)
    return tmp_path


def fencepost(build: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "fencepost", "barrierd", *words],
        capture_output=True,
        text=True,
        env={"FENCEPOST_BUILD_DIR": str(build), "PATH": "/usr/bin:/bin"},
    )


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        ("start", "--mount --once"),
        ("start --foreground --hooks generic", "--mount --hooks generic"),
        ("stop --directory /a/b", "--stop --directory /a/b"),
        ("status --json --seconds 2", "--status --seconds 2"),
        ("status", "--status"),
        ("self-test", "--self-test"),
        ("metrics --directory /a", "--metrics --directory /a"),
    ],
)
def test_what_is_asked_is_passed_on(build: Path, words: str, passed: str) -> None:
    done = fencepost(build, *words.split())
    assert done.returncode == 0, done.stderr
    assert done.stderr.strip().endswith(f"fencepost-barrierd {passed}")


@pytest.mark.parametrize("words", ["", "restart", "start --loudly"])
def test_bad_usage_could_not_be_run(build: Path, words: str) -> None:
    done = fencepost(build, *words.split())
    assert done.returncode == 3 and "usage: fencepost" in done.stderr


def test_the_table_shows_age_rates_and_cost() -> None:
    lines = table(STATUS).splitlines()
    assert "alive, by process 17, x86 events, some processors nohz_full" in lines[0]
    assert lines[3].split() == ["0", "1.25", "250", "1", "0"]
    assert lines[4].split() == ["1", "never", "0", "0", "0", "nohz_full", "off"]
    assert lines[7].split() == ["local_timer", "250", "90", "3"]
    assert lines[8] == "together 0.021 % of one processor"


def test_the_table_says_when_a_clock_is_dead_and_what_it_cannot_know() -> None:
    text = table({**STATUS, "alive": False, "owner": 0, "programs": None, "cores": None})
    assert "DEAD, pinned in the kernel" in text and "told to root alone" in text
