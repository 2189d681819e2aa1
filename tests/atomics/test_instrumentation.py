# SPDX-License-Identifier: MIT
"""Builds for those who test locks: counts of what happens at them, and threads that are stopped
while they have one. The build that ships has nothing of either, not an instruction."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from runtimes import (
    BLOCKING,
    INSTRUMENTATION,
    INSTRUMENTED,
    LOCK_PATH,
    LOCKS,
    ROOT,
    SHIPPED,
    Runtime,
    build,
    sh,
)

pytestmark = pytest.mark.matrix(5)

HEADERS = ("-I", str(ROOT / "include"))


def instrumented(runtime: Runtime) -> Runtime:
    name = f"instrumented_{runtime.name}"
    options = (*runtime.options, *INSTRUMENTATION)
    return replace(runtime, name=name, options=options, sources=LOCK_PATH)


#: Besides the default: one that sleeps on a word which every arrival changes, the C library's, and
#: one that never sleeps.
KINDS = {lock.name: lock for lock in LOCKS}
OTHERS = [instrumented(KINDS[kind]) for kind in ("published_futex", "mtx", "flag_spin")]
SLEEPS = {"mutex", "published_futex", "mtx"}
COUNTS = (
    *("objects", "acquisitions", "at once", "spins", "waits", "failed waits"),
    *("loads without a lock", "attempts in vain"),
)


def table(said: str) -> dict[str, list[float]]:
    """By the name of a count: in all, least, most, mean, standard deviation."""
    rows = [re.fullmatch(r"([a-z ]+?) +([\d. ]+)", line) for line in said.splitlines()]
    return {row[1]: [float(number) for number in row[2].split()] for row in rows if row}


def say(runtime: Runtime, folder: Path, source: str, *words: str, linked: str = "static") -> str:
    return sh(build(runtime, folder, source, flags=HEADERS, linked=linked), *words)


@pytest.mark.parametrize("linked", ["static", "shared"])
def test_counts_are_exact(linked: str, tmp_path: Path) -> None:
    said = say(INSTRUMENTED, tmp_path, "counted.c", linked=linked)
    assert said.startswith("atomic objects: 48 of 64 locks used, of the kind mutex\n")
    nothing = [0.0] * 5
    assert table(said) == {
        # 48 locks of 64 with one object, one of them with two
        "objects": [49, 0, 2, 0.77, 0.46],
        "acquisitions": [480, 0, 10, 7.5, 4.33],
        "at once": [480, 0, 10, 7.5, 4.33],
        "spins": nothing,
        "waits": nothing,
        "failed waits": nothing,
        "loads without a lock": [3, 0, 3, 0.05, 0.37],
        "attempts in vain": nothing,
    }
    assert (
        "lock  0:  objects 2  acquisitions 10  at once 10  loads without a lock 3\n"
        "lock  1:  objects 1  acquisitions 10  at once 10\n"
    ) in said
    assert "lock 48" not in said


@pytest.mark.parametrize("runtime", [INSTRUMENTED, *OTHERS], ids=lambda runtime: runtime.name)
def test_threads_wait_for_one_that_is_stopped_in_the_middle(
    runtime: Runtime, tmp_path: Path
) -> None:
    """It and a thread of each operation, then six of each, then those who fork."""
    kind = "mutex" if runtime is INSTRUMENTED else runtime.name.removeprefix("instrumented_")
    sleeps = kind in SLEEPS
    said = say(runtime, tmp_path, "stalled_holder.c", "asleep" if sleeps else "counted")
    assert said.splitlines()[0].endswith(f"of the kind {kind}")
    counts = {name: int(numbers[0]) for name, numbers in table(said).items()}
    assert set(counts) == set(COUNTS)
    waiters = 5 + 30 + 1 + 6
    if sleeps:
        # Each slept once or more, and so has not found the lock free.
        assert counts["waits"] >= waiters
        assert counts["at once"] <= counts["acquisitions"] - waiters
    else:
        assert counts["waits"] == counts["failed waits"] == 0
    if kind in ("published_futex", "mutex"):
        assert counts["spins"] > 0
    # While it was stopped, loads went on.
    assert counts["loads without a lock"] >= 8 * (200 if sleeps else 20)


def test_they_wait_with_the_shared_library_too(tmp_path: Path) -> None:
    """It calls the program's function, not its own."""
    say(INSTRUMENTED, tmp_path, "stalled_holder.c", "asleep", linked="shared")


@pytest.mark.parametrize("linked", ["static", "shared"])
def test_a_program_need_not_define_the_function(linked: str, tmp_path: Path) -> None:
    say(INSTRUMENTED, tmp_path, "not_injected.c", linked=linked)


def test_a_signal_that_comes_in_the_middle_is_handled_afterwards(tmp_path: Path) -> None:
    say(instrumented(BLOCKING), tmp_path, "signal_in_section.c")


def test_the_header_is_c_and_cxx(tmp_path: Path) -> None:
    for compiler in ("gcc -std=c99", "clang-14 -std=c11", "g++ -std=c++11 -x c++"):
        source = tmp_path / "header.c"
        source.write_text('#include "fencepost/atomic_instrumentation.h"\n' * 2)
        command = (*compiler.split(), "-Wall", "-Wextra", "-Wpedantic", "-Werror", *HEADERS)
        sh(*command, "-fsyntax-only", source)


def test_the_build_that_ships_has_none_of_it() -> None:
    for library in (SHIPPED.archive(), SHIPPED.shared()):
        names = sh("nm", library)
        assert "__atomic_load" in names
        assert not re.search(r"atomic_(inject|faulty|summary)|count_|note_object", names)


#: How a line of src/atomics looks that is there for the two options alone, and what is left of a
#: line that only mentions them.
HOOKS = (
    (r"^ *(injection_point\(\)|acquisition way|note_object\(.*\)|count_load\(.*\));", ""),
    (r"^ *way\.spun\(\);", ""),
    (r"return way\.succeeded\(this\);", "return;"),
    (r"^ *way\.succeeded\(this\);", ""),
    (r"way\.slept\((.*)\);", r"\1;"),
    (r"\block_observer\b", "unobserved"),
)


@pytest.mark.parametrize("kind", ["mutex", "musl_lock"])
def test_without_the_options_the_machine_code_is_that_of_a_source_without_hooks(
    kind: str, tmp_path: Path
) -> None:
    command = next(
        line.split(" && ")[-1]
        for line in sh("ninja", "-C", SHIPPED.folder().parents[1], "-t", "commands").splitlines()
        if line.endswith("/src/atomics/generic.cpp")
    )
    command = re.sub(r"lock/\w+\.hpp", f"lock/{kind}.hpp", command)
    code = []
    for without in (False, True):
        source = tmp_path / ("without" if without else "with")
        shutil.copytree(ROOT / "src" / "atomics", source / "src" / "atomics")
        shutil.copytree(ROOT / "include", source / "include")
        removed = 0
        for path in (source / "src" / "atomics").rglob("*.hpp"):
            if not without or path.name in ("statistics.hpp", "injection.hpp"):
                continue
            text = path.read_text()
            for pattern, instead in HOOKS:
                text, times = re.subn(pattern, instead, text, flags=re.MULTILINE)
                removed += times
            path.write_text(text)
        assert not without or removed > 8
        compiled = tmp_path / f"{source.name}.o"
        here = re.sub(r"-o \S+", f"-o {compiled}", command.replace(str(ROOT), str(source)))
        here = re.sub(r"-M[TF] \S+|-MD|-g\b", "", here)
        done = subprocess.run(here, shell=True, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        shown = sh("objdump", "--disassemble", "--reloc", "--no-show-raw-insn", compiled)
        code.append(shown.replace(str(compiled), ""))
    assert code[0] == code[1]
    assert "cmpxchg" in code[0] or not code[0].count("x86-64")
