# SPDX-License-Identifier: MIT
"""What `fencepost weaken` answers: a search, and the proof of what it found.

Nothing is printed that rests on the search alone: an assignment that it found is explored afresh,
and so is each step down from it, which must fail.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fencepost.weaken.cases import FAILS, UNDECIDED, Cases, OutOfBudget
from fencepost.weaken.lattice import Assignment, Value, below
from fencepost.weaken.result import Result, Solution
from fencepost.weaken.search import Search
from fencepost.weaken.sites import SitesChanged

#: How far a program is explored to see which sites it has.
FIRST_EXECUTIONS = 1000


@dataclass(frozen=True)
class Query:
    """The question."""

    all: bool = False
    strengthen: bool = False
    needed: bool = False


class Answer:
    """The answer to a question about some programs."""

    def __init__(self, cases: Cases, wanted: Query) -> None:
        self._cases = cases
        self._wanted = wanted
        self._search = Search(cases)

    def result(self) -> Result:
        while True:
            try:
                if self._wanted.needed:
                    return self._asked_if_needed()
                return self._strengthened() if self._wanted.strengthen else self._weakened()
            except SitesChanged:
                self._cases.forget()
                self._search = Search(self._cases)
            except OutOfBudget:
                return self._cut_short()

    def _cut_short(self) -> Result:
        result = Result(self._cases, reason=self._cases.why_cut_short, complete=False)
        known = self._search.minima or ([self._search.reached] if self._search.reached else [])
        if known:
            result.reason += "; what follows is known to hold, and may not be the weakest"
            result.solutions = [Solution(values) for values in known]
        return result

    def _weakened(self) -> Result:
        first = self._cases.ask({})
        if first != "holds":
            return self._not_even_as_written(first)
        search = self._search
        found = search.all_weakest() if self._wanted.all else [search.weakest()]
        result = Result(self._cases, complete=self._is_complete())
        result.solutions = [self._proven(values) for values in found]
        changed = any(one.values for one in result.solutions)
        result.verdict = "weaker" if changed else "minimal"
        return self._checked(result)

    def _is_complete(self) -> bool | None:
        """Are these all answers? None unless `--all` asked for them."""
        return self._search.is_complete and self._cases.monotone if self._wanted.all else None

    def _asked_if_needed(self) -> Result:
        """Lowers each site by a step, with all others as they are written. Of the programs as they
        are written only the beginning is explored, to see which sites there are."""
        for _, found in self._cases.each(self._cases.cases, {}, FIRST_EXECUTIONS):
            if found.verdict == "violated":
                return self._not_even_as_written(FAILS)
        solution = Solution({})
        asked: set[int] = set()
        while ahead := [one for one in self._cases.varied if one not in asked]:
            asked.update(ahead)
            solution.needed |= self._search.needed({}, self._lowered({}, ahead))
        result = Result(self._cases, verdict="needed", solutions=[solution])
        for (number, lower), (_, kind) in solution.needed.items():
            if not kind and self._cases.ask({number: lower}) == "holds":
                weaker = Solution({number: lower})
                weaker.proofs = self._search.proofs(weaker.values, [])
                result.solutions = [weaker]
                result.verdict = "weaker"
                result.reason = "one order need not be what it is; there may be more of them"
                break
        return self._checked(result)

    def _not_even_as_written(self, answer: str) -> Result:
        result = Result(self._cases)
        if answer == UNDECIDED:
            result.reason = self._cases.undecided[-1]
            return result
        result.verdict = "violated"
        return self._with_violation(result, {})

    def _with_violation(self, result: Result, assignment: Assignment) -> Result:
        known = self._cases.knowledge.ruled_out_by(assignment)
        assert known and known.case >= 0
        case = self._cases.cases[known.case]
        found = self._cases.explore(case, assignment)
        if found.violation:
            result.violation = case, found
            if found.violation.kind == "invalid-order":
                result.reason = found.violation.message
        return result

    def _strengthened(self) -> Result:
        first = self._cases.ask({})
        if first == "holds":
            return Result(self._cases, verdict="holds")
        if first == UNDECIDED:
            return self._not_even_as_written(first)
        if not self._search.strongest():
            result = Result(self._cases)
            if self._cases.undecided:
                result.reason = self._cases.undecided[-1]
                return result
            result.verdict, result.reason = self._why_strongest_fails()
            return self._with_violation(result, self._search.reached)
        values = self._search.smallest_repair(self._wanted.all)
        result = Result(self._cases)
        if not self._search.minima:
            result.reason = self._cases.undecided[-1]
            return result
        solutions = [values]
        if self._wanted.all:
            solutions += [one for one in self._search.minima if one is not values]
            result.complete = self._is_complete()
        result.solutions = [self._proven(one) for one in solutions]
        result.verdict = "repaired"
        return self._checked(result)

    def _why_strongest_fails(self) -> tuple[str, str]:
        cases, sites = self._cases, self._cases.sites.all
        else_wrong = "what is wrong is something else, perhaps a fence that is missing"
        if not cases.varied:
            return "irreparable", f"there is no order here that could be varied: {else_wrong}"
        if all(cases.written[one] == sites[one].domain.strongest for one in cases.varied):
            return "irreparable", f"what can be varied is seq_cst already: {else_wrong}"
        everywhere = len(cases.varied) == sum(site.written is not None for site in sites)
        everywhere &= not cases.left_alone
        where = "everywhere" if everywhere else "at every site that is varied"
        if not everywhere:
            return "inconclusive", (
                f"with seq_cst {where} it fails still: what was left alone, or is not in what "
                "--only names, may have to be stronger, or what is wrong is something else"
            )
        if not cases.monotone:
            return "inconclusive", (
                f"with seq_cst {where} it fails still; under c++14 weaker orders may hold all the "
                "same, and were not looked for"
            )
        return "irreparable", f"with seq_cst {where} it fails still: {else_wrong}"

    def _proven(self, values: Assignment) -> Solution:
        """Proves an assignment afresh, and that each step down from it fails."""
        solution = Solution(values)
        solution.proofs = self._search.proofs(values, self._steps_down(values))
        solution.needed = self._search.needed(values, self._steps_down(values))
        return solution

    def _steps_down(self, values: Assignment) -> list[tuple[int, Value]]:
        """All that could be lowered; of a repair, what it raised, and not below what is written."""
        if not self._wanted.strengthen:
            return self._lowered(values, self._cases.varied)
        written = self._cases.written
        return [
            (number, lower)
            for number, lower in self._lowered(values, sorted(values))
            if below(written[number], lower)
        ]

    def _lowered(self, values: Assignment, numbers: Iterable[int]) -> list[tuple[int, Value]]:
        return [
            (number, lower)
            for number in numbers
            for lower in self._cases.sites.all[number].domain.lower(self._cases.at(values, number))
        ]

    def _checked(self, result: Result) -> Result:
        """Nothing is claimed that was not seen."""
        for one in result.solutions:
            if any(found.verdict != "holds" for _, found in one.proofs):
                result.verdict = "inconclusive"
                result.reason = "what was found to hold did not hold when it was proven again"
            elif any(not kind for _, kind in one.needed.values()):
                result.verdict = "inconclusive"
                result.reason = "it holds, but it is not known whether it is the weakest"
        return result
