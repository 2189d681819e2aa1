# SPDX-License-Identifier: MIT
"""Deliberate faults of the checker are noticed: each of mutants.toml is put into a copy of the
tree, which is built, and the test that it names fails there."""

from __future__ import annotations

import fcntl
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import samples

ROOT = Path(__file__).resolve().parents[2]
#: One for all processes of a usual run, where making it takes longest; in a long one each has one.
OWNER = os.environ.get("PYTEST_XDIST_WORKER", "gw0") if samples.is_long else "gw0"
COPY = ROOT / "build" / "mutants" / OWNER
#: pytest's exit status where tests have failed; where it has come to none, another.
FAILED = 1


@dataclass(frozen=True)
class Mutant:
    file: str
    old: str
    new: str
    killed_by: str
    builds: tuple[str, ...] = ()


def all_mutants() -> dict[str, Mutant]:
    table = tomllib.loads(Path(__file__).with_name("mutants.toml").read_text())
    return {
        name: Mutant(**{**words, "builds": tuple(words.get("builds", ()))})
        for name, words in table.items()
    }


MUTANTS = all_mutants()


def _tree() -> Iterator[str]:
    """What git tracks, and what it would."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    yield from (name for name in listed.split("\0") if name and (ROOT / name).is_file())


def _refresh() -> None:
    """Makes the copy equal to the tree; what is equal already keeps its time, and its object."""
    for name in _tree():
        source, target = ROOT / name, COPY / name
        if not target.is_file() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)


@contextmanager
def copied() -> Iterator[None]:
    """One process has a copy at a time."""
    COPY.mkdir(parents=True, exist_ok=True)
    with (COPY / "lock").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        _refresh()
        yield


def build(mutant: Mutant) -> None:
    targets = ["checker/all", *mutant.builds]
    done = subprocess.run(
        ["scripts/build.sh", "release", *targets],
        cwd=COPY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def outcome(killed_by: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "FENCEPOST_BUILD_DIR": str(COPY / "build" / "release")}
    # As in a usual run, not a long one.
    others = ("PYTEST", samples.LONG, samples.PART)
    for name in [name for name in environment if name.startswith(others)]:
        del environment[name]
    environment[samples.SEED] = "1"  # whether one is noticed does not depend on the commit
    # The first failure is enough.
    words = [sys.executable, "-m", "pytest", "-x", "-p", "no:xdist", *shlex.split(killed_by)]
    if "-k" not in words:  # nor by a sample of these
        words += ["-k", "test"]
    return subprocess.run(
        words, cwd=COPY, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("name", MUTANTS)
def test_it_is_one_change_of_what_is_there(name: str) -> None:
    mutant = MUTANTS[name]
    assert mutant.old != mutant.new
    assert (ROOT / mutant.file).read_text().count(mutant.old) == 1


@pytest.mark.matrix(400)
@pytest.mark.parametrize("name", MUTANTS)
def test_a_test_notices(name: str) -> None:
    mutant = MUTANTS[name]
    with copied():
        file = COPY / mutant.file
        sound = file.read_text()
        try:
            file.write_text(sound.replace(mutant.old, mutant.new))
            build(mutant)
            done = outcome(mutant.killed_by)
        finally:
            file.write_text(sound)
    assert done.returncode == FAILED, f"nobody noticed {name}:\n{done.stdout}{done.stderr}"
    # What has failed is a test, and not the copy.
    assert re.search(r"^\d+ failed|, \d+ failed", done.stdout, re.MULTILINE), done.stdout
