# SPDX-License-Identifier: MIT
"""The line on a terminal that says how far a long exploration has come."""

from __future__ import annotations

import os
import shutil
import sys
import threading
from dataclasses import dataclass

from fencepost.console.shown import CLEAR_LINE, shown

QUIET_SECONDS = 0.4


@dataclass(frozen=True)
class Progress:
    executions: int = 0
    blocked: int = 0
    seconds: float = 0.0
    estimate: float | None = None


def amount(number: float) -> str:
    """1234567 as a reader takes it in: 1,234,567; beyond a billion as a power of ten."""
    return f"{number:,.0f}" if number < 1e9 else f"{number:.2g}"


def duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"


def progress_text(progress: Progress) -> str:
    """Executions so far, how fast, how many there may be, and for how long it has run."""
    done = progress.executions + progress.blocked
    rate = done / progress.seconds if progress.seconds else 0.0
    parts = [f"{amount(progress.executions)} executions"]
    if progress.blocked:
        parts.append(f"{amount(progress.blocked)} blocked")
    parts.append(f"{amount(rate)}/s")
    if progress.estimate and progress.estimate > done:
        parts.append(f"about {amount(progress.estimate)} in all")
        if rate:
            parts.append(f"{duration((progress.estimate - done) / rate)} to go")
    parts.append(f"after {duration(progress.seconds)}")
    return ", ".join(parts)


class ProgressLine:
    """One line on stderr, rewritten in place; silent where stderr is no terminal."""

    def __init__(self, wanted: bool = True) -> None:
        self._on = wanted and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._shown = False

    def show(self, name: str, progress: Progress) -> None:
        if not self._on or progress.seconds < QUIET_SECONDS:
            return
        self.say(f"{name}: {progress_text(progress)}")

    def say(self, text: str) -> None:
        if not self._on:
            return
        width = shutil.get_terminal_size().columns - 1
        with self._lock:
            sys.stderr.write(f"{CLEAR_LINE}{shown(text, kept='')[:width]}")
            sys.stderr.flush()
            self._shown = True

    def clear(self) -> None:
        with self._lock:
            if self._shown:
                sys.stderr.write(CLEAR_LINE)
                sys.stderr.flush()
                self._shown = False
