# SPDX-License-Identifier: MIT
"""Subjects that are measured by programs of their own, which judge and draw in ways of their own:
`fencepost bench NAME` builds what they need and hands over to them."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput
from fencepost.console.packages import require_numpy_and_scipy

RELEASE = ROOT / "build" / "release"


@dataclass(frozen=True)
class Runner:
    question: str
    #: A module of this package, or below the build directory an executable.
    command: str
    #: Options of `fencepost bench` that it takes, as _WORDS has them.
    takes: frozenset[str] = frozenset()
    #: What it needs of the build; without, it builds for itself or says what is missing.
    target: str = ""
    #: Whether it says how sure its figures are, for which it needs numpy and scipy.
    judges: bool = False

    def words(self, directory: Path) -> list[str]:
        if "/" in self.command:
            return [str(directory / self.command)]
        return [sys.executable, "-P", "-m", f"fencepost.runners.{self.command}"]


_OF_WINDOWS = frozenset(
    ("only", "rounds", "others", "seed", "build_dir", "report", "into", "list", "quick", "resume")
)

RUNNERS = {
    "atomics": Runner(
        "how fast is the atomics runtime beside the system's libatomic?",
        "atomics",
        _OF_WINDOWS | {"all"},
        judges=True,
    ),
    "latency": Runner(
        "how long do the heavy fences take? (docs/design/barrier_latency.md)",
        "latency",
        _OF_WINDOWS,
        "bench_barriers_latency",
        judges=True,
    ),
    "litmus": Runner(
        "what do the heavy fences order on this machine? (docs/library/asymmetric_fence.md)",
        "bench/barriers/litmus",
        target="bench_barriers_litmus",
    ),
    "lock_instructions": Runner(
        "which instructions lock and unlock each kind of lock of the atomics runtime?",
        "lock_instructions",
        frozenset(("build_dir",)),
    ),
    "checker": Runner(
        "how fast is the checker, beside what was recorded or another commit?",
        "checker",
        frozenset(("only", "rounds", "list")),
        judges=True,
    ),
    "cluster": Runner(
        "what does it cost to share a search with a cluster?", "cluster", frozenset(("rounds",))
    ),
    "claims": Runner(
        "what of the claims about speed that this project began with holds? "
        "(docs/design/findings.md)",
        "claims",
        frozenset(("rounds", "others", "build_dir", "report", "into")),
        judges=True,
    ),
}

#: Options as `fencepost bench` has them, and what the runners call them.
_WORDS = {
    "only": "--only",
    "rounds": "--rounds",
    "others": "--others",
    "seed": "--seed",
    "build_dir": "--build-dir",
    "report": "--report",
    "into": "--results",
}
_SWITCHES = {"list": "--list", "all": "--all"}
_NEVER = ("variants", "seconds", "warm_up", "cpu", "timeout", "program", "cluster")


def hand_over(name: str, args: argparse.Namespace, quick: bool) -> NoReturn:
    """Becomes it, with what follows -- as it is: signals and the exit status are its own. Raises
    UnusableInput."""
    runner = RUNNERS[name]
    if not (ROOT / "bench" / "CMakeLists.txt").is_file():
        raise UnusableInput(f"{name} is measured in Fencepost's source tree, which is not here")
    if runner.judges:
        require_numpy_and_scipy(f"bench {name}")
    options = list(_options(name, args, quick))
    asks = not {"-h", "--help"}.isdisjoint(args.passed_on) and "/" not in runner.command
    looks_only = args.list or args.report or asks
    if args.build_dir is None and not looks_only:
        _build(runner)
    command = [*runner.words(args.build_dir or RELEASE), *options, *args.passed_on]
    with _named(command):
        os.execv(command[0], command)


def hand_over_quick(name: str, options: list[str]) -> int:
    """Runs a part of it, for a first impression of everything; returns its exit status."""
    _build(RUNNERS[name])
    command = [*RUNNERS[name].words(RELEASE), *options]
    with _named(command):
        return subprocess.run(command).returncode


def _build(runner: Runner) -> None:
    if not runner.target:
        return
    script = str(ROOT / "scripts" / "build.sh")
    built = subprocess.run([script, "release", runner.target], stdout=sys.stderr)
    if built.returncode != 0:
        raise UnusableInput(f"{runner.target} cannot be built")


@contextlib.contextmanager
def _named(command: list[str]) -> Iterator[None]:
    sys.stdout.flush()
    try:
        yield
    except OSError as problem:
        raise UnusableInput(f"{command[0]}: {problem.strerror}") from None


def _options(name: str, args: argparse.Namespace, quick: bool) -> Iterator[str]:
    takes = RUNNERS[name].takes
    for option in (*_WORDS, *_SWITCHES, *_NEVER, "resume"):
        if getattr(args, option) and option not in takes:
            told = option.replace("_", "-")
            raise UnusableInput(
                f"{name} does not take --{told}; it lists its own options with "
                f"'fencepost bench {name} -- --help'"
            )
    if quick and "quick" not in takes:
        raise UnusableInput(f"{name} has no quick form")
    if quick:
        yield "--quick"
    for option, word in _WORDS.items():
        value = getattr(args, option)
        if value is not None:
            yield word
            yield getattr(value, "pattern", None) or str(value)
    for option, word in _SWITCHES.items():
        if getattr(args, option):
            yield word
    if args.resume:
        yield from ("--results", str(args.resume), "--resume")
