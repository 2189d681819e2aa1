# SPDX-License-Identifier: MIT
"""Runs a program, unchanged, on one of the library's locks in the place of the C library's
(docs/lab/run.md)."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from fencepost import ROOT
from fencepost.console.arguments import completed
from fencepost.console.input_error import UnusableInput
from fencepost.profile.run_stats import (
    add_stats_arguments,
    is_wanted,
    look_at_running,
    run_recorded,
)
from fencepost.run.locks import GLIBC, Lock, is_ours, locks, profiler_library, unsound_locks
from fencepost.run.parent import restore_signals
from fencepost.run.target import (
    executable_of,
    find_program,
    refuse_what_cannot_be,
    sanitizers_of,
)

PASSES_ON = True

EPILOG = """\
Whatever follows -- is the program and its arguments. It takes the place of this command: its exit
status, its signals and its terminal are its own. Programs that it starts run on the same lock.

With --stats this command stays, passes signals on and ends as the program ended; SIGUSR1 makes it
say who waits for whom. docs/lab/lock_statistics.md has more.

exit status: the program's; 3 if it could not be started
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "fencepost run --lock NAME [--stats [FILE.json]] [--flame FILE] -- PROGRAM [ARGUMENT]...\n"
        "       fencepost run --unsound --lock NAME [...]\n"
        "       fencepost run --top [PID] | --dump PID | --list"
    )
    lock = parser.add_argument("--lock", metavar="NAME", help=f"one of --list, or {GLIBC}")
    completed(lock, lambda: (*locks(), GLIBC))
    parser.add_argument("--list", action="store_true", help="list the locks that there are")
    parser.add_argument(
        "--unsound",
        action="store_true",
        help="the lock is one that loses wake-ups, and a watchdog wakes those who sleep for good",
    )
    add_stats_arguments(parser)
    parser.add_argument("without_dashes", nargs="*", help=argparse.SUPPRESS)


def _list() -> int:
    built = locks()
    if not built:
        raise UnusableInput("no lock is built for programs; run 'make build'")
    width = max(len(name) for name in (*built, GLIBC))
    print(f"{GLIBC:{width}}  the C library's own, nothing put in their place")
    for lock in built.values():
        mark = "" if lock.bears_early_destruction else "  [*]"
        print(f"{lock.name:{width}}  {lock.description}{mark}")
    print()
    print("[*] not for programs that destroy a mutex, or free its memory, as soon as they have")
    print("    unlocked it for the last time: see docs/lab/run.md")
    if unsound := unsound_locks():
        print("\nwith --unsound: they lose wake-ups, and a watchdog counts how many [*]")
        for lock in unsound.values():
            print(f"{lock.name:{width}}  {lock.description}")
    return 0


def _find(name: str, unsound: bool) -> Lock:
    built = locks()
    if name in built:
        if unsound:
            raise UnusableInput(f"{name} is sound: leave --unsound out")
        return built[name]
    losing = unsound_locks()
    if name in losing:
        if not unsound:
            raise UnusableInput(
                f"{name} is unsound: the checker finds a thread that it leaves asleep for ever, or "
                "an order that C++20 forbids (fencepost study event-mutex). --unsound lets the "
                "program run on it, with a watchdog that wakes such threads and counts them"
            )
        return losing[name]
    if unsound:
        built = losing
    if not built:
        raise UnusableInput("no lock is built for programs; run 'make build'")
    near = difflib.get_close_matches(name, [*built, GLIBC], n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "fencepost run --list names them"
    raise UnusableInput(f"there is no lock '{name}'; {hint}")


def preloaded(libraries: Sequence[Path], before: str | None, runtimes: Sequence[str] = ()) -> str:
    """The value of LD_PRELOAD. What stood there comes before ours: where it wraps functions of the
    C library, it calls ours for them. Not what a run around this one put there, on another lock."""
    for library in libraries:
        if any(sign in str(library) for sign in " :"):
            raise UnusableInput(
                f"{library}: the dynamic linker takes no path with a space or a colon for "
                "LD_PRELOAD; build in, or install to, another place"
            )
    words = re.split("[ :]+", (before or "").strip())
    outer = [word for word in words if is_ours(Path(word))]
    others = [word for word in words if word and word not in outer]
    first = [name for name in runtimes if name not in map(os.path.basename, others)]
    return " ".join([*first, *others, *map(str, libraries), *outer])


def _environment(program: Path, libraries: Sequence[Path]) -> dict[str, str]:
    """An environment in which the dynamic linker puts these into the program, in this order, behind
    those of others. Where Python finds our own modules is not the program's business."""
    environment = dict(os.environ)
    ours, _, others = environment.get("PYTHONPATH", "").partition(":")
    if ours == str(ROOT / "lab"):
        environment["PYTHONPATH"] = others
        if not others:
            del environment["PYTHONPATH"]
    if libraries:
        executable = executable_of(program)
        for library in libraries:
            refuse_what_cannot_be(executable, library)
        runtimes = sanitizers_of(executable)
        environment["LD_PRELOAD"] = preloaded(libraries, environment.get("LD_PRELOAD"), runtimes)
    return environment


def _execute(program: Path, words: list[str], environment: dict[str, str]) -> int:
    sys.stdout.flush()
    restore_signals()
    try:
        os.execve(program, words, environment)
    except OSError as trouble:
        raise UnusableInput(f"{program} cannot be executed: {trouble.strerror}") from None


def _run(args: argparse.Namespace) -> int:
    if args.lock == GLIBC and args.unsound:
        raise UnusableInput(f"{GLIBC} is not among the unsound locks: leave --unsound out")
    libraries = [] if args.lock == GLIBC else [_find(args.lock, args.unsound).library]
    program = find_program(args.passed_on[0])
    if not is_wanted(args):
        return _execute(program, args.passed_on, _environment(program, libraries))
    environment = _environment(program, [profiler_library(), *libraries])
    return run_recorded(args, program, args.passed_on, environment)


def run(args: argparse.Namespace) -> int:
    try:
        if args.list:
            return _list()
        if args.without_dashes:
            words = shlex.join(args.without_dashes)
            raise UnusableInput(f"write -- before the program: fencepost run … -- {words} …")
        if args.dump is not None or (args.top is not None and not args.passed_on):
            return look_at_running(args)
        if not args.lock:
            raise UnusableInput("which lock? --lock NAME; fencepost run --list names them")
        if not args.passed_on:
            raise UnusableInput("which program? fencepost run --lock NAME -- PROGRAM [ARGUMENT]...")
        return _run(args)
    except UnusableInput as trouble:
        print(f"fencepost run: {trouble}", file=sys.stderr)
        return 3
