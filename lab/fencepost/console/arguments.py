# SPDX-License-Identifier: MIT
"""What options of the command line may be given: most are the `type` of an argparse argument."""

from __future__ import annotations

import argparse
import math
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from fencepost import ROOT

#: Of the source tree: what is built and measured there goes into folders that are made.
_BUILD = ROOT / "build"


#: What can be waited for: the kernel counts milliseconds in 31 bits. Of two such times it can.
LONGEST_SECONDS = 1e6
#: Of rounds and the like.
MOST_COUNT = 1_000_000_000
#: The kernel's.
MOST_PROCESSES = 1 << 22


def completed(action: argparse.Action, values: Callable[[], Iterable[str]]) -> None:
    """A shell that completes lines offers these values for the argument."""
    setattr(action, "completer", lambda **_: list(values()))  # noqa: B010


def new_file(text: str) -> Path:
    """A file to be written, in a folder that is there."""
    path = Path(text)
    if not path.parent.is_dir() and not path.absolute().is_relative_to(_BUILD):
        raise argparse.ArgumentTypeError(f"there is no folder {str(path.parent)!r}")
    try:
        if path.is_symlink():
            path.stat()
    except FileNotFoundError:
        pass  # the link may lead to what is made only now
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error.strerror}") from None
    return path


def new_folder(text: str) -> Path:
    """A folder to be written to. It is made where it is missing; the one that it lies in is not."""
    path = Path(text)
    if not path.is_dir() and (path.exists() or path.is_symlink()):
        raise argparse.ArgumentTypeError(f"{text!r} is no folder")
    new_file(text)
    where = path if path.is_dir() else path.parent
    if where.is_dir() and not os.access(where, os.W_OK):
        raise argparse.ArgumentTypeError(f"you may not write to {str(where)!r}")
    return path


def _number(text: str) -> float:
    """As others read it, too: Python also takes digits of other scripts, and 1_000. Raises
    ValueError."""
    if not text.isascii() or "_" in text:
        raise ValueError
    return float(text)


def positive(text: str) -> float:
    try:
        number = _number(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError("must be above zero")
    return number


def seconds(text: str) -> float:
    """Every time that is given."""
    number = positive(text)
    if number > LONGEST_SECONDS:
        raise argparse.ArgumentTypeError(
            f"must be at most {LONGEST_SECONDS:,.0f} seconds ({LONGEST_SECONDS / 86_400:.0f} days)"
        )
    return number


def seconds_or_none(text: str) -> float:
    return 0.0 if text == "0" else seconds(text)


def whole(least: int, most: int) -> Callable[[str], int]:
    """A whole number between these, both included."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not least <= int(text[:20]) <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r} is no whole number from {least:,} to {most:,}"
            )
        return int(text)

    return read


count = whole(1, MOST_COUNT)


def count_or_none(text: str) -> int:
    return 0 if text == "0" else count(text)


def seed_number(text: str) -> int:
    if not re.fullmatch("-?[0-9]{1,100}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number")
    return int(text)


def share(text: str) -> float:
    """1%, 1 % or 0.01."""
    try:
        number = _number(text.strip().removesuffix("%"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no share, such as 1%") from None
    if "%" in text:
        number /= 100
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError("must lie between 0 % and 100 %")
    return number


def certainty(text: str) -> float:
    number = share(text)
    if number < 0.5:
        raise argparse.ArgumentTypeError("a certainty below 50 % is none")
    return number


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as problem:
        raise argparse.ArgumentTypeError(f"{text!r} is no pattern: {problem}") from None
