# SPDX-License-Identifier: MIT
"""Which programs a call of `fencepost check` explores, and under which models."""

from __future__ import annotations

import argparse
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import Unsupported, UnusableInput
from fencepost.explore.annotated import Case, arguments_of, cases_of
from fencepost.explore.arguments import models_of, toolchain_of
from fencepost.toolchain.build_program import build_program, keep
from fencepost.toolchain.toolchain import Program, Toolchain


class Build:
    """A program that is compiled when the first of its models is to be checked, and only then."""

    def __init__(self, make: Callable[[], Program]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._made: Program | UnusableInput | Unsupported | None = None

    def program(self) -> Program:
        with self._lock:
            if self._made is None:
                try:
                    self._made = self._make()
                except (UnusableInput, Unsupported) as error:
                    self._made = error
        if isinstance(self._made, Program):
            return self._made
        assert self._made is not None
        raise self._made


@dataclass(frozen=True)
class Task:
    """One program under one model."""

    files: tuple[Path, ...]
    build: Build
    model: str
    args: argparse.Namespace
    case: Case | None = None
    options: tuple[str, ...] = ()


class Tasks:
    """Of each file, or of all as one; or what the comment at the top of each file says."""

    def __init__(
        self, args: argparse.Namespace, directory: Path, name_of: Callable[[Path], str]
    ) -> None:
        """Programs are compiled in the directory; what is kept of them is called as `name_of` the
        first file says."""
        self._args = args
        self._directory = directory
        self._name_of = name_of
        self._builds = dict[tuple[tuple[Path, ...], Toolchain], Build]()

    def all(self, models: Sequence[str]) -> list[Task]:
        """Raises UnusableInput."""
        args = self._args
        if args.as_annotated:
            files = dict.fromkeys(map(Path, args.files))
            found = [task for file in files for task in self._annotated(file)]
            if not found:
                raise UnusableInput(f"these files expect nothing under {' or '.join(models)}")
            return found
        return [
            Task(group, self._build(group, args), model, args)
            for group in groups_of(args)
            for model in models
        ]

    def _annotated(self, file: Path) -> Iterator[Task]:
        """What the comment at the file's top says; of the models that are asked for, if any are."""
        for case in cases_of(file):
            for options in case.runs:
                args = arguments_of(case, options, self._args)
                build = self._build((file,), args)
                for model in case.expected:
                    if not args.model or model in models_of(args.model):
                        yield Task((file,), build, model, args, case, options)

    def _build(self, files: tuple[Path, ...], args: argparse.Namespace) -> Build:
        """Each program is compiled once."""
        toolchain = toolchain_of(args)
        number = len(self._builds)
        return self._builds.setdefault(
            (files, toolchain), Build(self._maker(files, toolchain, self._directory / str(number)))
        )

    def _maker(
        self, group: tuple[Path, ...], toolchain: Toolchain, directory: Path
    ) -> Callable[[], Program]:
        def make() -> Program:
            warnings: list[str] = []
            program = build_program(list(group), toolchain, directory, warnings=warnings)
            for text in warnings:
                print(text, file=sys.stderr)
            if self._args.keep:
                keep(program, self._args.keep / self._name_of(group[0]))
            return program

        return make


def groups_of(args: argparse.Namespace) -> list[tuple[Path, ...]]:
    """The files of each program."""
    files = [Path(file) for file in args.files]
    return [tuple(files)] if args.link else [(file,) for file in dict.fromkeys(files)]
