# SPDX-License-Identifier: MIT
"""Compare-exchanges on riscv64 and ppc64le have the orders that they were asked for, whichever gcc
compiles them: looked for in the instructions, for an emulator on a strongly ordered processor would
not show that one is missing."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from fencepost.asm.targets import targets_by_id
from fencepost.runners.atomics.memory_events import memory_events

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

TOOLS = "riscv64-linux-gnu-"
#: Success and failure, and what the instructions of such a function must have among them.
NEEDED = {
    ("acquire", "relaxed"): r"(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("acquire", "acquire"): r"(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("release", "relaxed"): r"(release|full) (load )*lr",
    ("release", "acquire"): r"(release|full) (load )*(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("acq_rel", "relaxed"): r"(release|full) (load )*(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("acq_rel", "acquire"): r"(release|full) (load )*(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("seq_cst", "relaxed"): r"full (load )*(lr\.aq|lr sc\S* ((load|store) )*acquire)",
    ("seq_cst", "seq_cst"): r"full (load )*(release )?(lr\.aq|lr sc\S* ((load|store) )*acquire)",
}


def compiled(source: Path, folder: Path) -> dict[str, list[str]]:
    """The instructions of each function."""
    if shutil.which(f"{TOOLS}g++") is None:
        pytest.skip(f"not installed: {TOOLS}g++")
    made = folder / "made.o"
    flags = ["-std=c++20", "-O2", "-I", str(ROOT / "include")]
    command = [f"{TOOLS}g++", *flags, "-c", str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    command = [f"{TOOLS}objdump", "--disassemble", "--no-show-raw-insn", str(made)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    # Labels within functions are symbols, too.
    parts = re.split(r"^[0-9a-f]+ <((?!\.L)\S+)>:$", text, flags=re.MULTILINE)[1:]
    return {
        name: re.findall(r"^ +[0-9a-f]+:\t([^\n]*)", body, re.MULTILINE)
        for name, body in zip(parts[::2], parts[1::2], strict=True)
    }


def complaints(kind: str, folder: Path) -> list[str]:
    source = folder / "source.cpp"
    lines = [
        "// SPDX-License-Identifier: MIT",
        '#include "fencepost/detail/ordered_atomic.hpp"',
        f"using word = {kind}<unsigned>;",
    ]
    for how in ("weak", "strong"):
        for success, failure in NEEDED:
            orders = f"std::memory_order_{success}, std::memory_order_{failure}"
            lines += [
                f'extern "C" bool {how}_{success}_{failure}(word& at, unsigned& seen) {{',
                f"  return at.compare_exchange_{how}(seen, 1, {orders});",
                "}",
            ]
    source.write_text("\n".join([*lines, ""]))
    found = []
    for name, instructions in compiled(source, folder).items():
        orders = name.partition("_")[2]
        needed = next(needed for pair, needed in NEEDED.items() if "_".join(pair) == orders)
        events = memory_events("riscv64", instructions)
        if not re.search(needed, events):
            found.append(f"{name}: {events}, where {needed} is needed")
    return found


def test_each_order_has_its_instructions(tmp_path: Path) -> None:
    assert not complaints("fencepost::detail::ordered_atomic", tmp_path)


def test_what_gcc_12_leaves_out_is_found(tmp_path: Path) -> None:
    found = complaints("std::atomic", tmp_path)
    version = subprocess.run(
        [f"{TOOLS}g++", "-dumpversion"], check=True, capture_output=True, text=True
    ).stdout
    if version.partition(".")[0].strip() != "12":
        pytest.skip(f"gcc {version.strip()}")
    assert {text.partition(":")[0] for text in found} == {
        f"{how}_{success}_{failure}"
        for how in ("weak", "strong")
        for success, failure in NEEDED
        if (success, failure) != ("acquire", "acquire")
    }


def test_no_acquiring_exchange_of_the_library_is_without_its_fence(tmp_path: Path) -> None:
    """Whatever has one must be an ordered_atomic: a store-conditional with .aq is how gcc 12 shows
    that it was asked to acquire."""
    exchanges = 0
    for name, instructions in compiled(HERE / "other_architectures.cpp", tmp_path).items():
        for place, instruction in enumerate(instructions):
            if not re.match(r"sc\.\w\.aq\b", instruction):
                continue
            exchanges += 1
            after = memory_events("riscv64", instructions[place + 1 : place + 6])
            assert after.startswith("acquire"), (name, instructions[place - 3 : place + 6])
    assert exchanges


@pytest.mark.matrix(5)
@pytest.mark.parametrize("target", ["riscv64-gcc", "ppc64le-gcc"])
def test_no_order_of_the_library_is_lost_in_the_instructions(target: str) -> None:
    """`fencepost asm` finds none in all that the program for other processors makes of it."""
    if not targets_by_id(target)[0].present:
        pytest.skip(f"not installed: the compiler of {target}")
    command = [str(ROOT / "fencepost"), "asm", str(HERE / "other_architectures.cpp"), "--json"]
    run = subprocess.run(
        [*command, "--target", target], capture_output=True, text=True, check=False
    )
    operations = [one for line in run.stdout.splitlines() for one in json.loads(line)["operations"]]
    judged = [one for one in operations if one["instructions"] and one["order"] != "relaxed"]
    assert len(judged) > 50, run.stderr
    assert [one for one in operations if one["faults"]] == []
