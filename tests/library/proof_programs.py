# SPDX-License-Identifier: MIT
"""The programs of tests/library/proofs, as the comment at the top of each describes it: see the
README there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from fencepost.execution.schema import Exploration
from fencepost.explore.arguments import models_of
from fencepost.explore.run_program import Explorer
from fencepost.system.head_comment import variants_of
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain
from fencepost.weaken.subjects import bounds_said

PROOFS = Path(__file__).resolve().parent / "proofs"
MODELS = ("c++20", "x86", "sc")

#: A proof is meant to take a second or two, a slow one minutes. What takes longer than this, on a
#: machine that may have much else to do, has no verdict.
SECONDS = 900


@dataclass(frozen=True)
class Proof:
    """One variant of one program, and the runs in which it must hold, or must fail."""

    path: Path
    guarantee: str  # HEADER.GUARANTEE, as comments and pages call it
    variant: str
    flags: tuple[str, ...]
    models: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    slow: bool
    fails: bool = False  # it lacks what the guarantee rests on

    @property
    def name(self) -> str:
        return f"{self.guarantee}[{self.variant}]" if self.variant else self.guarantee


def proofs_of(path: Path, root: Path = PROOFS) -> list[Proof]:
    """The variants of a program. Raises UnusableInput if its comment is not understood."""
    guarantee = ".".join(path.relative_to(root).with_suffix("").parts)
    return [
        Proof(
            *(path, guarantee, one.name, one.flags, tuple(models_of(list(one.models or MODELS)))),
            *(one.runs, one.slow, one.fails),
        )
        for one in variants_of(path)
    ]


def all_variants(root: Path = PROOFS) -> list[Proof]:
    return [proof for path in sorted(root.rglob("*.cpp")) for proof in proofs_of(path, root)]


def all_proofs(root: Path = PROOFS) -> list[Proof]:
    """Those that must hold."""
    return [proof for proof in all_variants(root) if not proof.fails]


def build(proof: Proof, directory: Path) -> Program:
    """As `fencepost check PATH -- FLAGS` does."""
    as_written = any("--library-as-written" in options for options in proof.runs)
    return build_program([proof.path], Toolchain("gcc", proof.flags, as_written), directory)


def explore(program: Program, model: str, options: tuple[str, ...]) -> Exploration:
    """As `fencepost check --model MODEL OPTIONS` does."""
    bounds = bounds_said(options, program.sources[0], model)
    return Explorer(program, replace(bounds, timeout=float(SECONDS))).run()
