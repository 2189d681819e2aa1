# SPDX-License-Identifier: MIT
"""What <stdatomic.h> of include/fencepost-atomic refuses: each line of programs/header_refused.c
that says so, for the reason that it names, and no other line."""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict

import pytest
from runtimes import PROGRAMS
from test_header import COMPILERS, STRICT, SUPPORTS, header

SOURCE = PROGRAMS / "header_refused.c"
#: So that an error stands where the program is wrong, not in the header, and none is left out.
WHERE = {
    "gcc": ("-ftrack-macro-expansion=0", "-fmax-errors=0"),
    "clang-14": ("-ferror-limit=0", "-fno-caret-diagnostics"),
}


def compiled(compiler: str, *flags: str) -> subprocess.CompletedProcess[str]:
    command = [compiler, "-std=c99", "-fsyntax-only", *flags, SOURCE]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("support", SUPPORTS)
def test_what_is_not_refused_compiles(compiler: str, support: str) -> None:
    done = compiled(compiler, *STRICT, "-Wno-float-conversion", *header(support), "-DALLOWED")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("support", SUPPORTS)
def test_each_misuse_is_refused_for_its_reason(compiler: str, support: str) -> None:
    done = compiled(compiler, *WHERE[compiler], *header(support))
    assert done.returncode != 0
    found: dict[int, list[str]] = defaultdict(list)
    for line, message in re.findall(rf"{SOURCE.name}:(\d+):\d+: error: (.*)", done.stderr):
        found[int(line)].append(message)
    lines = SOURCE.read_text().splitlines()
    wanted = {
        number: line.split("/* refused: ")[1].removesuffix(" */")
        for number, line in enumerate(lines, 1)
        if "/* refused: " in line
    }
    emulated = next(n for n, line in enumerate(lines, 1) if line == "#if EMULATED")
    if support == "full":
        wanted = {number: reason for number, reason in wanted.items() if number < emulated}
    assert set(found) <= set(wanted)
    missed = [
        f"{number}: {lines[number - 1].split('/*')[0].strip()}: {found[number]}"
        for number, reason in wanted.items()
        if not any(re.search(reason, message) for message in found[number])
    ]
    assert missed == []
