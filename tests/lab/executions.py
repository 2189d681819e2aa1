# SPDX-License-Identifier: MIT
"""Executions made by hand: threads of reads and writes, without clocks, in the order of the
steps."""

from __future__ import annotations

from fencepost.execution.schema import Event, EventId, Execution

X, Y, Z = 0x1000, 0x2000, 0x3000


def event(kind: str, id: EventId, order: str = "na", **more: object) -> Event:
    fields: dict[str, object] = {"rmw": False, "object": "", "address": 0, "size": 0, "value": 0}
    fields |= {"reads_from": None, "pc": id[0] * 100 + id[1], "what": ""}
    return Event(id=id, kind=kind, order=order, **{**fields, **more})  # type: ignore[arg-type]


def write(id: EventId, address: int, value: int, order: str = "rlx", **more: object) -> Event:
    given = {"what": "store", **more}
    return event("W", id, order, object="atomic", address=address, size=4, value=value, **given)


def read(
    id: EventId, address: int, source: Event | None = None, order: str = "rlx", **more: object
) -> Event:
    value, reads_from = (source.value, source.id) if source else (0, None)
    given = {"what": "load", "value": value, "reads_from": reads_from, **more}
    return event("R", id, order, object="atomic", address=address, size=4, **given)


def execution(*events: Event, model: str = "c++20") -> Execution:
    """Each location's writes are in modification order as they are given."""
    orders: dict[tuple[str, int], tuple[EventId, ...]] = {}
    for one in events:
        if one.is_write:
            orders[one.at] = (*orders.get(one.at, ()), one.id)
    return Execution(events, orders, model=model)


class Letters:
    """Names without an executable."""

    def place(self, pc: int) -> str | None:
        return f"file.c:{pc}"

    def source(self, pc: int) -> str:
        return ""

    def address(self, address: int) -> str:
        return {X: "x", Y: "y", Z: "z"}[address]

    def accessed(self, event: Event) -> str:
        return self.address(event.address)

    def value(self, event: Event) -> str:
        return str(event.value)

    def message(self, text: str) -> str:
        return text

    def thread(self, number: int) -> str:
        return "main" if number == 0 else f"T{number}"
