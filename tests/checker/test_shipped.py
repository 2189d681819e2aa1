# SPDX-License-Identifier: MIT
"""Libraries as they are installed: each program is told of, and what was found in libstdc++'s
semaphore happens on a real machine. The verdicts themselves are asked in test_programs.py."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest
from test_programs import PROGRAMS, ROOT

PAGE = (ROOT / "docs" / "shipped_code.md").read_text()
BESIDE_ONE = Path(__file__).parent / "shipped" / "semaphore_beside_one.cpp"


def _installed(package: str) -> str:
    command = ["dpkg-query", "-W", "-f=${Version}", package]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize(
    "package",
    [
        "libstdc++-12-dev",
        "libck-dev",
        "libboost1.74-dev",
        "libreaderwriterqueue-dev",
        "libconcurrentqueue-dev",
    ],
)
def test_what_was_judged_is_what_is_installed(package: str) -> None:
    upstream = _installed(package).rpartition("-")[0]
    assert package in PAGE
    assert upstream in PAGE


@pytest.mark.parametrize(
    "program",
    sorted(path for path in (PROGRAMS / "shipped").rglob("*") if path.suffix in {".c", ".cpp"}),
    ids=lambda path: path.name,
)
def test_what_is_asked_of_a_library_is_told(program: Path) -> None:
    assert f"`{program.relative_to(PROGRAMS / 'shipped')}`" in PAGE


@pytest.mark.skipif(platform.machine() != "x86_64", reason="single steps are made as on x86-64")
def test_the_semaphore_of_libstdcxx_sleeps_beside_a_count_of_one(tmp_path: Path) -> None:
    executable = tmp_path / "beside_one"
    compiler = ["g++", "-std=c++20", "-O2", "-pthread", str(BESIDE_ONE), "-o", str(executable)]
    subprocess.run([*compiler, "-ldl"], check=True)
    done = subprocess.run([executable], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "the second thread sleeps for ever, the count is 1\n"
