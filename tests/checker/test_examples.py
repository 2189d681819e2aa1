# SPDX-License-Identifier: MIT
"""Every example does what the comment at its top says: the command after `$` prints the lines below
it, in that order, perhaps with more around them."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(
    path for path in (ROOT / "examples" / "checker").iterdir() if path.suffix in {".c", ".cpp"}
)


def promises(path: Path) -> list[tuple[str, list[str]]]:
    """The commands of an example's comment, each with the lines that it is to print."""
    found: list[tuple[str, list[str]]] = []
    for line in path.read_text().splitlines():
        if not line.startswith("//"):
            break
        if line.startswith("//   $ "):
            found.append((line.removeprefix("//   $ "), []))
        elif line.startswith("//   ") and found:
            found[-1][1].append(line.removeprefix("//   "))
    return found


@pytest.mark.matrix(3)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_example_does_what_its_comment_says(path: Path) -> None:
    assert promises(path), "no command in the comment"
    for command, wanted in promises(path):
        done = subprocess.run(
            shlex.split(command), cwd=ROOT, capture_output=True, text=True, check=False
        )
        rest = done.stdout
        for line in wanted:
            before, found, rest = rest.partition(line)
            assert found, f"$ {command}\nno {line!r} in {before!r}; {done.stderr}"
