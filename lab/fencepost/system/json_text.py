# SPDX-License-Identifier: MIT
"""JSON that others wrote: a value that everything else can work with, or a ValueError."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fencepost.console.input_error import UnusableInput

#: Deeper than anything of ours, or of those whose files are read, and far from Python's own limit.
DEEPEST = 100

_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)
#: Escapes in strings; of the last kind are halves of surrogate pairs without their other half.
_ESCAPES = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|(?P<half>u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)


def parse_json(text: str, most_values: int = 0) -> Any:
    """Raises ValueError, also for more values than `most_values`, if that is not 0: before anything
    is made of them. Half a surrogate pair, which is no text, becomes U+FFFD, as bytes that are
    no text do when a file is read."""
    # In a string these signs are no values, but then there are fewer of them than letters.
    if most_values and sum(map(text.count, ",[{")) > most_values:
        raise ValueError(f"more than {most_values:,} values")
    if text.count("[") + text.count("{") > DEEPEST and _depth(text) > DEEPEST:
        raise ValueError(f"nested more than {DEEPEST} deep")
    if "\\u" in text:
        text = _ESCAPES.sub(lambda found: "\\ufffd" if found["half"] else found[0], text)
    return json.loads(text)


def _depth(text: str) -> int:
    depth = deepest = 0
    for found in _BRACKETS.finditer(text):
        if found[0] in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif found[0] in "]}":
            depth -= 1
    return deepest


def as_float(value: Any) -> float:
    """The value as a float, infinite if it is too large. Raises TypeError or ValueError."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def as_figure(value: Any) -> float:
    """Something measured, with which arithmetic is safe: what is larger than anything that is
    measured is infinite, what is smaller is zero. Raises TypeError or ValueError."""
    found = as_float(value)
    if abs(found) > 1e100:
        return math.copysign(math.inf, found)
    return found if abs(found) > 1e-100 or math.isnan(found) else 0.0


def as_whole(value: Any) -> int:
    """The value as a number that everything can store. Raises TypeError or ValueError."""
    if not -(2**63) <= as_float(value) < 2**63:
        raise ValueError(f"no number of anything: {str(value)[:40]}")
    return int(value)


@contextmanager
def understood(what: str) -> Iterator[None]:
    """Raises UnusableInput where values that were read are not as this version writes them."""
    try:
        yield
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as problem:
        raise UnusableInput(f"{what}: not as it was written here: {in_words(problem)}") from None


def in_words(problem: Exception) -> str:
    """What is wrong with a value that has been parsed, in a line."""
    if isinstance(problem, KeyError):
        return f"there is no {str(problem.args[0])[:100]!r}"
    return str(problem)[:200] or type(problem).__name__
