# SPDX-License-Identifier: MIT
"""Finds the weakest assignments of orders that hold, and the smallest repair of one that fails.

Downwards: site by site, the costliest operations first, the weakest order that still holds. What a
site could not have while the others were stronger it cannot have later, so one pass ends at an
assignment in which no site can be lowered by a step. To find all such assignments, the strongest
point that none of those found covers is asked, again and again, until none is left.

Upwards: every violation names the sites that had a part in it; one of them must become stronger. A
smallest repair is a smallest set of sites that hits every violation found so far; either it holds
with those at their strongest, or there is one more violation to hit.
"""

from __future__ import annotations

from collections.abc import Iterator

from fencepost.weaken_cases import HOLDS, Cases
from fencepost.weaken_lattice import Assignment, Value, below

#: Which operations are lowered first: those whose strongest orders cost the most.
_COSTLY_FIRST = ("fence", "store", "exchange", "compare_exchange", "load", "light fence")

#: How many smallest repairs are compared before one is chosen.
MOST_REPAIRS = 64


def _turn(cases: Cases, number: int) -> tuple[int, int]:
    operation = cases.sites.all[number].operation
    known = operation if operation in _COSTLY_FIRST else "exchange"
    return _COSTLY_FIRST.index(known), number


class Search:
    """One search over the assignments of some programs; what it has found so far stays in it when
    it is interrupted."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        #: The weakest assignment that is known to hold.
        self.reached: dict[int, Value] = {}
        #: All that were found, each minimal.
        self.minima: list[dict[int, Value]] = []
        self.is_complete = False

    # ---- downwards

    def weakest(self) -> dict[int, Value]:
        """One minimal assignment, below what is written and known to hold."""
        self.reached = self._descended({})
        self.minima = [self.reached]
        return self.reached

    def all_weakest(self) -> list[dict[int, Value]]:
        self.weakest()
        while (point := next(self._uncovered(), None)) is not None:
            if self._cases.ask(point) == HOLDS:
                self.minima.append(self._descended(point))
        self.is_complete = True
        return self.minima

    def _descended(self, start: Assignment, floor: bool = False) -> dict[int, Value]:
        """Lowers every site as far as it goes; with `floor` only those that `start` changes, and
        not below what is written."""
        now = dict(start)
        done: set[int] = set()
        while True:
            ahead = [
                number
                for number in self._cases.varied
                if number not in done and (number in start or not floor)
            ]
            if not ahead:  # a weaker program may have come to sites that no other did
                return {site: now[site] for site in sorted(now)}
            number = min(ahead, key=lambda one: _turn(self._cases, one))
            done.add(number)
            self._lower(now, number, floor)

    def _lower(self, now: dict[int, Value], number: int, floor: bool) -> None:
        domain = self._cases.sites.all[number].domain
        written = self._cases.written[number]
        for part in reversed(range(len(written))):  # the order for failure first: C ties the other
            current = self._cases.at(now, number)
            for order in domain.components[part]:
                value = (*current[:part], order, *current[part + 1 :])
                if value == current or not below(value, current) or not domain.allows(value):
                    continue
                if floor and not below(written, value):
                    continue
                wanted = now | {number: value}
                if value == written:
                    del wanted[number]
                if self._cases.ask(wanted) == HOLDS:
                    now.clear()
                    now.update(wanted)
                    if not self.minima:
                        self.reached = dict(now)
                    break

    def _uncovered(self) -> Iterator[dict[int, Value]]:
        """The strongest points that are above none of the minima and not ruled out."""
        seen: set[tuple[int, tuple[tuple[int, Value], ...]]] = set()

        def below_all(index: int, point: dict[int, Value]) -> Iterator[dict[int, Value]]:
            self._cases.check_time()
            key = index, tuple(sorted(point.items()))
            if key in seen or self._cases.knowledge.ruled_out_by(point):
                return
            seen.add(key)
            if index == len(self.minima):
                yield point
                return
            minimum = self.minima[index]
            at = self._cases.at
            everywhere = self._cases.varied
            if any(not below(at(minimum, one), at(point, one)) for one in everywhere):
                yield from below_all(index + 1, point)
                return
            for number in everywhere:
                for value in self._just_not_above(number, at(point, number), at(minimum, number)):
                    yield from below_all(index + 1, point | {number: value})

        yield from below_all(0, {})

    def _just_not_above(self, number: int, limit: Value, minimum: Value) -> list[Value]:
        """The strongest values up to a limit that are not at least as strong as the minimum."""
        values = self._cases.sites.all[number].domain.values
        inside = [one for one in values if below(one, limit) and not below(minimum, one)]
        return [one for one in inside if not any(one != two and below(one, two) for two in inside)]

    # ---- upwards

    def strongest(self) -> bool:
        """Whether the strongest assignment holds; no order helps if it does not."""
        while True:
            varied = self._cases.varied
            sites = self._cases.sites.all
            answer = self._cases.ask({one: sites[one].domain.strongest for one in varied})
            if varied == self._cases.varied:
                self.reached = {one: sites[one].domain.strongest for one in varied}
                return answer == HOLDS

    def smallest_repair(self) -> dict[int, Value]:
        """Changes as few sites as possible, each as little as possible. To be called when the
        strongest assignment holds."""
        size = 1
        while not self.minima and size <= len(self._cases.varied):
            tried: set[tuple[int, ...]] = set()
            while (chosen := next(self._hitting((), size, tried), None)) is not None:
                tried.add(chosen)
                raised = {one: self._cases.sites.all[one].domain.strongest for one in chosen}
                if self._cases.ask(raised) == HOLDS:
                    self.reached = raised
                    self.minima.append(self._descended(raised, floor=True))
                    if len(self.minima) >= MOST_REPAIRS:
                        break
            size += 1
        self.is_complete = len(self.minima) < MOST_REPAIRS
        if self.minima:
            self.reached = min(self.minima, key=self._weight)
        return self.reached

    def _weight(self, assignment: Assignment) -> tuple[int, list[int]]:
        sites = self._cases.sites.all
        steps = sum(
            sites[one].domain.steps(value) - sites[one].domain.steps(self._cases.written[one])
            for one, value in assignment.items()
        )
        return steps, sorted(assignment)

    def _hitting(
        self, chosen: tuple[int, ...], size: int, tried: set[tuple[int, ...]]
    ) -> Iterator[tuple[int, ...]]:
        """Sets of that many sites which, at their strongest, no violation rules out."""
        self._cases.check_time()
        sites = self._cases.sites.all
        raised = {one: sites[one].domain.strongest for one in chosen}
        failure = self._cases.knowledge.ruled_out_by(raised)
        if failure is None:
            complete = tuple(sorted(chosen))
            if len(chosen) == size and complete not in tried:
                yield complete
            return
        if len(chosen) == size:
            return
        varied = set(self._cases.varied)
        for number, value in failure.values.items():
            if number in chosen or number not in varied:
                continue
            if not below(sites[number].domain.strongest, value):
                yield from self._hitting((*chosen, number), size, tried)

    # ---- the result

    def is_needed(self, assignment: Assignment, number: int, value: Value) -> tuple[int, str]:
        """Which case fails, and how, if one site is lowered to `value`; (-1, "") if none is known
        to. Looks afresh, at the likely case first."""
        wanted = {**assignment, number: value}
        cases = self._cases.cases
        known = self._cases.knowledge.ruled_out_by(wanted)
        likely = known.case if known else -1
        ahead = sorted(range(len(cases)), key=lambda case: (case != likely, case))
        if likely >= 0:
            found = self._cases.explore(cases[likely], wanted)
            if found.violation:
                return likely, found.violation.kind
        failing, _ = self._cases.first_violation([cases[one] for one in ahead], wanted)
        return (failing, self._cases.knowledge.failures[-1].kind) if failing >= 0 else (-1, "")
