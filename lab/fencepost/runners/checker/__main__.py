# SPDX-License-Identifier: MIT
"""How fast is the checker?

Explores a suite of programs, round after round, and prints for each how many executions it has, the
CPU time and the memory that they took, and the CPU time beside what bench/checker/baseline.json
recorded. Machines differ and are shared, so both are taken in units of a fixed piece of work that
is timed just before. Compiling counts for neither.

With --against COMMIT the checker of another commit is built in a worktree of its own, and both are
measured in turns: the ratio that this gives says most. Ctrl-C prints what there is.

    fencepost bench checker [--only PATTERN] [-- --against COMMIT] [-- --json FILE]
"""

from __future__ import annotations

import argparse
import contextlib
import json
import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fencepost import ROOT
from fencepost.console.arguments import new_file
from fencepost.measure.command import told
from fencepost.runners.checker.commit import checker_of, commit_of
from fencepost.runners.checker.exploring import CannotMeasure, Checker, explore
from fencepost.runners.checker.measure import Figures, measure
from fencepost.runners.checker.programs import LONG, LONG_STEPS, SUBJECTS, Subject
from fencepost.runners.checker.results import as_json, read_recorded
from fencepost.runners.checker.tables import say_figures, say_ratios, say_troubles
from fencepost.system.whole_file import write_whole
from fencepost.toolchain.toolchain import build_directory

BASELINE = ROOT / "bench" / "checker" / "baseline.json"
OURS = "here"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="fencepost bench checker --",
        description="Measures the checker on a suite of programs: executions a second, CPU time, "
        "memory, beside what was recorded or beside another commit.",
    )
    parser.add_argument("--only", metavar="PATTERN", help="only programs whose name this matches")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds (5)")
    parser.add_argument(
        "--against", metavar="COMMIT", help="build that commit's checker too, and measure in turns"
    )
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="FILE",
        default=BASELINE,
        help="figures to compare with (bench/checker/baseline.json)",
    )
    parser.add_argument(
        "--json", type=new_file, metavar="FILE", help="write the figures; - for stdout"
    )
    parser.add_argument(
        "--memory", action="store_true", help="only: what memory do 1.4 million executions take?"
    )
    parser.add_argument("--list", action="store_true", help="only say which programs there are")
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds: at least one round")
    try:
        pattern = re.compile(arguments.only or "")
    except re.error as problem:
        parser.error(f"--only: {arguments.only!r} is no pattern: {problem}")
    arguments.subjects = [subject for subject in SUBJECTS if pattern.search(subject.name)]
    if not arguments.subjects:
        parser.error(f"--only: no program's name matches {arguments.only!r}; see --list")
    return arguments


def say_memory(checker: Checker, directory: Path) -> list[str]:
    program = checker.program(LONG, directory / "long")
    peaks = []
    lines = []
    for bound in (*LONG_STEPS, 0):
        run = explore(program, LONG, f"max_executions={bound}" if bound else "", bounded=bound > 0)
        peaks.append(run.peak_kib)
        lines.append(f"{run.executions:>10,} executions: peak {run.peak_kib / 1024:.1f} MiB")
    lines.append(f"a factor of {peaks[-1] / peaks[-2]:.2f} since {LONG_STEPS[-1]:,}")
    return lines


def run(arguments: argparse.Namespace, directory: Path) -> tuple[list[str], dict[str, object], int]:
    subjects: Sequence[Subject] = arguments.subjects
    checkers = [Checker(OURS, ROOT, build_directory())]
    if arguments.memory:
        return say_memory(checkers[0], directory), {}, 0
    recorded = {}
    if not arguments.against and (arguments.compare != BASELINE or BASELINE.is_file()):
        recorded = read_recorded(arguments.compare)
    with contextlib.ExitStack() as stack:
        if arguments.against:
            commit = commit_of(arguments.against)
            print(f"building the checker of {commit} …", file=sys.stderr, flush=True)
            checkers.append(stack.enter_context(checker_of(commit, directory / "other")))
        figures: dict[str, list[Figures]] = measure(checkers, subjects, arguments.rounds, directory)
    lines = say_figures(figures[OURS], recorded)
    for checker in checkers[1:]:
        lines += ["", *say_ratios(figures[OURS], figures[checker.name], checker.name)]
    lines += say_troubles(figures)
    return lines, as_json(figures), int(any(own.trouble for own in figures[OURS]))


def main() -> int:
    arguments = parse_arguments()
    if arguments.list:
        for subject in arguments.subjects:
            print(f"{subject.name:28} {subject.executions:>9,}  {subject.source} {subject.flags}")
        return 0
    to_stdout = arguments.json == Path("-")
    with tempfile.TemporaryDirectory(prefix="fencepost-bench-") as name:
        try:
            lines, figures, status = run(arguments, Path(name))
        except CannotMeasure as trouble:
            print(f"fencepost: {trouble}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            return 130
    print("\n".join(lines), file=sys.stderr if to_stdout else sys.stdout)
    if arguments.json and figures:
        text = json.dumps(figures, indent=1) + "\n"
        if to_stdout:
            print(text, end="")
        else:
            write_whole(arguments.json, text)
    return status


if __name__ == "__main__":
    sys.exit(told(main))
