# SPDX-License-Identifier: MIT
"""What the checker says of what was measured, in a run made for the report: the study's clients of
a protocol, the proofs of a primitive of the library."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from fencepost.asm.protocols import SUBJECTS
from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.explore.annotated import Case, arguments_of, cases_of
from fencepost.explore.arguments import bounds_of
from fencepost.explore.run_program import Explorer
from fencepost.report.parts import PROOFS, Part
from fencepost.report.tables import Cell, Row, Table
from fencepost.report.words import count
from fencepost.study.findings import Experiment, Finding, processors
from fencepost.system import tool_process
from fencepost.system.worker_threads import WorkerThreads
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import runtime_library
from fencepost.weaken.subjects import toolchain_of_all

MODELS = ("sc", "c++20", "c++14", "x86")


@dataclass
class Verdicts:
    """Verdicts of the checker on each program of one part, by model."""

    part: Part
    #: holds, violated or inconclusive, as often as it was said.
    said: dict[str, list[str]] = field(default_factory=dict)
    executions: int = 0
    #: What went wrong, in words; the kinds of violations, where there are any.
    remarks: list[str] = field(default_factory=list)

    def add(self, model: str, verdict: str, executions: int) -> None:
        self.said.setdefault(model, []).append(verdict)
        self.executions += executions

    def cell(self, model: str) -> Cell:
        found = self.said.get(model, [])
        if not found:
            return Cell("—", "", "")
        what = "client" if self.part.protocol else "run"
        if "violated" in found:
            kinds = f" ({found.count('violated')} of {count(len(found), what)})"
            return Cell(f"violated{kinds}", "violated", "violated")
        missing = len(found) - found.count("holds")
        if missing:
            told = f"not known ({missing} of {count(len(found), what)})"
            return Cell(told, "inconclusive", "inconclusive")
        return Cell(f"holds ({count(len(found), what)})", "holds", "holds")


def check_parts(
    parts: Iterable[Part], timeout: float, say: Callable[[str], None]
) -> dict[Part, Verdicts]:
    """`timeout` is for each run of the checker, in seconds. Raises UnusableInput where there is no
    checker."""
    runtime_library()
    # Several parts may have the same proofs.
    wanted = list(parts)
    by_command = {part.command: part for part in wanted if part.command}
    chosen = list(by_command.values())
    study = SUBJECTS["event-mutex"]
    laboratory = Experiment(study, "gcc", timeout)
    found: dict[str, Verdicts] = {}

    def one(part: Part) -> Verdicts:
        say(f"checking {part.name}")
        if part.protocol:
            return _protocol(part, laboratory)
        return _primitive(part, timeout)

    with tool_process.interruptible(), WorkerThreads(max(1, processors())) as pool:
        for part, verdicts in zip(chosen, pool.in_order(one, chosen), strict=True):
            found[part.command] = verdicts
    return {part: found[part.command] for part in wanted if part.command}


def _protocol(part: Part, laboratory: Experiment) -> Verdicts:
    found = Verdicts(part)
    protocol = next(one for one in laboratory.subject.protocols() if one.id == part.protocol)
    finding = Finding(protocol)
    for number, client in enumerate(laboratory.subject.clients):
        models = [model for model in MODELS if client.is_for(protocol.id, model)]
        finding.checked += laboratory.check(protocol, number, models)
    for one in finding.checked:
        found.add(one.model, one.verdict, one.executions + one.blocked)
    kinds = dict.fromkeys(one.kind for one in finding.checked if one.kind)
    found.remarks = list(kinds)
    return found


def _primitive(part: Part, timeout: float) -> Verdicts:
    found = Verdicts(part)
    for path in sorted((PROOFS / part.proofs).rglob("*.cpp")):
        for case in cases_of(path):
            if case.holds_under and not case.slow:
                _prove(case, timeout, found)
    return found


def _prove(case: Case, timeout: float, found: Verdicts) -> None:
    said = [arguments_of(case, run) for run in case.runs]
    try:
        with tempfile.TemporaryDirectory(prefix="fencepost-report-") as directory:
            program = build_program(
                [case.path], toolchain_of_all(said), Path(directory), warnings=[]
            )
            for args in said:
                for model in case.holds_under:
                    bounds = replace(bounds_of(args, model), timeout=timeout)
                    got = Explorer(program, bounds).run()
                    found.add(model, got.verdict, got.executions + got.blocked)
                    if got.violation:
                        found.remarks.append(f"{case.path.stem}: {got.violation.kind}")
                    elif got.verdict != "holds":
                        found.remarks.append(f"{case.path.stem}, {model}: {got.reason}")
    except (Unsupported, UnusableInput) as problem:
        found.remarks.append(f"{case.path.stem}: {problem}")
        for model in case.holds_under:
            found.add(model, "inconclusive", 0)


def checked_table(parts: dict[Part, list[str]], known: dict[Part, Verdicts] | None) -> Table:
    """Table of what the checker says of a subject's parts. Where nothing was checked, it has the
    command that does."""
    if known is None:
        return Table(
            "what the checker says",
            (Cell("measured"), Cell("not checked in this report; this checks it")),
            tuple(
                Row((Cell(", ".join(names), kind="names"), Cell(part.command, kind="command")))
                for part, names in parts.items()
                if part.command
            ),
        )
    models = [Cell(model) for model in MODELS]
    header = (Cell("measured"), *models, Cell("executions", kind="number"), Cell("remarks"))
    rows = []
    for part, names in parts.items():
        verdicts = known.get(part)
        if verdicts is None or not verdicts.said:
            continue
        number = float(verdicts.executions)
        rows.append(
            Row(
                (
                    Cell(", ".join(names), kind="names"),
                    *(verdicts.cell(model) for model in MODELS),
                    Cell(f"{verdicts.executions:,}", number, "number"),
                    Cell(", ".join(verdicts.remarks), kind=""),
                )
            )
        )
    caption = (
        "what the checker says of every execution that a model allows of the programs that use it; "
        "—: not claimed under this model"
    )
    return Table(caption, header, tuple(rows))
