# SPDX-License-Identifier: MIT
"""What the command lines of those that measure have in common: arguments, and how a run ends."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType

from fencepost.console.arguments import positive, seconds, seed_number
from fencepost.console.input_error import UnusableInput


def add_common_arguments(parser: argparse.ArgumentParser, build_directory: Path) -> None:
    """Add the options that `bench atomics` and `bench latency` share. Both measure cases of their
    own."""
    parser.add_argument(
        "--quick",
        action="store_true",
        help="three short windows for each piece: a first impression",
    )
    parser.add_argument(
        "--for",
        dest="length",
        type=seconds,
        metavar="SECONDS",
        help="measure for so long; --resume goes on",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the windows that the results file has"
    )
    parser.add_argument(
        "--seed", type=seed_number, default=1, metavar="N", help="of the orders that are drawn (1)"
    )
    parser.add_argument(
        "--others",
        type=positive,
        default=0.15,
        metavar="SHARE",
        help="discard windows in which others used more than this share of a processor (0.15)",
    )
    parser.add_argument(
        "--build-dir",
        type=Path,
        default=build_directory,
        metavar="DIR",
        help=f"where it is built ({build_directory.parent.name}/{build_directory.name})",
    )
    parser.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="measure nothing: print the tables of these results",
    )
    parser.add_argument("--list", action="store_true", help="only say which pieces there are")


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def run_ahead_of_others() -> None:
    """Where that is permitted; the results say whether it was. To be ended is to be interrupted."""
    signal.signal(signal.SIGTERM, _stop)
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)


def told(command: Callable[[], int]) -> int:
    """Carries out a command; returns its exit status, or 1 where what it was given is unusable."""
    try:
        return command()
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return 1


DISTURBED = re.compile(r": disturbed \d+ times$")
#: Of one kind of trouble so many are told one by one.
TOLD = 12


def carried_out(
    measure: Callable[[], Iterable[str]], finish: Callable[[], None], results: Path
) -> int:
    """Measures, as long as nobody interrupts, and then says what was found and what went wrong.
    Returns the exit status."""
    troubles: list[str] = []
    status = 0
    try:
        # One by one: what was said before it is interrupted counts.
        for trouble in measure():
            troubles.append(trouble)
    except KeyboardInterrupt:
        print("\nfencepost: interrupted; this is what was measured until then", file=sys.stderr)
        status = 130
    except UnusableInput as problem:
        troubles.append(str(problem))
    finish()
    print(f"every window is in {results}")
    disturbed = [one for one in troubles if DISTURBED.search(one)]
    if len(disturbed) > TOLD:
        troubles = [one for one in troubles if one not in disturbed]
        troubles.append(
            f"{len(disturbed)} times a window was given up, for others used the "
            "processors each time: --others says how much they may"
        )
    for trouble in troubles[:TOLD]:
        print(f"fencepost: {trouble}", file=sys.stderr)
    if len(troubles) > TOLD:
        print(f"fencepost: and {len(troubles) - TOLD} more like these", file=sys.stderr)
    return status or (1 if troubles else 0)
