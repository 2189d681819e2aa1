# SPDX-License-Identifier: MIT
"""Asks the checker whether programs hold under an assignment of orders, as rarely as possible.

A question is answered without a run where a violation that is known rules the assignment out, or
where every program was proven under one that is no stronger for the sites that it has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Protocol

from fencepost.binary.call_places import Place
from fencepost.console.progress import Progress
from fencepost.execution.schema import Exploration
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.toolchain import Program
from fencepost.weaken.ahead import Ahead
from fencepost.weaken.lattice import Assignment, Knowledge, Value
from fencepost.weaken.sites import Site, Sites

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"

#: How many executions of each case are looked at before any is explored further; 0 is no limit.
_ROUNDS = (1_000, 30_000, 0)


def _rounds(cases: list[Case]) -> tuple[int, ...]:
    return _ROUNDS if len(cases) > 1 else (0,)


@dataclass(frozen=True)
class Case:
    """One program, by its number, under one model and with the options that it is explored with."""

    program: int
    executable: Program
    bounds: Bounds

    #: How the program is called, if it is not by its file's name alone.
    title: str = ""

    @property
    def name(self) -> str:
        return f"{self.title or self.executable.sources[0]} ({self.bounds.model})"

    def limit(self, most: int) -> int:
        """How far it is explored if no more than `most` executions are to be looked at; 0 if that
        is no limit but the one that it has anyway."""
        return 0 if 0 < self.bounds.max_executions <= most else most

    @property
    def monotone(self) -> bool:
        return self.bounds.model != "c++14"


@dataclass(frozen=True)
class Look:
    """One exploration: a case, under these orders, up to `most` executions; 0 is no limit. A proof
    tells what the executions have shown of each operation."""

    case: Case
    orders: str
    most: int
    proof: bool = False


class Written(Protocol):
    """What is written somewhere."""

    @property
    def place(self) -> Place: ...


class OutOfBudget(Exception):
    """The time that was given is over, or somebody pressed Ctrl-C."""


class Cases:
    """What is asked of all programs, and what is known of it."""

    def __init__(
        self,
        cases: list[Case],
        run: Callable[[Explorer], Exploration],
        show: Callable[[str, Progress], None] | None = None,
        budget: float = 0.0,
        is_stopped: Callable[[], bool] = lambda: False,
        only: Callable[[Path], bool] | None = None,
        chained: bool = False,
        fences: Iterable[str] = (),
        jobs: int = 1,
    ) -> None:
        self.cases: list[Case] = []
        self.sites = Sites(chained, fences)
        self._ahead = Ahead(self._explorer, run, jobs)
        self._jobs = jobs
        self._later: list[Look] = []
        self._show = show
        self._is_stopped = is_stopped
        self._only = only
        self._deadline = time.monotonic() + budget if budget else None
        self.runs = 0
        self.undecided: list[str] = []
        self._whole: set[int] = set()
        self.add(cases)

    def add(self, cases: list[Case]) -> None:
        """More programs. What was known of the others has to be asked again."""
        self.cases += cases
        for number, executable in {case.program: case.executable for case in cases}.items():
            self.sites.add_program(number, executable.executable)
        self.forget()

    def forget(self) -> None:
        """Begins again: a site has turned out to be another thing than it was taken for."""
        self.written: dict[int, Value] = {}
        self.knowledge = Knowledge(self.written)
        self._proofs: dict[Case, list[dict[int, Value]]] = {case: [] for case in self.cases}
        for number, site in enumerate(self.sites.all):
            if site.varies and site.written:
                self.written[number] = site.written

    @property
    def varied(self) -> list[int]:
        """The numbers of the sites that can be varied, in the order of the source."""
        return [number for number in sorted(self.written) if self.is_asked(self.sites.all[number])]

    @property
    def left_alone(self) -> bool:
        """Whether executions made operations whose orders were not varied, though they are the
        program's and are asked for: passed in from elsewhere, of no known place, or told to the
        waiting of the C++ library."""
        sites = self.sites
        fixed = any(site.fixed and self.is_asked(site) for site in sites.all)
        return fixed or sites.lost_calls > 0 or (sites.waits and sites.library_calls > 0)

    def is_asked(self, at: Written) -> bool:
        """Whether it is written where the question is about."""
        return self._only is None or self._only(Path(at.place.file))

    def is_known_whole(self, site: Site) -> bool:
        """Was each program that has it explored to its end, under some orders?"""
        return all(case.program in self._whole for case in self.cases if site.is_in(case.program))

    def at(self, assignment: Assignment, site: int) -> Value:
        return self.knowledge.at(assignment, site)

    def _sites_of(self, case: Case) -> list[int]:
        return [number for number in self.written if self.sites.all[number].is_in(case.program)]

    @property
    def monotone(self) -> bool:
        """Do stronger orders never allow more? By the letter of C++14 they may: what holds there
        says nothing of what is stronger (examples/checker/cpp14_stronger_order.cpp)."""
        return all(case.monotone for case in self.cases)

    def _is_proven(self, case: Case, assignment: Assignment) -> bool:
        of_case = self._sites_of(case)
        return any(
            self.knowledge.no_stronger(proof, assignment, of_case)
            and (case.monotone or self.knowledge.no_stronger(assignment, proof, of_case))
            for proof in self._proofs[case]
        )

    def ask(self, assignment: Assignment) -> str:
        """Whether all programs hold under an assignment."""
        if self.knowledge.ruled_out_by(assignment):
            return FAILS
        _, found = self.first_violation(self._unproven(assignment), assignment)
        if found == UNDECIDED:
            # What is weaker has more executions still: it is not asked again.
            self.knowledge.learn_failure(assignment, self.written, -1, UNDECIDED)
        return found

    def first_violation(self, ahead: list[Case], assignment: Assignment) -> tuple[int, str]:
        """Explores cases until one fails, and says which: the beginning of each at first, so that
        one that holds and has many executions does not stand before one that fails at once."""
        answer = HOLDS
        for most in _rounds(ahead):
            left = []
            for case, found in self.each(ahead, assignment, most):
                if found.verdict == "violated":
                    return self.cases.index(case), FAILS
                if found.verdict == "holds":
                    continue
                if case.limit(most):
                    left.append(case)
                else:
                    self.undecided.append(f"{case.name}: {found.reason}")
                    answer = UNDECIDED
            ahead = left
        return -1, answer

    def each(
        self, cases: list[Case], assignment: Assignment, most: int = 0, proof: bool = False
    ) -> Iterator[tuple[Case, Exploration]]:
        """Explores cases in turn."""
        for place, case in enumerate(cases):
            rest = [self._look(one, assignment, most, proof) for one in cases[place + 1 :]]
            self._ahead.expect([*rest, *self._later])
            yield case, self.explore(case, assignment, most, proof)

    def expect(self, looks: Iterable[Look]) -> None:
        """What is likely to be explored after what is asked next."""
        self._later = list(islice(looks, 2 * self._jobs)) if self._jobs > 1 else []

    def looks(self, assignment: Assignment) -> list[Look]:
        """How `ask` would begin."""
        if self.knowledge.ruled_out_by(assignment):
            return []
        return self.first_looks(self._unproven(assignment), assignment)

    def first_looks(self, cases: list[Case], assignment: Assignment) -> list[Look]:
        """How `first_violation` would begin."""
        return [self._look(case, assignment, _rounds(cases)[0]) for case in cases]

    def _unproven(self, assignment: Assignment) -> list[Case]:
        return [case for case in self.cases if not self._is_proven(case, assignment)]

    def _look(self, case: Case, assignment: Assignment, most: int = 0, proof: bool = False) -> Look:
        said = dict.fromkeys(self.sites.watched(case.program), "call")
        chosen = [(self.sites.all[number], value) for number, value in sorted(assignment.items())]
        # What is in a function that is not called has no orders of its own.
        for site, value in sorted(chosen, key=lambda one: one[0].is_call):
            if site.varies:
                said |= site.argument(case.program, value)
        words = [f"{pc:x}={word}" for pc, word in said.items()]
        return Look(case, ",".join(words), case.limit(most), proof)

    def _explorer(self, look: Look) -> Explorer:
        bounds = replace(look.case.bounds, sites=True, coverage=look.proof)
        if look.most:
            bounds = replace(bounds, max_executions=look.most)
        if self._deadline is not None:
            left = max(self._deadline - time.monotonic(), 0.001)
            bounds = replace(bounds, timeout=min(bounds.timeout or left, left))

        def show(progress: Progress) -> None:
            if self._show and self._ahead.awaits(look):
                self._show(f"{look.case.name}, check {self.runs}", progress)

        return Explorer(look.case.executable, bounds, show, orders=look.orders)

    def close(self) -> None:
        """Ends what was begun and is not wanted."""
        self._ahead.close()

    @property
    def was_stopped(self) -> bool:
        return self._is_stopped()

    @property
    def why_cut_short(self) -> str:
        return "interrupted" if self._is_stopped() else "the budget was spent"

    def check_time(self) -> None:
        """Raises OutOfBudget if the time is over or the search was asked to stop."""
        if self._is_stopped() or (self._deadline and time.monotonic() >= self._deadline):
            raise OutOfBudget

    def explore(
        self, case: Case, assignment: Assignment, most: int = 0, proof: bool = False
    ) -> Exploration:
        """Runs one case, whatever is known, up to `most` executions, and learns from it."""
        self.check_time()
        self.runs += 1
        found = self._ahead.take(self._look(case, assignment, most, proof))
        self._take_sites(case, found)
        if found.verdict == "inconclusive":
            self.check_time()
        if found.verdict == "holds" and not found.executions:
            found = replace(found, verdict="inconclusive", reason="no execution is complete")
        if found.verdict == "violated":
            self._learn_violation(case, assignment, found)
        elif found.verdict == "holds":
            self._whole.add(case.program)
            self._proofs[case].append(dict(assignment))
        return found

    def _take_sites(self, case: Case, found: Exploration) -> None:
        self.sites.take(case.program, found.sites)
        for number, site in enumerate(self.sites.all):
            if site.varies and site.written:
                self.written.setdefault(number, site.written)

    def _learn_violation(self, case: Case, assignment: Assignment, found: Exploration) -> None:
        assert found.violation
        pcs = {event.pc for event in found.violation.execution.events}
        involved = []
        for number in self._sites_of(case):
            site = self.sites.all[number]
            # A fence that is none leaves no event that would tell whether it was passed.
            gone = site.is_fence and self.at(assignment, number) == ("none",)
            if gone or pcs.intersection(site.calls.get(case.program, ())):
                involved.append(number)
        number = self.cases.index(case)
        self.knowledge.learn_failure(assignment, involved, number, found.violation.kind)
