# SPDX-License-Identifier: MIT
"""What `fencepost run --top` shows, as lines of text: it knows no terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fencepost.profile.counts import LOCKS, quantile
from fencepost.profile.dump import Dump
from fencepost.profile.rates import Interval, Row, ThreadRow
from fencepost.profile.symbols import PlaceNames
from fencepost.profile.words import at_most, cut, percent, short, span, table

VIEWS = ("sites", "locks", "threads", "waits")

#: Each with the heading of its column.
SORTS: dict[str, Callable[[Row], float]] = {
    "waiting": lambda row: row.lost,
    "waits/s": lambda row: row.counts.contended,
    "taken/s": lambda row: row.counts.taken,
    "p99 ≤": lambda row: max(
        (n for n, number in enumerate(row.counts.waits) if number), default=-1
    ),
    "held": lambda row: row.held,
    "now": lambda row: row.waiting,
}

KEYS = "s sites  l locks  t threads  w who waits for whom  </> sort  p pause  q quit"


@dataclass
class Screen:
    """What the reader has chosen."""

    view: str = "sites"
    sort: str = "waiting"
    paused: bool = False
    top_line: int = 0
    #: What is said in the place of the keys, until the next one.
    said: str = ""

    def press(self, key: str) -> bool:
        """Whether to go on."""
        self.said = ""
        views = {view[0]: view for view in VIEWS}
        if key in ("q", "Q"):
            return False
        if key in views:
            self.view, self.top_line = views[key], 0
        elif key in ("<", ">"):
            sorts = list(SORTS)
            step = 1 if key == ">" else -1
            self.sort = sorts[(sorts.index(self.sort) + step) % len(sorts)]
        elif key == "p":
            self.paused = not self.paused
        elif key in ("up", "down", "page up", "page down", "home"):
            steps = {"up": -1, "down": 1, "page up": -10, "page down": 10}
            self.top_line = max(0, self.top_line + steps[key]) if key in steps else 0
        return True

    def lines(
        self, interval: Interval, names: PlaceNames, width: int, height: int, fate: str = "running"
    ) -> list[str]:
        """The lines of the screen: at most `height` of them, none longer than `width`."""
        head = [cut(line, width) for line in _head(interval, fate, self.paused)]
        head.append("")
        heading, body = self._body(interval, names, width)
        room = max(1, height - len(head) - len(heading) - 1)
        self.top_line = min(self.top_line, max(0, len(body) - room))
        shown = body[self.top_line : self.top_line + room]
        foot = self.said or KEYS
        empty = [""] * (room - len(shown))
        return [*head, *heading, *shown, *empty, cut(foot, width)][:height]

    def _body(
        self, interval: Interval, names: PlaceNames, width: int
    ) -> tuple[list[str], list[str]]:
        if self.view == "waits":
            text = Dump(interval.second.waits, interval.deadlocks, names, interval.second.at).text()
            return [], [part for line in text.splitlines() for part in _wrapped(line, width)]
        if self.view == "threads":
            lines = table(_threads(interval), width)
        else:
            rows = interval.locks() if self.view == "locks" else interval.sites()
            lines = table(self._locks(rows, interval.seconds), width)
        return lines[:1], lines[1:]

    def _locks(self, rows: Sequence[Row], seconds: float) -> list[list[str]]:
        key = SORTS[self.sort]
        ordered = sorted(
            (row for row in rows if row.lost or row.counts.taken or row.waiting or row.held),
            key=lambda row: (_rank(row.kind), -key(row), -row.counts.taken),
        )
        marked = [f"{name}*" if name == self.sort else name for name in SORTS]
        lines = [[*marked, "lock"]]
        for row in ordered:
            counts = row.counts
            what = (
                f"{row.address:#x} {row.place}"
                if self.view == "locks" and row.address
                else str(row.place)
            )
            many = f" ({counts.locks})" if counts.locks > 1 else ""
            lines.append(
                [
                    f"{row.lost / 1e9 / seconds:.2f}",
                    short(counts.contended / seconds),
                    short(counts.taken / seconds),
                    at_most(quantile(counts.waits, 0.99)),
                    percent(row.held / 1e9, seconds) if counts.sees_holds else "-",
                    str(row.waiting),
                    f"{row.kind.replace('_', '-')} {what}{many}",
                ]
            )
        return lines


def _rank(kind: str) -> int:
    """Locks, then what may be one, then what is none."""
    return 0 if kind in LOCKS else 1 if kind == "futex" else 2


def _wrapped(line: str, width: int) -> list[str]:
    """What does not fit goes on below, further to the right."""
    indent = " " * (len(line) - len(line.lstrip()) + 6)
    return textwrap.wrap(line, width, subsequent_indent=indent) or [""]


def _head(interval: Interval, fate: str, paused: bool) -> list[str]:
    recorded = interval.second.recorded
    rows = [row for row in interval.sites() if row.kind in LOCKS]
    lost = sum(row.lost for row in rows)
    taken = sum(row.counts.taken for row in rows)
    state = "paused" if paused else fate
    lines = [
        f"fencepost run --top: process {recorded.pid} on {recorded.behind}, {state}; "
        f"the last {interval.seconds:.1f} s",
        f"{lost / 1e9 / interval.seconds:.2f} of {len(interval.second.waits.threads)} threads "
        f"waiting for locks, {short(taken / interval.seconds)} locks taken a second",
    ]
    for circle in interval.deadlocks:
        tids = ", ".join(str(wait.thread.tid) for wait in circle)
        lines.append(f"DEADLOCK of threads {tids}: w tells more")
    return lines


def _threads(interval: Interval) -> list[list[str]]:
    lines = [["thread", "waiting", "sleeps/s", "has", "name and what it waits for"]]
    ordered = sorted(interval.threads(), key=lambda row: (-row.lost, row.thread.tid))
    for row in ordered:
        has = len(row.thread.held) + row.thread.more_held
        seen = interval.second.recorded.sees_sleeps and not row.thread.unseen
        lines.append(
            [
                str(row.thread.tid),
                percent(row.lost / 1e9, interval.seconds),
                short(row.sleeps / interval.seconds) if seen else "-",
                str(has),
                _doing(row, interval),
            ]
        )
    return lines


def _doing(row: ThreadRow, interval: Interval) -> str:
    name, wait = row.thread.name, row.wait
    if wait is None:
        return name
    if wait.lock is None:
        ends = ", ".join(str(one.thread.tid) for one in wait.holders)
        return f"{name}: the end of thread {ends or 'that used no lock'}"
    past = span(max(0, interval.second.at - row.thread.waits_since))
    who = ", ".join(str(one.thread.tid) for one in wait.holders[:3])
    of = " whose mutex is" if wait.retakes is not None else ""
    held = f",{of} held by {who}" if who else ""
    more = f" and {len(wait.holders) - 3} more" if len(wait.holders) > 3 else ""
    kind = wait.lock.kind.replace("_", "-")
    return f"{name}: {past} for {kind} {interval.place_of(wait.lock)}{held}{more}"
