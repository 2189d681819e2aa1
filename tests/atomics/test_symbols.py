# SPDX-License-Identifier: MIT
"""The atomics runtime as a linker sees it: the names, versions and the name of GCC's library, and
nothing that it needs of any other."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from runtimes import MACHINES, PROGRAMS, SHIPPED, Runtime, sh

BUILDS = [SHIPPED, *{runtime.name: runtime for runtime in MACHINES}.values()]
SIZES = (1, 2, 4, 8, 16)
#: The C library's, if there is one: both are asked for in vain without harm.
WEAK = {"__register_atfork", "pthread_atfork"}


def exported(library: str | Path, tools: str = "") -> set[str]:
    listed = sh(f"{tools}nm", "--dynamic", "--defined-only", "--with-symbol-versions", library)
    fields = [line.split() for line in listed.splitlines()]
    return {name.replace("@@", "@") for _, kind, name in fields if kind != "A"}


def gccs(runtime: Runtime) -> Path:
    compiler = f"{runtime.tools}gcc"
    named = Path(sh(compiler, "-print-file-name=libatomic.so.1").strip())
    if not named.is_file():
        pytest.skip(f"GCC's own library is not installed for {runtime.name}")
    return named


@pytest.mark.parametrize("runtime", BUILDS, ids=lambda runtime: runtime.name)
def test_it_exports_what_gccs_library_exports_under_the_same_versions(runtime: Runtime) -> None:
    runtime.needed()
    ours = exported(runtime.shared(), runtime.tools)
    theirs = exported(gccs(runtime), runtime.tools)
    assert len(theirs) == 97
    assert theirs <= ours
    assert "soname: [libatomic.so.1]" in sh("readelf", "--dynamic", runtime.shared())


@pytest.mark.parametrize("runtime", BUILDS, ids=lambda runtime: runtime.name)
def test_beyond_it_exports_the_older_functions_and_nothing_else(runtime: Runtime) -> None:
    runtime.needed()
    operations = ("add", "sub", "and", "or", "xor", "nand")
    families = [f"fetch_and_{name}" for name in operations]
    families += [f"{name}_and_fetch" for name in operations]
    families += ["bool_compare_and_swap", "val_compare_and_swap"]
    families += ["lock_test_and_set", "lock_release"]
    wanted = {f"__sync_{family}_{size}@FENCEPOST_ATOMIC_1" for family in families for size in SIZES}
    wanted.add("__sync_synchronize@FENCEPOST_ATOMIC_1")
    beyond = {name for name in exported(runtime.shared(), runtime.tools) if "LIBATOMIC" not in name}
    assert beyond == wanted


@pytest.mark.parametrize("runtime", BUILDS, ids=lambda runtime: runtime.name)
def test_it_needs_no_library(runtime: Runtime) -> None:
    runtime.needed()
    assert "NEEDED" not in sh("readelf", "--dynamic", runtime.shared())
    listed = sh(f"{runtime.tools}nm", "--dynamic", "--undefined-only", runtime.shared())
    assert {tuple(line.split()) for line in listed.splitlines()} <= {("w", name) for name in WEAK}
    # Nor does the archive, but for the arithmetic of the compiler that is always linked.
    archive = runtime.archive()
    defined = set(
        re.findall(r" [A-Zuvw] (\S+)", sh(f"{runtime.tools}nm", "--defined-only", archive))
    )
    undefined = set(re.findall(r" U (\S+)", sh(f"{runtime.tools}nm", "--undefined-only", archive)))
    compilers = {"_GLOBAL_OFFSET_TABLE_", ".TOC.", "__lshrti3"}
    assert undefined - defined <= compilers
    # No thread-local variable: who calls may be no thread of a C library.
    assert " TLS " not in sh("readelf", "--segments", runtime.shared())


@pytest.mark.parametrize("runtime", BUILDS, ids=lambda runtime: runtime.name)
def test_no_function_calls_what_is_exported(runtime: Runtime) -> None:
    """A compiler that inlines one operation less would make a function call itself."""
    runtime.needed()
    text = sh(f"{runtime.tools}objdump", "--disassemble", "--no-show-raw-insn", runtime.shared())
    called = re.findall(
        r"\b(?:call|bl|b|jmp|jal|tail)\s+[^<\n]*<(__atomic_\w+|__sync_\w+)(?:@plt)?>", text
    )
    assert called == []


def test_it_answers_like_gcc_what_is_lock_free(tmp_path: Path) -> None:
    answers = []
    for name, library in {"ours": [SHIPPED.archive()], "gccs": ["-latomic"]}.items():
        program = tmp_path / name
        sh("gcc", "-std=c11", PROGRAMS / "is_lock_free.c", "-o", program, *library)
        answers.append(sh(program))
    assert answers[0] == answers[1] and "10" in answers[0]


def test_a_function_that_no_other_library_has_is_found(tmp_path: Path) -> None:
    """gcc calls __sync_val_compare_and_swap_16, and has no library that defines it."""
    source = tmp_path / "swap.c"
    source.write_text(
        "__extension__ typedef unsigned __int128 u;\n"
        "_Alignas(16) static u word = 1;\n"
        "int main(void) { return !(__sync_val_compare_and_swap(&word, 1, 2) == 1 && word == 2); }\n"
    )
    program = tmp_path / "program"
    command = ["gcc", "-std=c11", "-mno-cx16", source, "-o", program]
    if sh("uname", "-m").strip() != "x86_64":
        command.remove("-mno-cx16")
    without = subprocess.run([*command, "-latomic"], capture_output=True, text=True)
    assert "undefined reference to `__sync_val_compare_and_swap_16'" in without.stderr
    sh(*command, SHIPPED.archive())
    sh(program)


@pytest.mark.skipif(shutil.which("ld") is None, reason="needs binutils")
def test_it_serves_a_program_without_a_c_library(tmp_path: Path) -> None:
    program = tmp_path / "program"
    sh(
        *("gcc", "-std=c11", "-O1", "-ffreestanding", "-fno-stack-protector", "-static"),
        *("-nostdlib", PROGRAMS / "no_library.c", SHIPPED.archive(), "-lgcc", "-o", program),
    )
    sh(program)
