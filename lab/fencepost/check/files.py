# SPDX-License-Identifier: MIT
"""The files that `fencepost check` is asked for beside what it prints. They are looked at before
the search; what cannot be written after it is told beside the verdict."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.explore.outcome import HOLDS, UNUSABLE, Outcome
from fencepost.system.whole_file import place_of, refuse_what_cannot_be_written, write_whole
from fencepost.toolchain.compile_source import CPP_SUFFIXES

SOURCE_SUFFIXES = {*CPP_SUFFIXES, ".c", ".h", ".hh", ".hpp", ".hxx", ".inc"}


#: The checker writes it under this name and `.LETTERS.part` (checker/search/checkpoint.cpp).
_LONGEST_CHECKPOINT = 255 - len(".0123456789abcdef.part")


def refuse_sources(path: Path, sources: Sequence[str]) -> None:
    """Raises UnusableInput for a file to be written that is one of those to be read, or looks like
    one: who forgets an option's FILE would lose the next source."""
    if path.suffix in SOURCE_SUFFIXES or any(
        path.absolute() == Path(one).absolute() for one in sources
    ):
        raise UnusableInput("is a source, and nothing is written there", str(path))


class CheckFiles:
    def __init__(
        self, args: argparse.Namespace, programs: Sequence[Path], models: Sequence[str]
    ) -> None:
        """`programs`: the first source of each. With several programs or models each has files of
        its own. Raises UnusableInput for what cannot be written."""
        self._args = args
        self._several = len(programs) * len(models) > 1
        self._names = _distinct_names(programs)
        taken = dict[Path, str]()
        for option in ("svg", "html", "junit", "sarif", "checkpoint"):
            given = getattr(args, option)
            if given:
                refuse_sources(Path(given), args.files)
                refuse_what_cannot_be_written(Path(given))
                place = place_of(Path(given))
                other = taken.setdefault(place, option)
                if other != option and (place.is_file() or not place.exists()):
                    raise UnusableInput(f"{given}: --{other} and --{option} name the same file")
                self._refuse_names(option, Path(given), models)

    def _refuse_names(self, option: str, given: Path, models: Sequence[str]) -> None:
        """Raises OSError or UnusableInput for names that are too long, say."""
        paths = [given]
        if self._several and option not in ("junit", "sarif"):
            paths = [self._of(given, program, model) for program in self._names for model in models]
        for path in paths:
            refuse_what_cannot_be_written(path)
            if option == "checkpoint" and len(os.fsencode(path.name)) > _LONGEST_CHECKPOINT:
                raise UnusableInput("File name too long for --checkpoint", str(path))

    def name_of(self, program: Path) -> str:
        """What the files of this program are called by: that of no other one."""
        return self._names[program]

    def with_its_files(self, outcome: Outcome, number: int = 1) -> Outcome:
        """With the drawing and the page; of the violation that was found first, or after it. Where
        none was found they say so, lest those of an older one stay."""
        if outcome.exploration is None:
            return outcome
        if self._args.svg:
            outcome = self._with(outcome, "svg", _drawing, number)
        if self._args.html:
            outcome = self._with(outcome, "html", _page, number)
        return outcome

    def status_with_reports(self, outcomes: Sequence[Outcome], status: int) -> int:
        """Writes those about all of them. The exit status, of which `status` is the verdicts':
        that all is well is not said where a file is missing."""
        every = [one for outcome in outcomes for one in (outcome, *outcome.further)]
        missing = [text for outcome in every for text in outcome.unwritten]
        for given, text_of in ((self._args.junit, _junit), (self._args.sarif, _sarif)):
            if given:
                try:
                    write_whole(Path(given), text_of(outcomes))
                except UnusableInput as error:
                    missing.append(str(error))
        for text in missing:
            print(f"fencepost: {text}", file=sys.stderr)
        return UNUSABLE if missing and status == HOLDS else status

    def _with(
        self, outcome: Outcome, kind: str, text_of: Callable[[Outcome], str], number: int
    ) -> Outcome:
        path = self.path(getattr(self._args, kind), outcome, f".{kind}", number)
        try:
            write_whole(path, text_of(outcome))
        except UnusableInput as error:
            return replace(outcome, unwritten=(*outcome.unwritten, str(error)))
        return replace(outcome, drawn={**outcome.drawn, kind: path})

    def path(self, given: str, outcome: Outcome, suffix: str, number: int = 1) -> Path:
        """The file that was asked for, or where there may be several one beside it."""
        path = Path(given)
        if self._several:
            path = self._of(path, outcome.file, outcome.model, suffix)
        if number > 1:
            path = path.with_name(f"{path.stem}-{number}{path.suffix}")
        return path

    def _of(self, path: Path, program: Path, model: str, suffix: str = "") -> Path:
        named = f"{path.stem}-{self.name_of(program)}-{model.replace('+', 'p')}"
        return path.with_name(f"{named}{path.suffix or suffix}")


def _distinct_names(programs: Sequence[Path]) -> dict[Path, str]:
    """`queue` for queue.cpp; `a-queue.cpp` for a/queue.cpp where another file is called queue."""
    names = dict[Path, str]()
    stems = [_stem(program) for program in dict.fromkeys(programs)]
    for program in programs:
        if program in names:
            continue
        name = _stem(program)
        if stems.count(name) > 1:
            name = "-".join(part for part in program.parts if part not in ("/", "..", "."))
        wanted, number = name, 1
        while name in names.values():
            number += 1
            name = f"{wanted}.{number}"
        names[program] = name
    return names


def _stem(program: Path) -> str:
    """The name of `...c` without its suffix would name the folder above."""
    return program.name if program.stem in (".", "..") else program.stem


def _drawing(outcome: Outcome) -> str:
    from fencepost.render.graph_svg import draw, draw_sentence

    assert outcome.exploration
    if outcome.exploration.violation is None:
        return draw_sentence(outcome.summary())
    return draw(outcome.exploration.violation, outcome.names(), outcome.title)


def _page(outcome: Outcome) -> str:
    from fencepost.render.explored_page import explored_page
    from fencepost.render.replay_page import page

    assert outcome.exploration
    if outcome.exploration.violation is None:
        return explored_page(outcome)
    return page(outcome.exploration, outcome.names(), outcome.title)


def _junit(outcomes: Sequence[Outcome]) -> str:
    from fencepost.render.junit import junit

    return junit(outcomes)


def _sarif(outcomes: Sequence[Outcome]) -> str:
    from fencepost.render.sarif import sarif

    return sarif(outcomes)
