# SPDX-License-Identifier: MIT
"""The figures: densities, quantiles, and why the published mprotect was wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from fencepost.compare.ratios import FEWEST, typical
from fencepost.runners.atomics.curves import Style
from fencepost.runners.latency.drawing import (
    Chart,
    Curve,
    Panel,
    draw,
    quantile_axis,
    share_axis,
    time_axis,
)
from fencepost.runners.latency.judged import told
from fencepost.runners.latency.pieces import BY_HEAVY, BY_KEY, STRATEGIES, SURROUNDINGS
from fencepost.runners.latency.samples import (
    PER_DECADE,
    Samples,
    nanoseconds,
    quantile,
    quantiles_by_round,
    samples_of,
)
from fencepost.runners.latency.saved import Saved

#: Of the kernel that smooths a density, in bins.
KERNEL = 1.5


def style(heavy: str) -> Style:
    return Style(BY_HEAVY[heavy].colour, BY_HEAVY[heavy].dashes)


def where(found: Saved) -> str:
    """The machine that the figures are from."""
    run = found.runs[-1] if found.runs else {}
    return (
        f"{run.get('machine', 'unknown machine')}, {run.get('processors', '?')} processors, "
        f"Linux {run.get('kernel', '?')}"
    )


def density(samples: Samples) -> list[tuple[float, float]]:
    """Waits for each factor of ten in time, by time in nanoseconds."""
    reach = np.arange(-6, 7)
    kernel = np.exp(-((reach / KERNEL) ** 2) / 2)
    smooth = np.convolve(samples.share * PER_DECADE, kernel / kernel.sum(), mode="same")
    drawn = np.flatnonzero(smooth > 1e-6)
    return [(nanoseconds(n), float(smooth[n])) for n in range(drawn[0], drawn[-1] + 1)]


def quantiles(samples: Samples) -> tuple[list[float], float]:
    """Places from 1 % up to where ten waits are left, evenly on the axis."""
    last = 1 - 10 / max(samples.number, 20)
    return list(1 - np.logspace(np.log10(0.99), np.log10(1 - last), 60)), last


def band(samples: Samples, places: Sequence[float]) -> list[tuple[float, float, float]]:
    """Where the quantiles lie, as far as rounds tell; nothing of too few rounds."""
    if samples.rounds < FEWEST:
        return []
    lie = [told(typical(quantiles_by_round(samples, place))) for place in places]
    return [(place, one.low, one.high) for place, one in zip(places, lie, strict=True)]


def panels(
    found: Saved, keys: Sequence[str], heavy: Sequence[str]
) -> Iterator[tuple[str, list[tuple[str, Samples]]]]:
    for key in keys:
        of = [(name, samples_of(found.windows, key, name)) for name in heavy]
        there = [(name, samples) for name, samples in of if samples is not None]
        if there:
            yield BY_KEY[key].name, there


def key_of(heavy: Sequence[str]) -> list[tuple[str, Style]]:
    return [(BY_HEAVY[name].name, style(name)) for name in heavy]


def densities(
    found: Saved, title: str, keys: Sequence[str], heavy: Sequence[str], least: float, most: float
) -> Chart:
    drawn = []
    for name, there in panels(found, keys, heavy):
        curves = [Curve(style(one), density(samples)) for one, samples in there]
        top = max(y for curve in curves for _, y in curve.points)
        drawn.append(Panel(name, share_axis(top * 1.05, "density per factor of ten"), curves))
    subtitle = f"64 bins a decade, smoothed by 1.5 bins; the area is 1. {where(found)}"
    return Chart(title, subtitle, time_axis(least, most, "latency"), drawn, key_of(heavy))


def by_quantile(found: Saved) -> Chart:
    heavy = [strategy.heavy for strategy in STRATEGIES]
    drawn, farthest = [], 0.9
    for name, there in panels(found, [one.key for one in SURROUNDINGS], heavy):
        curves = []
        for one, samples in there:
            places, last = quantiles(samples)
            farthest = max(farthest, last)
            points = [(q, quantile(samples.share, q)) for q in places]
            curves.append(Curve(style(one), points, band(samples, places[::4])))
        drawn.append(Panel(name, time_axis(10, 1e9, "latency"), curves))
    title = "How long heavy fences take: quantiles"
    subtitle = f"bands: 95 %, from round to round; ends where 10 waits are left. {where(found)}"
    return Chart(title, subtitle, quantile_axis(farthest), drawn, key_of(heavy))


def untouched(found: Saved) -> Chart:
    return densities(
        found,
        "mprotect of a touched page, and of one that nobody wrote to",
        ("alone", "readers", "loaded"),
        ("private_expedited", "mprotect", "mprotect_untouched"),
        100,
        200_000,
    )


def all_densities(found: Saved) -> Chart:
    heavy = [strategy.heavy for strategy in STRATEGIES]
    keys = [one.key for one in SURROUNDINGS]
    return densities(found, "How long heavy fences take: densities", keys, heavy, 10, 1e9)


def waiting(found: Saved) -> Chart:
    return densities(
        found,
        "Heavy fences that interrupt nobody",
        ("alone", "readers", "loaded"),
        ("ticket", "ticket_1_ms", "ticket_clock_alone", "virtual_clock", "global"),
        10_000,
        1e9,
    )


FIGURES: dict[str, Callable[[Saved], Chart]] = {
    "densities.svg": all_densities,
    "quantiles.svg": by_quantile,
    "waiting.svg": waiting,
    "mprotect.svg": untouched,
}


def figures(found: Saved, folder: Path) -> Iterator[Path]:
    """Draws them; yields what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, chart in FIGURES.items():
        path = folder / name
        path.write_text(draw(chart(found)))
        yield path
