# SPDX-License-Identifier: MIT
"""What can be studied: subjects, the protocols each consists of, and what was claimed of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from fencepost import ROOT

#: Ways in which a claim fares once the verdicts are known.
STANDS, FALLS, OPEN = "stands", "falls", "open"

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True)
class Claim:
    """What somebody said of a protocol, and of which models."""

    by: str
    date: str
    says: str  # correct, buggy or unproven
    models: tuple[str, ...]
    words: str

    def standing(self, verdicts: Mapping[str, str]) -> str:
        """Open where nothing is claimed, or where a verdict that would decide it is missing."""
        expected = {"correct": "holds", "buggy": "violated"}.get(self.says)
        found = [verdicts.get(model, "unknown") for model in self.models]
        if expected is None:
            return OPEN
        if any(verdict in ("holds", "violated") and verdict != expected for verdict in found):
            return FALLS
        return STANDS if all(verdict == expected for verdict in found) else OPEN

    def broken_by(self, verdicts: Mapping[str, str]) -> list[str]:
        """The models that refute it."""
        other = {"correct": "violated", "buggy": "holds"}.get(self.says)
        return [model for model in self.models if verdicts.get(model) == other]


@dataclass(frozen=True)
class Protocol:
    id: str
    title: str
    date: str  # ISO; empty where nobody proposed it
    header: str  # as included
    type: str  # the C++ class
    orders: str
    claims: tuple[Claim, ...]
    unlock_was_called: str = ""  # the function's name in the argument, where it has one

    @property
    def day(self) -> str:
        if not self.date:
            return ""
        _, month, day = self.date.split("-")
        return f"{int(day)} {MONTHS[int(month) - 1]}"

    def source(self) -> Path:
        return next(
            path
            for path in (ROOT / "include" / self.header, ROOT / "study" / self.header)
            if path.is_file()
        )

    def flags(self) -> list[str]:
        """What the compiler is told to make the subject's programs of this protocol."""
        return [
            "-I",
            str(ROOT / "study"),
            f'-DFENCEPOST_PROTOCOL_HEADER="{self.header}"',
            f"-DFENCEPOST_PROTOCOL={self.type}",
        ]


@dataclass(frozen=True)
class Client:
    """A program that uses a protocol: a function of the subject's check.cpp."""

    name: str
    does: str
    thorough: bool = False  # takes long, and only on request
    #: Of those that take long: a protocol and a model for which it is told all the same.
    but_for: tuple[str, str] = ("", "")

    def is_for(self, protocol: str, model: str) -> bool:
        """Whether it is explored without being asked for."""
        return not self.thorough or (protocol, model) == self.but_for


@dataclass(frozen=True)
class Subject:
    name: str
    heading: str
    question: str
    failure: str  # what a violation is called in a table
    clients: tuple[Client, ...]
    functions: tuple[str, ...]  # of instructions.cpp
    program: str  # what runs it on real threads, below the build directory
    counts: str  # the field of that program's lines in which a failure is counted

    @property
    def directory(self) -> Path:
        return ROOT / "study" / self.name.replace("-", "_")

    def protocols(self) -> list[Protocol]:
        data = json.loads((self.directory / "protocols.json").read_text())
        return [
            Protocol(
                id=one["id"],
                title=one["title"],
                date=one["date"],
                header=one["header"],
                type=one["class"],
                orders=one["orders"],
                claims=tuple(
                    Claim(c["by"], c["date"], c["says"], tuple(c["models"]), c["words"])
                    for c in one["claims"]
                ),
                unlock_was_called=one.get("unlock_was_called", ""),
            )
            for one in data["protocols"]
        ]


SUBJECTS = {
    subject.name: subject
    for subject in (
        Subject(
            name="event-mutex",
            heading="The event mutex of MySQL bug 100132",
            question="Which orderings can lose a wake-up?",
            failure="lost",
            clients=(
                Client("holder", "one thread holds the mutex, one wants it"),
                Client("pair", "two threads come at the same time"),
                Client("again", "two threads, one of which comes back"),
                Client("crowd", "one thread holds the mutex, two want it"),
                Client("three", "three threads come at the same time", thorough=True),
                Client(
                    "as_drawn",
                    "the four threads of 13 July 14:38, doing what is written there",
                    thorough=True,
                    but_for=("seq_cst_release_clear", "c++14"),
                ),
            ),
            functions=("enter", "leave"),
            program="study/event_mutex/event_mutex_stress",
            counts="lost",
        ),
        Subject(
            name="store-buffering",
            heading="The store-buffering demonstration of MySQL bug 100132",
            question="Can both threads miss the other's store?",
            failure="weak",
            clients=(Client("main", "two threads, a store and a load each"),),
            functions=("side_a", "side_b"),
            program="study/store_buffering/store_buffering_run",
            counts="weak",
        ),
    )
}
