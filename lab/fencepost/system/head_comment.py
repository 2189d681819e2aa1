# SPDX-License-Identifier: MIT
"""How a program says itself how it is to be checked: lines of the comment at its top.

    // models: c++20 x86
    // options: --timeouts --spurious
    // variant: many -DPRODUCERS=2
    // fails: none_wakes -DWAKES=0
    // slow

Each `variant:` is a name and flags for the compiler: a program of its own. Each `options:` is a run
of each of them, an empty one a run without options. `fails:` is a variant that shows what becomes
of the program without something; `slow` takes more than a few seconds. All may be left out.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.system.source_file import source_text_of

_KEYS = ("models", "options", "variant", "fails")


@dataclass(frozen=True)
class Variant:
    """One way in which a program is compiled, and the runs of it."""

    path: Path
    name: str = ""
    flags: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    runs: tuple[tuple[str, ...], ...] = ((),)
    slow: bool = False
    fails: bool = False

    @property
    def title(self) -> str:
        return f"{self.path}[{self.name}]" if self.name else str(self.path)


def variants_of(path: Path) -> list[Variant]:
    """Raises UnusableInput if the file cannot be read or its comment is not understood."""
    models: tuple[str, ...] = ()
    slow = False
    runs: list[tuple[str, ...]] = []
    found: list[tuple[str, str, tuple[str, ...]]] = []
    for number, line in _comment(path):
        key, colon, rest = line.partition(":")
        if line == "slow":
            slow = True
        if not colon or key not in _KEYS:
            continue
        words = _split(rest, f"{path}:{number}")
        if key == "models":
            models = tuple(rest.replace(",", " ").split())
        elif key == "options":
            runs.append(words)
        elif not words or words[0].startswith("-"):
            raise UnusableInput(f"'{key}:' needs a name before the flags", f"{path}:{number}")
        elif any(words[0] == name for _, name, _ in found):
            raise UnusableInput(f"two variants are called {words[0]}", f"{path}:{number}")
        else:
            found.append((key, words[0], words[1:]))
    if not any(key == "variant" for key, _, _ in found):
        found.append(("variant", "", ()))
    return [
        Variant(path, name, flags, models, tuple(runs) or ((),), slow, key == "fails")
        for key, name, flags in sorted(found, key=lambda one: one[0] == "fails")
    ]


def _split(text: str, place: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UnusableInput(f"{str(error).lower()}: '{text.strip()}'", place) from None


def _comment(path: Path) -> list[tuple[int, str]]:
    try:
        text = source_text_of(path)
    except OSError as error:
        raise UnusableInput(error.strerror or str(error), str(path)) from None
    lines = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.startswith("//"):
            break
        lines.append((number, line[2:].strip()))
    return lines
