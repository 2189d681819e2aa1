# SPDX-License-Identifier: MIT
"""What a search over orders came to, as text for a reader and as JSON for a program."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fencepost.binary.source_location import short_path
from fencepost.console.progress import amount, duration
from fencepost.execution.schema import Exploration
from fencepost.render.outcome_text import assumption_lines
from fencepost.render.trace import Paint
from fencepost.weaken.cases import Case, Cases
from fencepost.weaken.costs import Costs, Difference, sentence
from fencepost.weaken.coverage import NEVER_REACHED, NOT_MET, Gap, gap_lines, gaps
from fencepost.weaken.edits import Edited
from fencepost.weaken.lattice import Value
from fencepost.weaken.sites import Site

#: How an answer is called in JSON, and how it begins in text.
TITLES = {
    "minimal": "no order can be weaker",
    "needed": "every order is needed",
    "unproven": "not every order is known to be needed",
    "weaker": "orders can be weaker",
    "holds": "nothing to repair: it holds as it is",
    "repaired": "holds with stronger orders",
    "violated": "violated as it is written",
    "irreparable": "no assignment of orders holds",
    "inconclusive": "inconclusive",
}
#: The same where some orders were left alone.
_OF_THE_VARIED = {
    "minimal": "no order that was varied can be weaker",
    "needed": "every order that was varied is needed",
}
_COLOURS = {
    "minimal": 32,
    "holds": 32,
    "needed": 32,
    "weaker": 36,
    "repaired": 36,
    "inconclusive": 33,
    "unproven": 33,
}

#: What may become of a patch; all else says why it is not to be applied.
HOLDS_WITH_IT, CHANGES_NOTHING = "every program holds with it", "changes nothing"

Needed = dict[tuple[int, Value], tuple[int, str]]


@dataclass
class Solution:
    """One assignment, with what shows that it holds and that nothing can be lowered."""

    values: Mapping[int, Value]
    proofs: list[tuple[Case, Exploration]] = field(default_factory=list)
    #: By site and lower value: the case that fails then, and how; (-1, "") if none is known to.
    needed: Needed = field(default_factory=dict)


@dataclass
class Result:
    """All that is to be said."""

    cases: Cases
    verdict: str = "inconclusive"
    solutions: list[Solution] = field(default_factory=list)
    reason: str = ""
    #: Whether the solutions are all that there are; None if only one was asked for.
    complete: bool | None = None
    violation: tuple[Case, Exploration] | None = None
    costs: Costs | None = None
    edited: Edited | None = None
    patch_check: str = ""
    seconds: float = 0.0
    #: Whether each order was asked of the proofs that are named for it; those that have none are
    #: `unproven`: where, and why.
    named: bool = False
    unproven: list[tuple[str, str]] = field(default_factory=list)
    #: What no execution did; None where the programs were not explored as a whole.
    not_covered: list[Gap] | None = None

    @property
    def has_patch(self) -> bool:
        """Nothing is given to be applied that was not seen to hold."""
        return self.patch_check in (HOLDS_WITH_IT, CHANGES_NOTHING)

    def look_at_coverage(self) -> None:
        proofs = [proof for one in self.solutions for proof in one.proofs]
        self.not_covered = gaps(self.cases, proofs)

    @property
    def _title(self) -> str:
        known = _OF_THE_VARIED if self.cases.left_alone else {}
        return known.get(self.verdict, TITLES[self.verdict])

    def _site(self, number: int) -> Site:
        return self.cases.sites.all[number]

    def changes(self, solution: Solution) -> list[tuple[int, Site, Value, Value]]:
        return [
            (number, self._site(number), self.cases.written[number], value)
            for number, value in sorted(solution.values.items())
            if value != self.cases.written[number]
        ]

    def saves(self, site: Site, old: Value, new: Value) -> dict[str, Difference]:
        if self.costs is None or site.is_call:
            return {}
        return self.costs.differences(site.operation, site.size, old, new)

    # ---- JSON

    def to_json(self) -> dict[str, Any]:
        models = dict.fromkeys(case.bounds.model for case in self.cases.cases)
        files = dict.fromkeys(
            str(source) for case in self.cases.cases for source in case.executable.sources
        )
        data: dict[str, Any] = {
            "files": list(files),
            "models": list(models),
            "verdict": self.verdict,
            "reason": self.reason or None,
            "solutions": [self._solution_json(one) for one in self.solutions],
            "all": self.complete,
            "sites": [self._site_json(number) for number in self.cases.varied],
            "left_alone": [
                {"location": where, "operation": operation, "why": why}
                for where, operation, why in self._left_alone()
            ],
            "calls_left_alone": {
                "library": self.cases.sites.library_calls,
                "merged": self.cases.sites.lost_calls,
            },
            "not_covered": self._not_covered_json(),
            "compilers": self.costs.compilers if self.costs else {},
            "checks": self.cases.runs,
            "undecided": self.cases.undecided,
            "unproven": [{"location": where, "why": why} for where, why in self.unproven],
            "seconds": round(self.seconds, 3),
        }
        if self.violation:
            case, found = self.violation
            assert found.violation
            data["violation"] = {"case": case.name, "kind": found.violation.kind}
        if self.edited is not None:
            data["patch"] = self.edited.diff() if self.has_patch else None
            data["patch_check"] = self.patch_check
            data["not_edited"] = [
                {"location": site.where, "why": why} for site, why in self.edited.refused
            ]
        return data

    def _not_covered_json(self) -> list[dict[str, str]] | None:
        if self.not_covered is None:
            return None
        return [gap.to_json() for gap in self.not_covered]

    def _site_json(self, number: int) -> dict[str, Any]:
        site = self._site(number)
        return {
            "file": short_path(site.place.file),
            "line": site.place.line,
            "column": site.place.column,
            "number_in_macro": site.ordinal or None,
            "operation": site.operation,
            "written": said(self.cases.written[number]),
            "calls": sum(map(len, (*site.calls.values(), *site.watched.values()))),
        }

    def _solution_json(self, solution: Solution) -> dict[str, Any]:
        changes = []
        for _, site, old, new in self.changes(solution):
            changes.append(
                {
                    "file": short_path(site.place.file),
                    "line": site.place.line,
                    "column": site.place.column,
                    "number_in_macro": site.ordinal or None,
                    "operation": site.operation,
                    "from": said(old),
                    "to": said(new),
                    "source": site.text,
                    "saves": {
                        processor: difference.to_json()
                        for processor, difference in self.saves(site, old, new).items()
                    },
                }
            )
        return {
            "changes": changes,
            "proofs": [
                {
                    "case": case.name,
                    "verdict": found.verdict,
                    "executions": found.executions,
                    "blocked": found.blocked,
                    "assumptions": list(found.assumptions),
                }
                for case, found in solution.proofs
            ],
            "needed": [
                {
                    "location": self._site(number).where,
                    "operation": self._site(number).operation,
                    "order": said(self.cases.at(solution.values, number)),
                    "weaker": said(value),
                    "fails": kind or None,
                    "case": self.cases.cases[case].name if case >= 0 else None,
                }
                for (number, value), (case, kind) in solution.needed.items()
            ],
        }

    # ---- text

    def to_text(self, paint: Paint, assumptions: bool = False) -> str:
        """`assumptions`: also those that are made of every program."""
        files = dict.fromkeys(
            " + ".join(map(str, case.executable.sources)) for case in self.cases.cases
        )
        models = dict.fromkeys(case.bounds.model for case in self.cases.cases)
        title = paint(self._title, 1, _COLOURS.get(self.verdict, 31))
        lines = [f"{', '.join(files)}: {title} under {', '.join(models)}"]
        if self.reason:
            lines.append(f"  because: {self.reason}")
        if self.violation:
            case, found = self.violation
            assert found.violation
            lines.append(f"  {case.name}: {found.violation.kind}; see it with `fencepost check`")
        if self.verdict == "violated":
            lines.append("  --strengthen looks for a repair")
        if self.verdict == "needed":
            lines.append("  whether the programs hold was not asked")
        lines += gap_lines(self.not_covered or [], paint)
        for number, solution in enumerate(self.solutions):
            if len(self.solutions) > 1:
                lines += ["", paint(f"{number + 1} of {len(self.solutions)}", 1)]
            lines += self._solution_text(solution, paint)
        if self.complete is False and not self.cases.monotone:
            lines.append("  there may be more: under c++14 not every assignment can be ruled out")
        elif len(self.solutions) > 1 and self.complete is False:
            lines.append("  there may be more: the search was cut short")
        lines += self._about(paint, assumptions)
        return "\n".join(lines)

    def _solution_text(self, solution: Solution, paint: Paint) -> list[str]:
        lines = []
        for _, site, old, new in self.changes(solution):
            change = paint(f"{said(old)} → {said(new)}", 1)
            lines += ["", f"  {site.where}: {site.operation}: {change}"]
            if site.text:
                lines.append(f"      {site.text}")
            if saved := sentence(self.saves(site, old, new)):
                lines.append(f"      {saved}")
        lines.append("")
        for case, found in solution.proofs:
            count = f"{amount(found.executions)} execution{'s' if found.executions != 1 else ''}"
            if found.blocked:
                count += f" and {amount(found.blocked)} blocked"
            lines.append(f"  proven: {case.name} {found.verdict}: {count}")
        lines += self._needed_text(solution)
        return lines

    def _needed_text(self, solution: Solution) -> list[str]:
        lines = []
        for (number, value), (case, kind) in solution.needed.items():
            site = self._site(number)
            has = said(self.cases.at(solution.values, number))
            where = f"{site.where}: {site.operation}, {has}"
            if kind:
                of = f" ({self.cases.cases[case].name})" if len(self.cases.cases) > 1 else ""
                lines.append(f"  needed: {where}: with {said(value)}: {kind}{of}")
            else:
                lines.append(f"  not decided: {where}: with {said(value)}")
        return lines

    def _left_alone(self) -> list[tuple[str, str, str]]:
        found = []
        for site in self.cases.sites.all:
            if site.fixed:
                found.append((site.where, site.operation, site.fixed))
            elif site.written is None and not self.named:
                found.append((site.where, site.operation, self._never_met(site)))
        return found

    def _never_met(self, site: Site) -> str:
        return NEVER_REACHED if self.cases.is_known_whole(site) else NOT_MET

    def _about(self, paint: Paint, every: bool) -> list[str]:
        lines = [f"  not proven: {where}: {why}" for where, why in self.unproven]
        never: dict[tuple[str, str], list[str]] = defaultdict(list)
        for site in self.cases.sites.all:
            if site.fixed:
                lines.append(f"  left alone: {site.where}: {site.operation}: {site.fixed}")
            elif site.written is None and not self.named and self.not_covered is None:
                at = short_path(site.place.file), self._never_met(site)
                never[at].append(str(site.place.line))
        for (file, why), numbers in never.items():
            where = ", ".join(dict.fromkeys(numbers))
            lines.append(f"  left alone: {file}:{where}: {why}")
        if self.cases.sites.library_calls:
            count = self.cases.sites.library_calls
            calls = "call" if count == 1 else "calls"
            chose = "that the C++ library or the compiler chose"
            lines.append(f"  left alone: {count} {calls} with orders {chose}")
        if lost := self.cases.sites.lost_calls:
            calls = "call, which" if lost == 1 else "calls, each of which"
            lines.append(f"  left alone: {lost} {calls} the compiler made of several")
        for text in dict.fromkeys(self.cases.undecided):
            lines.append(f"  not decided, and taken to fail: {text}")
        for processor, compiler in (self.costs.compilers if self.costs else {}).items():
            if compiler.startswith(("no compiler", "not compiled")):
                lines.append(f"  nothing is said of {processor}: {compiler}")
        if self.edited is not None:
            for site, why in self.edited.refused:
                lines.append(f"  not in the patch: {site.where}: {why}")
            if self.patch_check:
                kept = "" if self.has_patch else "is not printed: "
                lines.append(f"  the patch: {kept}{self.patch_check}")
            if self.has_patch and self.edited.texts and self.edited.base != Path.cwd():
                lines.append(f"  apply it with: patch -p1 -d {shlex.quote(str(self.edited.base))}")
        assumptions = dict.fromkeys(
            text
            for one in self.solutions[:1]
            for _, found in one.proofs
            for text in found.assumptions
        )
        usual = frozenset(
            text for one in self.solutions[:1] for _, found in one.proofs for text in found.usual
        )
        lines += assumption_lines(tuple(assumptions), usual, every)
        lines.append(
            f"  {len(self.cases.varied)} sites, {self.cases.runs} checks, {duration(self.seconds)}"
        )
        return lines


def said(value: Value) -> str:
    return "/".join(value)
