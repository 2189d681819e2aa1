# SPDX-License-Identifier: MIT
"""Which tests run beside each other: none beside one that is to be alone, no two crowds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from scripted import ROOT

#: Each says when it begins and ends, in one write, and is long enough to meet others.
TESTS = """
import os, pathlib, time
import pytest

def passes(kind):
    with pathlib.Path("log").open("ab", buffering=0) as log:
        log.write(f"{kind} begins\\n".encode())
        time.sleep(0.05)
        log.write(f"{kind} ends\\n".encode())

@pytest.mark.parametrize("number", range(12))
def test_usual(number):
    passes("usual")

@pytest.mark.alone
@pytest.mark.parametrize("number", range(4))
def test_alone(number):
    passes("alone")

@pytest.mark.crowd
@pytest.mark.parametrize("number", range(6))
def test_crowd(number):
    passes("crowd")
"""


def test_none_runs_beside_one_that_is_alone_and_no_two_crowds(tmp_path: Path) -> None:
    tests = tmp_path / "tests"
    tests.mkdir()
    for name in ("conftest.py", "samples.py"):
        shutil.copy(ROOT / "tests" / name, tests)
    (tests / "test_all.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n", "3", "--rootdir", tmp_path, "tests"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tests), "PYTEST_ADDOPTS": "", "FENCEPOST_SEED": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = (tmp_path / "log").read_text().splitlines()
    assert len(lines) == 2 * (12 + 4 + 6)
    running: list[str] = []
    for line in lines:
        kind, _, what = line.partition(" ")
        if what == "ends":
            running.remove(kind)
            continue
        assert "alone" not in running and not (kind == "alone" and running), lines
        assert not (kind == "crowd" and "crowd" in running), lines
        running.append(kind)
