# SPDX-License-Identifier: MIT
"""Builds a program with a checker, and explores it once."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fencepost import ROOT
from fencepost.runners.checker.programs import Subject

#: A checker is asked to build a program by its own command line, which may be another commit's.
BUILD = """
import sys
from pathlib import Path
try:
    from fencepost.toolchain.build_program import build_program
    from fencepost.toolchain.toolchain import Toolchain
except ModuleNotFoundError:
    from fencepost.build_program import Toolchain, build_program
source, directory, *flags = sys.argv[1:]
print(build_program([Path(source)], Toolchain("gcc", tuple(flags)), Path(directory)).executable)
"""

#: What another commit does not explore in this time has no figures.
MOST_SECONDS = 120

#: The shell stands between, for the kernel counts what this process has in memory to its child.
THROUGH_A_SHELL = ["sh", "-c", '"$0"; exit $?']


class CannotMeasure(Exception):
    """What came instead of the figures of a program."""


@dataclass(frozen=True)
class Checker:
    """A tree of sources, with the checker built in it."""

    name: str
    tree: Path
    build: Path

    def program(self, subject: Subject, directory: Path, small: bool = False) -> Path:
        """The subject as an executable that explores itself."""
        directory.mkdir(parents=True)
        flags = [*shlex.split(subject.sized(small)[0]), f"-I{ROOT / 'include'}"]
        found = subprocess.run(
            [sys.executable, "-c", BUILD, str(ROOT / subject.source), str(directory), *flags],
            env=dict(
                os.environ,
                PYTHONPATH=str(self.tree / "lab"),
                FENCEPOST_BUILD_DIR=str(self.build),
            ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if found.returncode != 0:
            raise CannotMeasure(f"cannot be built: {_last_line(found.stderr)}")
        return Path(found.stdout.strip())


@dataclass(frozen=True)
class Run:
    """What one exploration found and cost."""

    executions: int
    blocked: int
    cpu_seconds: float
    peak_kib: int


def explore(executable: Path, subject: Subject, more: str = "", bounded: bool = False) -> Run:
    """Explore it, to the end or to a bound. Raises CannotMeasure if it does not hold."""
    reader, writer = os.pipe()
    options = f"model={subject.model} {subject.options} timeout={MOST_SECONDS} {more} fd={writer}"
    process = subprocess.Popen(
        [*THROUGH_A_SHELL, str(executable)],
        env=dict(os.environ, FENCEPOST_CHECK=options),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        pass_fds=[writer],
        text=True,
    )
    os.close(writer)
    with process, os.fdopen(reader) as lines:
        try:
            results = [json.loads(line) for line in lines if '"result"' in line]
        except BaseException:
            process.kill()
            raise
        said = process.communicate()[1]
    if not results:
        raise CannotMeasure(f"no result: {_last_line(said) or process.returncode}")
    found: dict[str, Any] = results[-1]
    if found["verdict"] != ("inconclusive" if bounded else "holds"):
        why = found.get("reason") or (found.get("violation") or {}).get("message")
        raise CannotMeasure(f"{found['verdict']}: {why}")
    stats = found["stats"]
    return Run(found["executions"], found["blocked"], stats["cpu_seconds"], stats["peak_rss_kb"])


def _last_line(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[-1] if lines else ""
