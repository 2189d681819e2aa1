# SPDX-License-Identifier: MIT
"""What waited for locks, as a flame graph: a column is a stack of calls, as wide as the time that
was lost there; at its tip is the lock. Needs no other file and no network."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.console.shown import shown
from fencepost.pages.markup import escape
from fencepost.pages.page_assets import asset
from fencepost.pages.plot_svg import LETTER, shortened
from fencepost.profile.counts import LOCKS
from fencepost.profile.summary import Summary
from fencepost.profile.symbols import PlaceNames
from fencepost.profile.words import percent, short, span
from fencepost.system.whole_file import write_whole

_WIDTH, _ROW, _HEAD, _FOOT, _SIDE = 1200, 18, 56, 30, 10

#: Below what may be a lock of the program's own, or nothing but idleness.
_OWN_WORDS = "(waits on the program's own words)"

#: Narrower than this a column is not seen.
_NARROWEST = 0.3


@dataclass
class Node:
    """A call, and what was lost in it."""

    name: str
    where: str = ""
    waited: int = 0
    count: int = 0
    below: dict[str, Node] = field(default_factory=dict)

    def add(self, frames: list[tuple[str, str]], waited: int, count: int) -> None:
        node = self
        node.waited, node.count = node.waited + waited, node.count + count
        for name, where in frames:
            node = node.below.setdefault(name, Node(name, where))
            node.waited, node.count = node.waited + waited, node.count + count

    @property
    def depth(self) -> int:
        return 1 + max((node.depth for node in self.below.values()), default=0)


def stacks(summary: Summary, names: PlaceNames) -> Iterator[tuple[list[tuple[str, str]], int, int]]:
    """For each stack of waits: its calls with where they are, the outermost first and the lock
    last; ns; how many waits."""
    several = len(summary.processes) > 1
    for process in summary.processes:
        recorded = process.recorded
        used = {number for stack in recorded.stacks for number in (*stack.frames, stack.site)}
        names.prepare(site for number in used if (site := recorded.site(number)) is not None)
        for stack in recorded.stacks:
            if stack.kind not in (*LOCKS, "futex") or not stack.waited:
                continue
            frames = [(f"process {recorded.pid}", "")] if several else []
            if stack.kind == "futex":
                frames.append((_OWN_WORDS, ""))
            for number in reversed(stack.frames):
                site = recorded.site(number)
                if site is not None and site.address:  # 0 ends a thread's stack
                    calls = names.calls(site)
                    frames += [(place.function, place.where) for place in reversed(calls)]
            lock = names.place(recorded.site(stack.site))
            frames.append((f"[{stack.kind.replace('_', '-')} {lock}]", ""))
            yield frames, stack.waited, stack.count


def folded(summary: Summary, names: PlaceNames) -> str:
    """A line a stack, as flamegraph.pl, inferno and speedscope read it; the number is µs."""
    sums: dict[str, int] = {}
    for frames, waited, _ in stacks(summary, names):
        line = ";".join(shown(name, kept="").replace(";", ",") for name, _ in frames)
        sums[line] = sums.get(line, 0) + waited
    return "".join(f"{line} {-(-waited // 1000)}\n" for line, waited in sorted(sums.items()))


def svg(summary: Summary, names: PlaceNames) -> str:
    root = Node("all")
    for frames, waited, count in stacks(summary, names):
        printed = [(shown(name, kept=""), shown(where, kept="")) for name, where in frames]
        root.add(printed, waited, count)
    height = _HEAD + root.depth * _ROW + _FOOT
    lost = span(summary.locks.waited)
    title = f"{Path(summary.run.program).name} on {summary.run.lock}: {lost} lost to locks"
    said = (
        "Each column is a stack of calls, at its tip the lock; the width is the time that was "
        "waited. A click widens a column, one on the lowest row brings all back."
    )
    columns = "".join(_columns(root, 0.0, _WIDTH - 2 * _SIDE, 0, height, root.waited))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="plot flame" width="{_WIDTH}" '
        f'height="{height}" viewBox="0 0 {_WIDTH} {height}"><title>{escape(title)}</title>'
        f"<style>{asset('plot.css')}{asset('flame.css')}</style>"
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>'
        f'<text class="heading" x="{_SIDE}" y="24">{escape(title)}</text>'
        f'<text class="small" x="{_SIDE}" y="42">{escape(said)}</text>'
        f'<g class="columns" transform="translate({_SIDE} 0)">{columns}</g>'
        f'<text class="told" x="{_SIDE}" y="{height - 10}"></text>'
        f"<script><![CDATA[{asset('flame.js')}]]></script></svg>\n"
    )


def _columns(
    node: Node, left: float, width: float, depth: int, height: int, whole: int
) -> Iterator[str]:
    """A node and what is below it, drawn above it."""
    top = height - _FOOT - (depth + 1) * _ROW
    told = (
        f"{node.name}{f' ({node.where})' if node.where else ''}: {span(node.waited)}, "
        f"{percent(node.waited, whole)} of all, {short(node.count)} waits"
    )
    hue = "lock" if node.name.startswith("[") else f"f{zlib.crc32(node.name.encode()) % 6}"
    words = shortened(node.name, width - 6) if width > 5 * LETTER else ""
    yield (
        f'<g class="{hue}" data-x="{left:.2f}" data-w="{width:.2f}" data-n="{escape(node.name)}">'
        f'<title>{escape(told)}</title><rect x="{left:.2f}" y="{top}" width="{width:.2f}" '
        f'height="{_ROW - 1}" rx="1.5"/><text x="{left + 3:.2f}" y="{top + 13}">{escape(words)}'
        "</text></g>"
    )
    for below in sorted(node.below.values(), key=lambda one: one.name):
        share = width * below.waited / node.waited
        if share >= _NARROWEST:
            yield from _columns(below, left, share, depth + 1, height, whole)
        left += share


def write_flame(path: Path, summary: Summary, names: PlaceNames) -> None:
    """SVG, or folded stacks where the file's name ends in .folded. Raises UnusableInput."""
    write_whole(path, (folded if path.suffix == ".folded" else svg)(summary, names))
    if not any(process.recorded.stacks for process in summary.processes):
        raise UnusableInput(f"{path} is empty: nothing waited, or no stack of calls was seen")
