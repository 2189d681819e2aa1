# SPDX-License-Identifier: MIT
"""Which instructions of memory does each kind of lock execute, to lock and to unlock?

Compiles the locks of src/atomics/lock for each processor that there is a compiler and an emulator
for, with the library's own options, lets the emulator write down what they execute while nobody
else wants the lock, and prints those instructions that touch memory other than the stack, or order
it. Of the kinds that are the C library's, that is the C library's code.

    fencepost bench lock_instructions [-- --machine x86_64 --kind mutex]
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from fencepost import ROOT
from fencepost.runners.atomics.built import NotBuilt
from fencepost.runners.atomics.lock_instructions import MACHINES, built_for, locking, say


def parse_arguments() -> argparse.Namespace:
    names = [machine.name for machine in MACHINES]
    parser = argparse.ArgumentParser(
        prog="fencepost bench lock_instructions --",
        description="Prints the memory instructions of each kind of lock of the atomics runtime.",
    )
    parser.add_argument(
        "--machine", action="append", choices=names, help="only this processor; repeatable"
    )
    parser.add_argument(
        "--kind", action="append", metavar="KIND", help="only this kind of lock; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument(
        "--build-dir",
        type=Path,
        default=ROOT / "build" / "lock_instructions",
        metavar="DIR",
        help="where it is built (build/lock_instructions)",
    )
    return parser.parse_args()


def main() -> int:
    arguments = parse_arguments()
    found = []
    for machine in MACHINES:
        if arguments.machine and machine.name not in arguments.machine:
            continue
        if missing := machine.missing():
            print(
                f"fencepost: {machine.name} is left out, for {', '.join(missing)} is missing",
                file=sys.stderr,
            )
            continue
        try:
            programs = built_for(machine, arguments.build_dir)
        except NotBuilt as problem:
            print(f"fencepost: {problem}", file=sys.stderr)
            return 1
        if unknown := set(arguments.kind or ()) - set(programs):
            print(
                f"fencepost: no kind {', '.join(sorted(unknown))}; there are {', '.join(programs)}",
                file=sys.stderr,
            )
            return 2
        found += [
            locking(machine, kind, program)
            for kind, program in programs.items()
            if not arguments.kind or kind in arguments.kind
        ]
    if not found:
        return 1
    if arguments.json:
        print(json.dumps([asdict(one) for one in found], indent=1))
    else:
        print("\n".join(say(found)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
