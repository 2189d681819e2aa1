# SPDX-License-Identifier: MIT
"""Whether the instructions of an atomic operation give the order that it was asked for.

There is no table of right sequences. Along every path through a function it is followed which
accesses may still be outstanding when another is made: a release is missing where the write of the
operation can be made before an earlier access, an acquire where a later access can be made before
its read. Fences, annotations (.aq, ldar) and what the processor orders anyway take accesses off.
What is before the first instruction and after the last counts as accesses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from fencepost.asm.attribution import BARRIER, Attributed
from fencepost.asm.effects import (
    ACQUIRE,
    BASE,
    FULL,
    LIGHT,
    NOTHING,
    RELEASE,
    Effect,
    Pairs,
    calls_library,
    effect_of,
)
from fencepost.asm.listing import Instruction, Listing
from fencepost.asm.orders import Operation

_ACQUIRES = ("acquire", "consume", "acq_rel", "seq_cst")
_RELEASES = ("release", "acq_rel", "seq_cst")
_FENCES: dict[str, Pairs] = {
    "acquire": ACQUIRE,
    "consume": ACQUIRE,
    "release": RELEASE,
    "acq_rel": LIGHT,
    "seq_cst": FULL,
}
_COLD = re.compile(r"\.(?:cold|text\.unlikely)")

#: A part of an operation that may be outstanding: of which instruction, and R or W. F and S are
#: reads of a load-reserved whose store was not made, or was. -1 stands for all plain accesses.
Mark = tuple[int, str]


@dataclass
class _Paths:
    """What may be outstanding before each instruction: to a later write, and to a later read."""

    listing: Listing
    family: str
    groups: dict[int, int]  # instruction -> the first one of its operation's
    effects: list[Effect] = field(default_factory=list)
    to_write: list[frozenset[Mark]] = field(default_factory=list)
    to_read: list[frozenset[Mark]] = field(default_factory=list)
    late: set[Mark] = field(default_factory=set)
    reached: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        lines = self.listing.instructions
        self.effects = [effect_of(one.text, self.family, one.target is not None) for one in lines]
        self.to_write = [frozenset() for _ in lines]
        self.to_read = [frozenset() for _ in lines]
        self._follow()
        for number in range(len(lines)):
            self._find_late(number)

    def _unordered(self, kind: str, later: str) -> bool:
        return (kind, later) not in BASE[self.family]

    def _follow(self) -> None:
        if not self.effects:
            return
        number = {one.offset: at for at, one in enumerate(self.listing.instructions)}
        plain: frozenset[Mark] = frozenset({(-1, "R"), (-1, "W")})
        write = frozenset(m for m in plain if self._unordered(m[1], "W"))
        read = frozenset(m for m in plain if self._unordered(m[1], "R"))
        todo = [0, *(number[offset] for offset in self.listing.landings)]
        self.reached.update(todo)
        for at in todo:
            self.to_write[at], self.to_read[at] = write, read
        while todo:
            at = todo.pop()
            after = self._after(at)
            for where, target in self._following(at, number):
                write, read = self._failed(at, where, target, after)
                joined = self.to_write[where] | write, self.to_read[where] | read
                if where not in self.reached or joined != (
                    self.to_write[where],
                    self.to_read[where],
                ):
                    self.to_write[where], self.to_read[where] = joined
                    self.reached.add(where)
                    todo.append(where)

    def _following(self, at: int, number: dict[int, int]) -> Iterator[tuple[int, int | None]]:
        """Where control goes from an instruction, and where it goes if that branches."""
        effect, offset = self.effects[at], self.listing.instructions[at].target
        target = number.get(offset) if offset is not None else None
        ends = effect.ends or effect.kind in ("leave", "jump") or at in self.listing.ends
        if not ends and at + 1 < len(self.effects):
            yield at + 1, target
        if target is not None:
            yield target, target
        if effect.indirect and not self.listing.is_tail_call(at):
            for case in self.listing.jumped:
                yield number[case], None

    def _after(self, at: int) -> tuple[frozenset[Mark], frozenset[Mark]]:
        effect = self.effects[at]
        write, read = set(self.to_write[at]), set(self.to_read[at])
        pairs = effect.pairs
        if effect.kind == "rmw" and self.family == "riscv" and effect.acquire and effect.release:
            pairs = FULL  # what is before it is before it, and it before what follows
        write -= {m for m in write if (_kind(m), "W") in pairs}
        read -= {m for m in read if (_kind(m), "R") in pairs}
        if effect.after_branch:
            decided = {m for m in write | read if self._is_decided(m, at)}
            write, read = write - decided, read - decided
        made: list[Mark] = []
        if effect.kind == "call":
            made = [(-1, "R"), (-1, "W")]
        elif effect.kind == "conditional":
            reserve = self.reserve_of(at)
            for marks in (write, read):
                if (reserve, "F") in marks:
                    marks -= {(reserve, "F")}
                    marks |= {(reserve, "S")}
            made = [(at, "W")]
        elif effect.accesses and pairs != FULL:
            own = at if at in self.groups else -1
            if effect.kind == "reserve":
                write -= {(at, "S"), (at, "F")}
                read -= {(at, "S"), (at, "F")}
                made = [] if effect.acquire else [(at, "F")]
            elif effect.reads and not effect.acquire:
                made = [(own, "R")]
            made += [(own, "W")] if effect.writes else []
        write |= {m for m in made if self._unordered(_kind(m), "W")}
        read |= {m for m in made if self._unordered(_kind(m), "R")}
        return frozenset(write), frozenset(read)

    def _is_decided(self, mark: Mark, at: int) -> bool:
        """Whether a branch between the read and here waits for it: one of the same operation, or
        one on a comparison of the register with itself, which may be of several operations."""
        read = mark[0]
        if read < 0 or _kind(mark) != "R" or read not in self.groups:
            return False
        if any(
            self.effects[n].kind == "branch" and self.groups.get(n) == self.groups[read]
            for n in range(read + 1, at)
        ):
            return True
        lines = self.listing.instructions
        register = lines[read].text.split(" ")[1].partition(",")[0]
        compared = re.compile(rf"cmp\w* (?:cr\d,)?{register},{register}$")
        near = range(max(at - 4, 0), at)
        return self.effects[at - 1].kind == "branch" and any(
            compared.match(lines[n].text) for n in near
        )

    def reserve_of(self, conditional: int) -> int:
        before = range(conditional - 1, -1, -1)
        return next((n for n in before if self.effects[n].kind == "reserve"), -1)

    def _failed(
        self,
        at: int,
        where: int,
        target: int | None,
        after: tuple[frozenset[Mark], frozenset[Mark]],
    ) -> tuple[frozenset[Mark], frozenset[Mark]]:
        """On the way that is taken when a store-conditional was not made its read is one of a
        failure; on the other, where that alone leads there, it is not."""
        conditional = self._tested(at)
        if conditional is None:
            return after
        branch = self.listing.instructions[at].text
        taken_if_failed = branch.startswith(("bne", "cbnz"))
        failed = (where == target) is taken_if_failed
        if not failed and not self._entered_on_failure(conditional, at):
            return after
        reserve = self.reserve_of(conditional)
        write, read = (
            frozenset(
                (n, "F") if failed and (n, tag) == (reserve, "S") else (n, tag)
                for n, tag in marks
                if failed or (n, tag) != (reserve, "F")
            )
            for marks in after
        )
        return write, read

    def _tested(self, branch: int) -> int | None:
        """The store-conditional whose outcome a branch looks at."""
        if self.effects[branch].kind != "branch":
            return None
        for at in range(branch - 1, max(branch - 6, -1), -1):
            if self.effects[at].kind == "conditional":
                return at
            # On Power the outcome is a flag, which what neither compares nor has a dot leaves.
            text = self.listing.instructions[at].text
            keeps = self.family == "ppc" and not re.match(r"cmp|cr|mtcr|mtocr|\S+\.", text)
            if not keeps or self.effects[at].kind in ("branch", "call", "jump", "leave"):
                return None
        return None

    def _entered_on_failure(self, conditional: int, branch: int) -> bool:
        """Whether what jumps between the two, if anything does, found another value than the
        expected one, with the same flag."""
        lines = self.listing.instructions
        inside = {lines[at].offset for at in range(conditional + 1, branch + 1)}
        entries = [one for one in lines if one.target in inside]
        return bool(entries) and all(re.match(r"bne-?\+? (?!cr)", one.text) for one in entries)

    def _find_late(self, at: int) -> None:
        """Which reads (and, of x86's stores, writes) this instruction may be made before."""
        effect = self.effects[at]
        if effect.kind in ("call", "leave") or effect.leaves:
            if not _COLD.search(self.listing.instructions[at].text):
                self.late |= self.to_write[at] | self.to_read[at]
            return
        if effect.ends:
            self.late |= frozenset[Mark]().union(*self._after(at))
        for concerned, marks in (
            (effect.writes, self.to_write[at]),
            (effect.reads, self.to_read[at]),
        ):
            if concerned:
                self.late |= {
                    m for m in marks if self._foreign(m, at) and not self._is_looked_at(m, at)
                }

    def _is_looked_at(self, mark: Mark, at: int) -> bool:
        """A load-reserved comes before each store-conditional and is looked at by itself. That of
        several operations may be one, so that it is not known which of them it belongs to."""
        return self.effects[at].kind == "conditional" and mark[1] in "FS"

    def _foreign(self, mark: Mark, at: int) -> bool:
        own = self.groups.get(at)
        return mark[0] < 0 or own is None or self.groups.get(mark[0]) != own

    def before_write(self, at: int) -> bool:
        """Whether something is outstanding that a release would wait for."""
        return any(self._foreign(mark, at) for mark in self.to_write[at])

    def writes_before_read(self, at: int) -> bool:
        return any(self._foreign(m, at) and _kind(m) == "W" for m in self.to_read[at])


def _kind(mark: Mark) -> str:
    return "W" if mark[1] == "W" else "R"


def is_followed(listing: Listing, family: str) -> bool:
    """Whether branches alone lead everywhere in a function."""
    paths = _Paths(listing, family, {})
    indirect = (n for n, one in enumerate(paths.effects) if one.indirect)
    return len(paths.reached) == listing.count and all(map(listing.is_tail_call, indirect))


def judge(listing: Listing, family: str, attributed: list[Attributed]) -> list[Attributed]:
    """The same with what is wrong. Nothing is said of an operation whose instructions were not
    found or may be another's, nor of what a called library does."""
    if not attributed:
        return []
    groups: dict[int, int] = {}
    for one in attributed:
        for number in one.instructions:
            groups[number] = one.instructions[0]
    paths = _Paths(listing, family, groups)
    return [_judged(one, paths) for one in attributed]


def can_be_of(operation: Operation, effect: Effect) -> bool:
    """Plain accesses on the line of an operation are its own only if it is plain itself."""
    if operation.kind == "load":
        return effect.reads
    if operation.kind == "store":
        return effect.writes
    return effect.accesses and effect.kind not in ("load", "store", "update")


def _judged(one: Attributed, paths: _Paths) -> Attributed:
    if reason := _not_judged(one, paths):
        return replace(one, not_judged=reason)
    return replace(one, faults=tuple(_faults(one, paths)))


def _not_judged(one: Attributed, paths: _Paths) -> str:
    if not one.instructions:
        return "no instruction"
    if {one.operation.order, one.operation.failure} <= {"relaxed", ""}:
        return ""  # there is nothing to judge
    if one.doubt:
        return one.doubt
    unknown = [n for n in paths.reached if paths.effects[n].kind == "unknown"]
    if unknown:
        text = paths.listing.instructions[min(unknown)].text
        return f"it is not known what '{text}' does to memory"
    if one.operation.is_fence:
        return "its fence stands on another line" if _is_elsewhere(one, paths) else ""
    does = [n for n in one.instructions if can_be_of(one.operation, paths.effects[n])]
    if any(calls_library(paths.listing.instructions[n].text) for n in does):
        return "what the library does is not seen"
    if not does:
        return "no instruction that does it was found"
    if not paths.reached.issuperset(does):
        return "no path to its instructions was found"
    return ""


def _faults(one: Attributed, paths: _Paths) -> list[str]:
    operation, effects = one.operation, paths.effects
    if operation.is_fence:
        return _fence_faults(one, paths)
    does = [n for n in one.instructions if can_be_of(operation, effects[n])]
    reads = [n for n in does if effects[n].reads]
    writes = [n for n in does if effects[n].writes]
    wanted = reads if operation.is_load else writes
    if not wanted:
        return []
    text = [each.text for each in paths.listing.instructions]
    found = []
    stores = not operation.is_load
    loads = operation.kind != "store"
    if stores and operation.order in _RELEASES:
        bad = [n for n in writes if not effects[n].release and paths.before_write(n)]
        if len(bad) == len(writes):
            found.append(
                f"no release: '{text[bad[0]]}' may be made before accesses that precede it"
            )
    if loads:
        found += _acquire_faults(operation, reads, paths, text)
    if operation.order == "seq_cst" or operation.failure == "seq_cst":
        found += _total_order_faults(operation, reads, writes, paths, text)
    return found


def _acquire_faults(
    operation: Operation, reads: list[int], paths: _Paths, text: list[str]
) -> list[str]:
    found = []
    cases = [("", operation.order, "RSF" if operation.is_load else "RS")]
    if operation.failure:
        cases = [
            (" when it succeeds", operation.order, "RS"),
            (" when it fails", operation.failure, "F"),
        ]
    for case, order, kinds in cases:
        if order not in _ACQUIRES:
            continue
        bad = [n for n in reads if any((n, kind) in paths.late for kind in kinds)]
        if bad and len(bad) == len(reads):
            found.append(
                f"no acquire{case}: accesses that follow may be made before '{text[bad[0]]}'"
            )
    return found


def _total_order_faults(
    operation: Operation, reads: list[int], writes: list[int], paths: _Paths, text: list[str]
) -> list[str]:
    """What seq_cst needs besides acquire and release: that a seq_cst store is seen before a later
    seq_cst load is made. Compilers for x86 see to it at the store, the others at the load."""
    effects = paths.effects
    if paths.family == "x86":
        bad = [n for n in writes if (n, "W") in paths.late]
        if operation.kind == "store" and bad and len(bad) == len(writes):
            return [f"not seq_cst: later loads may be made before '{text[bad[0]]}' is seen"]
        return []
    fails = operation.kind == "compare_exchange" and operation.failure == "seq_cst"
    if paths.family == "arm":
        concerned = reads if operation.is_load else []
        bad = [n for n in concerned if not effects[n].acquire or effects[n].weak_acquire]
    elif paths.family == "riscv":
        concerned = reads if operation.is_load or fails else []
        # An annotated load (Zalasr) waits for annotated stores, as ldar does for stlr.
        annotated = [n for n in concerned if effects[n].kind == "load" and effects[n].acquire]
        concerned = [n for n in concerned if effects[n].kind != "rmw" and n not in annotated]
        bad = [n for n in concerned if not effects[n].release]
    else:
        concerned = reads or writes
        bad = list(concerned)
    bad = [n for n in bad if paths.writes_before_read(n)]
    if not bad or len(bad) < len(concerned):
        return []
    what = "when it fails it is a seq_cst load, and " if fails and not operation.is_load else ""
    return [f"not seq_cst: {what}'{text[bad[0]]}' may be made before earlier stores are seen"]


def _fence_faults(one: Attributed, paths: _Paths) -> list[str]:
    needed = _FENCES.get(one.operation.order, NOTHING) - BASE[paths.family]
    if not needed or not one.instructions:
        return []
    given = [paths.effects[n].pairs for n in one.instructions]
    if any(needed <= pairs for pairs in given):
        return []
    texts = [_barrier(paths.listing.instructions[n]) for n in one.instructions]
    said = ", ".join(filter(None, texts)) or "no fence"
    return [f"the fence is too weak: {said}"]


def _is_elsewhere(one: Attributed, paths: _Paths) -> bool:
    """Whether none of its instructions is a fence, and one that would do is nobody's."""
    lines = paths.listing.instructions
    needed = _FENCES.get(one.operation.order, NOTHING) - BASE[paths.family]
    if any(BARRIER.match(lines[number].text) for number in one.instructions):
        return False
    return any(
        BARRIER.match(line.text) and needed <= paths.effects[number].pairs
        for number, line in enumerate(lines)
        if number not in paths.groups
    )


def _barrier(instruction: Instruction) -> str:
    return f"'{instruction.text}'" if instruction.atomic else ""
