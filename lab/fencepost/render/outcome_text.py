# SPDX-License-Identifier: MIT
"""What is said about programs under models, for a reader at a terminal."""

from __future__ import annotations

import argparse
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fencepost.console.input_error import Unsupported
from fencepost.console.terminal import wrapped
from fencepost.execution.schema import Violation
from fencepost.execution.steps import steps_of
from fencepost.explore.outcome import HOLDS, INCONCLUSIVE, UNUSABLE, VIOLATED, Outcome
from fencepost.render.trace import Paint, trace_lines
from fencepost.system.source_file import as_argument

_COLOURS = {"holds": 32, "violated": 31, "inconclusive": 33}

#: What a stronger memory order may repair.
_OF_ORDERS = ("assertion", "data-race", "lost-wakeup", "non-termination", "memory")


def outcome_text(
    outcome: Outcome, paint: Paint, assumptions: bool = False, width: int | None = None
) -> str:
    """`assumptions`: also those that are made of every program; `width`: on so many columns."""
    title = f"{outcome.subject}: "
    found = outcome.exploration
    if outcome.case and not outcome.unlike:
        return title + _as_annotated(outcome, paint)
    if outcome.unlike:
        told = outcome_text(replace(outcome, case=None, unlike=()), paint, assumptions, width)
        told = told.replace(f"{' + '.join(map(str, outcome.files))}: ", title, 1)
        first, *more = [line for text in outcome.unlike for line in wrapped(text, width)]
        unlike = [f"  {paint('not as annotated', 1, 31)}: {first}", *(f"    {one}" for one in more)]
        return "\n".join([told, *unlike])
    if found is None:
        if isinstance(outcome.error, Unsupported):
            verdict = paint("inconclusive", 1, 33)
            return f"{title}{verdict} under {outcome.model}: {outcome.error}"
        return f"{title}{paint('error', 1, 31)}: {outcome.error}"
    verdict = paint(found.verdict, 1, _COLOURS[found.verdict])
    lines = [f"{title}{verdict} under {found.model}: {outcome.covered()}"]
    if found.verdict == "inconclusive":
        lines.append(f"  because: {outcome.reason()}")
    for one in (outcome, *outcome.further):
        lines += _violation_lines(one, paint, width)
    if outcome.unfinished:
        lines.append(f"  there may be more: {outcome.unfinished}")
    if found.verdict == "holds":
        for line in assumption_lines(found.assumptions, found.usual, assumptions):
            lines += wrapped(line, width)
    if found.violation is None:
        lines += [f"  what was explored is in {path}" for path in outcome.drawn.values()]
    return "\n".join(lines)


def _as_annotated(outcome: Outcome, paint: Paint) -> str:
    found = outcome.exploration
    if found is None:
        first = str(outcome.error).splitlines()[0].rstrip(":")
        return f"{paint('refused', 1)} under {outcome.model}, as annotated: {first}"
    verdict = paint(found.verdict, 1)
    if found.violation:
        verdict += f" ({found.violation.kind})"
    return f"{verdict} under {outcome.model}, as annotated: {outcome.covered()}"


def assumption_lines(all_of_them: Sequence[str], usual: frozenset[str], every: bool) -> list[str]:
    """What is assumed of this program in particular is always said."""
    shown = [text for text in all_of_them if every or text not in usual]
    left = len(all_of_them) - len(shown)
    lines = [f"  assuming: {text}" for text in shown]
    if left:
        more = " more" if shown else ""
        lines.append(f"  {left}{more} assumptions: --assumptions lists them")
    return lines


def _violation_lines(outcome: Outcome, paint: Paint, width: int | None) -> list[str]:
    if not (outcome.exploration and outcome.exploration.violation):
        return []
    from fencepost.execution.explain import explanation

    violation, names = outcome.exploration.violation, outcome.names()
    place = names.place(violation.pc)
    where = f" at {place}" if place else ""
    lines = wrapped(f"  {violation.kind}{where}: {names.message(violation.message)}", width)
    lines[0] = lines[0].replace(violation.kind, paint(violation.kind, 1), 1)
    steps = steps_of(violation.execution, names)
    lines += ["", *trace_lines(violation, names, paint, width), ""]
    why = explanation(violation.execution, steps, names)
    if why:
        for sentence in why:
            lines += wrapped(f"  why: {sentence}", width)
        lines.append("")
    lines += _output_lines(violation)
    if "svg" in outcome.drawn:
        lines += [f"  drawn in {outcome.drawn['svg']}", ""]
    if "html" in outcome.drawn:
        lines += [f"  to be replayed in {outcome.drawn['html']}", ""]
    return lines


def _output_lines(violation: Violation) -> list[str]:
    """What the program itself printed."""
    if not violation.output:
        return []
    left_out = violation.output_left_out
    lines = [f"… ({left_out} bytes before this)"] if left_out else []
    lines += violation.output.rstrip("\n").split("\n")
    return ["  the program prints:", *(f"    {line}" for line in lines), ""]


# ---- behind all of them


def summary_line(outcomes: Sequence[Outcome]) -> str:
    """Say how many of several checks ended how; empty for fewer than two."""
    if len(outcomes) < 2:
        return ""
    if outcomes[0].case:
        other = sum(bool(outcome.unlike) for outcome in outcomes)
        not_so = f", {other} not" if other else ""
        return f"{len(outcomes)} checks: {len(outcomes) - other} as annotated{not_so}"
    counts = Counter(outcome.status for outcome in outcomes)
    words = {HOLDS: "hold", VIOLATED: "violated", INCONCLUSIVE: "without a verdict"}
    words[UNUSABLE] = "could not be run"
    told = [f"{counts[status]} {text}" for status, text in words.items() if counts[status]]
    return f"{len(outcomes)} checks: {', '.join(told)}"


def what_next(outcomes: Sequence[Outcome], args: argparse.Namespace) -> list[str]:
    """What to do about the first violation; `args`: the command line of `fencepost check`."""
    first = next((one for one in outcomes if one.status == VIOLATED and not one.case), None)
    if first is None:
        return []
    assert first.exploration and first.exploration.violation
    violation = first.exploration.violation
    lines = []
    if not args.html:
        lines.append("  step through it in a browser: add --html FILE")
    if violation.kind in _OF_ORDERS and _has_weaker_order(violation):
        words = ["fencepost", "weaken", "--strengthen", "--diff", "--model", first.model]
        words += [*(["--link"] if args.link else []), *map(as_argument, first.files)]
        words += ["--", *args.passed_on] if args.passed_on else []
        lines.append(f"  look for stronger orders that mend it: {shlex.join(words)}")
    return ["next:", *lines] if lines else []


def _has_weaker_order(violation: Violation) -> bool:
    orders = ("rlx", "acq", "rel", "acq_rel")
    return any(event.order in orders for event in violation.execution.events)
