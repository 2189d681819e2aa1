# SPDX-License-Identifier: MIT
"""The commands that the README, the pages and each command's help show, as they stand there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fencepost.cli import parsers

ROOT = Path(__file__).resolve().parents[2]
PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/**/*.md",
    "tests/library/proofs/README.md",
)

_BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
_ASSIGNMENTS = r"(?:[A-Z_]+=(?:'[^']*'|\"[^\"]*\"|\S*) +)*"
_COMMAND = re.compile(
    rf"{_ASSIGNMENTS}(?:\./fencepost|fencepost(?:-barrierd)?|[a-z/]*(?:\.venv/bin/)?(?:python3?|dask)|make|ctest|cmake|"
    r"perf|g\+\+|gcc|conan|vcpkg|podman|pip|pipx|sudo|scripts/[a-z_]+\.sh|build/[a-z0-9_/]+|"
    r"[A-Za-z][A-Za-z0-9-]*(?= .*&$))(?: |$)"
)
#: What follows a command on its line to explain it.
_REMARK = re.compile(r"(?:^|\s)#\s.*$")


@dataclass(frozen=True)
class Command:
    """One command of one page."""

    page: str
    line: int
    text: str

    @property
    def id(self) -> str:
        return f"{self.page}:{self.text}"


def _whole_lines(body: str) -> Iterator[tuple[int, str]]:
    """The lines of a block by their numbers, each with those that it is continued by."""
    begun, first = "", 0
    for number, line in enumerate(body.splitlines()):
        if not begun:
            first = number
        if line.endswith("\\"):
            begun += line[:-1].rstrip() + " "
            continue
        yield first, begun + (line.strip() if begun else line)
        begun = ""


def _of_a_block(body: str) -> Iterator[tuple[int, str]]:
    """Where lines begin with "$ ", the others are what was printed."""
    lines = list(_whole_lines(body))
    prompted = [(number, line[2:]) for number, line in lines if line.startswith("$ ")]
    for number, line in prompted or lines:
        if prompted or _COMMAND.match(line):
            yield number, _REMARK.sub("", line).strip()


def commands_of(page: Path) -> list[Command]:
    text = page.read_text()
    found = []
    for block in _BLOCK.finditer(text):
        if block["language"] not in ("", "sh", "console"):
            continue
        before = text.count("\n", 0, block.start("body")) + 1
        found += [
            Command(str(page.relative_to(ROOT)), before + number, line)
            for number, line in _of_a_block(block["body"])
        ]
    return found


def commands_of_help() -> list[Command]:
    """The examples below each command's options. What follows some spaces explains them."""
    found = []
    for name, parser in parsers()[1].items():
        heading = ""
        for number, line in enumerate((parser.epilog or "").splitlines(), 1):
            if not line.startswith(" "):
                heading = line
            elif heading == "examples:":
                text = re.sub(r"(?<=\S)\s{2,}\S.*$", "", line.strip())
                found.append(Command(f"{name} --help", number, text))
    return found


def all_commands() -> list[Command]:
    """Each once, where it stands first."""
    found: dict[str, Command] = {}
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            for command in commands_of(page):
                found.setdefault(command.text, command)
    for command in commands_of_help():
        found.setdefault(command.text, command)
    return list(found.values())


if __name__ == "__main__":
    for command in all_commands():
        print(f"{command.page}:{command.line}: {command.text}")
