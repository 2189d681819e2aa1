# SPDX-License-Identifier: MIT
"""Comparisons for people, and as JSON."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from fencepost.compare.posterior import SHARE
from fencepost.compare.verdict import EQUAL, HIGHER, UNKNOWN, Comparison


def percent(probability: float) -> str:
    if 0.001 <= probability <= 0.999:
        return f"{100 * probability:.{1 if not 0.1 < probability < 0.9 else 0}f} %"
    return "< 0.1 %" if probability < 0.5 else "> 99.9 %"


def _amount(value: float, unit: str) -> str:
    for scale, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= 1e4 and value >= scale:
            return f"{value / scale:.4g} {letter} {unit}".rstrip()
    return f"{value:.4g} {unit}".rstrip()


def ratio_text(comparison: Comparison) -> str:
    low, high = comparison.interval(SHARE)
    return f"{comparison.effect:.4g} × [{low:.4g}, {high:.4g}]"


def _side(comparison: Comparison) -> str:
    """Say how the first side is: higher or lower, and whether that is good."""
    better = comparison.pair.one.metric.better
    if not better:
        return comparison.verdict
    return f"{comparison.verdict}, {'better' if better == comparison.verdict else 'worse'}"


def sentence(comparison: Comparison) -> str:
    """The answer."""
    pair, rope = comparison.pair, comparison.rope
    one, other, figure = pair.one.name, pair.other.name, pair.one.metric.figure
    if comparison.verdict == EQUAL:
        return f"{one} and {other} are practically equal: within {rope} of each other"
    if comparison.verdict != UNKNOWN:
        return f"{one}'s {figure} is {_side(comparison)}: by more than {rope}"
    needed = comparison.rounds_needed
    if needed is None and comparison.coarseness > rope.half_width / 2:
        more = (
            f"figures in such steps are too coarse for {rope}, and more rounds make them no finer"
        )
    elif needed is None:
        more = f"the effect lies too near to the border of {rope} for more rounds to tell"
    else:
        more = f"about {needed:,} more rounds would tell if the effect is what it looks like"
    return f"not distinguishable by these {comparison.rounds} rounds; {more}"


def report(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Lines of text: one comparison in full, several as a table sorted by their effect."""
    if len(comparisons) == 1:
        yield from _full(comparisons[0])
        return
    yield from _table(sorted(comparisons, key=lambda one: one.effect))
    yield ""
    questions, certainty = comparisons[0].questions, comparisons[0].certainty
    if comparisons[0].anytime is None:
        held = "each verdict is held to Holm's bound"
    else:
        held = "each verdict is by bounds that hold whenever one stops, and Bonferroni's share"
    yield (
        f"{questions} questions: {held}, so that all are right together with "
        f"{100 * certainty:g} %; intervals are each one's own {100 * SHARE:g} %"
    )
    remarks: dict[str, int] = {}
    for one in comparisons:
        for remark in one.pair.remarks:
            remarks[remark] = remarks.get(remark, 0) + 1
    for remark, count in remarks.items():
        yield f"note ({count} of {len(comparisons)}): {remark}"


def _full(one: Comparison) -> Iterator[str]:
    pair, rope = one.pair, one.rope
    metric = pair.one.metric
    better = f", {metric.better} is better" if metric.better else ""
    place = " ".join(part for part in (pair.one.subject, pair.one.work) if part)
    rounds = f"{len(pair.ones)} rounds, in turns"
    if not pair.in_turns:
        rounds = f"{len(pair.ones)} and {len(pair.others)} rounds"
    yield f"{place}: {metric.figure}{better}; {rounds}"
    width = max(len(pair.one.name), len(pair.other.name))
    for letter, sample, figures in (("a", pair.one, pair.ones), ("b", pair.other, pair.others)):
        middle = _amount(statistics.median(figures), metric.unit)
        yield f"  {letter} = {sample.name.ljust(width)}  median {middle}"
    yield f"  a/b = {ratio_text(one)}, the {100 * SHARE:g} % credible interval"
    yield (
        f"  P(a > b + {rope}) = {percent(one.higher)}   P(within ±{rope}) = {percent(one.equal)}"
        f"   P(b > a + {rope}) = {percent(one.lower)}"
    )
    if one.anytime is not None:
        low, high = (_factor(bound) for bound in one.anytime)
        yield (
            f"  a/b between {low} and {high}, whenever one stops: wrong in at most "
            f"{100 * (1 - one.certainty):.2g} % of such measurements"
        )
    yield f"  {sentence(one)}"
    for remark in pair.remarks:
        yield f"  note: {remark}"


def _factor(bound: float) -> str:
    if math.isinf(bound):
        return "0" if bound < 0 else "anything"
    return f"{math.exp(bound):.4g}"


def _table(comparisons: Sequence[Comparison]) -> Iterator[str]:
    rope = comparisons[0].rope
    header = [
        "work",
        "a",
        "b",
        "a/b [95 %]",
        f"P(a > b + {rope})",
        f"P(within ±{rope})",
        f"P(b > a + {rope})",
        "rounds",
        "a is",
    ]
    subjects = {one.pair.one.subject for one in comparisons}
    rows = []
    for one in comparisons:
        sample = one.pair.one
        place = sample.work or sample.subject
        if len(subjects) > 1:
            place = " ".join(part for part in (sample.subject, sample.work) if part)
        verdict = one.verdict
        if verdict == UNKNOWN and one.rounds_needed is not None:
            verdict += f" ({one.rounds_needed:+,} rounds)"
        elif verdict not in (UNKNOWN, EQUAL):
            verdict = _side(one)
        rows.append(
            [
                place,
                sample.name,
                one.pair.other.name,
                ratio_text(one),
                percent(one.higher),
                percent(one.equal),
                percent(one.lower),
                str(one.rounds),
                verdict,
            ]
        )
    widths = [max(len(row[n]) for row in [header, *rows]) for n in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        yield "| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |"


def _bound(bound: float) -> float | None:
    return None if math.isinf(bound) else math.exp(bound)


def as_json(one: Comparison) -> dict[str, Any]:
    sample = one.pair.one
    low, high = one.interval(SHARE)
    together = one.interval(1 - (1 - SHARE) / one.questions)
    return {
        "subject": sample.subject,
        "work": sample.work,
        "a": sample.name,
        "b": one.pair.other.name,
        "metric": sample.metric.to_json(),
        "rounds": [len(one.pair.ones), len(one.pair.others)],
        "in_turns": one.pair.in_turns,
        "median": [statistics.median(one.pair.ones), statistics.median(one.pair.others)],
        "ratio": one.effect,
        "interval": [low, high],
        "simultaneous_interval": list(together),
        "anytime_interval": one.anytime and [_bound(bound) for bound in one.anytime],
        "rope": one.rope.share,
        "a_higher": one.higher,
        "equal": one.equal,
        "b_higher": one.lower,
        "certainty": one.certainty,
        "questions": one.questions,
        "verdict": one.verdict,
        "a_is": {HIGHER: "higher", "lower": "lower"}.get(one.verdict),
        "rounds_needed": one.rounds_needed if one.verdict == UNKNOWN else 0,
        "notes": list(one.pair.remarks),
    }
