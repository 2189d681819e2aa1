# SPDX-License-Identifier: MIT
"""The orders that an operation may have, which of two is weaker, and what is known of assignments.

An assignment says for each site which orders it has. Weaker orders allow more executions and never
fewer, so what fails under one assignment fails under each that is nowhere stronger, and what holds
under one holds under each that is nowhere weaker. More than that: a violation is one execution, in
which only the sites that occur in it have a part. It rules out every assignment that is no stronger
at *those* sites, whatever the others have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import product

#: One order, or of a compare-exchange two: for success and for failure.
Value = tuple[str, ...]

#: What each order does; one that does more is stronger. A fence that does nothing is none. A call
#: of a function that is a fence is there or not.
_DOES = {
    "none": frozenset[str](),
    "there": frozenset({"there"}),
    "relaxed": frozenset[str](),
    "acquire": frozenset({"acquire"}),
    "release": frozenset({"release"}),
    "acq_rel": frozenset({"acquire", "release"}),
    "seq_cst": frozenset({"acquire", "release", "total order"}),
}

#: The orders that the standard allows, from the weakest on.
_LOAD = ("relaxed", "acquire", "seq_cst")
_STORE = ("relaxed", "release", "seq_cst")
_MODIFY = ("relaxed", "acquire", "release", "acq_rel", "seq_cst")
_FENCE = ("none", "acquire", "release", "acq_rel", "seq_cst")
_LIGHT_FENCE = ("none", "seq_cst")
_CALL = ("none", "there")

#: What a call of a function that is a fence is said to be, with the function's name behind it.
CALL_OF = "call of "


def no_stronger(weak: str, strong: str) -> bool:
    return _DOES[weak] <= _DOES[strong]


def below(weak: Value, strong: Value) -> bool:
    """Whether no part of `weak` is stronger than that part of `strong`."""
    return all(no_stronger(one, other) for one, other in zip(weak, strong, strict=True))


def with_derived(success: str) -> Value:
    """The orders of a compare-exchange that is told one order."""
    return success, {"acq_rel": "acquire", "release": "relaxed"}.get(success, success)


@dataclass(frozen=True)
class Domain:
    """The values that one operation may have. `chained`: C, and C++ before C++17, do not let a
    compare-exchange have a stronger order for failure than for success."""

    operation: str
    chained: bool = False

    @property
    def components(self) -> tuple[tuple[str, ...], ...]:
        if self.operation == "compare_exchange":
            return (_MODIFY, _LOAD)
        if self.operation.startswith(CALL_OF):
            return (_CALL,)
        known = {
            "load": _LOAD,
            "store": _STORE,
            "fence": _FENCE,
            "light fence": _LIGHT_FENCE,
        }
        return (known.get(self.operation, _MODIFY),)

    def allows(self, value: Value) -> bool:
        if len(value) != len(self.components):
            return False
        if not all(one in known for one, known in zip(value, self.components, strict=True)):
            return False
        return not self.chained or len(value) == 1 or no_stronger(value[1], value[0])

    def offers(self, value: Value) -> bool:
        """Whether somebody should write that. Where the order for failure does more than that for
        success, gcc compiles seq_cst: such a value is weaker than others, and dearer."""
        if len(value) == 1 or value == ("release", "acquire"):
            return self.allows(value)
        return self.allows(value) and no_stronger(value[1], value[0])

    @property
    def values(self) -> tuple[Value, ...]:
        """All on offer, from the weakest on: none comes before one that is weaker."""
        return _values(self)

    @property
    def strongest(self) -> Value:
        return tuple(orders[-1] for orders in self.components)

    def lower(self, value: Value) -> tuple[Value, ...]:
        """What is one step weaker: nothing allowed lies between."""
        under = [one for one in self.values if one != value and below(one, value)]
        return tuple(
            one for one in under if not any(other != one and below(one, other) for other in under)
        )

    def not_above(self, value: Value) -> tuple[Value, ...]:
        """The strongest values that are not at least as strong as `value`."""
        outside = [one for one in self.values if not below(value, one)]
        return tuple(
            one
            for one in outside
            if not any(other != one and below(one, other) for other in outside)
        )

    def steps(self, value: Value) -> int:
        """How far a value lies above the weakest."""
        return sum(len(_DOES[one]) for one in value)


@lru_cache(maxsize=64)
def _values(domain: Domain) -> tuple[Value, ...]:
    found = [value for value in product(*domain.components) if domain.offers(value)]
    return tuple(sorted(found, key=domain.steps))


#: Sites by number, with the values that they have; a site that is not named has what is written.
Assignment = Mapping[int, Value]


@dataclass(frozen=True)
class Failure:
    """A violation, and what had a part in it."""

    values: dict[int, Value]
    case: int
    kind: str


class Knowledge:
    """What was found to fail."""

    def __init__(self, written: Mapping[int, Value]) -> None:
        self._written = written
        self.failures: list[Failure] = []

    def at(self, assignment: Assignment, site: int) -> Value:
        return assignment.get(site, self._written[site])

    def no_stronger(self, weak: Assignment, strong: Assignment, sites: Iterable[int]) -> bool:
        return all(below(self.at(weak, site), self.at(strong, site)) for site in sites)

    def learn_failure(
        self, assignment: Assignment, involved: Iterable[int], case: int, kind: str
    ) -> None:
        values = {site: self.at(assignment, site) for site in sorted(involved)}
        self.failures.append(Failure(values, case, kind))

    def ruled_out_by(self, assignment: Assignment) -> Failure | None:
        for failure in self.failures:
            if all(below(self.at(assignment, at), value) for at, value in failure.values.items()):
                return failure
        return None
