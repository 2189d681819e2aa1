# SPDX-License-Identifier: MIT
"""The programs that `fencepost bench` runs: where they are, that they are built from the sources as
they are now, which peers they lack, and how to tell that they are the same as earlier."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import ProgressLine
from fencepost.measure.results import commit_facts
from fencepost.measure.subjects import SUBJECTS, ForeignSubject, Subject
from fencepost.measure.window import Outcome, Taking, Variant, list_variants
from fencepost.results.foreign import metrics_of

BUILD_DIR = ROOT / "build" / "bench"
_SCRIPT = ROOT / "scripts" / "build_bench.sh"
INSTALL_PEERS = "scripts/install_bench_packages.sh"


class Measurable(Protocol):
    """What windows are taken of, variant by variant."""

    @property
    def name(self) -> str:
        """The subject's."""

    @property
    def subject(self) -> Subject: ...

    @property
    def foreign(self) -> bool:
        """Whether it is not ours."""

    def variants(self) -> list[Variant]: ...

    def fingerprint(self) -> str:
        """The same for the same."""

    def commit_facts(self) -> dict[str, Any]: ...

    def facts(self) -> dict[str, Any]:
        """What else a run's line is to say of it."""

    def window(self, variant: Variant, seconds: float, taking: Taking) -> Outcome:
        """Raises Failed."""

    def close(self) -> None:
        """No more windows are taken."""


@dataclass(frozen=True)
class Program:
    """A subject's program, or one that a user brought."""

    subject: Subject
    path: Path
    foreign: bool = False

    @property
    def name(self) -> str:
        return self.subject.program

    def variants(self) -> list[Variant]:
        return list_variants(self.name, self.path, self.foreign)

    def fingerprint(self) -> str:
        """The same for the same file."""
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]

    def commit_facts(self) -> dict[str, Any]:
        return commit_facts(self.path.parent, ()) if self.foreign else commit_facts()

    def facts(self) -> dict[str, Any]:
        return {}

    def window(self, variant: Variant, seconds: float, taking: Taking) -> Outcome:
        return taking.window(self.path, variant.name, seconds)

    def close(self) -> None:
        """Each window is a process of its own, and nothing is left of it."""


def find_program(directory: Path, name: str) -> Path | None:
    for place in (directory / "bench" / "library" / name, directory / "library" / name):
        if os.access(place, os.X_OK):
            return place
    return None


def own_program(path: Path) -> Program:
    """A user's. Raises UnusableInput."""
    if not path.is_file():
        raise UnusableInput(f"--program {path}: there is no such file")
    if not os.access(path, os.X_OK):
        raise UnusableInput(f"--program {path}: it is not executable")
    if path.name in SUBJECTS:
        raise UnusableInput(
            f"--program {path}: a subject is called {path.name} already; give it another name"
        )
    names = tuple(variant.name for variant in list_variants(path.name, path.resolve(), True))
    clock = metrics_of(("cpu_time", "real_time"), names)[0].figure
    return Program(ForeignSubject(path.name, figure=clock, names=names), path.resolve(), True)


def programs_of(names: Sequence[str], directory: Path | None) -> list[Program]:
    """Return the programs of these subjects. They are brought up to date, or with a `directory`
    taken as they are built there. Raises UnusableInput where there is none."""
    if directory is None:
        _build(names)
    place = directory or BUILD_DIR
    found = []
    for name in names:
        path = find_program(place, name)
        if path is None:
            print(f"fencepost: {name} is not built in {place}: left out", file=sys.stderr)
            continue
        found.append(Program(SUBJECTS[name], path))
    if not found:
        raise UnusableInput(
            f"none of these benchmarks is built in {place}; without --build-dir they are built "
            "(also by 'make bench', with their peers)"
        )
    if lacking := missing_peers(place):
        print(
            f"fencepost: peers that are not installed are left out: {lacking}; "
            f"{INSTALL_PEERS} installs them",
            file=sys.stderr,
        )
    return found


def missing_peers(directory: Path) -> str:
    """The peers that were not installed when these programs were configured."""
    for place in (directory / "bench" / "library", directory / "library"):
        if (place / "missing_peers.txt").is_file():
            return (place / "missing_peers.txt").read_text().strip()
    return ""


def _build(names: Sequence[str]) -> None:
    if not _SCRIPT.is_file():
        raise UnusableInput(
            "the benchmarks are built from Fencepost's source tree, and this one is installed "
            "without: run bench in a checkout, or measure a program of your own with --program FILE"
        )
    line = ProgressLine()
    line.say("building the benchmarks (the first time takes some minutes)")
    try:
        done = subprocess.run(
            [str(_SCRIPT), *names],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
        )
    except OSError as problem:
        raise UnusableInput(f"{_SCRIPT}: {problem.strerror}") from None
    finally:
        line.clear()
    if done.returncode == 0:
        return
    said = done.stdout + done.stderr
    if "benchmarkConfig.cmake" in said:
        raise UnusableInput(
            "Google Benchmark is not installed (Debian: libbenchmark-dev): "
            "scripts/install_packages.sh build bench installs it"
        )
    last = "\n".join(said.strip().splitlines()[-15:])
    raise UnusableInput(f"the benchmarks cannot be built:\n{last}")
