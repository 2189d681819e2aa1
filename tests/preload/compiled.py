# SPDX-License-Identifier: MIT
"""Programs and libraries of the tests' own, and how they are run."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def compiled(folder: Path, name: str, *options: str | Path) -> Path:
    """NAME of `folder`, from this folder's NAME.c; a library where NAME ends so."""
    made = folder / name
    kind = ["-shared", "-fPIC"] if made.suffix == ".so" else []
    source = HERE / "programs" / f"{made.stem}.c"
    words = ["gcc", "-O1", "-g", "-Wall", "-D_GNU_SOURCE", "-pthread", *kind, "-o", made, source]
    subprocess.run([*words, *options], check=True)
    return made


def run_on(
    lock: str, *words: str | Path, stats: bool = False, **more: str
) -> subprocess.CompletedProcess[str]:
    """Runs a program of which an alarm clock ends what can fail only by never ending."""
    recorded = ["--stats", os.devnull] if stats else []
    return subprocess.run(
        [ROOT / "fencepost", "run", "--lock", lock, *recorded, "--", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=600,
        check=False,
        env={**os.environ, **more},
    )
