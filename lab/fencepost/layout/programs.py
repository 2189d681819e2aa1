# SPDX-License-Identifier: MIT
"""What can be placed anew: our own programs by name, and files of a user's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fencepost import ROOT
from fencepost.asm.subjects import nearest
from fencepost.console.input_error import UnusableInput
from fencepost.layout.build import Program
from fencepost.toolchain.compile_source import C_SUFFIXES, CPP_SUFFIXES


@dataclass(frozen=True)
class Subject:
    """A program, the function whose code is moved, and what else is compiled for comparison."""

    name: str
    question: str
    function: str
    #: By variant.
    programs: dict[str, Program]
    take: str | None = None
    unit: str = ""


_MUTEXES = {
    "event_mutex_seq_cst": "event_mutex<protocol::seq_cst>",
    "event_mutex_exchange": "event_mutex<protocol::exchange>",
    "event_mutex_asymmetric": "event_mutex<protocol::asymmetric>",
    "futex_mutex": "futex_mutex",
}


def our_subjects() -> dict[str, Subject]:
    """Our subjects by name; none where the benchmarks are not there, as in an installation."""
    minimal, mutex = (ROOT / "bench" / "layout" / f"{name}.cpp" for name in ("minimal", "mutex"))
    if not minimal.is_file():
        return {}
    # About as long as each other.
    turns = {"seq_cst": 20_000_000, "relaxed": 80_000_000}
    orders = {
        name: Program("minimal", (minimal,), (f"-DORDER={name}", f"-DTURNS={count}"))
        for name, count in turns.items()
    }
    mutexes = {
        name: Program("mutex", (mutex,), (f"-DMUTEX={made}",)) for name, made in _MUTEXES.items()
    }
    found = (
        Subject(
            "minimal",
            "does the place of a loop of an atomic load and a store matter?",
            "main",
            orders,
            "number",
            "ns",
        ),
        Subject(
            "mutex",
            "does the place of lock and unlock matter, and is it what tells our mutexes apart?",
            "lock_and_unlock",
            mutexes,
            "number",
            "ns",
        ),
    )
    return {subject.name: subject for subject in found}


def subject_of(
    words: Sequence[str], wanted: Sequence[str], builds: Sequence[str], flags: Sequence[str]
) -> Subject:
    """Return the subject that the words of a command line name: one of ours, or source files. Of
    one of ours it has those variants that are `wanted`. Source files come with `builds`, NAME=FLAGS
    each; source files among the FLAGS are added to the sources. Raises UnusableInput."""
    ours = our_subjects()
    if not words:
        names = ", ".join(ours)
        raise UnusableInput(f"--layout needs source files, or one of our programs: {names}")
    if all(_is_source(word) for word in words):
        return _chosen(_files([Path(word) for word in words], builds, flags), wanted)
    if len(words) > 1 or words[0] not in ours:
        odd = next(word for word in words if not _is_source(word) and (word not in ours))
        raise UnusableInput(
            f"'{odd}' is neither a C or C++ source file nor a program of ours: {', '.join(ours)}"
            f"{nearest(odd, ours)}"
        )
    if builds:
        raise UnusableInput(f"--build is for source files; {words[0]} has its --variants")
    subject = _chosen(ours[words[0]], wanted)
    added = {n: replace(p, flags=(*p.flags, *flags)) for n, p in subject.programs.items()}
    return replace(subject, programs=added)


def _chosen(subject: Subject, wanted: Sequence[str]) -> Subject:
    for name in wanted:
        if name not in subject.programs:
            raise UnusableInput(
                f"{subject.name} has no variant '{name}'{nearest(name, subject.programs)}; its "
                f"variants are {', '.join(subject.programs)}"
            )
    chosen = wanted or list(subject.programs)
    return replace(subject, programs={name: subject.programs[name] for name in chosen})


def _is_source(word: str) -> bool:
    return Path(word).suffix in C_SUFFIXES | CPP_SUFFIXES


def _files(sources: list[Path], builds: Sequence[str], flags: Sequence[str]) -> Subject:
    name = sources[0].stem
    programs: dict[str, Program] = {}
    for one in builds or ["as_written="]:
        variant, equals, text = one.partition("=")
        if not equals or not variant:
            raise UnusableInput(f"--build {one}: expected NAME=FLAGS, such as new=-DNEW")
        words = text.split()
        more = [Path(word) for word in words if _is_source(word)]
        own = [word for word in words if not _is_source(word)]
        programs[variant] = Program(name, (*sources, *more), (*flags, *own))
    return Subject(name, "", "main", programs)
