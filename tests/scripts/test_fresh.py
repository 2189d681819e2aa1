# SPDX-License-Identifier: MIT
"""What make fresh says where no root of a bare Debian can be made, and that make quick's tests are
there. What it does where one can be made, CI shows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from scripted import ROOT


def fresh(tools: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "scripts" / "fresh.sh", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", **environment},
    )


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """On a machine where everything is installed."""
    installed = tmp_path / "dpkg-query"
    installed.write_text("#!/bin/sh\nprintf installed\n")
    installed.chmod(0o755)
    return tmp_path


def failing(tools: Path, name: str) -> None:
    (tools / name).write_text("#!/bin/sh\nexit 1\n")
    (tools / name).chmod(0o755)


def test_it_takes_one_word_or_none(tools: Path) -> None:
    done = fresh(tools, "nonsense")
    assert done.returncode == 2 and done.stderr == "usage: fresh.sh [light]\n"


def test_where_no_namespace_is_permitted_it_fails_and_says_so(tools: Path) -> None:
    failing(tools, "unshare")
    (tools / "mmdebstrap").write_text("#!/bin/sh\nexit 0\n")
    (tools / "mmdebstrap").chmod(0o755)
    done = fresh(tools, "light")
    assert done.returncode == 1
    reason = "permits no namespaces" if os.geteuid() == 0 else "it takes root"
    assert "no root of a bare Debian can be made here" in done.stderr and reason in done.stderr


def test_every_test_of_make_quick_is_there() -> None:
    named = (ROOT / "tests" / "quick.txt").read_text().split()
    assert named == sorted(set(named))
    assert [one for one in named if not (ROOT / one.split("::")[0]).exists()] == []
