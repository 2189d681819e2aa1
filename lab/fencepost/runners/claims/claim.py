# SPDX-License-Identifier: MIT
"""What a claim is, and how it is put to the test."""

from __future__ import annotations

from dataclasses import dataclass, field

HIGHER, LOWER, EQUAL = "higher", "lower", "equal"
CONFIRMED, REFUTED, UNKNOWN, NOT_HERE = (
    "confirmed",
    "refuted",
    "not distinguishable here",
    "not testable here",
)


@dataclass(frozen=True)
class Question:
    """That a figure of `one` is higher or lower than the other's, or practically equal to it."""

    subject: str
    work: str
    one: str
    expected: str
    other: str
    #: The subject's first figure, or another one.
    metric: str | None = None
    #: What the row calls it.
    label: str = ""
    #: Differences up to this are none in practice. 5 % is what the reporter (4 August) ignores.
    rope: float = 0.05


@dataclass(frozen=True)
class Figure:
    """A median that is told beside the ratios, for a claim that gives one: how many times
    `unit`."""

    label: str
    subject: str
    work: str
    variant: str
    metric: str
    unit: str


@dataclass(frozen=True)
class Claim:
    """What was said, by whom and when; and the tests of it, or why there are none."""

    said: str
    who: str
    tests: tuple[Question, ...] = ()
    figures: tuple[Figure, ...] = ()
    #: Why it is not testable on this machine. What the tests find is told all the same.
    not_here: str = ""
    #: A page that has tested it already, by its verdict and in Markdown.
    elsewhere: tuple[str, str] | None = None


@dataclass(frozen=True)
class Group:
    """Claims that one command puts to the test."""

    key: str
    title: str
    #: Of `fencepost bench`; empty where nothing is measured for these claims.
    command: tuple[str, ...]
    claims: tuple[Claim, ...] = field(default=())
