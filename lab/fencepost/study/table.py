# SPDX-License-Identifier: MIT
"""What was found out, as tables for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from fencepost.asm.protocols import FALLS, STANDS, Subject
from fencepost.asm.targets import STUDIED
from fencepost.render.trace import Paint
from fencepost.study.findings import Finding

WIDTH = 110
COLOURS = {"holds": 32, "violated": 31, "inconclusive": 33}

#: Violations as a cell of a table says them.
SHORT = {
    "lost-wakeup": "lost wake-up",
    "invalid-order": "invalid order",
    "data-race": "data race",
    "assertion": "violated",
}


def cell(finding: Finding, model: str) -> str:
    """A verdict in a word or two."""
    verdict = finding.verdict(model)
    example = finding.counterexample(model)
    if example:
        return SHORT.get(example.kind, example.kind)
    return verdict


def standings(finding: Finding) -> str:
    """How the claims about a protocol fared."""
    verdicts = finding.verdicts()
    fared = [claim.standing(verdicts) for claim in finding.protocol.claims]
    parts = [
        f"{fared.count(standing)} {standing if fared.count(standing) == 1 else plural}"
        for standing, plural in ((STANDS, "stand"), (FALLS, "fall"))
        if standing in fared
    ]
    return ", ".join(parts)


def _row(cells: Sequence[tuple[str, int]], paints: dict[int, int], paint: Paint) -> str:
    shown = []
    for place, (text, width) in enumerate(cells):
        padded = text.rjust(-width) if width < 0 else text.ljust(width)
        shown.append(paint(padded, paints[place]) if place in paints else padded)
    return "  ".join(shown).rstrip()


def verdict_table(
    subject: Subject, findings: Sequence[Finding], models: Sequence[str], paint: Paint
) -> list[str]:
    names = max(len(finding.protocol.id) for finding in findings)
    ran = any(finding.ran for finding in findings)
    widths = [names, 6, *[13] * len(models), -11, *([-7] if ran else []), 18]
    heads = ["", "2020", *models, "executions", *([subject.failure] if ran else []), "claims"]
    lines = [paint(_row(list(zip(heads, widths, strict=True)), {}, paint), 1)]
    for finding in findings:
        cells = [finding.protocol.id, finding.protocol.day]
        cells += [cell(finding, model) for model in models]
        cells.append(f"{finding.executions():,}")
        if ran:
            cells.append(f"{finding.ran[subject.counts]:,}" if finding.ran else "")
        cells.append(standings(finding))
        paints = {2 + n: COLOURS[finding.verdict(model)] for n, model in enumerate(models)}
        if finding.ran and finding.ran[subject.counts]:
            paints[3 + len(models)] = 31
        if FALLS in cells[-1] or " fall" in cells[-1]:
            paints[len(cells) - 1] = 33
        lines.append(_row(list(zip(cells, widths, strict=True)), paints, paint))
    return lines


def cost_table(subject: Subject, findings: Sequence[Finding], paint: Paint) -> list[str]:
    targets = [t for t in STUDIED if any(t.id in finding.listings for finding in findings)]
    if not targets:
        return []
    names = max(len(finding.protocol.id) for finding in findings)
    last = subject.functions[-1]
    shown = [target for target in targets if target.id in ("x86-64-gcc", "aarch64-gcc")]
    widths = [names, *[-7] * len(targets), *[8, 26][: len(shown)]]
    top = ["", *[target.processor.replace("AArch64 v8.1", "v8.1") for target in targets]]
    top += [f"what orders memory in {last}", ""][: len(shown)]
    heads = ["", *[target.compiler for target in targets]]
    heads += [f"{target.processor}" for target in shown]
    lines = [paint(_row(list(zip(row, widths, strict=True)), {}, paint), 1) for row in (top, heads)]
    for finding in findings:
        cells = [finding.protocol.id]
        for target in targets:
            listings = finding.listings.get(target.id, {})
            cells.append("+".join(str(listings[f].count) for f in subject.functions if listings))
        for target in shown:
            listing = finding.listings.get(target.id, {}).get(last)
            cells.append(" ".join(listing.atomics) if listing else "")
        lines.append(_row(list(zip(cells, widths, strict=True)), {}, paint))
    return lines


def fallen_claims(findings: Sequence[Finding], paint: Paint) -> list[str]:
    lines: list[str] = []
    for finding in findings:
        verdicts = finding.verdicts()
        for claim in finding.protocol.claims:
            if claim.standing(verdicts) != FALLS:
                continue
            broken = " and ".join(
                f"{model}: {cell(finding, model)}" for model in claim.broken_by(verdicts)
            )
            lines.append(
                f"  {paint(finding.protocol.id, 1)}, {claim.by}, {claim.date}: {claim.says} "
                f"({', '.join(claim.models)}). {paint(broken, 31)}"
            )
            lines += textwrap.wrap(
                claim.words, WIDTH, initial_indent="      ", subsequent_indent="      "
            )
    return lines


def report(
    subject: Subject, findings: Sequence[Finding], models: Sequence[str], paint: Paint
) -> str:
    lines = [paint(f"{subject.heading}. {subject.question}", 1), ""]
    lines += verdict_table(subject, findings, models, paint)
    if any(finding.ran for finding in findings):
        lines += ["", f"  {_ran(subject, findings)}"]
    if fallen := fallen_claims(findings, paint):
        lines += ["", paint("Claims that do not survive", 1), *fallen]
    if costs := cost_table(subject, findings, paint):
        heading = f"Instructions of {' + '.join(subject.functions)}, -O2"
        lines += ["", paint(heading, 1), *costs]
    if open_ends := _open_ends(findings):
        lines += ["", paint("Inconclusive", 1, 33), *open_ends]
    assumptions = dict.fromkeys(text for finding in findings for text in finding.assumptions())
    if assumptions:
        lines += ["", "Assuming:", *(f"  {text}" for text in assumptions)]
    return "\n".join(lines)


def _open_ends(findings: Sequence[Finding]) -> list[str]:
    """Why there is no verdict, each reason once with where it was met first."""
    reasons: dict[str, list[str]] = {}
    for finding in findings:
        for one in finding.checked:
            if one.verdict == "inconclusive":
                where = f"{finding.protocol.id} under {one.model}, {one.client}"
                reasons.setdefault(one.message, []).append(where)
    return [
        f"  {where[0]}{f' and {len(where) - 1} more' if len(where) > 1 else ''}: {reason}"
        for reason, where in reasons.items()
    ]


def _ran(subject: Subject, findings: Sequence[Finding]) -> str:
    ran = [finding.ran for finding in findings if finding.ran]
    seconds = max(float(line["seconds"]) for line in ran)
    what = {"lost": "wake-ups lost by real threads", "weak": "weak outcomes of real threads"}
    return f"{subject.failure}: {what[subject.counts]} in {seconds:.1f} s on this machine"
