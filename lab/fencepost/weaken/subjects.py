# SPDX-License-Identifier: MIT
"""The programs that `fencepost weaken` looks at: what each is made of, and how it is explored."""

from __future__ import annotations

import argparse
import copy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from fencepost.console.input_error import UnusableInput
from fencepost.explore.arguments import (
    add_bounds,
    bounds_of,
    models_of,
    refuse_contradictions,
    toolchain_of,
    with_counts,
)
from fencepost.explore.run_program import Bounds
from fencepost.system.head_comment import Variant, variants_of
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain


@dataclass(frozen=True)
class Subject:
    """One program: its files, which are compiled together, and the runs in which it must hold."""

    variant: Variant
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


class _Options(argparse.ArgumentParser):
    """Options that stand in a file: what is wrong with them is said of the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self._path = path
        add_bounds(self.add_argument_group())

    def error(self, message: str) -> NoReturn:
        raise UnusableInput(f"options: {message}", str(self._path))


def bounds_said(
    words: tuple[str, ...], path: Path, model: str, given: argparse.Namespace | None = None
) -> Bounds:
    """What options that stand in a file mean, beside those that were given for all."""
    everywhere = argparse.Namespace(trust=[]) if given is None else copy.copy(given)
    args = _Options(path).parse_args(with_counts(list(words)), everywhere)
    refuse_contradictions(args)
    return bounds_of(args, model)


def _toolchain(variant: Variant, given: Toolchain) -> Toolchain:
    as_written = any("--library-as-written" in words for words in variant.runs)
    return replace(
        given,
        flags=(*variant.flags, *given.flags),
        library_as_written=given.library_as_written or as_written,
    )


def subjects_of(args: argparse.Namespace) -> list[Subject]:
    """Each file; or what the comment at the top of each says; or all files as one."""
    files = [Path(file) for file in args.files]
    if args.link:
        return [_plain(tuple(files), args)]
    if not args.as_commented:
        return [_plain((file,), args) for file in files]
    subjects = []
    for variant in (one for file in files for one in variants_of(file) if not one.fails):
        models = models_of(args.model) if args.model else _models_said(variant)
        # An order is needed if one model needs it, and what fails under one does under weaker ones.
        if args.needed and not args.model:
            models = models[:1]
        runs = tuple(
            bounds_said(words, variant.path, model, args)
            for words in variant.runs
            for model in models
        )
        toolchain = _toolchain(variant, toolchain_of(args))
        subjects.append(Subject(variant, (variant.path,), toolchain, runs))
    return subjects


def _models_said(variant: Variant) -> list[str]:
    try:
        return models_of(list(variant.models) or None)
    except UnusableInput as error:
        raise UnusableInput(f"models: {error.message}", str(variant.path)) from None


def _plain(files: tuple[Path, ...], args: argparse.Namespace) -> Subject:
    runs = tuple(bounds_of(args, model) for model in models_of(args.model))
    return Subject(Variant(files[0]), files, toolchain_of(args), runs)
