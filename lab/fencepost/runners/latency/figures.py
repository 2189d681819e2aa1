# SPDX-License-Identifier: MIT
"""The figures: densities, quantiles, and why the published mprotect was wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from fencepost.pages.page_assets import asset
from fencepost.pages.plot_axes import Axis, axis
from fencepost.pages.plot_svg import Curve, Panel, distributions, sheet
from fencepost.runners.latency.pieces import BY_HEAVY, BY_KEY, STRATEGIES, SURROUNDINGS
from fencepost.runners.latency.samples import (
    PER_DECADE,
    Counts,
    Samples,
    nanoseconds,
    quantile,
    samples_of,
    time_said,
)
from fencepost.runners.latency.saved import Saved
from fencepost.system.whole_file import write_whole

#: Of the kernel that smooths a density, in bins.
KERNEL = 1.5
#: The same in every figure.
HUES = {strategy.heavy: n for n, strategy in enumerate(STRATEGIES)}


def where(found: Saved) -> str:
    """The machine that the figures are from."""
    run = found.runs[-1] if found.runs else {}
    return (
        f"{run.get('machine', 'unknown machine')}, {run.get('processors', '?')} processors, "
        f"Linux {run.get('kernel', '?')}"
    )


def time_axis(least: float, most: float) -> Axis:
    powers = range(math.ceil(math.log10(least)), math.floor(math.log10(most)) + 1)
    marks = tuple((10.0**n, time_said(10.0**n)) for n in powers)
    return Axis("latency, logarithmic", least, most, True, marks)


def quantile_place(part: float) -> float:
    """The place of a quantile on its axis, where each factor of ten that remains has the same
    length."""
    return 1 / (1 - part)


def quantile_axis(most: float) -> Axis:
    named = (0.0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999)
    marks = tuple((quantile_place(part), f"{100 * part:g} %") for part in named if part <= most)
    return Axis("share of waits that were over by then", 1.0, quantile_place(most), True, marks)


def density(samples: Samples, least: float, most: float) -> list[tuple[float, float]]:
    """Waits for each factor of ten in time, by time in nanoseconds."""
    reach = np.arange(-6, 7)
    kernel = np.exp(-((reach / KERNEL) ** 2) / 2)
    smooth = np.convolve(samples.share * PER_DECADE, kernel / kernel.sum(), mode="same")
    drawn = np.flatnonzero(smooth > 1e-6)
    places = range(drawn[0], drawn[-1] + 1)
    return [(nanoseconds(n), float(smooth[n])) for n in places if least <= nanoseconds(n) <= most]


def by_quantile(share: Counts, number: float, points: int) -> list[tuple[float, float]]:
    """From 1 % up to where ten waits are left, evenly on the axis."""
    places = 1 - np.logspace(np.log10(0.99), np.log10(10 / max(number, 20)), points)
    return [(quantile_place(part), quantile(share, part)) for part in places.tolist()]


def there(found: Saved, key: str, heavy: Sequence[str]) -> list[tuple[str, Samples]]:
    of = [(name, samples_of(found.windows, key, name)) for name in heavy]
    return [(name, samples) for name, samples in of if samples is not None]


def drawn(panels: Sequence[Panel], title: str, said: str, found: Saved) -> str:
    return sheet(panels, asset("plot.css"), title, f"{said} {where(found)}")


def densities(
    found: Saved, title: str, keys: Sequence[str], heavy: Sequence[str], least: float, most: float
) -> str:
    panels = []
    for key in keys:
        curves = [
            Curve(BY_HEAVY[name].name, HUES[name], density(samples, least, most))
            for name, samples in there(found, key, heavy)
        ]
        up = axis([y for curve in curves for _, y in curve.points], "density per factor of ten")
        panels.append(distributions(BY_KEY[key].name, curves, time_axis(least, most), up))
    return drawn(panels, title, "64 bins a decade, smoothed by 1.5 bins; the area is 1.", found)


def quantiles(found: Saved) -> str:
    heavy = [strategy.heavy for strategy in STRATEGIES]
    panels = []
    for surroundings in SURROUNDINGS:
        curves = []
        for name, samples in there(found, surroundings.key, heavy):
            rounds = zip(samples.by_round, samples.counts.sum(axis=1), strict=True)
            curves.append(
                Curve(
                    BY_HEAVY[name].name,
                    HUES[name],
                    by_quantile(samples.share, samples.number, 60),
                    [by_quantile(share, float(number), 12) for share, number in rounds],
                )
            )
        farthest = max(x for curve in curves for x, _ in curve.points) if curves else 10.0
        across = quantile_axis(1 - 1 / farthest)
        panels.append(distributions(surroundings.name, curves, across, time_axis(10, 1e9)))
    said = "Thin: each round. Curves end where ten waits are left."
    return drawn(panels, "How long heavy fences take: quantiles", said, found)


def untouched(found: Saved) -> str:
    return densities(
        found,
        "mprotect of a touched page, and of one that nobody wrote to",
        ("alone", "readers", "loaded"),
        ("private_expedited", "mprotect", "mprotect_untouched"),
        100,
        200_000,
    )


def all_densities(found: Saved) -> str:
    heavy = [strategy.heavy for strategy in STRATEGIES]
    keys = [one.key for one in SURROUNDINGS]
    return densities(found, "How long heavy fences take: densities", keys, heavy, 10, 1e9)


def waiting(found: Saved) -> str:
    return densities(
        found,
        "Heavy fences that interrupt nobody",
        ("alone", "readers", "loaded"),
        ("ticket", "ticket_1_ms", "ticket_clock_alone", "virtual_clock", "global"),
        10_000,
        1e9,
    )


FIGURES: dict[str, Callable[[Saved], str]] = {
    "densities.svg": all_densities,
    "quantiles.svg": quantiles,
    "waiting.svg": waiting,
    "mprotect.svg": untouched,
}


def figures(found: Saved, folder: Path) -> Iterator[Path]:
    """Draws them; yields what was written."""
    for name, figure in FIGURES.items():
        path = folder / name
        write_whole(path, figure(found))
        yield path
