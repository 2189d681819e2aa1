# SPDX-License-Identifier: MIT
"""Tells which compiler the checker has been given, and refuses those that nobody has tried with it.

A compiler is asked what it is: its name may be `cc`, a wrapper's or a link of ccache's. What its
instrumentation leaves out, and what its own passes are called, changes from version to version, and
what is not announced is not checked. So a version is taken if the programs of tests/checker have
been given the same verdicts with it (tests/checker/test_compilers.py), and refused otherwise.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system import tool_process

#: The versions that are taken. gcc 11 and older ones cannot give local variables a first value.
TRIED = {"gcc": (12,), "clang": (14, 15, 16, 19)}

#: How the answers to `--version` begin. Who sells a clang of his own numbers it as he likes.
_FAMILIES = {
    "clang": re.compile(r"(?:(?:Debian|Ubuntu) )?clang version (\d+)\.(\d+)\.\d+"),
    "gcc": re.compile(r"\S+ \(.*\) (\d+)\.(\d+)\.\d+.*\n.*Free Software Foundation"),
}


#: What a compiler for C is called, and the one for C++ that goes with it.
_NAMES = (("gcc", "g++"), ("clang", "clang++"), ("cc", "c++"))


class NoCompiler(UnusableInput):
    """A command that is none, or not one that the checker takes."""


@dataclass(frozen=True)
class Compiler:
    """What a compiler says that it is."""

    family: str
    major: int
    minor: int

    def __str__(self) -> str:
        return f"{self.family} {self.major}.{self.minor}"


def _answer(command: str) -> str:
    try:
        told = tool_process.run([command, "--version"], environment=os.environ | {"LC_ALL": "C"})
        return told.stdout
    except FileNotFoundError:
        hint = " (it is a name or a path, without a launcher or options)" if " " in command else ""
        family = next((known for known in TRIED if known in command), "gcc")
        version = re.search(r"\d+", Path(command).name)
        instead = _instead(family, int(version[0]) if version else TRIED[family][0])
        raise NoCompiler(f"there is no compiler '{command}' here{hint}. {instead}") from None
    except OSError as error:
        raise NoCompiler(f"'{command}' is no compiler: {error.strerror}") from None


@cache
def told_by(compiler: str, *question: str) -> str:
    """What a compiler says of itself. Raises UnusableInput where there is none."""
    try:
        return tool_process.run([compiler, *question]).stdout.strip()
    except FileNotFoundError:
        raise UnusableInput(f"there is no compiler '{compiler}' here") from None


def _tried() -> str:
    words = []
    for family, majors in TRIED.items():
        *most, last = map(str, majors)
        words.append(f"{family} {', '.join(most)}{' and ' if most else ''}{last}")
    return " and with ".join(words)


@cache
def compiler_of(command: str) -> Compiler:
    """What that command is. Raises NoCompiler if the checker does not take it."""
    answer = _answer(command)
    for family, form in _FAMILIES.items():
        if not (match := form.match(answer)):
            continue
        found = Compiler(family, int(match[1]), int(match[2]))
        if found.major in TRIED[family]:
            return found
        raise NoCompiler(
            f"'{command}' is {found}, and the checker has been tried with {_tried()}: with another "
            f"one it might miss something. {_instead(family, found.major)}"
        )
    first = answer.strip().partition("\n")[0]
    raise NoCompiler(
        f"'{command}' is neither gcc nor clang (it says '{first}'): the checker has been tried "
        f"with {_tried()}"
    )


def _instead(family: str, major: int) -> str:
    """What to do: use the nearest one that is here, or install one."""
    near = sorted(TRIED[family], key=lambda tried: abs(tried - major))
    others = [name for other in TRIED if other != family for name in tried_names(other)]
    for name in (*(f"{family}-{tried}" for tried in near), *others):
        if shutil.which(name):
            return f"Use --cc {name}"
    packages = f"g++-{near[0]} gcc-{near[0]}-plugin-dev" if family == "gcc" else f"clang-{near[0]}"
    return f"On Debian or Ubuntu: apt-get install {packages}"


def tried_names(family: str) -> list[str]:
    """What Debian calls the versions that are taken."""
    return [f"{family}-{major}" for major in TRIED[family]]


def _renamed(name: str, pairs: Iterable[tuple[str, str]]) -> str:
    """Replace the first word that is one of the pairs': `TRIPLET-gcc-12` has three."""
    for old, new in pairs:
        other, count = re.subn(rf"(^|-){re.escape(old)}(?![\w+])", rf"\1{new}", name, count=1)
        if count:
            return other
    return name


def for_c(name: str) -> str:
    """The compiler for C that goes with one for either language."""
    return _renamed(name, ((cpp, c) for c, cpp in _NAMES))


def for_cpp(name: str) -> str:
    """The compiler for C++ that goes with one for either language."""
    return _renamed(name, _NAMES)
