# SPDX-License-Identifier: MIT
"""What `make test-long` does whole, and `make test` takes a sample of."""

from __future__ import annotations

import os
import random
import subprocess
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

#: In the environment: set, the long tests run, and others take more programs and more time.
LONG = "FENCEPOST_SLOW"
#: In the environment: what the samples are drawn by.
SEED = "FENCEPOST_SEED"

#: In the environment: the part of it that this run does, such as 2/6. Each test is in one.
PART = "FENCEPOST_PART"

is_long = bool(os.environ.get(LONG))


def choose_seed() -> None:
    """From the commit, where nobody has chosen one: another sample with each change, and the same
    for all who test it. For all processes of this run."""
    if SEED in os.environ:
        return
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    os.environ[SEED] = str(int(head[:7] or "1", 16))


def seed() -> int:
    return int(os.environ[SEED])


def seed_of(number: int) -> int:
    """Of random programs: the same in each usual run, and others by each seed in a long one."""
    return seed() * 1000 + number if is_long else number


def is_in_part(name: str) -> bool:
    """Raises ValueError where there is no such part."""
    part = os.environ.get(PART)
    if not part:
        return True
    number, _, parts = part.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise ValueError(f"{PART}={part}: it is to be a part of so many, such as 2/6")
    return zlib.crc32(name.encode()) % int(parts) == int(number) - 1


def is_in_turn(seeds: int, name: str) -> bool:
    """Whether a long run does it; as many seeds in a row do each entry once."""
    return random.Random(name).randrange(seeds) == seed() % seeds


Entry = TypeVar("Entry")


def all_but_one_in(share: int, entries: Sequence[Entry], name: str) -> list[Entry]:
    """Those that are left to the long run; of each matrix at least one is not."""
    most = len(entries) - -(-len(entries) // share)
    return random.Random(f"{seed()} {name}").sample(entries, most)
