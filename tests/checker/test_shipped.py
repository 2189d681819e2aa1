# SPDX-License-Identifier: MIT
"""Libraries as they are installed: each program is told of, and what was found in libstdc++'s
semaphore happens on a real machine. The verdicts themselves are asked in test_programs.py."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path

import pytest
from test_programs import PROGRAMS, ROOT

PAGE = (ROOT / "docs" / "checker" / "shipped_code.md").read_text()
#: Programs that show on the machine what the checker does not, or what nobody believes it.
NATIVE = Path(__file__).parent / "shipped"


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
        "liburcu-dev",
        "libatomic-ops-dev",
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


def _run_native(program: str, directory: Path) -> str:
    executable = directory / program
    source = NATIVE / f"{program}.cpp"
    compiler = ["g++", "-std=c++20", "-O2", "-pthread", str(source), "-o", str(executable)]
    subprocess.run([*compiler, "-ldl"], check=True)
    done = subprocess.run([executable], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


@pytest.mark.skipif(platform.machine() != "x86_64", reason="single steps are made as on x86-64")
def test_the_semaphore_of_libstdcxx_sleeps_beside_a_count_of_one(tmp_path: Path) -> None:
    printed = _run_native("semaphore_beside_one", tmp_path)
    assert printed == "the second thread sleeps for ever, the count is 1\n"
    assert printed in PAGE


def test_a_shared_pointer_of_libstdcxx_is_waited_for_by_half(tmp_path: Path) -> None:
    printed = _run_native("shared_ptr_wait", tmp_path)
    assert printed.splitlines() == [
        "changed and notified: sleeps again",
        "read by another thread, never changed: returns",
    ]
    assert printed in PAGE
