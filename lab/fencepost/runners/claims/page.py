# SPDX-License-Identifier: MIT
"""What docs/design/findings.md says of these results, between its marks."""

from __future__ import annotations

import math
import shlex
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from fencepost import ROOT
from fencepost.results.schema import Measured
from fencepost.runners.atomics.documents import MARKED
from fencepost.runners.claims.claim import CONFIRMED, NOT_HERE, REFUTED, UNKNOWN, Group
from fencepost.runners.claims.groups import GROUPS
from fencepost.runners.claims.judged import found
from fencepost.runners.claims.layout import COMMAND as LAYOUT_COMMAND
from fencepost.runners.claims.layout import rows_of_layout
from fencepost.runners.latency.claims import claim_rows
from fencepost.runners.latency.saved import read as read_waits

PAGE = ROOT / "docs" / "design" / "findings.md"
STACK = ROOT / "bench" / "atomics" / "results" / "figures.json"
WAITS = ROOT / "docs" / "design" / "barrier_latency" / "results.jsonl"
HEADER = ("said", "by", "measured: ratio [95 % interval]", "verdict")
#: The rows of docs/design/barrier_latency.md that are not of 2019.
OURS = "(ours)"


def table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Without padding: cells are of very different length."""
    for row in (HEADER, ["---"] * len(HEADER), *rows):
        # A bar in a pattern or a name would end the cell.
        yield "| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |"


def mark(group: Group) -> str:
    return group.key.replace("_", " ")


def command_text(group: Group) -> str:
    words = ["fencepost", "bench", *group.command, "--rounds", "11", "--into", "findings.jsonl"]
    return shlex.join(words)


def rows_of(measured: Measured, group: Group) -> list[list[str]]:
    rows = []
    for claim in group.claims:
        text, verdict = found(measured, claim)
        rows.append([claim.said, claim.who, text, verdict])
    return rows


def rows_of_waits(results: Path = WAITS) -> list[list[str]]:
    """The claims of 2019 about barriers, as docs/design/barrier_latency.md judges them."""
    if not results.is_file():
        return []
    rows = claim_rows(read_waits(results))
    return [
        [row[0], "article of 9 January 2019", row[3], row[6]]
        for row in rows
        if not row[0].startswith(OURS)
    ]


def say_group(measured: Measured, group: Group) -> Iterator[str]:
    if group.command:
        yield from ("```", command_text(group), "```", "")
    yield from table(rows_of(measured, group))
    yield ""


def _others(measured: Measured) -> list[float]:
    """Share of a processor that others used, in each window that was looked at."""
    used = [w.others_cpu / w.elapsed for w in measured.windows if w.elapsed > 0]
    return [share for share in used if not math.isnan(share)] or [0.0]


def _kind(verdict: str) -> str:
    """As the page sums up. The page on barriers leaves "here" away, others have a remark behind."""
    for one in (CONFIRMED, REFUTED, UNKNOWN, NOT_HERE):
        if verdict.startswith(one) or one.startswith(verdict):
            return one
    return "in part" if verdict.startswith("in part") else "not measured yet"


def say_where(measured: Measured, everything: Sequence[Sequence[str]]) -> Iterator[str]:
    """Where it was measured, and how the claims fared."""
    run = next(iter(measured.runs.values()), None)
    if run is not None:
        facts = run.facts
        days = sorted({str(one.facts.get("started", ""))[:10] for one in measured.runs.values()})
        rounds = Counter((w.subject, w.work, w.variant) for w in measured.windows)
        discarded = sum(int(one.facts.get("discarded", 0)) for one in measured.runs.values())
        yield (
            f"{facts.get('machine', '?')}, {facts.get('processors', '?')} processors, Linux "
            f"{facts.get('kernel', '?')}, {facts.get('compiler', '?')}; {', '.join(days)}; "
            f"{min(rounds.values())} to {max(rounds.values())} windows a variant, {discarded} "
            "discarded because others used the processors; in the median window that was kept "
            f"they used {100 * statistics.median(_others(measured)):.0f} % of one."
        )
        yield ""
    counted: Counter[str] = Counter()
    for *_, verdict in everything:
        counted[_kind(verdict)] += 1
    told = ", ".join(f"{number} {what}" for what, number in counted.most_common())
    yield f"Of {len(everything)} claims: {told}."
    yield ""


def said(measured: Measured) -> dict[str, list[str]]:
    """By the name of a mark what stands after it."""
    texts = {mark(group): list(say_group(measured, group)) for group in GROUPS}
    waits = rows_of_waits()
    layout = rows_of_layout()
    texts["barriers"] = [*table(waits), ""] if waits else []
    texts["layout"] = []
    if layout:
        command = shlex.join(LAYOUT_COMMAND)
        texts["layout"] = ["```", command, "```", "", *table(layout), ""]
    everything = [row for group in GROUPS for row in rows_of(measured, group)] + layout + waits
    texts["where"] = list(say_where(measured, everything))
    return texts


def rewritten(text: str, measured: Measured) -> str:
    texts = said(measured)

    def replaced(marked: object) -> str:
        name = marked[1]  # type: ignore[index]
        inner = "\n".join(texts[name] or ["Not measured yet.", ""])
        return f"<!-- figures: {name} -->\n{inner}\n<!-- end of figures -->\n"

    return MARKED.sub(replaced, text)
