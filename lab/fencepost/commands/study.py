# SPDX-License-Identifier: MIT
"""Checks and measures an argument from the literature: every ordering that was proposed in it,
under every model, with counterexamples, instructions, and what became of the claims."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

from fencepost.asm.protocols import SUBJECTS, Client, Protocol, Subject
from fencepost.console.arguments import new_file, seconds, seconds_or_none, whole
from fencepost.console.input_error import UnusableInput
from fencepost.console.shown import CLEAR_LINE
from fencepost.console.terminal import in_colour
from fencepost.console.version import labelled
from fencepost.explore.arguments import MOST_JOBS
from fencepost.render.trace import Paint
from fencepost.study.findings import Experiment, Finding, processors
from fencepost.study.page import page
from fencepost.study.table import report
from fencepost.system.whole_file import write_whole
from fencepost.system.worker_threads import WorkerThreads, completed
from fencepost.toolchain.toolchain import Toolchain, build_directory, runtime_library

MODELS = ("sc", "c++20", "c++14", "x86")

T = TypeVar("T")

EPILOG = f"""\
subjects: {", ".join(SUBJECTS)}

exit status: 0 every question was answered, 2 some were not, 3 it could not be run, 130 it was
interrupted (and told what it knew). A protocol that is found wrong is an answer.
"""

#: For a check.
SECONDS = 60.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subject", choices=list(SUBJECTS), metavar="SUBJECT", help=f"of {', '.join(SUBJECTS)}"
    )
    parser.add_argument(
        "-m", "--model", action="append", metavar="MODEL", help=f"of {', '.join(MODELS)}"
    )
    parser.add_argument("-p", "--protocol", action="append", metavar="ID", help="may be repeated")
    parser.add_argument("--thorough", action="store_true", help="larger clients, too: minutes")
    parser.add_argument("--cc", default="gcc", help="compiler of what is checked (default gcc)")
    parser.add_argument(
        "-j",
        "--jobs",
        type=whole(1, MOST_JOBS),
        default=processors(),
        metavar="N",
        help="processors to use (default: all)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=SECONDS,
        metavar="SECONDS",
        help=f"for a check (default {SECONDS:g})",
    )
    parser.add_argument(
        "--stress",
        type=seconds_or_none,
        nargs="?",
        const=5.0,
        default=0.5,
        metavar="SECONDS",
        help="how long each runs on real threads (default 0.5, without a number 5; 0: not at all)",
    )
    parser.add_argument("--html", type=new_file, metavar="FILE", help="where the page goes")
    parser.add_argument(
        "--json", action="store_true", help="findings as JSON, one object a protocol"
    )


class _Progress:
    """Says on stderr what is being done: in place on a terminal, a line a stage elsewhere."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._lock = threading.Lock()

    def stage(self, text: str) -> None:
        with self._lock:
            sys.stderr.write(f"{CLEAR_LINE}{text}" if self._terminal else f"{text}\n")
            sys.stderr.flush()

    def step(self, stage: str, done: int, of: int, what: str) -> None:
        if self._terminal:
            self.stage(f"{stage}: {done} of {of} · {what}")

    def clear(self) -> None:
        if self._terminal:
            self.stage("")


def _chosen(names: list[str] | None, known: dict[str, T], what: str) -> list[T]:
    if not names:
        return list(known.values())
    wanted = [name for text in names for name in text.split(",")]
    for name in wanted:
        if name not in known:
            raise UnusableInput(f"there is no {what} '{name}' (known: {', '.join(known)})")
    return [thing for name, thing in known.items() if name in wanted]


class _Study:
    def __init__(self, args: argparse.Namespace) -> None:
        self._args = args
        self.subject: Subject = SUBJECTS[args.subject]
        self.models = _chosen(args.model, {model: model for model in MODELS}, "model")
        protocols = {one.id: one for one in self.subject.protocols()}
        self._chosen: list[Protocol] = _chosen(args.protocol, protocols, "protocol")
        compiler = Toolchain(args.cc).cpp_compiler
        if shutil.which(compiler) is None:
            raise UnusableInput(f"there is no compiler '{compiler}' here")
        self._laboratory = Experiment(self.subject, args.cc, args.timeout)
        self._progress = _Progress()
        self.interrupted = False

    def findings(self) -> list[Finding]:
        numbers = (signal.SIGINT, signal.SIGTERM)
        previous = {number: signal.signal(number, self._interrupt) for number in numbers}
        try:
            found = [Finding(protocol) for protocol in self._chosen]
            for look in (self._list, self._check, self._run):
                if self.interrupted:
                    break
                try:
                    look(found)
                except UnusableInput:
                    if not self.interrupted:  # what was stopped is no trouble
                        raise
            return found
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)
            self._progress.clear()

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self.interrupted = True
        self._laboratory.stop()

    def _all(self, stage: str, tasks: Sequence[tuple[str, Callable[[], Any]]]) -> list[Any]:
        """Does the tasks, some at a time, and says how far they are."""
        self._progress.stage(f"{stage}: {len(tasks)}")
        with WorkerThreads(max(1, self._args.jobs)) as pool:
            futures = {pool.submit(work): name for name, work in tasks}
            for done, future in enumerate(completed(futures), 1):
                self._progress.step(stage, done, len(tasks), futures[future])
                if future.exception():
                    pool.shutdown(cancel_futures=True)
                    break
            return [future.result() for future in futures]

    def _check(self, found: list[Finding]) -> None:
        chosen = [
            (number, client)
            for number, client in enumerate(self.subject.clients)
            if any(self._models(finding.protocol, client) for finding in found)
        ]
        tasks = [
            (
                f"{finding.protocol.id}, {client.name}",
                lambda f=finding, n=number, c=client: self._laboratory.check(
                    f.protocol, n, self._models(f.protocol, c)
                ),
            )
            for number, client in reversed(chosen)  # those that take longest first
            for finding in found
        ]
        results = iter(self._all("checking", tasks))
        for _ in chosen:
            for finding in found:
                finding.checked = next(results) + finding.checked

    def _models(self, protocol: Protocol, client: Client) -> list[str]:
        """Those that this client is explored under."""
        return [
            model
            for model in self.models
            if self._args.thorough or client.is_for(protocol.id, model)
        ]

    def _list(self, found: list[Finding]) -> None:
        tasks = [
            (f.protocol.id, lambda f=f: self._laboratory.list_instructions(f.protocol))
            for f in found
        ]
        for finding, listings in zip(found, self._all("compiling", tasks), strict=True):
            finding.listings = listings

    def _run(self, found: list[Finding]) -> None:
        """One after the other, for they measure."""
        stress = self._args.stress
        if stress <= 0:
            return
        self._progress.stage(f"running on real threads: {len(found)}, {stress:g} s each")
        for n, finding in enumerate(found, 1):
            if self.interrupted:
                return
            self._progress.step("running on real threads", n, len(found), finding.protocol.id)
            finding.ran = self._laboratory.run(finding.protocol, stress)


def _near(path: Path) -> Path:
    """The path as seen from here, where it lies below."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def run(args: argparse.Namespace) -> int:
    try:
        runtime_library()
        study = _Study(args)
        began = time.monotonic()
        found = study.findings()
        took = time.monotonic() - began
        whole = not (args.protocol or args.model or study.interrupted)
        part = "" if whole else "-part"  # which never takes the place of the whole
        name = f"{study.subject.name}{part}.html"
        target = args.html or build_directory().parent / "study" / name
        write_whole(target, page(study.subject, found, study.models))
    except (UnusableInput, OSError) as error:
        print(f"fencepost: {error}", file=sys.stderr)
        return 3
    answered = all(f.verdict(model) != "inconclusive" for f in found for model in study.models)
    if args.json:
        for finding in found:
            print(json.dumps(labelled("study", finding.to_json())))
    else:
        paint = Paint(in_colour())
        print(report(study.subject, found, study.models, paint))
        print(f"\nThat took {took:.1f} s. The tables are above; with every counterexample, graph")
        print(f"and listing they are in {_near(target)}")
    if study.interrupted:
        print("fencepost: interrupted", file=sys.stderr)
        return 130
    return 0 if answered else 2
