# SPDX-License-Identifier: MIT
"""Claims beside results: what `fencepost compare` says of each test, and so of the claim."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Sequence
from pathlib import Path

from fencepost.compare.select import Query, pairs_of_variants
from fencepost.compare.text import ratio_text
from fencepost.compare.verdict import UNKNOWN as NOT_TOLD
from fencepost.compare.verdict import Comparison, Rope, compare, judged
from fencepost.console.input_error import UnusableInput
from fencepost.results.schema import Measured, Metric, Run, Window
from fencepost.runners.claims.claim import (
    CONFIRMED,
    EQUAL,
    HIGHER,
    LOWER,
    NOT_HERE,
    REFUTED,
    UNKNOWN,
    Claim,
    Figure,
    Question,
)

CERTAINTY = 0.95


def comparison_of(measured: Measured, test: Question) -> Comparison | None:
    """Nothing where one side was not measured."""
    wanted = Query(test.metric, re.compile(f"^{re.escape(f'{test.subject}/{test.work}')}$"))
    try:
        (pair,) = pairs_of_variants(measured, [test.one, test.other], wanted)
        return compare(pair, Rope(test.rope), CERTAINTY)
    except UnusableInput:
        return None


def verdict_of(test: Question, comparison: Comparison) -> str:
    if comparison.verdict == NOT_TOLD:
        return UNKNOWN
    return CONFIRMED if comparison.verdict == test.expected else REFUTED


#: How a figure lies beside the other's, where that is not for or against a claim.
SEEN = {
    HIGHER: "more",
    LOWER: "less",
    EQUAL: "practically equal",
    NOT_TOLD: "not distinguishable",
}


def together(verdicts: Sequence[str]) -> str:
    """Verdict on a claim from the verdicts of all its tests: each is to hold."""
    if not verdicts:
        return NOT_HERE
    if len(set(verdicts)) == 1:
        return verdicts[0]
    return "in part: " + ", ".join(
        f"{verdicts.count(one)} {one}" for one in (CONFIRMED, REFUTED, UNKNOWN) if one in verdicts
    )


def figure_text(measured: Measured, figure: Figure) -> str:
    values = [
        window.figures[figure.metric]
        for window in measured.windows
        if window.kept
        and (window.subject, window.work, window.variant)
        == (figure.subject, figure.work, figure.variant)
        and figure.metric in window.figures
    ]
    if not values:
        return ""
    return f"{figure.label}: {statistics.median(values):.3g} {figure.unit}"


def found(measured: Measured, claim: Claim) -> tuple[str, str]:
    """What was measured, in Markdown, and what that makes of the claim."""
    if claim.elsewhere is not None:
        verdict, page = claim.elsewhere
        return page, verdict
    known = [(test, one) for test in claim.tests if (one := comparison_of(measured, test))]
    comparisons = judged([one for _, one in known])
    lines = []
    verdicts = []
    for (test, _), comparison in zip(known, comparisons, strict=True):
        verdicts.append(verdict_of(test, comparison))
        name = f"{test.label}: " if test.label else ""
        seen = SEEN[comparison.verdict] if claim.not_here else verdicts[-1]
        lines.append(f"{name}{ratio_text(comparison)}, {seen}")
    lines += [text for figure in claim.figures if (text := figure_text(measured, figure))]
    if claim.not_here:
        aside = [f"{claim.not_here}.", *(["On this x86-64 machine:", *lines] if lines else [])]
        return "<br>".join(aside), NOT_HERE
    if not lines:
        return "not measured yet", UNKNOWN
    return "<br>".join(lines), together(verdicts)


def stack_of_the_runtime(path: Path) -> Measured:
    """What `fencepost bench atomics` has saved of its stack, as results that can be compared."""
    measured = Measured()
    if not path.is_file():
        return measured
    saved = json.loads(path.read_text())
    metric = Metric("elements_per_second", "elements/s", "higher")
    name = str(saved["runs"][-1]["run"])
    measured.runs[name] = Run(name, False, {"lifo": [metric]}, saved["runs"][-1])
    for work, variants in saved["figures"].get("lifo", {}).items():
        for variant, rounds in variants.items():
            for number, value in enumerate(rounds):
                measured.windows.append(
                    Window(name, "lifo", work, variant, number, {metric.figure: float(value)})
                )
    return measured
