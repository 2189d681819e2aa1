# SPDX-License-Identifier: MIT
"""Which instructions an order needs, for each operation and machine: patterns of what
memory_events.py makes of a call.

The mappings are the compilers', so that objects may be shared with code that they inline: on
ppc64le a seq_cst access begins with a fence, and on riscv64 a seq_cst load does, so that a store
is but a release. What a call does to private memory besides are plain loads and stores.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from all_calls import joined
from traced_calls import Call

_WRITES = "( store)*$"
_PRIVATE = "( load| store)*$"
Orders = dict[str, str]


@dataclass(frozen=True)
class Machine:
    """For each order the pattern it needs; what is not named needs nothing."""

    load: Orders
    store: Orders
    change: Orders
    failed_exchange: Orders
    fence: Orders
    barrier: str
    #: Under locks, whichever the order: a load that reads a version before and after, and all else.
    locked_load: str
    locked_change: str
    #: What seq_cst adds to these.
    locked_seq_cst: str


def _each(pattern: str, *orders: str) -> Orders:
    return dict.fromkeys(orders, pattern)


_X86_64 = Machine(
    load=_each(rf"(load|locked){_WRITES}", "acquire", "seq_cst"),
    store=_each(r"(store|locked)$", "release") | _each(r"locked$", "seq_cst"),
    change=_each(rf"locked{_PRIVATE}", "acquire", "release", "acq_rel", "seq_cst"),
    failed_exchange=_each(rf"locked{_PRIVATE}", "acquire", "seq_cst"),
    fence=_each(r"^(locked|full)$", "seq_cst"),
    barrier=r"locked|full",
    locked_load=r"load( load| store)+ load$",
    locked_change=rf"locked .*locked{_PRIVATE}",
    # A lock is taken with a full barrier.
    locked_seq_cst=rf"locked{_PRIVATE}|^(load|store)( load| store)*$",
)

_AARCH64 = Machine(
    load=_each(rf"(ldar|load acquire|ldaxr stl?xr|caspal?){_WRITES}", "acquire")
    | _each(rf"(ldar|ldar load acquire|ldaxr stlxr|caspal){_WRITES}", "seq_cst"),
    store=_each(r"(stlr|full store|lda?xr stlxr|caspa?l)$", "release")
    | _each(r"(stlr|full store full|ldaxr stlxr|caspal)$", "seq_cst"),
    change=_each(rf"(ldaxr stl?xr|caspal?){_PRIVATE}", "acquire")
    | _each(rf"(lda?xr stlxr|caspa?l){_PRIVATE}", "release")
    | _each(rf"(ldaxr stlxr|caspal){_PRIVATE}", "acq_rel", "seq_cst"),
    failed_exchange=_each(rf"(ldaxr( stl?xr)?|caspal?){_PRIVATE}", "acquire")
    | _each(rf"(ldaxr( stlxr)?|caspal){_PRIVATE}", "seq_cst"),
    fence=_each(r"^(acquire|full)$", "acquire") | _each(r"^full$", "release", "acq_rel", "seq_cst"),
    barrier=r"^(load )*full( .* full)?$",
    locked_load=r"ldar( load| store)+ acquire load( full)?$",
    locked_change=rf"ldaxr stl?xr .*(lda?xr stlxr|stlr)( full)?{_PRIVATE}",
    locked_seq_cst=rf"^(load )*full .* full{_PRIVATE}",
)

_RISCV64_ACQUIRED = r"(lr\.aq(rl)? sc(\.rl)?|amo\.aq(rl)?|lr sc\S* (acquire|full))"
_RISCV64 = Machine(
    load=_each(rf"load (acquire|full){_PRIVATE}", "acquire")
    | _each(rf"full load (acquire|full){_PRIVATE}", "seq_cst"),
    store=_each(
        r"((release|full) (load )*(store( full)?|amo\S*)|amo\S*rl|lr\S* sc\.rl)$",
        "release",
        "seq_cst",
    ),
    change=_each(rf"(amo\.aq(rl)?|lr\.aq(rl)? sc(\.rl)?){_PRIVATE}", "acquire")
    | _each(rf"((release|full) amo\S*|amo\.(aq)?rl|lr\S* sc\.rl){_PRIVATE}", "release")
    | _each(rf"((release|full) amo\.aq|amo\.aqrl|lr\.aq(rl)? sc\.rl){_PRIVATE}", "acq_rel")
    | _each(rf"((release|full) amo\.aq|amo\.aqrl|lr\.aqrl sc\.rl){_PRIVATE}", "seq_cst"),
    failed_exchange=_each(rf"lr\.aq(rl)?( sc\S*)?{_PRIVATE}", "acquire")
    | _each(rf"lr\.aqrl( sc\.rl)?{_PRIVATE}", "seq_cst"),
    fence=_each(r"^(acquire|full)$", "acquire")
    | _each(r"^(release|full)$", "release")
    | _each(r"^full$", "acq_rel", "seq_cst"),
    barrier=r"^(load )*full( .* full)?( load| store)*$",
    locked_load=r"load (acquire|full)( load| store)+ (acquire|full) load( full)?( load| store)*$",
    locked_change=rf"{_RISCV64_ACQUIRED} .*((release|full) amo|amo\.rl)( full| load| store)*$",
    locked_seq_cst=rf"^(load |store )*full .* full{_PRIVATE}",
)

_PPC64LE = Machine(
    load=_each(rf"load (acquire|light){_WRITES}", "acquire")
    | _each(rf"full load (acquire|light){_WRITES}", "seq_cst"),
    store=_each(r"(light|full) (store|reserve conditional)$", "release")
    | _each(r"full (store|reserve conditional( acquire)?)$", "seq_cst"),
    change=_each(rf"reserve conditional (acquire|light){_PRIVATE}", "acquire")
    | _each(rf"(light|full) reserve conditional( acquire)?{_PRIVATE}", "release")
    | _each(rf"(light|full) reserve conditional (acquire|light){_PRIVATE}", "acq_rel")
    | _each(rf"full reserve conditional (acquire|light){_PRIVATE}", "seq_cst"),
    failed_exchange=_each(rf"reserve (conditional )?(acquire|light){_PRIVATE}", "acquire")
    | _each(rf"full reserve (conditional )?(acquire|light){_PRIVATE}", "seq_cst"),
    fence=_each(r"^(light|full)$", "acquire", "release", "acq_rel") | _each(r"^full$", "seq_cst"),
    barrier=r"^(load )*full( .* full)?$",
    locked_load=r"load (acquire|light)( load| store)+ (acquire|light) load( full)?$",
    locked_change=rf"reserve conditional (acquire|light) .*light reserve conditional( full)?"
    rf"{_PRIVATE}",
    locked_seq_cst=rf"^(load )*full .* full{_PRIVATE}",
)

_MACHINES = {"x86_64": _X86_64, "aarch64": _AARCH64, "riscv64": _RISCV64, "ppc64le": _PPC64LE}

#: Functions that take no order have one.
_IMPLIED = {"take": ("change", "acquire"), "give": ("store", "release")}


def _needed(machine: Machine, call: Call, locked: bool) -> Iterator[str]:
    operation, order = _IMPLIED.get(call.operation, (call.operation, call.order or "seq_cst"))
    if operation == "barrier":
        yield machine.barrier
        if locked and call.size:
            yield machine.locked_change
        return
    if operation == "compare_exchange":
        order = joined(call.order, call.failure)
    if locked:
        yield machine.locked_load if operation == "load" else machine.locked_change
        if order == "seq_cst":
            yield machine.locked_seq_cst
        return
    if operation == "compare_exchange":
        if call.fails:
            order = call.failure
        needed = machine.failed_exchange if call.fails else machine.change
    else:
        names = {"load": machine.load, "store": machine.store, "fence": machine.fence}
        needed = names.get(operation, machine.change)
    order = "acquire" if order == "consume" else order
    if order in needed:
        yield needed[order]


def complaint(machine: str, call: Call, events: str, locked: bool) -> str:
    """What a call lacks, or nothing."""
    for pattern in _needed(_MACHINES[machine], call, locked):
        if not re.search(pattern, events):
            return f"{call}: {events or 'nothing'}, where {pattern} is needed"
    return ""
