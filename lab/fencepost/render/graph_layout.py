# SPDX-License-Identifier: MIT
"""Where the boxes and arrows of a graph stand: threads are columns, steps are rows.

Because each row holds a single box, an arrow can leave its box sideways into the gutter between
two columns, run along a lane of its own to the row it is bound for, and enter the box there without
ever crossing another box or lying on another arrow.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from fencepost.execution.steps import Step
from fencepost.render.graph_edges import Edge
from fencepost.render.graph_texts import box_title, place_text

ADVANCE = 7.3  # width of a character at 12 px, rounded up
SMALL_ADVANCE = 6.7  # at 11 px
BOX_HEIGHT = 46
ROW_HEIGHT = 66
PORT_GAP = 11
LANE_GAP = 12
PAD = 34  # between a box and the first lane: room for an arrow's head and label
MARGIN = 24


@dataclass
class Route:
    edge: Edge
    leaves_right: bool
    enters_left: bool
    gutter: int
    lane: int = 0
    leave_y: float = 0.0
    enter_y: float = 0.0


@dataclass
class Layout:
    """Where everything stands. Columns are threads; gutter g lies to the left of column g."""

    threads: list[int]
    left: list[float]
    width: list[float]
    gutter_left: list[float]
    total: float

    def column(self, thread: int) -> int:
        return self.threads.index(thread)


@dataclass(frozen=True)
class Rows:
    """Where the row of each step is. Steps may be left out, so numbers are no places."""

    numbers: list[int]
    head: float

    @cached_property
    def _place(self) -> dict[int, int]:
        return {number: place for place, number in enumerate(self.numbers)}

    def y(self, number: int) -> float:
        return self.head + self._place[number] * ROW_HEIGHT

    @property
    def bottom(self) -> float:
        return self.head + len(self.numbers) * ROW_HEIGHT


def routes_of(edges: list[Edge], column: dict[int, int]) -> list[Route]:
    routes = []
    for edge in edges:
        source, target = column[edge.source], column[edge.target]
        if source < target:
            routes.append(Route(edge, True, True, source + 1))
        elif source > target:
            routes.append(Route(edge, False, False, source))
        else:
            routes.append(Route(edge, True, False, source + 1))
    return routes


def assign_ports(routes: list[Route], rows: Rows) -> None:
    """Spreads the arrows at one side of a box over its height, those bound upwards first."""
    sides: dict[tuple[int, bool], list[tuple[int, Route, bool]]] = defaultdict(list)
    for route in routes:
        edge = route.edge
        sides[edge.source, route.leaves_right].append((edge.target, route, True))
        sides[edge.target, not route.enters_left].append((edge.source, route, False))
    for (number, _), ports in sides.items():
        ports.sort(key=lambda port: (port[0], port[2]))
        gap = min(PORT_GAP, (BOX_HEIGHT - 8) / max(len(ports) - 1, 1))
        top = rows.y(number) + BOX_HEIGHT / 2 - gap * (len(ports) - 1) / 2
        for place, (_, route, leaving) in enumerate(ports):
            if leaving:
                route.leave_y = top + gap * place
            else:
                route.enter_y = top + gap * place


def assign_lanes(routes: list[Route], gutters: int) -> list[int]:
    """Gives each arrow the first lane of its gutter that is free along its way."""
    counts = [0] * gutters
    for gutter in range(gutters):
        lanes: list[list[tuple[float, float]]] = []
        inside = [route for route in routes if route.gutter == gutter]
        for route in sorted(inside, key=lambda r: abs(r.leave_y - r.enter_y)):
            low, high = sorted((route.leave_y, route.enter_y))
            for place, taken in enumerate(lanes):
                if all(high + 15 < start or end + 15 < low for start, end in taken):
                    route.lane = place
                    taken.append((low, high))
                    break
            else:
                route.lane = len(lanes)
                lanes.append([(low, high)])
        counts[gutter] = len(lanes)
    return counts


def lay_out(
    threads: list[int],
    steps: list[Step],
    lanes: list[int],
    minimum: dict[int, float],
) -> Layout:
    left, width, gutter_left = [], [], []
    x = float(MARGIN)
    for place, thread in enumerate(threads):
        gutter_left.append(x)
        outer = place == 0
        x += lanes[place] * LANE_GAP + (PAD if lanes[place] or not outer else 0)
        x += 0 if outer else PAD
        own = [step for step in steps if step.thread == thread]
        widest = max(
            [len(box_title(s)) * ADVANCE for s in own]
            + [len(place_text(s)) * SMALL_ADVANCE for s in own]
            + [minimum.get(thread, 0.0), 90.0]
        )
        left.append(x)
        width.append(widest + 20)
        x += widest + 20
    gutter_left.append(x)
    last = lanes[len(threads)]
    x += last * LANE_GAP + PAD if last else 0
    return Layout(threads, left, width, gutter_left, x + MARGIN)


def _lane_x(layout: Layout, route: Route) -> float:
    start = layout.gutter_left[route.gutter] + (PAD if route.gutter > 0 else 0)
    return start + LANE_GAP * (route.lane + 0.5)


def path_of(layout: Layout, route: Route, column: dict[int, int]) -> str:
    source, target = column[route.edge.source], column[route.edge.target]
    x1 = layout.left[source] + (layout.width[source] if route.leaves_right else 0)
    x2 = layout.left[target] + (0 if route.enters_left else layout.width[target])
    lane = _lane_x(layout, route)
    y1, y2 = route.leave_y, route.enter_y
    if abs(y2 - y1) < 1:
        return f"M{x1:.1f},{y1:.1f} H{x2:.1f}"
    radius = min(5.0, abs(y2 - y1) / 2)
    down = 1 if y2 > y1 else -1
    to_lane = 1 if lane > x1 else -1
    from_lane = 1 if x2 > lane else -1
    return (
        f"M{x1:.1f},{y1:.1f} H{lane - to_lane * radius:.1f} "
        f"Q{lane:.1f},{y1:.1f} {lane:.1f},{y1 + down * radius:.1f} "
        f"V{y2 - down * radius:.1f} "
        f"Q{lane:.1f},{y2:.1f} {lane + from_lane * radius:.1f},{y2:.1f} H{x2:.1f}"
    )
