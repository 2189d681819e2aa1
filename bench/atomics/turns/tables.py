# SPDX-License-Identifier: MIT
"""What the figures say: ours beside the system's with the targets, and the stack's curves."""

from __future__ import annotations

from collections.abc import Sequence

from measuring.ratios import ratio_of_medians
from measuring.results import Windows
from measuring.tables import plain, table, target_rows, variant_rows

from turns.pieces import BOUNDS, REFERENCE, SUBJECTS, targets_of

HEADER = ("work", "ours", "peer", "ratio [95 % interval]", "target", "met?")


def say_targets(windows: Windows, everything: bool) -> list[str]:
    works = sorted({(subject, work) for subject, work, _ in windows.figures}, key=by_number)
    named = [pair for pair in works if pair[0] == "contended" or pair[1] in BOUNDS or
             pair[1].startswith("__atomic_load_16")]  # fmt: skip
    others = [pair for pair in works if pair not in named]
    lines = section(target_rows(windows, targets_of(named), SUBJECTS, spoken))
    rows = target_rows(windows, targets_of(others), SUBJECTS, spoken)
    if rows:
        met = sum(row[-1].startswith("yes") for row in rows)
        slower = [row for row in rows if row[-1] == "no"]
        unsure = len(rows) - met - len(slower)
        lines += [f"{len(rows)} other calls, none of which is to be slower: {met} are not, "
                  f"{len(slower)} are, {unsure} may be, within noise", ""]  # fmt: skip
        lines += section(rows if everything else slower)
    return lines


def by_number(pair: tuple[str, str]) -> tuple[object, ...]:
    """Threads by their number, not as text."""
    return (pair[0], *(int(part) if part.isdigit() else part
                       for part in pair[1].replace(":", "/").split("/")))  # fmt: skip


def spoken(work: str) -> str:
    """Functions keep their names."""
    return work.replace("/", ", ") if "atomic" in work.split("/")[0] else plain(work)


def section(rows: Sequence[Sequence[str]]) -> list[str]:
    return [*table(HEADER, rows), ""] if rows else []


def say_stack(windows: Windows) -> list[str]:
    """Each kind of lock as a multiple of the pthread mutex, by the number of threads."""
    lines: list[str] = []
    works = sorted(
        {(subject, work) for subject, work, _ in windows.figures if subject == "lifo"},
        key=by_number,
    )
    for title, chosen in (
        ("stack", [work for _, work in works if "descheduled" not in work]),
        ("stack, descheduled", [work for _, work in works if "descheduled" in work]),
    ):
        if not any(("lifo", work, REFERENCE) in windows.figures for work in chosen):
            continue
        counts = [work.split("threads:")[1].split("/")[0] for work in chosen]
        variants = sorted({v for subject, work, v in windows.figures if work in chosen})
        rows = [[v, *(cell(windows, work, v) for work in chosen)] for v in variants]
        lines += [*table((f"{title} / {REFERENCE}", *counts), rows), ""]
    return lines


def cell(windows: Windows, work: str, variant: str) -> str:
    figure = SUBJECTS["lifo"].figure
    ratio = ratio_of_medians(
        windows.values("lifo", work, variant, figure),
        windows.values("lifo", work, REFERENCE, figure),
    )
    if ratio is None:
        return "—"
    # Of one or two rounds an interval says nothing.
    interval = f" [{ratio.low:.2f}, {ratio.high:.2f}]" if ratio.rounds > 2 else ""
    return f"{ratio.value:.2f}{interval}"


def print_tables(windows: Windows, everything: bool) -> None:
    print("\n".join([*say_targets(windows, everything), *say_stack(windows)]))
    if everything:
        header = ("work", "variant", "median", "95 % interval", "windows", "also")
        print("\n".join([*table(header, variant_rows(windows, SUBJECTS)), ""]))
    kept = sum(len(rounds) for rounds in windows.figures.values())
    print(f"{kept} windows kept, {windows.discarded} discarded and repeated because others "
          "used the processors")  # fmt: skip
