# SPDX-License-Identifier: MIT
"""Runs a program, unchanged, on one of the library's locks in the place of the C library's
(docs/run.md)."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from pathlib import Path

from fencepost.input_error import UnusableInput
from fencepost.run_locks import GLIBC, Lock, locks
from fencepost.run_target import executable_of, find_program, refuse_what_cannot_be

PASSES_ON = True

EPILOG = """\
Whatever follows -- is the program and its arguments. It takes the place of this command: its exit
status, its signals and its terminal are its own. Programs that it starts run on the same lock.

exit status: the program's; 3 if it could not be started
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.usage = "fencepost run --lock NAME -- PROGRAM [ARGUMENT]...\n       fencepost run --list"
    parser.add_argument("--lock", metavar="NAME", help=f"one of --list, or {GLIBC}")
    parser.add_argument("--list", action="store_true", help="list the locks that there are")
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
    print("    unlocked it for the last time: see docs/run.md")
    return 0


def _find(name: str) -> Lock:
    built = locks()
    if name in built:
        return built[name]
    if not built:
        raise UnusableInput("no lock is built for programs; run 'make build'")
    near = difflib.get_close_matches(name, [*built, GLIBC], n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}?" if near else "fencepost run --list names them"
    raise UnusableInput(f"there is no lock '{name}'; {hint}")


def preloaded(library: Path, before: str | None) -> str:
    """The value of LD_PRELOAD: ours first, so that no other stands before it."""
    if any(sign in str(library) for sign in " :"):
        raise UnusableInput(
            f"{library}: the dynamic linker takes no path with a space or a colon for LD_PRELOAD; "
            "build in, or install to, another place"
        )
    return f"{library} {before}" if before else str(library)


def _execute(lock: Lock | None, words: list[str]) -> int:
    program = find_program(words[0])
    environment = dict(os.environ)
    if lock is not None:
        refuse_what_cannot_be(executable_of(program), lock.library)
        environment["LD_PRELOAD"] = preloaded(lock.library, environment.get("LD_PRELOAD"))
    sys.stdout.flush()
    try:
        os.execve(program, words, environment)
    except OSError as trouble:
        raise UnusableInput(f"{program} cannot be executed: {trouble.strerror}") from None


def run(args: argparse.Namespace) -> int:
    try:
        if args.list:
            return _list()
        if args.without_dashes:
            words = " ".join(args.without_dashes)
            raise UnusableInput(f"write -- before the program: fencepost run … -- {words} …")
        if not args.lock:
            raise UnusableInput("which lock? --lock NAME; fencepost run --list names them")
        if not args.passed_on:
            raise UnusableInput("which program? fencepost run --lock NAME -- PROGRAM [ARGUMENT]...")
        lock = None if args.lock == GLIBC else _find(args.lock)
        return _execute(lock, args.passed_on)
    except UnusableInput as trouble:
        print(f"fencepost run: {trouble}", file=sys.stderr)
        return 3
