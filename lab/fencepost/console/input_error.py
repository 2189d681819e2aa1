# SPDX-License-Identifier: MIT
"""What can be wrong with a program before a single execution of it is explored."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class UnusableInput(Exception):
    """The input could not be read, compiled, linked or started: exit status 3."""

    message: str
    location: str | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


@dataclass
class Unsupported(Exception):
    """The program uses something that the checker does not model: verdict inconclusive."""

    message: str
    location: str | None = None

    def __str__(self) -> str:
        return f"{self.location}: {self.message}" if self.location else self.message


class UnsupportedInstruction(Unsupported):
    """... which is so only where an execution comes to it."""
