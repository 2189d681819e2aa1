# SPDX-License-Identifier: MIT
"""What the windows say: ours beside each peer, and beside the targets."""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping

from fencepost.compare.posterior import SHARE
from fencepost.compare.ratios import MOST, Ratio, ratio_by_round, ratio_of_locations, typical
from fencepost.measure.groups import groups_of, title, why_apart
from fencepost.measure.results import Round, Windows, windows_of
from fencepost.measure.subjects import SUBJECTS, Subject
from fencepost.report.bench_targets import TARGETS, Target
from fencepost.report.bench_words import plain
from fencepost.report.headlines import CAPTION, HEADER, headlines
from fencepost.report.text_table import table
from fencepost.results.schema import Measured
from fencepost.servers.known import server_subject


def rounds_of(windows: Windows, target: Target, variant: str, figure: str) -> dict[Round, float]:
    """The variant's figure in each round, less that of the variant that is to be taken off."""
    whole = windows.by_round(target.subject, target.work, variant, figure)
    if target.beyond is None:
        return whole
    base = windows.by_round(target.subject, target.work, target.beyond, figure)
    return {one: value - base[one] for one, value in whole.items() if one in base}


def measured_beside(
    windows: Windows, target: Target, figure: str, share: float = SHARE
) -> Ratio | None:
    """What a target is of: the figure, or its ratio to the peer's, with an interval that holds this
    share of the posterior; None where nothing was measured."""
    ours = rounds_of(windows, target, target.ours, figure)
    if target.peer is None:
        return typical(list(ours.values()), share, MOST.get(figure, math.inf))
    peer = rounds_of(windows, target, target.peer, figure)
    if target.beyond is None:
        return ratio_by_round(ours, peer, share)
    # Of differences: what others did in between is added to them, and some are below zero.
    return ratio_of_locations([(ours[one], peer[one]) for one in ours if one in peer], share)


def target_rows(
    windows: Windows,
    targets: Iterable[Target] = TARGETS,
    subjects: Mapping[str, Subject] = SUBJECTS,
    work_name: Callable[[str], str] = plain,
) -> list[list[str]]:
    rows = []
    for target in targets:
        subject = subjects.get(target.subject)
        if subject is None:
            continue
        figure = target.figure or subject.figure
        ratio = measured_beside(windows, target, figure)
        if ratio is None:
            continue
        at_least = target.at_least
        sign = "≥" if at_least else "≤"
        what = "" if target.figure is None else f": {plain(figure)}"
        if target.beyond is not None:
            what = f": beyond {plain(target.beyond)}"
        unit = " ×" if target.peer is not None else ""
        rows.append(
            [
                work_name(target.work) + what,
                plain(target.ours),
                plain(target.peer) if target.peer else "—",
                ratio.words(unit=unit),
                f"{sign} {target.bound:g}{unit}",
                ratio.verdict(target.bound, at_least),
            ]
        )
    return rows


def number(value: float) -> str:
    """Four digits, and never a power of ten of what people can read as it is."""
    return f"{value:,.0f}" if 1e3 <= abs(value) < 1e9 else f"{value:.4g}"


def _in_order(work: str) -> list[tuple[int, str]]:
    """Numbers as numbers: threads:8 before threads:32."""
    parts = re.split(r"(\d+)", work)
    return [(int(part[-18:]), "") if n % 2 else (0, part) for n, part in enumerate(parts)]


def variant_rows(windows: Windows, subjects: Mapping[str, Subject] = SUBJECTS) -> list[list[str]]:
    """A row for each variant, by subject and work, and in each the best first."""
    found = []
    for (name, work, variant), rounds in windows.figures.items():
        subject = subjects.get(name)
        if subject is None:
            continue
        middle = typical(
            windows.values(name, work, variant, subject.figure),
            most=MOST.get(subject.figure, math.inf),
        )
        if middle is None:
            continue
        scale, unit = (1e6, "M " + subject.unit) if middle.value > 1e6 else (1.0, subject.unit)
        extras = []
        for figure in ("fairness", "cpu_ns_per_wake"):
            values = windows.values(name, work, variant, figure)
            if values:
                extras.append(
                    f"{plain(figure)} {number(float(f'{statistics.median(values):.3g}'))}"
                )
        told = [
            plain(work),
            plain(variant),
            f"{number(middle.value / scale)} {unit}",
            f"[{number(middle.low / scale)}, {number(middle.high / scale)}]"
            if middle.interval
            else "—",
            str(len(rounds)),
            ", ".join(extras),
        ]
        rank = -middle.value if subject.more_is_better else middle.value
        found.append(((list(subjects).index(name), _in_order(work), rank), told))
    return [told for _, told in sorted(found, key=lambda one: one[0])]


def subjects_in(windows: Windows) -> dict[str, Subject]:
    """What was measured, also of subjects that are not in the list."""
    found = {}
    names = dict.fromkeys(name for (name, _, _), rounds in windows.figures.items() if rounds)
    listed = list(SUBJECTS)
    for name in sorted(
        names, key=lambda one: listed.index(one) if one in SUBJECTS else len(listed)
    ):
        if name in SUBJECTS:
            found[name] = SUBJECTS[name]
        elif server := server_subject(name):
            found[name] = server
        elif told := windows.metrics.get(name):
            first = told[0]
            found[name] = Subject(name, "", first.figure, first.unit, first.better == "higher")
    return found


def print_tables(windows: Windows, everything: bool, targets: bool = True) -> None:
    """Subject by subject ours beside its targets; where there are none, and with `everything`,
    every variant."""
    for name, subject in subjects_in(windows).items():
        print(f"{plain(name)}: {subject.question}".removesuffix(": ") + "\n")
        beside = [target for target in TARGETS if targets and target.subject == name]
        if rows := target_rows(windows, beside, {name: subject}):
            header = ("work", "ours", "peer", "ratio [95 % interval]", "target", "met?")
            print("\n".join(table(header, rows)) + "\n")
        if everything or not rows:
            header = ("work", "variant", "typical", "95 % interval", "windows", "also")
            rows = variant_rows(windows, {name: subject})
            print("\n".join(table(header, rows)) + "\n")
    if rows := headlines(windows.by_round):
        print(f"{CAPTION}\n")
        print("\n".join(table(HEADER, rows)) + "\n")
    kept = sum(len(rounds) for rounds in windows.figures.values())
    print(
        f"{kept} windows kept, {windows.discarded} discarded and repeated because others "
        "used the processors"
    )


def print_groups(measured: Measured, everything: bool) -> None:
    """The tables of runs that belong together, and those of others by themselves."""
    groups = groups_of(measured) or [measured]
    if len(groups) > 1:
        print(f"These runs differ in {why_apart(groups)}: each kind has tables of its own.\n")
    for number, group in enumerate(groups):
        if number:
            print()
        if len(groups) > 1:
            print(f"{title(group)}\n")
        elif len(group.runs) > 1:
            print(f"{len(group.runs)} runs together: {', '.join(group.runs)}\n")
        print_tables(windows_of(group), everything)
