# SPDX-License-Identifier: MIT
"""The programs of tests/library/proofs, as the comment at the top of each describes it: see the
README there."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
from fencepost.build_program import Program, Toolchain, build_program
from fencepost.execution import Exploration
from fencepost.run_program import Bounds, Explorer

ROOT = Path(__file__).resolve().parents[2]
PROOFS = Path(__file__).resolve().parent / "proofs"
MODELS = ("c++20", "x86", "sc")
KNOWN = (*MODELS, "c++14")
KEYS = ("models", "options", "variant", "fails")

#: A proof is meant to take a second or two. What takes longer than this has no verdict.
SECONDS = 120 if "FENCEPOST_SLOW" not in os.environ else 900


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

    @property
    def is_due(self) -> bool:
        return not self.slow or "FENCEPOST_SLOW" in os.environ


def _comment(path: Path) -> list[str]:
    lines = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    return lines


def proofs_of(path: Path, root: Path = PROOFS) -> list[Proof]:
    """The variants of a program. Raises ValueError if the comment at its top is not understood."""
    models, slow = MODELS, False
    runs: list[tuple[str, ...]] = []
    variants: dict[str, list[tuple[str, tuple[str, ...]]]] = {"variant": [], "fails": []}
    for line in _comment(path):
        key, colon, rest = line.partition(":")
        if line == "slow":
            slow = True
        elif not colon or key not in KEYS:
            continue
        elif key == "models":
            models = tuple(rest.replace(",", " ").split())
            if not models or set(models) - set(KNOWN):
                raise ValueError(f"{path}: models: are some of {' '.join(KNOWN)}")
        elif key == "options":
            runs.append(tuple(shlex.split(rest)))
        else:
            name, *flags = shlex.split(rest)
            variants[key].append((name, tuple(flags)))
    names = [name for those in variants.values() for name, _ in those]
    if len(set(names)) != len(names):
        raise ValueError(f"{path}: two variants have one name")
    guarantee = ".".join(path.relative_to(root).with_suffix("").parts)
    return [
        Proof(path, guarantee, name, flags, models, tuple(runs) or ((),), slow, key == "fails")
        for key, those in variants.items()
        for name, flags in those or ([("", ())] if key == "variant" else [])
    ]


def all_variants(root: Path = PROOFS) -> list[Proof]:
    return [proof for path in sorted(root.rglob("*.cpp")) for proof in proofs_of(path, root)]


def all_proofs(root: Path = PROOFS) -> list[Proof]:
    """Those that must hold."""
    return [proof for proof in all_variants(root) if not proof.fails]


def build(proof: Proof, directory: Path, flags: tuple[str, ...] = ()) -> Program:
    """As `fencepost check PATH -- FLAGS` does; `flags` come before the proof's own."""
    as_written = any("--library-as-written" in options for options in proof.runs)
    toolchain = Toolchain("gcc", (*flags, *proof.flags), as_written)
    return build_program([proof.path], toolchain, directory)


def explore(
    program: Program,
    model: str,
    options: tuple[str, ...],
    argument: str = "",
    seconds: float = SECONDS,
) -> Exploration:
    """As `fencepost check --model MODEL OPTIONS` does; `argument` is the program's own."""
    bounds = Bounds(model=model, timeout=seconds)
    words = iter(options)
    for word in words:
        name = word.removeprefix("--").replace("-", "_")
        if name == "library_as_written":
            continue  # said when it was compiled
        if not hasattr(bounds, name):
            raise ValueError(f"{word} is not understood here")
        value = True if getattr(bounds, name) is False else type(getattr(bounds, name))(next(words))
        bounds = replace(bounds, **{name: value})
    return Explorer(replace(program, arguments=(argument,) if argument else ()), bounds).run()
