# SPDX-License-Identifier: MIT
"""What takes long to make and many tests look at: one process of a run makes it, for all."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this run, `name`, that `make` has filled. Who comes meanwhile waits; where it
    could not be made, the next who asks tries again. No test may change what is in it."""
    base = factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # which the workers of a run share
    folder, made = base / name, base / f"{name}-made"
    with (base / f"{name}-lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
