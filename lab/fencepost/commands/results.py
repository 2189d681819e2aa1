# SPDX-License-Identifier: MIT
"""Says what files of results hold, and with --into gathers them in one database: ours, Google
Benchmark's JSON, what sysbench printed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from fencepost.console.arguments import new_file
from fencepost.console.input_error import UnusableInput
from fencepost.results.file import read_results
from fencepost.results.schema import Measured
from fencepost.results.store import add_to_store

EXIT_UNUSABLE = 3

EPILOG = """\
examples:
  fencepost results build/bench/results.jsonl
  fencepost results monday.jsonl google_benchmark.json trunk.1.log --into results.db

What is in the database already is not added twice. Lines, tables and the view `measured` are
described in docs/lab/results.md.

exit status: 0, or 3 if a file could not be read or the database not be written
"""


_TOLD_FACTS = ("started", "machine", "kernel", "compiler", "commit")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="measured results")
    parser.add_argument(
        "--into", type=new_file, metavar="DATABASE", help="add them to this SQLite file"
    )


def run(args: argparse.Namespace) -> int:
    try:
        measured = read_results(args.files)
        for remark in measured.remarks:
            print(f"fencepost: {remark}", file=sys.stderr)
        print("\n".join(_summary(measured)))
        if args.into:
            runs, windows = add_to_store(args.into, measured)
            print(f"added to {args.into}: {runs} runs, {windows} windows")
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE
    return 0


def _summary(measured: Measured) -> Iterator[str]:
    for run in measured.runs.values():
        told = [str(run.facts[fact]) for fact in _TOLD_FACTS if run.facts.get(fact)]
        yield f"run {run.id}: {', '.join(told) or 'nothing is told of the machine'}"
        windows = [window for window in measured.windows if window.run == run.id]
        places: dict[tuple[str, str], dict[str, int]] = {}
        for window in windows:
            if window.kept:
                variants = places.setdefault((window.subject, window.work), {})
                variants[window.variant] = variants.get(window.variant, 0) + 1
        for (subject, work), variants in places.items():
            yield f"  {subject} {work}".rstrip()
            for variant, rounds in variants.items():
                yield f"    {variant}: {rounds} round{'s' * (rounds != 1)}"
        for subject, metrics in run.metrics.items():
            if any(window.subject == subject for window in windows):
                yield f"  {subject}: " + ", ".join(
                    f"{m.figure}{f' in {m.unit}' if m.unit else ''}" for m in metrics
                )
        disturbed = sum(not window.kept for window in windows)
        failed = sum(failure.run == run.id for failure in measured.failures)
        if disturbed or failed:
            yield f"  besides {disturbed} disturbed and {failed} failed"
