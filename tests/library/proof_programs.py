# SPDX-License-Identifier: MIT
"""The programs of tests/library/proofs, as the comment at the top of each describes it: see the
README there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fencepost.execution.schema import Exploration
from fencepost.explore.annotated import Case, arguments_of, cases_of
from fencepost.explore.arguments import bounds_of
from fencepost.explore.run_program import Explorer
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program
from fencepost.weaken.subjects import toolchain_of_all

PROOFS = Path(__file__).resolve().parent / "proofs"

#: A proof is meant to take a second or two, a slow one minutes. What takes longer than this, on a
#: machine that may have much else to do, has no verdict.
SECONDS = 900


@dataclass(frozen=True)
class Proof:
    """One case of one program, and the models under which it must hold, or must fail."""

    case: Case
    guarantee: str  # HEADER.GUARANTEE, as comments and pages call it
    models: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"{self.guarantee}[{self.case.name}]" if self.case.name else self.guarantee

    @property
    def fails(self) -> bool:
        """It lacks what the guarantee rests on."""
        return not self.case.holds_under

    @property
    def slow(self) -> bool:
        return self.case.slow


def proofs_of(path: Path, root: Path = PROOFS) -> list[Proof]:
    """The cases of a program. Raises UnusableInput if its comment is not understood."""
    guarantee = ".".join(path.relative_to(root).with_suffix("").parts)
    return [Proof(case, guarantee, tuple(case.expected)) for case in cases_of(path)]


def all_cases(root: Path = PROOFS) -> list[Proof]:
    return [proof for path in sorted(root.rglob("*.cpp")) for proof in proofs_of(path, root)]


def all_proofs(root: Path = PROOFS) -> list[Proof]:
    """Those that must hold."""
    return [proof for proof in all_cases(root) if not proof.fails]


def build(case: Case, directory: Path) -> Program:
    """As `fencepost check PATH -- FLAGS` does."""
    toolchain = toolchain_of_all([arguments_of(case, run) for run in case.runs])
    return build_program([case.path], replace(toolchain, or_another=False), directory)


def explore(program: Program, case: Case, model: str, run: tuple[str, ...]) -> Exploration:
    """As `fencepost check --model MODEL OPTIONS` does."""
    bounds = bounds_of(arguments_of(case, run), model)
    return Explorer(program, replace(bounds, timeout=float(SECONDS))).run()
