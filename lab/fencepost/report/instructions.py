# SPDX-License-Identifier: MIT
"""The instructions of what was measured, by the machinery of `fencepost asm`: how many there are of
each operation, and which of them order memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from fencepost import ROOT
from fencepost.asm.examined import Examined, Subject, examine_all
from fencepost.asm.subjects import bare, protocol_subject
from fencepost.asm.targets import Target, targets_by_id
from fencepost.console.input_error import UnusableInput
from fencepost.report.parts import Part
from fencepost.report.tables import Cell, Row, Table
from fencepost.report.words import count
from fencepost.system import tool_process

#: gcc for the processors that servers have; `fencepost asm` has the others.
TARGETS = ("x86-64-gcc", "aarch64-lse-gcc")

Listed = dict[Part, dict[str, list[Examined]]]


def list_parts(parts: Iterable[Part]) -> tuple[Listed, list[str]]:
    """The functions that were looked for, by part and target; and what could not be compiled."""
    targets = [target for target in targets_by_id(*TARGETS) if target.present]
    remarks = [one.missing() for one in targets_by_id(*TARGETS) if not one.present]
    found: Listed = {}
    scratch = tempfile.TemporaryDirectory(prefix="fencepost-report-")
    with tool_process.interruptible(), scratch as directory:
        pairs: list[tuple[Part, Subject, Target]] = []
        for part in parts:
            subject = _subject(part, Path(directory))
            if subject is not None:
                pairs += [(part, subject, target) for target in targets]
        results = examine_all([(subject, target) for _, subject, target in pairs], [])
        for (part, subject, target), result in zip(pairs, results, strict=True):
            if isinstance(result, UnusableInput):
                remarks.append(f"{part.name}, {target.name}: not compiled: {result}")
                continue
            chosen = [one for one in result if bare(one.function) in subject.functions]
            order = sorted(chosen, key=lambda one: subject.functions.index(bare(one.function)))
            found.setdefault(part, {})[target.id] = order
    return found, remarks


def _subject(part: Part, directory: Path) -> Subject | None:
    if part.protocol:
        return protocol_subject(f"event-mutex/{part.protocol}")
    if not part.source:
        return None
    path = directory / f"{part.name}.cpp"
    path.write_text(part.source)
    return Subject(path, ("-I", str(ROOT / "include")), part.name, part.functions)


def instructions_table(parts: dict[Part, list[str]], listed: Listed) -> Table:
    """A row a part and operation."""
    targets = [
        one
        for one in targets_by_id(*TARGETS)
        if any(one.id in functions for functions in listed.values())
    ]
    header = [Cell("measured"), Cell("operation")]
    for target in targets:
        header.append(Cell(target.name, kind="number"))
        header.append(Cell(f"atomic, {target.processor}"))
    rows = []
    for part, names in parts.items():
        by_target = listed.get(part, {})
        functions = dict.fromkeys(bare(one.function) for some in by_target.values() for one in some)
        for function in functions:
            cells = [Cell(", ".join(names), kind="names"), Cell(function, kind="name")]
            for target in targets:
                some = by_target.get(target.id, [])
                one = next((each for each in some if bare(each.function) == function), None)
                cells += _cells(one)
            rows.append(Row(tuple(cells)))
    return Table(
        "instructions at -O2, with slow paths that are inlined, and which are atomic operations'",
        tuple(header),
        tuple(rows),
    )


def _cells(one: Examined | None) -> list[Cell]:
    if one is None:
        return [Cell("", kind="number"), Cell("")]
    number = one.counts()["instructions"]
    told: dict[str, int] = {}
    for operation in one.operations:
        said = operation.operation
        made = " + ".join(one.memory(operation))
        if not made and not (said.kind == "fence" and said.order != "seq_cst"):
            continue  # in a part of the function that lies elsewhere, or made once for several
        order = f"{said.order}/{said.failure}" if said.failure else said.order
        words = f"{said.kind} {order}: {made or 'no instruction'}"
        told[words] = told.get(words, 0) + 1
    listed = "; ".join(
        f"{words}{f' ({times} times)' if times > 1 else ''}" for words, times in told.items()
    )
    wrong = (
        " WRONG: " + count(sum(bool(o.faults) for o in one.operations), "operation")
        if one.faulty
        else ""
    )
    return [Cell(str(number), float(number), "number"), Cell(listed + wrong, kind="code")]
