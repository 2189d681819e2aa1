# SPDX-License-Identifier: MIT
"""One run of a command that is measured: the time it takes, or the number that it prints."""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import math
import os
import re
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.measure.watched import cpu_seconds
from fencepost.results.schema import Metric

#: What may be taken of a command, and what it is.
TAKES = {
    "wall": Metric("wall_time", "s", "lower"),
    "cpu": Metric("cpu_time", "s", "lower"),
    "number": Metric("number", "", ""),
}


class CommandFailed(Exception):
    """It failed, hung, or did not say what it was to say."""


@dataclass(frozen=True)
class Took:
    value: float
    elapsed: float


def run_command(command: str, take: str, timeout: float) -> Took:
    """Have the shell run it in a process group of its own, which is ended when it takes too long or
    when this is interrupted. Raises CommandFailed."""
    start = time.monotonic()
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if take == "number" else subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    before = cpu_seconds(resource.RUSAGE_CHILDREN)
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise CommandFailed(f"did not end in {timeout:g} s (--timeout)") from None
    finally:
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    elapsed = time.monotonic() - start
    # In microseconds, as the kernel tells it: what a difference of floating-point numbers adds is
    # no figure.
    cpu = round(cpu_seconds(resource.RUSAGE_CHILDREN) - before, 6)
    if process.returncode != 0:
        last = (errors.strip().splitlines() or ["it said nothing"])[-1]
        raise CommandFailed(f"exit status {process.returncode}: {last}")
    if take == "number":
        return Took(last_number(output), elapsed)
    return Took(elapsed if take == "wall" else _above_zero(cpu, "took no CPU time"), elapsed)


def last_number(output: str) -> float:
    """The last word of what it printed."""
    words = output.split()
    if not words:
        raise CommandFailed("printed nothing, where a number was expected")
    try:
        number = float(words[-1])
    except ValueError:
        raise CommandFailed(f"printed {words[-1]!r} last, which is no number") from None
    return _above_zero(number, f"printed {words[-1]}")


def _above_zero(number: float, what: str) -> float:
    if not 0 < number < math.inf:
        raise CommandFailed(f"{what}, and ratios need numbers above zero")
    return number


#: What interpreters are given, which need not be executable.
_SCRIPTS = {".jar", ".js", ".lua", ".pl", ".py", ".rb", ".sh"}
_BETWEEN_WORDS = re.compile(r"[\s;|&<>()$`={}\"']+")


def programs_of(commands: Iterable[str]) -> dict[str, str]:
    """A hash of each program or script that a word of the commands names. What these load or start
    in turn is not looked at, nor are files that may not be executed."""
    words = {word for command in commands for word in _BETWEEN_WORDS.split(command) if word}
    found = {word: _hash_of_program(word) for word in sorted(words)}
    return {word: print_ for word, print_ in found.items() if print_}


def _hash_of_program(word: str) -> str | None:
    path = Path(word)
    try:
        if not (path.is_file() and path.suffix in _SCRIPTS):
            where = shutil.which(word)
            if where is None or not Path(where).is_file():
                return None
            path = Path(where)
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except (OSError, ValueError):
        return None


_PROCESSOR = re.compile(r"\d{1,5}", re.ASCII)


def processor_list(text: str) -> list[int]:
    """What --cpu takes: 0,2-3. For argparse."""
    found: list[int] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        if not _PROCESSOR.fullmatch(first) or not _PROCESSOR.fullmatch(last or first):
            raise argparse.ArgumentTypeError(f"{text!r} is no list of processors, such as 0,2-3")
        found += range(int(first), int(last or first) + 1)
    return found


def pin(processors: Sequence[int]) -> None:
    """This process, and so what it starts. Raises UnusableInput."""
    try:
        os.sched_setaffinity(0, processors)
    except PermissionError:
        raise UnusableInput(
            "no permission to pin to processors; without --cpu the scheduler places them"
        ) from None
    except (OSError, ValueError):
        allowed = ",".join(map(str, sorted(os.sched_getaffinity(0))))
        told = ",".join(map(str, processors))
        raise UnusableInput(f"--cpu {told}: processors that may be used are {allowed}") from None
