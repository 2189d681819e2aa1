# SPDX-License-Identifier: MIT
"""Reads litmus.txt, the tests of the literature with their verdicts, and the files beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MODELS = ("sc", "c++20", "x86", "c++14")


@dataclass(frozen=True)
class LitmusTest:
    """One stanza of litmus.txt."""

    name: str
    program: str
    outcome: str
    allowed: dict[str, bool]
    source: str


def literature() -> list[LitmusTest]:
    """Every test of litmus.txt, in its order."""
    return _tests_of("litmus.txt")


def asymmetric() -> list[LitmusTest]:
    """Every test of light and heavy fences and undivided additions."""
    return _tests_of("asymmetric.txt")


def mixed_sizes() -> list[LitmusTest]:
    """Every test of accesses of different sizes to the same bytes."""
    return _tests_of("mixed_sizes.txt")


def _tests_of(name: str) -> list[LitmusTest]:
    stanzas: list[list[str]] = [[]]
    for line in Path(__file__).with_name(name).read_text().splitlines():
        if line.startswith("#"):
            continue
        if line.strip():
            stanzas[-1].append(line)
        elif stanzas[-1]:
            stanzas.append([])
    tests = []
    for stanza in stanzas:
        if not stanza:
            continue
        name, program, outcome, verdicts, source = stanza
        signs = verdicts.split()
        if len(signs) != len(MODELS) or not set(signs) <= {"+", "-"}:
            raise ValueError(f"{name}: verdicts must be + or - for each of {MODELS}")
        allowed = {model: sign == "+" for model, sign in zip(MODELS, signs, strict=True)}
        tests.append(LitmusTest(name, program, outcome, allowed, source))
    return tests
