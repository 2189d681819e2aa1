# SPDX-License-Identifier: MIT
"""What is said about one program under one model: as text for a reader, as JSON for a program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.console.progress import amount
from fencepost.execution.schema import Execution, Exploration
from fencepost.execution.steps import steps_of
from fencepost.execution.symbolise import Names
from fencepost.explore.annotated import Case, unlike
from fencepost.toolchain.toolchain import Program

HOLDS, VIOLATED, INCONCLUSIVE, UNUSABLE = 0, 1, 2, 3
STATUS = {"holds": HOLDS, "violated": VIOLATED, "inconclusive": INCONCLUSIVE}

#: The graver result wins where several files or models are checked.
GRAVITY = (HOLDS, INCONCLUSIVE, VIOLATED, UNUSABLE)


def in_unicode(value: Any) -> Any:
    """JSON whose texts are what every reader takes: of names that are no UTF-8 the bytes in
    question are shown, as \\xff."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {key: in_unicode(one) for key, one in value.items()}
    return [in_unicode(one) for one in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class Outcome:
    """What is to be said about one program under one model."""

    file: Path
    files: tuple[Path, ...]
    model: str
    exploration: Exploration | None = None
    error: UnusableInput | Unsupported | None = None
    program: Program | None = None
    #: With `--all`, after a violation.
    went_on: bool = False

    #: The drawing and the page that were asked for, by "svg" and "html"; and why one could not be
    #: written.
    drawn: Mapping[str, Path] = field(default_factory=dict)
    unwritten: tuple[str, ...] = ()

    #: With `--all-races`, what else was found, each with the others left out of account; and why it
    #: is not known that there is no more.
    further: tuple[Outcome, ...] = ()
    unfinished: str = ""

    #: With `--as-annotated`: the case, the options of this run, and in what the result differs from
    #: what is expected of it.
    case: Case | None = None
    options: tuple[str, ...] = ()
    unlike: tuple[str, ...] = ()

    @property
    def status(self) -> int:
        """That of the verdict; of a case 0 where it is the expected one."""
        if self.case and not self.unlike:
            return HOLDS
        if self.exploration:
            return STATUS[self.exploration.verdict] or (VIOLATED if self.unlike else HOLDS)
        return INCONCLUSIVE if isinstance(self.error, Unsupported) else UNUSABLE

    @property
    def title(self) -> str:
        return f"{self.file} under {self.model}"

    @property
    def subject(self) -> str:
        """What was checked, without the model."""
        if self.case:
            return " ".join([self.case.title, *self.options])
        return " + ".join(map(str, self.files))

    def compared(self) -> Outcome:
        """With what differs from what is expected."""
        if self.case is None:
            return self
        return replace(self, unlike=tuple(unlike(self.case, self.model, self._found_json())))

    def summary(self) -> str:
        """One line: what was found, and among how much."""
        assert self.exploration
        found = self.exploration
        return f"{self.subject}: {found.verdict} under {found.model}: {self.covered()}"

    def names(self) -> Names:
        assert self.program and self.exploration and self.exploration.violation
        violation = self.exploration.violation
        return Names(self.program, violation.execution, (violation.pc, self.exploration.place))

    def to_json(self) -> dict[str, Any]:
        data = self._found_json()
        if self.case:
            data["case"] = {
                "name": self.case.name,
                "flags": list(self.case.flags),
                "options": list(self.options),
                "expected": str(self.case.expected[self.model]),
                "unlike": list(self.unlike),
            }
        return data

    def _found_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {"file": str(self.file), "model": self.model}
        if len(self.files) > 1:
            data["files"] = [str(file) for file in self.files]
        if self.exploration is None:
            assert self.error is not None
            error = {"message": self.error.message, "location": self.error.location}
            if isinstance(self.error, UnusableInput):
                return {**data, "verdict": None, "error": error, "violation": None}
            return {
                **data,
                "verdict": "inconclusive",
                "executions": 0,
                "blocked": 0,
                "seconds": 0.0,
                "reason": str(self.error),
                "error": error,
                "violation": None,
                "assumptions": [],
            }
        found = self.exploration
        data |= {
            "verdict": found.verdict,
            "executions": found.executions,
            "blocked": found.blocked,
            "seconds": found.seconds,
            "violation": self._violation_json(),
            "assumptions": list(found.assumptions),
            "stats": found.stats,
        }
        if found.violations:
            data["violations"] = found.violations
        if self.further:
            data["further"] = [one._violation_json() for one in self.further]
        if self.unfinished:
            data["unfinished"] = self.unfinished
        if found.violation is None:
            data |= self._drawn_json()
        if found.verdict == "inconclusive":
            data["reason"] = self.reason()
        return data

    def _violation_json(self) -> dict[str, Any] | None:
        if not (self.exploration and self.exploration.violation):
            return None
        violation, names = self.exploration.violation, self.names()
        data: dict[str, Any] = {
            "kind": violation.kind,
            "message": names.message(violation.message),
            "location": names.place(violation.pc),
            "thread": names.thread(violation.thread),
            "trace": [step.to_json(names) for step in steps_of(violation.execution, names)],
            "threads": [
                {
                    "thread": names.thread(end.id),
                    "state": end.state,
                    "why": end.why,
                    "location": names.place(end.pc),
                }
                for end in violation.execution.threads
            ],
        }
        if objects := names.objects_json():
            data["objects"] = objects
        if violation.output:
            data["output"] = violation.output
            data["output_left_out"] = violation.output_left_out
        return data | self._drawn_json()

    def _drawn_json(self) -> dict[str, str]:
        return {kind: str(path) for kind, path in self.drawn.items()}

    def reason(self) -> str:
        place, reason = self.stopped_at()
        return f"{place}: {reason}" if place else reason

    def stopped_at(self) -> tuple[str | None, str]:
        """Where the search ended without a verdict, if that is a place, and why."""
        assert self.exploration
        if not self.program:
            return None, self.exploration.reason
        at = self.exploration.place
        names = Names(self.program, Execution((), {}), (at,) if at else ())
        return names.place(at), names.message(self.exploration.reason)

    def covered(self) -> str:
        """How much was explored, and in what time."""
        found = self.exploration
        assert found
        if found.violation and not self.went_on:
            # Complete and blocked ones are told apart where all were explored.
            before = found.executions + found.blocked
            which = f"after {executions(before)}" if before else "in the first execution"
            return f"found {which}, {found.seconds:.2f} s"
        total = executions(found.executions)
        if found.blocked:
            total += f" and {amount(found.blocked)} blocked"
        if found.violations > 1:
            total += f", {amount(found.violations)} of them violating"
        return f"{total}, {found.seconds:.2f} s"


def executions(number: int) -> str:
    return f"{amount(number)} execution{'s' if number != 1 else ''}"
