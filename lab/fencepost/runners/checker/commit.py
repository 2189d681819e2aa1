# SPDX-License-Identifier: MIT
"""The checker of another commit, built in a worktree that is removed afterwards."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

from fencepost import ROOT
from fencepost.runners.checker.exploring import CannotMeasure, Checker


def _do(command: list[str], where: Path, what: str) -> str:
    found = subprocess.run(
        command, cwd=where, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if found.returncode != 0:
        said = (found.stderr or found.stdout).strip()
        raise CannotMeasure(f"{what}: {said[-500:]}")
    return found.stdout.strip()


def commit_of(name: str) -> str:
    """The commit that is meant, in short."""
    return _do(
        ["git", "rev-parse", "--verify", "--short=12", f"{name}^{{commit}}"],
        ROOT,
        f"no commit '{name}'",
    )


@contextlib.contextmanager
def checker_of(commit: str, directory: Path) -> Iterator[Checker]:
    tree = directory / "tree"
    try:
        _do(
            ["git", "worktree", "add", "--force", "--detach", str(tree), commit],
            ROOT,
            f"{commit} cannot be checked out",
        )
        _do(["cmake", "--preset", "release"], tree, f"{commit} cannot be configured")
        _do(
            ["cmake", "--build", "build/release", "--target", "checker/all"],
            tree,
            f"{commit} cannot be built",
        )
        yield Checker(commit, tree, tree / "build" / "release")
    finally:
        subprocess.run(
            ["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, capture_output=True
        )
