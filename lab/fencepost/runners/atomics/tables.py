# SPDX-License-Identifier: MIT
"""What the figures say: ours beside the system's with the targets, and the stack's curves."""

from __future__ import annotations

from collections.abc import Sequence

from fencepost.compare.ratios import ratio_by_round
from fencepost.measure.results import Windows
from fencepost.report.bench_tables import target_rows, variant_rows
from fencepost.report.bench_words import plain
from fencepost.report.text_table import table
from fencepost.runners.atomics.pieces import BOUNDS, REFERENCE, SUBJECTS, SYSTEM, targets_of

HEADER = ("work", "ours", "peer", "ratio [95 % interval]", "target", "met?")


def works_of(windows: Windows, *subjects: str) -> list[tuple[str, str]]:
    """Each (subject, work) that was measured, in their order."""
    found = {(subject, work) for subject, work, _ in windows.figures if subject in subjects}
    return sorted(found, key=by_number)


def has_target_of_its_own(pair: tuple[str, str]) -> bool:
    return pair[0] == "contended" or pair[1] in BOUNDS or pair[1].startswith("__atomic_load_16")


def say_own_targets(windows: Windows) -> list[str]:
    named = [p for p in works_of(windows, "operations", "contended") if has_target_of_its_own(p)]
    return section(target_rows(windows, targets_of(named), SUBJECTS, spoken))


def say_others(windows: Windows, everything: bool = False) -> list[str]:
    """All other calls in a sentence, and those that are slower in a table."""
    others = [p for p in works_of(windows, "operations") if not has_target_of_its_own(p)]
    rows = target_rows(windows, targets_of(others), SUBJECTS, spoken)
    if not rows:
        return []
    met = sum(row[-1] == "yes" for row in rows)
    slower = [row for row in rows if row[-1] == "no"]
    unsure = len(rows) - met - len(slower)
    said = (
        f"{len(rows)} other calls, none of which is to be slower: {met} are not, "
        f"{len(slower)} are, {unsure} may be: these windows cannot tell"
    )
    return [said, "", *section(rows if everything else slower)]


def say_targets(windows: Windows, everything: bool) -> list[str]:
    return [*say_own_targets(windows), *say_others(windows, everything)]


def by_number(pair: tuple[str, str]) -> tuple[object, ...]:
    """Threads by their number, not as text."""
    return (
        pair[0],
        *(int(part) if part.isdigit() else part for part in pair[1].replace(":", "/").split("/")),
    )


def spoken(work: str) -> str:
    """Functions keep their names."""
    return work.replace("/", ", ") if "atomic" in work.split("/")[0] else plain(work)


def section(rows: Sequence[Sequence[str]]) -> list[str]:
    return [*table(HEADER, rows), ""] if rows else []


def say_multiples(
    windows: Windows, subject: str, reference: str, title: str, descheduled: bool
) -> list[str]:
    """Each variant as a multiple of one of them, by the number of threads."""
    works = [w for _, w in works_of(windows, subject) if ("/descheduled:" in w) == descheduled]
    if not any((subject, work, reference) in windows.figures for work in works):
        return []
    counts = [work.split("threads:")[1].split("/")[0] for work in works]
    variants = sorted({v for s, work, v in windows.figures if s == subject and work in works})
    rows = [[v, *(cell(windows, subject, work, v, reference) for work in works)] for v in variants]
    forced = ", descheduled" if descheduled else ""
    return [*table((f"{title}{forced} / {reference}", *counts), rows), ""]


def say_stack(windows: Windows, descheduled: bool) -> list[str]:
    return say_multiples(windows, "lifo", REFERENCE, "stack", descheduled)


def say_kinds(windows: Windows, descheduled: bool) -> list[str]:
    return say_multiples(windows, "kinds", SYSTEM, "kind", descheduled)


def cell(windows: Windows, subject: str, work: str, variant: str, reference: str) -> str:
    figure = SUBJECTS[subject].figure
    ratio = ratio_by_round(
        windows.by_round(subject, work, variant, figure),
        windows.by_round(subject, work, reference, figure),
    )
    if ratio is None:
        return "—"
    # Of one or two rounds an interval says nothing.
    return ratio.words(".2f") if ratio.interval else f"{ratio.value:.2f}"


def say_windows(windows: Windows) -> str:
    kept = sum(len(rounds) for rounds in windows.figures.values())
    return (
        f"{kept} windows kept, {windows.discarded} discarded and repeated because others "
        "used the processors"
    )


def print_tables(windows: Windows, everything: bool) -> None:
    lines = say_targets(windows, everything)
    for descheduled in (False, True):
        lines += [*say_kinds(windows, descheduled), *say_stack(windows, descheduled)]
    if everything:
        header = ("work", "variant", "typical", "95 % interval", "windows", "also")
        lines += [*table(header, variant_rows(windows, SUBJECTS)), ""]
    print("\n".join([*lines, say_windows(windows)]))
