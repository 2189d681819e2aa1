# SPDX-License-Identifier: MIT
"""Objects that are shared by translation units which got <stdatomic.h> in different ways: one
layout, and no update lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from runtimes import MACHINES, PROGRAMS, SHIPPED, Runtime, has_exchange_of_16_bytes, sh
from test_header import FOLDER, SUPPORTS, header

#: How a unit gets it: the compiler's own header, this one with each support, and in C++.
IN_C = {"own": ("-std=c11",), **{name: ("-std=c99", *header(name)) for name in SUPPORTS}}
IN_CPP = ("-x", "c++", "-std=c++17", f"-I{FOLDER}")


def unit(runtime: Runtime, folder: Path, compiler: str, name: str, *flags: str) -> Path:
    made = folder / f"{name}.o"
    names = (f"-DWORK=work_{name}", f"-DMEASURE=measure_{name}")
    source = PROGRAMS / "header_unit.c"
    sh(f"{runtime.tools}{compiler}", "-O2", "-w", *names, *flags, "-c", source, "-o", made)
    return made


def run_together(
    runtime: Runtime, folder: Path, units: list[Path], *flags: str, compiler: str = "gcc"
) -> None:
    """With a main() that gets the header as this compiler's own units do."""
    named = " ".join(f"UNIT(_{path.stem})" for path in units)
    program = folder / "program"
    linked = ("-static",) if runtime.target else ()
    sh(
        *(f"{runtime.tools}{compiler}", "-std=c11", "-pthread", "-w", *header("full"), *flags),
        *(
            *linked,
            f"-DUNITS={named}",
            PROGRAMS / "header_units.c",
            *units,
            runtime.archive(),
            "-lstdc++",
            "-o",
            program,
        ),
    )
    sh(*runtime.running(program))


def test_gccs_and_clangs_with_each_support_and_in_cpp(tmp_path: Path) -> None:
    units = []
    for compiler, prefix in (("gcc", "gcc"), ("clang-14", "clang")):
        for name, flags in IN_C.items():
            units.append(unit(SHIPPED, tmp_path, compiler, f"{prefix}_{name}", *flags))
        units.append(unit(SHIPPED, tmp_path, compiler, f"{prefix}_in_cpp", *IN_CPP))
    run_together(SHIPPED, tmp_path, units)


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_one_compilers_agree_about_three_bytes_too(compiler: str, tmp_path: Path) -> None:
    three = "-DWITH_THREE_BYTES"
    ways = dict(IN_C)
    if compiler == "gcc":
        ways["in_cpp"] = IN_CPP
    else:
        del ways["own"]  # a compare-exchange of clang's own never succeeds there
    units = [unit(SHIPPED, tmp_path, compiler, n, three, *flags) for n, flags in ways.items()]
    run_together(SHIPPED, tmp_path, units, three, compiler=compiler)


@pytest.mark.parametrize("runtime", {m.name: m for m in MACHINES}.values(), ids=lambda m: m.name)
def test_objects_are_shared_on(runtime: Runtime, tmp_path: Path) -> None:
    runtime.needed()
    if not has_exchange_of_16_bytes(runtime, tmp_path):
        pytest.skip("the emulator at hand does not know the instruction for 16 bytes")
    units = [unit(runtime, tmp_path, "gcc", name, *flags) for name, flags in IN_C.items()]
    run_together(runtime, tmp_path, units)
