# SPDX-License-Identifier: MIT
"""Subjects that are measured by programs of their own, which judge and draw in ways of their own:
`fencepost bench NAME` builds what they need and hands over to them."""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput

RELEASE = ROOT / "build" / "release"


@dataclass(frozen=True)
class Runner:
    question: str
    #: A script, or below the build directory an executable.
    command: str
    #: What it needs of the build; one that needs nothing builds for itself.
    target: str = ""
    #: Whether it takes the options of `fencepost bench` that _TAKEN lists.
    takes_options: bool = True

    def words(self, directory: Path) -> list[str]:
        if self.command.endswith(".py"):
            return [sys.executable, str(ROOT / self.command)]
        return [str(directory / self.command)]


RUNNERS = {
    "atomics": Runner(
        "how fast is the atomics runtime beside the system's libatomic?", "bench/atomics/run.py"
    ),
    "latency": Runner(
        "how long do the heavy fences take? (docs/barrier_latency.md)",
        "bench/barriers/latency.py",
        "bench_barriers_latency",
    ),
    "litmus": Runner(
        "what do the heavy fences order on this machine? (docs/asymmetric_fence.md)",
        "bench/barriers/litmus",
        "bench_barriers_litmus",
        takes_options=False,
    ),
}

#: Options as `fencepost bench` has them, and what the runners call them.
_TAKEN = {
    "only": "--only",
    "rounds": "--rounds",
    "others": "--others",
    "seed": "--seed",
    "build_dir": "--build-dir",
    "report": "--report",
    "into": "--results",
}
_SWITCHES = {"list": "--list", "all": "--all"}
_REFUSED = ("variants", "seconds", "warm_up", "cpu", "timeout", "program")


def hand_over(name: str, args: argparse.Namespace, quick: bool) -> int:
    """Runs it, with what follows -- as it is; returns its exit status. Raises UnusableInput."""
    runner = RUNNERS[name]
    if not (ROOT / "bench" / "CMakeLists.txt").is_file():
        raise UnusableInput(f"{name} is measured in Fencepost's source tree, which is not here")
    options = list(_options(name, args, quick)) if runner.takes_options else []
    looks_only = args.list or args.report
    if args.build_dir is None and not looks_only:
        _build(runner)
    return _run([*runner.words(args.build_dir or RELEASE), *options, *args.passed_on])


def hand_over_quick(name: str, options: list[str]) -> int:
    """Runs a part of it, for a first impression of everything; the same."""
    _build(RUNNERS[name])
    return _run([*RUNNERS[name].words(RELEASE), *options])


def _build(runner: Runner) -> None:
    if not runner.target:
        return
    script = str(ROOT / "scripts" / "build.sh")
    built = subprocess.run([script, "release", runner.target], stdout=sys.stderr)
    if built.returncode != 0:
        raise UnusableInput(f"{runner.target} cannot be built")


def _run(command: list[str]) -> int:
    sys.stdout.flush()
    try:
        return subprocess.run(command).returncode
    except OSError as problem:
        raise UnusableInput(f"{command[0]}: {problem.strerror}") from None


def _options(name: str, args: argparse.Namespace, quick: bool) -> Iterator[str]:
    for option in _REFUSED:
        if getattr(args, option):
            told = option.replace("_", "-")
            raise UnusableInput(
                f"{name} does not take --{told}; it lists its own options with "
                f"'fencepost bench {name} -- --help'"
            )
    if quick:
        yield "--quick"
    for option, word in _TAKEN.items():
        value = getattr(args, option)
        if value is not None:
            yield word
            yield getattr(value, "pattern", None) or str(value)
    for option, word in _SWITCHES.items():
        if getattr(args, option):
            yield word
    if args.resume:
        yield from ("--results", str(args.resume), "--resume")
