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

from collections.abc import Iterable, Iterator
from itertools import chain, product, zip_longest
from math import prod

from fencepost.execution.schema import Exploration
from fencepost.weaken.cases import HOLDS, Case, Cases, Look
from fencepost.weaken.lattice import Assignment, Value, below

#: Which operations are lowered first: those whose strongest orders cost the most.
_COSTLY_FIRST = ("fence", "store", "exchange", "compare_exchange", "load", "light fence")

#: How many smallest repairs are compared before one is chosen.
MOST_REPAIRS = 64
#: And how many assignments of the orders of one set of sites are looked at for the fewest steps.
MOST_ASKED = 2000


def _turn(cases: Cases, number: int) -> tuple[int, int]:
    site = cases.sites.all[number]
    operation = "fence" if site.is_call else site.operation
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
            self._expect(self._questions(point, self._turns(self._cases.varied)))
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
            turns = self._turns(ahead)
            number = turns[0][0]
            done.add(number)
            while turns and turns[0][0] == number:
                self._lower(now, turns[0], turns[1:], floor)
                turns = turns[1:]

    def _turns(self, numbers: list[int]) -> list[tuple[int, int]]:
        """Sites and their parts, in the order in which they are lowered: the order for failure
        before that for success, for C ties the other to it."""
        return [
            (number, part)
            for number in sorted(numbers, key=lambda one: _turn(self._cases, one))
            for part in reversed(range(len(self._cases.written[number])))
        ]

    def _lower(
        self,
        now: dict[int, Value],
        turn: tuple[int, int],
        later: list[tuple[int, int]],
        floor: bool,
    ) -> None:
        weaker = list(self._weaker(now, turn, floor))
        for place, wanted in enumerate(weaker):
            if_not = chain(weaker[place + 1 :], self._questions(now, later, floor))
            if_so = self._questions(wanted, later, floor)
            self._expect(one for both in zip_longest(if_not, if_so) for one in both if one)
            if self._cases.ask(wanted) == HOLDS:
                now.clear()
                now.update(wanted)
                if not self.minima:
                    self.reached = dict(now)
                break

    def _weaker(
        self, now: Assignment, turn: tuple[int, int], floor: bool
    ) -> Iterator[dict[int, Value]]:
        """Assignments with one part of one site weaker, the weakest first."""
        number, part = turn
        domain = self._cases.sites.all[number].domain
        written = self._cases.written[number]
        current = self._cases.at(now, number)
        for order in domain.components[part]:
            value = (*current[:part], order, *current[part + 1 :])
            if value == current or not below(value, current):
                continue
            if value != written and not domain.offers(value):
                continue
            if floor and not below(written, value):
                continue
            wanted = {**now, number: value}
            if value == written:
                del wanted[number]
            yield wanted

    def _questions(
        self, now: Assignment, turns: list[tuple[int, int]], floor: bool = False
    ) -> Iterator[dict[int, Value]]:
        """What is asked in these turns as long as nothing holds."""
        return chain.from_iterable(self._weaker(now, turn, floor) for turn in turns)

    def _expect(self, questions: Iterable[Assignment]) -> None:
        """What will probably be asked after the next question."""
        self._cases.expect(chain.from_iterable(map(self._cases.looks, questions)))

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
            answer = self._cases.ask(self._raised(varied))
            if varied == self._cases.varied:
                self.reached = self._raised(varied)
                return answer == HOLDS

    def smallest_repair(self, every: bool = False) -> dict[int, Value]:
        """Changes as few sites as possible, in as few steps as possible; `every`: finds all repairs
        of so few sites of which nothing can be taken away. To be called when the strongest
        assignment holds."""
        size, exact = 1, True
        while not self.minima and size <= len(self._cases.varied):
            tried: set[tuple[int, ...]] = set()
            while (chosen := next(self._hitting((), size, tried), None)) is not None:
                tried.add(chosen)
                raised = self._raised(chosen)
                self._expect(map(self._raised, self._hitting((), size, tried)))
                if self._cases.ask(raised) == HOLDS:
                    self.reached = raised
                    if (repairs := self._repairs_of(chosen, every)) is None:
                        repairs, exact = [self._descended(raised, floor=True)], False
                    self.minima += repairs
                    if len(self.minima) >= MOST_REPAIRS:
                        break
            size += 1
        self.is_complete = exact and len(self.minima) < MOST_REPAIRS
        if self.minima:
            self.reached = min(self.minima, key=self._weight)
        return self.reached

    def _repairs_of(self, chosen: tuple[int, ...], every: bool) -> list[dict[int, Value]] | None:
        """Find repairs of these sites: orders, as written or stronger, that hold. The one with the
        fewest steps comes first, and is the only one without `every`. With `every` there are all of
        which none is above another. None where too many would be asked."""
        sites, written, at = self._cases.sites.all, self._cases.written, self._cases.at
        choices = [
            [value for value in sites[one].domain.values if below(written[one], value)]
            for one in chosen
        ]
        if prod(map(len, choices)) > MOST_ASKED:
            return None
        asked = (dict(zip(chosen, values, strict=True)) for values in product(*choices))
        found: list[dict[int, Value]] = []
        for values in sorted(asked, key=self._weight):
            wanted = {one: value for one, value in values.items() if value != written[one]}
            if any(all(below(at(two, one), values[one]) for one in chosen) for two in found):
                continue
            if self._cases.ask(wanted) == HOLDS:
                found.append(wanted)
                if not every:
                    break
        return found

    def _raised(self, chosen: Iterable[int]) -> dict[int, Value]:
        return {one: self._cases.sites.all[one].domain.strongest for one in chosen}

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
        failure = self._cases.knowledge.ruled_out_by(self._raised(chosen))
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

    def proofs(
        self, assignment: Assignment, lowered: list[tuple[int, Value]]
    ) -> list[tuple[Case, Exploration]]:
        """Every case, explored afresh; each of `lowered` comes next."""
        self._cases.expect(self._first_looks(assignment, lowered))
        return list(self._cases.each(self._cases.cases, assignment, proof=True))

    def needed(
        self, assignment: Assignment, lowered: list[tuple[int, Value]]
    ) -> dict[tuple[int, Value], tuple[int, str]]:
        """By site and lower value: which case fails, and how, if that one site is lowered so;
        (-1, "") if none is known to. Looks afresh, at the likely case first."""
        found = {}
        for place, (number, value) in enumerate(lowered):
            self._cases.expect(self._first_looks(assignment, lowered[place + 1 :]))
            found[number, value] = self._why_needed({**assignment, number: value})
        return found

    def _why_needed(self, wanted: Assignment) -> tuple[int, str]:
        cases = self._cases.cases
        likely = self._likely(wanted)
        ahead = sorted(range(len(cases)), key=lambda case: (case != likely, case))
        if likely >= 0:
            ((_, found),) = self._cases.each([cases[likely]], wanted)
            if found.violation:
                return likely, found.violation.kind
        failing, _ = self._cases.first_violation([cases[one] for one in ahead], wanted)
        return (failing, self._cases.knowledge.failures[-1].kind) if failing >= 0 else (-1, "")

    def _likely(self, wanted: Assignment) -> int:
        known = self._cases.knowledge.ruled_out_by(wanted)
        return known.case if known else -1

    def _first_looks(
        self, assignment: Assignment, lowered: list[tuple[int, Value]]
    ) -> Iterator[Look]:
        for number, value in lowered:
            wanted = {**assignment, number: value}
            likely = self._likely(wanted)
            cases = self._cases.cases if likely < 0 else [self._cases.cases[likely]]
            yield from self._cases.first_looks(cases, wanted)
