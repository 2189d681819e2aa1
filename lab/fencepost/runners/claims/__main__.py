# SPDX-License-Identifier: MIT
"""Puts the claims about speed that this project began with to the test, and writes what was found
into docs/design/findings.md.

    fencepost bench claims                            # measures, but where code lies
    fencepost bench claims --rounds 5 -- --group protocols
    fencepost bench --layout minimal --rounds 9 --into build/bench/layout.jsonl   # where code lies
    fencepost bench claims -- --save --documents      # what was measured, into docs/
    fencepost bench claims --report docs/design/findings/results.jsonl [-- --documents]

Each group of claims is one command of `fencepost bench`, which the page shows. Several runs of a
group are taken together, each round with its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from fencepost import ROOT
from fencepost.console.arguments import count
from fencepost.console.input_error import UnusableInput
from fencepost.results.file import read_results
from fencepost.results.schema import Measured
from fencepost.runners.claims.groups import MEASURED
from fencepost.runners.claims.judged import stack_of_the_runtime
from fencepost.runners.claims.kept import lines, lines_of_layout, save
from fencepost.runners.claims.layout import RESULTS as LAYOUT
from fencepost.runners.claims.page import PAGE, STACK, rewritten, said
from fencepost.system.whole_file import write_whole

MEASURED_INTO = ROOT / "build" / "bench"
SAVED = ROOT / "docs" / "design" / "findings" / "results.jsonl"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="fencepost bench claims --",
        description="Measures what was claimed, and writes docs/design/findings.md.",
    )
    parser.add_argument(
        "--group",
        action="append",
        metavar="NAME",
        choices=[group.key for group in MEASURED],
        help="only this one: %(choices)s; repeatable",
    )
    parser.add_argument(
        "--rounds", type=count, default=11, metavar="N", help="windows a variant (11)"
    )
    parser.add_argument(
        "--others",
        default="0.15",
        metavar="SHARE",
        help="discard windows in which others used more than this share of a processor (0.15)",
    )
    parser.add_argument(
        "--build-dir", type=Path, metavar="DIR", help="build nothing: measure what is built there"
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="append to this file (build/bench/findings.jsonl)",
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="measure nothing: say what these results say"
    )
    parser.add_argument(
        "--save", action="store_true", help="measure nothing: keep what was measured in docs/"
    )
    parser.add_argument(
        "--documents", action="store_true", help="with --save or --report: write the page"
    )
    return parser.parse_args()


def measure(arguments: argparse.Namespace, into: Path) -> int:
    worst = 0
    for group in MEASURED:
        if arguments.group and group.key not in arguments.group:
            continue
        command = [
            str(ROOT / "fencepost"),
            "bench",
            *group.command,
            "--rounds",
            str(arguments.rounds),
            "--others",
            arguments.others,
            "--into",
            str(into),
        ]
        if arguments.build_dir:
            command += ["--build-dir", str(arguments.build_dir)]
        status = subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode
        if status != 0:
            print(
                f"fencepost: {group.key}: exit status {status}; what was measured is kept",
                file=sys.stderr,
            )
            worst = max(worst, status)
        if status == 130:
            break
    return worst


def tell(measured: Measured, documents: bool) -> None:
    measured.extend(stack_of_the_runtime(STACK))
    if documents:
        write_whole(PAGE, rewritten(PAGE.read_text(), measured))
        print(f"written: {PAGE.relative_to(ROOT)}")
        return
    for name, text in said(measured).items():
        print(name, "", *text, sep="\n")


def main() -> int:
    arguments = parse_arguments()
    into = arguments.results or MEASURED_INTO / "findings.jsonl"
    status = 0
    try:
        if arguments.report:
            tell(read_results([arguments.report]), arguments.documents)
            return 0
        if arguments.save:
            save(lines(read_results([into])), SAVED)
            layout = MEASURED_INTO / LAYOUT.name
            if layout.is_file():
                save(lines_of_layout(read_results([layout])), LAYOUT)
            tell(read_results([SAVED]), arguments.documents)
            return 0
        status = measure(arguments, into)
        tell(read_results([into]), documents=False)
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return 3
    return status


if __name__ == "__main__":
    sys.exit(main())
