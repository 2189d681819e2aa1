# SPDX-License-Identifier: MIT
"""What was said of where code lies, and what `fencepost bench --layout` found."""

from __future__ import annotations

from pathlib import Path

from fencepost import ROOT
from fencepost.layout.findings import Way, findings
from fencepost.results.file import read_file
from fencepost.runners.claims.claim import CONFIRMED, NOT_HERE, REFUTED, UNKNOWN

RESULTS = ROOT / "docs" / "design" / "findings" / "layout.jsonl"
COMMAND = ("fencepost", "bench", "--layout", "minimal", "--rounds", "9", "--into", "layout.jsonl")
SAID_BY = "reviewer, 26 August 2020"
CYCLE = 64
#: 0.845 s over 0.708 s.
SAID_EXTREMES = 1.19
#: That all layouts are alike is given up below this.
LEVEL = 0.01


_OTHERS = (
    [
        "with code placed alike, solution 1 and solution 2 are equally fast in a server",
        SAID_BY,
        "of a server's locks `fencepost run` does not replace those that it was said of; of the "
        "mutexes alone `fencepost bench --layout mutex "
        "--variants event_mutex_exchange,event_mutex_seq_cst` asks it",
        NOT_HERE,
    ],
    [
        "aligning functions, jumps and loops to 128 bytes is a bad idea on AArch64",
        SAID_BY,
        "said of AArch64",
        NOT_HERE,
    ],
    [
        "it is there on Skylake too, and not on another machine",
        "reviewer and reporter, 26 August 2020",
        "said of other machines",
        NOT_HERE,
    ],
)


def stored(way: Way) -> str:
    return f"store {way.variant}"


def _period(way: Way) -> list[str]:
    said = "the time of a loop goes with the number of `nop` before it, with a period of 64 bytes"
    assert way.period is not None
    length = way.period.length
    told = {0: "no effect of the padding", None: "no period of 64 bytes or less"}.get(
        length, f"period {length} bytes"
    )
    tested = ", ".join(f"{bytes_}: {p:.3g}" for bytes_, p in way.period.p.items())
    return [
        said,
        SAID_BY,
        f"{stored(way)}: {told} (p that it is no longer than … bytes: {tested})",
        CONFIRMED if length == CYCLE else UNKNOWN if length == 0 else REFUTED,
    ]


def _extremes(way: Way) -> list[str]:
    low, high = 100 * way.spread.deviation.low, 100 * way.spread.deviation.high
    told = (
        f"{stored(way)}: slowest layout over fastest {way.spread.extremes:.3g} ×; standard "
        f"deviation of layouts {100 * way.spread.deviation.value:.2g} % [{low:.2g} %, {high:.2g} %]"
    )
    matters = way.p_alike < LEVEL and way.spread.extremes >= SAID_EXTREMES
    return [
        "code that is not executed, or executed once, makes up to 20 % by shifting the rest",
        SAID_BY,
        told,
        CONFIRMED if matters else REFUTED,
    ]


def rows_of_layout(results: Path = RESULTS) -> list[list[str]]:
    if not results.is_file():
        return []
    rows = []
    for one in findings(read_file(results), rope=0.01):
        for way in one.ways:
            if way.at == "entry" and way.period is not None:
                rows += [_period(way), _extremes(way)]
    return [*rows, *_OTHERS]
