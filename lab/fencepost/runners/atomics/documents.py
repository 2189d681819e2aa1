# SPDX-License-Identifier: MIT
"""The figures in the documentation: the text between two marks is what they say, word for word.

<!-- figures: targets -->
…
<!-- end of figures -->
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from fencepost import ROOT
from fencepost.runners.atomics.plots import name_of
from fencepost.runners.atomics.saved import Saved
from fencepost.runners.atomics.tables import (
    say_kinds,
    say_others,
    say_own_targets,
    say_stack,
    say_windows,
)
from fencepost.system.whole_file import write_whole

DOCUMENTS = (ROOT / "docs/library/atomics.md", ROOT / "docs/lab/figures.md")
#: As the pages call the folder where the curves are (--plots).
CURVES = "../../bench/atomics/results"
MARKED = re.compile(r"<!-- figures: ([a-z, ]+) -->\n(.*?)<!-- end of figures -->\n", re.DOTALL)


def say_where(found: Saved) -> list[str]:
    """The machine, and how often what was measured on it."""
    run = found.runs[-1] if found.runs else {}
    rounds = [len(values) for values in found.windows.figures.values()] or [0]
    often = f"{min(rounds)} to {max(rounds)}" if min(rounds) != max(rounds) else f"{max(rounds)}"
    machine = (
        f"{run.get('machine', 'unknown machine')}, {run.get('processors', '?')} processors, "
        f"Linux {run.get('kernel', '?')}, {run.get('libc', '?')}, "
        f"{run.get('compiler', '?')}."
    )
    return [f"{machine} {often} rounds: {say_windows(found.windows)}.", ""]


def say_stack_with_curves(found: Saved, descheduled: bool) -> list[str]:
    lines = say_stack(found.windows, descheduled)
    if lines:
        said = "elements a second, and multiples of the pthread mutex"
        lines += [f"![{said}]({CURVES}/{name_of(descheduled)})", ""]
    return lines


SAID: dict[str, Callable[[Saved], Sequence[str]]] = {
    "where": say_where,
    "targets": lambda found: say_own_targets(found.windows),
    "others": lambda found: say_others(found.windows),
    "kinds": lambda found: say_kinds(found.windows, descheduled=False),
    "kinds, descheduled": lambda found: say_kinds(found.windows, descheduled=True),
    "stack": lambda found: say_stack_with_curves(found, descheduled=False),
    "stack, descheduled": lambda found: say_stack_with_curves(found, descheduled=True),
}


def rewritten(text: str, found: Saved) -> str:
    """A page with what these figures say between its marks."""

    def said(marked: re.Match[str]) -> str:
        lines = SAID[marked[1]](found) or ["Not measured yet.", ""]
        inner = "\n".join(lines)
        return f"<!-- figures: {marked[1]} -->\n{inner}\n<!-- end of figures -->\n"

    return MARKED.sub(said, text)


def rewrite(found: Saved, documents: Sequence[Path] = DOCUMENTS) -> list[Path]:
    """Puts these figures into the documentation; returns the pages that have some."""
    written = []
    for path in documents:
        text = path.read_text()
        if not MARKED.search(text):
            continue
        write_whole(path, rewritten(text, found))
        written.append(path)
    return written
