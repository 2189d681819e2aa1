# SPDX-License-Identifier: MIT
"""The programs that `fencepost weaken` looks at: what each is made of, and how it is explored."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.explore.annotated import Case, arguments_of, cases_of
from fencepost.explore.arguments import bounds_of, models_of, toolchain_of
from fencepost.explore.run_program import Bounds
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain


@dataclass(frozen=True)
class Subject:
    """One program: its files, which are compiled together, and the runs in which it must hold."""

    case: Case
    files: tuple[Path, ...]
    toolchain: Toolchain
    runs: tuple[Bounds, ...]

    def build(self, directory: Path, warnings: list[str]) -> Program:
        program = build_program(list(self.files), self.toolchain, directory, warnings=warnings)
        for file in program.compiled_elsewhere:
            raise UnusableInput(
                "is instrumented, and its orders cannot be told from the program's own: give its "
                "source with --link",
                str(file),
            )
        return program


def subjects_of(args: argparse.Namespace) -> list[Subject]:
    """Each file; or what the comment at the top of each says; or all files as one."""
    files = [Path(file) for file in args.files]
    if args.link:
        return [_plain(tuple(files), args)]
    if not args.as_annotated:
        return [_plain((file,), args) for file in files]
    subjects = []
    for case in (one for file in files for one in cases_of(file)):
        models = [one for one in case.holds_under if not args.model or one in models_of(args.model)]
        # An order is needed if one model needs it, and what fails under one does under weaker ones.
        if args.needed and not args.model:
            models = models[:1]
        said = [arguments_of(case, run, args) for run in case.runs]
        if models:
            runs = tuple(bounds_of(one, model) for one in said for model in models)
            subjects.append(Subject(case, (case.path,), toolchain_of_all(said), runs))
    if not subjects:
        under = " or ".join(models_of(args.model)) if args.model else "a model"
        raise UnusableInput(f"no case of these files is to hold under {under}")
    return subjects


def toolchain_of_all(runs: Sequence[argparse.Namespace]) -> Toolchain:
    """With which a program is compiled once for all its runs."""
    found = [toolchain_of(args) for args in runs]
    return replace(
        found[0],
        library_as_written=any(one.library_as_written for one in found),
        or_another=all(one.or_another for one in found),
    )


def _plain(files: tuple[Path, ...], args: argparse.Namespace) -> Subject:
    runs = tuple(bounds_of(args, model) for model in models_of(args.model))
    return Subject(Case(files[0]), files, toolchain_of(args), runs)
