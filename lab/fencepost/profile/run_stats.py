# SPDX-License-Identifier: MIT
"""`fencepost run --stats`, `--flame`, `--top` and `--dump`: what a program's locks cost it, while
it runs and when it has ended."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fencepost.console.arguments import MOST_PROCESSES, whole
from fencepost.console.input_error import UnusableInput
from fencepost.profile.directory import make_directory, processes, read_directory, remove_directory
from fencepost.profile.dump import dump, left_in_deadlock
from fencepost.profile.file import LockFile
from fencepost.profile.flame import write_flame
from fencepost.profile.report import SORTS, report
from fencepost.profile.running import choose, running_in
from fencepost.profile.summary import Run, Summary, write_json
from fencepost.profile.symbols import PlaceNames
from fencepost.profile.top import top, top_of_child
from fencepost.profile.unrecorded import unrecorded
from fencepost.run.parent import Child
from fencepost.system.whole_file import refuse_what_cannot_be_written

#: Files that are told of that cannot be read.
_MOST_TROUBLES = 20


def add_stats_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--stats",
        nargs="?",
        const="",
        metavar="FILE.json",
        help="tell at the end what the locks cost, and write it to FILE.json",
    )
    parser.add_argument(
        "--flame",
        type=Path,
        metavar="FILE",
        help="draw what waited for locks as a flame graph (SVG; folded stacks for *.folded)",
    )
    parser.add_argument("--sort", choices=SORTS, default="lost", help="what --stats sorts by")
    parser.add_argument(
        "--top",
        nargs="?",
        const=0,
        type=whole(1, MOST_PROCESSES),
        metavar="PID",
        help="show the locks of a program that runs with --stats; or of the one given after --",
    )
    parser.add_argument("--once", action="store_true", help="with --top: print one picture")
    parser.add_argument(
        "--dump",
        type=whole(1, MOST_PROCESSES),
        metavar="PID",
        help="who waits for whom in a program with --stats",
    )


def is_wanted(args: argparse.Namespace) -> bool:
    """Whether the program is to be recorded."""
    return args.stats is not None or args.flame is not None or args.top is not None


def look_at_running(args: argparse.Namespace) -> int:
    """`--dump PID`, and `--top` without a program."""
    chosen = choose(args.top if args.dump is None else args.dump)
    names = PlaceNames()
    if args.dump is not None:
        print(dump(chosen.recorded.path, names))
        return 0
    return top(chosen.recorded.path, names, args.once)


def run_recorded(
    args: argparse.Namespace, program: Path, words: Sequence[str], environment: Mapping[str, str]
) -> int:
    """Runs the program and tells what it did. Its exit status; or 3 if it had none to complain of
    and what was asked for cannot be written."""
    if args.flame is not None and args.flame.suffix not in (".svg", ".folded"):
        raise UnusableInput(f"{args.flame}: a flame graph's name ends in .svg, or in .folded")
    outputs = [path for path in (Path(args.stats) if args.stats else None, args.flame) if path]
    for path in outputs:
        refuse_what_cannot_be_written(path)
    directory = make_directory()
    try:
        return _run(args, program, words, environment, directory)
    finally:
        if not running_in(directory):
            remove_directory(directory)


def _run(
    args: argparse.Namespace,
    program: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
) -> int:
    environment = {
        **environment,
        "FENCEPOST_PROFILER": str(directory),
        "FENCEPOST_PROFILER_LOCK": args.lock,
    }
    if args.flame is not None:
        environment["FENCEPOST_PROFILER_STACKS"] = "1"
    names = PlaceNames()

    def tell_waits() -> None:
        for process in running_in(directory):
            with suppress(UnusableInput):  # it has just ended
                print(dump(process.recorded.path, names), file=sys.stderr, flush=True)

    if args.top is not None:
        child = top_of_child(program, words, environment, directory, names, tell_waits)
    else:
        child = Child(program, words, environment)
        child.wait(tell_waits)
    trouble = False
    ended = time.monotonic_ns()
    files = _recorded(directory)
    run = Run(args.lock, str(program), child.seconds, child.status, child.signal_name)
    found = processes(files, {child.pid: int(child.ended * 1e9)})
    summary = Summary(run, found, names, unrecorded(directory, files))
    try:
        if child.signal is not None and (
            circles := left_in_deadlock(summary.processes, names, ended)
        ):
            print(circles, file=sys.stderr)
        width = shutil.get_terminal_size().columns if sys.stderr.isatty() else None
        print(f"\nfencepost run: {report(summary, width, args.sort)}", file=sys.stderr, flush=True)
        if args.stats:
            write_json(Path(args.stats), summary)
        if args.flame is not None:
            write_flame(args.flame, summary, names)
        if names.left_unnamed:
            print(f"fencepost run: {names.left_unnamed}", file=sys.stderr)
    except UnusableInput as problem:
        print(f"fencepost run: {problem}", file=sys.stderr)
        trouble = True
    if not running_in(directory):
        remove_directory(directory)  # now, for a signal may end us in the next line
    return child.leave_as_it_did() or (3 if trouble else 0)


def _recorded(directory: Path) -> list[LockFile]:
    files, troubles = read_directory(directory)
    for trouble in troubles[-_MOST_TROUBLES:]:
        print(f"fencepost run: {trouble}", file=sys.stderr)
    if len(troubles) > _MOST_TROUBLES:
        print(f"fencepost run: and {len(troubles) - _MOST_TROUBLES} more files", file=sys.stderr)
    return files
