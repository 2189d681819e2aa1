# SPDX-License-Identifier: MIT
"""What the study of 2019 says, and what these figures say to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fencepost.compare.ratios import Ratio, typical_ratio
from fencepost.runners.latency.judged import Dominance, dominance, not_none
from fencepost.runners.latency.pieces import BY_HEAVY
from fencepost.runners.latency.samples import Samples, quantiles_by_round, samples_of
from fencepost.runners.latency.saved import Saved


@dataclass(frozen=True)
class Claim:
    """That `ours` is faster than `theirs`, each (surroundings, strategy)."""

    said: str
    ours: tuple[str, str]
    theirs: tuple[str, str]
    #: At least so often; or, as a `measure` of speed-up, by such a factor. Of a number that others
    #: measured elsewhere only the direction is asked: more often than not, by more than nothing.
    bound: float
    times: float = 1.0
    measure: str = "often"


PRIVATE, PAGE, RCU = "private_expedited", "mprotect", "global"
TICKET, CLOCK, VIRTUAL = "ticket", "ticket_clock_alone", "virtual_clock"
CLAIMS = (
    Claim(
        "interrupting is faster than the clock, unloaded", ("alone", PAGE), ("alone", CLOCK), 0.5
    ),
    Claim(
        "interrupting is faster than the clock, loaded", ("loaded", PAGE), ("loaded", CLOCK), 0.5
    ),
    Claim(
        "expedited is usually faster than `mprotect`, unloaded",
        ("readers", PRIVATE),
        ("readers", PAGE),
        0.5,
    ),
    Claim("the same, loaded", ("loaded", PRIVATE), ("loaded", PAGE), 0.5),
    Claim(
        "load slows expedited (there 68.4 to 73.0 % of the time)",
        ("readers", PRIVATE),
        ("loaded", PRIVATE),
        0.5,
    ),
    Claim("unloaded, RCU is faster than the clock", ("alone", RCU), ("alone", CLOCK), 0.5),
    Claim(
        "loaded, the clock is faster than RCU (there 99.99 % of the time)",
        ("loaded", CLOCK),
        ("loaded", RCU),
        0.5,
    ),
    Claim(
        "loaded, 10 × as fast (there 98.3 to 98.5 % of the time)",
        ("loaded", CLOCK),
        ("loaded", RCU),
        0.5,
        times=10,
    ),
    Claim(
        "loaded, faster in the geometric mean (there 23.8 ×)",
        ("loaded", CLOCK),
        ("loaded", RCU),
        1,
        measure="geometric mean",
    ),
    Claim(
        "loaded, virtual time is as fast as RCU (there 99.91 % of the time)",
        ("loaded", VIRTUAL),
        ("loaded", RCU),
        0.5,
    ),
    Claim(
        "loaded, virtual time: faster in the geometric mean (there 5.6 ×)",
        ("loaded", VIRTUAL),
        ("loaded", RCU),
        1,
        measure="geometric mean",
    ),
    Claim(
        "(ours) a ticket: 10 × in the median, beside readers",
        ("readers", TICKET),
        ("readers", RCU),
        10,
        measure="median",
    ),
    Claim(
        "(ours) a ticket: 10 × in the median, loaded",
        ("loaded", TICKET),
        ("loaded", RCU),
        10,
        measure="median",
    ),
    Claim(
        "(its sample) a page that is not touched is faster than a touched one",
        ("readers", "mprotect_untouched"),
        ("readers", PAGE),
        0.5,
    ),
)


def median_ratio(ours: Samples, theirs: Samples) -> Ratio:
    return not_none(typical_ratio(quantiles_by_round(theirs, 0.5), quantiles_by_round(ours, 0.5)))


def verdict(found: Ratio, bound: float) -> str:
    if found.interval is None:
        return "too few rounds"
    if found.low >= bound:
        return "confirmed"
    return "refuted" if found.high < bound else "not distinguishable"


def spoken(side: tuple[str, str]) -> str:
    return f"{BY_HEAVY[side[1]].name}, {side[0]}"


def percent(part: float) -> str:
    """With as many nines as it has."""
    if 0.99 < part < 1:
        return f"{100 * part:.4f}".rstrip("0").rstrip(".") + " %"
    # No minus before a zero.
    return f"{round(100 * part, 1) + 0.0:.1f} %"


def measured(claim: Claim, found: Dominance, ours: Samples, theirs: Samples) -> Ratio:
    if claim.measure == "median":
        return median_ratio(ours, theirs)
    return found.speedup if claim.measure == "geometric mean" else found.faster


def claim_rows(found: Saved) -> Iterator[list[str]]:
    for claim in CLAIMS:
        ours = samples_of(found.windows, *claim.ours)
        theirs = samples_of(found.windows, *claim.theirs)
        if ours is None or theirs is None:
            continue
        judged = dominance(ours, theirs, claim.times)
        value = measured(claim, judged, ours, theirs)
        if claim.measure == "often":
            said = f"{percent(value.value)} [{percent(value.low)}, {percent(value.high)}]"
            drawn = f"{percent(judged.csm[0])} to {percent(judged.csm[1])} of {judged.pairs:,}"
        else:
            said = f"{value.value:.3g} × [{value.low:.3g}, {value.high:.3g}]"
            drawn = "—"
        yield [
            claim.said,
            spoken(claim.ours),
            spoken(claim.theirs),
            said,
            drawn,
            percent(judged.shortfall),
            verdict(value, claim.bound),
        ]
