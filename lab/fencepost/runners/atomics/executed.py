# SPDX-License-Identifier: MIT
"""Which instructions a program executes, one by one, as an emulator writes them down."""

from __future__ import annotations

import re
import resource
import subprocess
from collections.abc import Sequence
from pathlib import Path

#: Bytes: what is traced here takes a tenth of it.
MOST_LOGGED = 1 << 30


def _run(*command: str | Path) -> str:
    done = subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def symbols_of(program: Path, tools: str) -> dict[str, tuple[int, int]]:
    """Where each function begins and ends. `tools` is what the names of a target's tools begin
    with."""
    listed = _run(f"{tools}nm", "--print-size", "--defined-only", program)
    fields = [line.split() for line in listed.splitlines()]
    return {
        field[3]: (int(field[0], 16), int(field[0], 16) + int(field[1], 16))
        for field in fields
        if len(field) == 4
    }


def disassembled(tools: str, program: Path) -> dict[int, str]:
    text = _run(f"{tools}objdump", "--disassemble", "--no-show-raw-insn", program)
    found = re.findall(r"^ +([0-9a-f]+):\t([^\n]*)", text, re.MULTILINE)
    return {int(address, 16): what for address, what in found}


def _one_at_a_time(emulator: str) -> str:
    told = subprocess.run([emulator, "--help"], capture_output=True, text=True, check=False).stdout
    return "-one-insn-per-tb" if "one-insn-per-tb" in told else "-singlestep"


def executed_by(launcher: Sequence[str], program: Path, log: Path) -> list[int]:
    """The places of the instructions that the program's first thread executes, in their order."""
    one_by_one = (_one_at_a_time(launcher[0]), "-d", "exec,nochain", "-D", str(log))
    done = subprocess.run(
        [*launcher, *one_by_one, str(program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        # A program that waits for ever would fill the disk.
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_LOGGED, MOST_LOGGED)),
    )
    if done.returncode != 0:
        raise RuntimeError(f"{program} ended with status {done.returncode}: {done.stderr[-500:]}")
    places = re.findall(r"^Trace 0:[^[]*\[[0-9a-f]+/([0-9a-f]+)/", log.read_text(), re.MULTILINE)
    return [int(place, 16) for place in places]
