# SPDX-License-Identifier: MIT
"""Whether each order in some files is needed by a proof that the comment at it names.

Each order that is written there has to name proofs, some execution of which comes to it, and a step
weaker it has to make one of them fail. Few programs show that of many orders, so they are compiled
as they are needed: at first one for each order, as few as may do, and for what is left the next
that the comments name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from fencepost.binary.source_location import short_path
from fencepost.system.source_file import source_text_of
from fencepost.weaken.cases import FAILS, UNDECIDED, Case, Cases, Look
from fencepost.weaken.edits import writes_order
from fencepost.weaken.lattice import Domain, Value, with_derived
from fencepost.weaken.named_proofs import NONE, Comments, Proofs
from fencepost.weaken.result import Result, Solution
from fencepost.weaken.sites import Key, Site, SitesChanged
from fencepost.weaken.subjects import Subject
from fencepost.weaken.written_orders import Written, files_below, orders_written

#: How far a program is explored to see which sites it has.
FIRST_EXECUTIONS = 1000

EXCHANGE = Domain("exchange")

#: A site, and orders that are a step weaker than its own.
Question = tuple[Key, Value]


_real = cache(os.path.realpath)


@dataclass
class _Asked:
    """What became of one question so far."""

    programs: set[int] = field(default_factory=set)
    needed_by: Case | None = None
    kind: str = ""
    undecided: bool = False


class Named:
    """One round of questions after the other, until every order has its proof or no proof is left.

    `build` compiles programs by their numbers, and gives their cases."""

    def __init__(
        self,
        cases: Cases,
        subjects: list[Subject],
        only: list[str],
        build: Callable[[list[int]], list[Case]],
    ) -> None:
        self._cases = cases
        self._build = build
        self._numbers = {subject.case: number for number, subject in enumerate(subjects)}
        self._proofs = Proofs(self._numbers)
        files = files_below(only)
        self._written = [one for file in files for one in orders_written(file, cases.sites.fences)]
        self._comments = cache(lambda file: Comments(source_text_of(Path(file))))
        self._built: set[int] = set()
        self._looked_at: set[Case] = set()
        self._asked: dict[Question, _Asked] = {}

    def result(self) -> Result:
        ahead = self._first_programs()
        while ahead:
            self._built |= ahead
            self._cases.add(self._build(sorted(ahead)))
            while True:
                try:
                    if violated := self._look_at_new():
                        return violated
                    self._ask()
                    break
                except SitesChanged:
                    self._cases.forget()
            ahead = self._next_programs()
        return self._told()

    # ---- which programs

    def _named(self, file: Path, line: int) -> tuple[list[int], str]:
        """The programs that a comment names for a line; or what is wrong with it."""
        names = self._comments(file).names_at(line)
        if not names:
            return [], "no proof is named for it"
        found: list[int] = []
        for name in names if names != (NONE,) else ():
            called = self._proofs.called(name, file)
            if not called:
                return [], f"no proof is called {name}"
            found += [self._numbers[one] for one in called]
        return list(dict.fromkeys(found)), ""

    def _first_programs(self) -> set[int]:
        """One for each order, the one that is named by most of those that have none yet."""
        named = [self._named(one.file, one.line)[0] for one in self._written]
        left = [set(one) for one in named if one]
        chosen: set[int] = set()
        while left:
            counts = {number: sum(number in one for one in left) for one in left for number in one}
            best = min(counts, key=lambda number: (-counts[number], number))
            chosen.add(best)
            left = [one for one in left if best not in one]
        return chosen

    def _next_programs(self) -> set[int]:
        """One more program for each question without an answer and each order that nothing came
        to."""
        places = [(Path(key[0]), key[1]) for (key, _), asked in self._open()]
        places += [(one.file, one.line) for one in self._written if not self._is_reached(one)]
        ahead: set[int] = set()
        for file, line in places:
            left = [one for one in self._named(file, line)[0] if one not in self._built]
            if left and ahead.isdisjoint(left):
                ahead.add(left[0])
        return ahead

    def _open(self) -> list[tuple[Question, _Asked]]:
        return [(question, one) for question, one in self._asked.items() if not one.needed_by]

    def _is_reached(self, written: Written) -> bool:
        return any(site.varies and self._is_at(site, written) for site in self._cases.sites.all)

    @staticmethod
    def _is_at(site: Site, written: Written) -> bool:
        return (
            site.place.line in written.lines
            and site.is_call == written.is_call
            and _real(site.place.file) == _real(str(written.file))
        )

    # ---- what is asked of them

    def _look_at_new(self) -> Result | None:
        """Explores the beginning of what was built, to see which sites there are."""
        new = [case for case in self._cases.cases if case not in self._looked_at]
        for case, found in self._cases.each(new, {}, FIRST_EXECUTIONS):
            if found.violation:
                result = Result(self._cases, verdict="violated", violation=(case, found))
                result.reason = "it fails as it is written"
                return result
            self._looked_at.add(case)
        return None

    def _ask(self) -> None:
        while questions := list(self._questions()):
            for place, (question, number, cases) in enumerate(questions):
                self._cases.expect(self._looks(questions[place + 1 :]))
                self._put(question, number, cases)

    def _questions(self) -> Iterable[tuple[Question, int, list[Case]]]:
        """What was not asked yet of the programs that are there: a program a question."""
        for number in self._cases.varied:
            site = self._cases.sites.all[number]
            named = self._named(Path(site.place.file), site.place.line)[0]
            for lower in self._lower(site, self._cases.written[number]):
                asked = self._asked.setdefault((site.key, lower), _Asked())
                ahead = [
                    one
                    for one in named
                    if one in self._built and one not in asked.programs and site.is_in(one)
                ]
                if ahead and not asked.needed_by:
                    cases = [case for case in self._cases.cases if case.program == ahead[0]]
                    yield (site.key, lower), number, cases

    def _lower(self, site: Site, written: Value) -> tuple[Value, ...]:
        """A step down. A compare-exchange with one order written, which says what it is when it
        fails, too, is lowered in both."""
        if site.operation == "compare_exchange" and written == with_derived(written[0]):
            at = [one for one in self._written if self._is_at(site, one)]
            if len(at) == 1:
                return tuple(with_derived(order) for (order,) in EXCHANGE.lower(written[:1]))
        return site.domain.lower(written)

    def _looks(self, questions: list[tuple[Question, int, list[Case]]]) -> Iterable[Look]:
        for (_, lower), number, cases in questions:
            yield from self._cases.first_looks(cases, {number: lower})

    def _put(self, question: Question, number: int, cases: list[Case]) -> None:
        asked = self._asked[question]
        failing, answer = self._cases.first_violation(cases, {number: question[1]})
        asked.programs.add(cases[0].program)
        asked.undecided |= answer == UNDECIDED
        if answer == FAILS:
            asked.needed_by = self._cases.cases[failing]
            asked.kind = self._cases.knowledge.failures[-1].kind

    # ---- what is said of it

    def _told(self) -> Result:
        numbers = {site.key: number for number, site in enumerate(self._cases.sites.all)}
        solution = Solution({})
        result = Result(self._cases, verdict="needed", solutions=[solution], named=True)
        weaker = []
        for (key, lower), asked in self._asked.items():
            number = numbers[key]
            site = self._cases.sites.all[number]
            if asked.needed_by:
                case = self._cases.cases.index(asked.needed_by)
                solution.needed[number, lower] = case, asked.kind
            elif asked.undecided:
                solution.needed[number, lower] = -1, ""
            elif asked.programs:
                weaker.append(Solution({number: lower}))
            elif why := self._why_not_asked(site):
                result.unproven.append((site.where, why))
        for number in self._cases.varied:
            site = self._cases.sites.all[number]
            if site.domain.lower(self._cases.written[number]) and not self._is_written(site):
                result.unproven.append((site.where, f"{site.operation}: no order is written there"))
        for one in self._written:
            if not self._is_reached(one) and (why := self._why_not_reached(one)):
                result.unproven.append((f"{short_path(str(one.file))}:{one.line}", why))
        if result.unproven:
            result.verdict = "unproven"
            result.reason = "not every order has a proof that needs it"
        if weaker:
            result.solutions = weaker
            result.verdict = "weaker"
            result.reason = "each of these orders alone may be weaker, for all that is named for it"
        return result

    def _is_written(self, site: Site) -> bool:
        return any(self._is_at(site, one) for one in self._written) or writes_order(site)

    def _why_not_asked(self, site: Site) -> str:
        named, wrong = self._named(Path(site.place.file), site.place.line)
        return wrong or (f"{self._titles(named)} does not come to it" if named else "")

    def _why_not_reached(self, written: Written) -> str:
        named, wrong = self._named(written.file, written.line)
        nobody = f"{written.what}: {self._titles(named)} does not come to it"
        return f"{written.what}: {wrong}" if wrong else nobody if named else ""

    def _titles(self, numbers: list[int]) -> str:
        cases = {number: case for case, number in self._numbers.items()}
        return ", ".join(short_path(cases[one].title) for one in numbers)
