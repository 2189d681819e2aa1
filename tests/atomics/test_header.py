# SPDX-License-Identifier: MIT
"""<stdatomic.h> of include/fencepost-atomic: the same results with full, partial and basic support,
by each compiler, on each machine, and as from the compiler's own header; objects that are shared
between units which got it in different ways; and what it needs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from runtimes import MACHINES, PROGRAMS, ROOT, SHIPPED, Runtime, has_exchange_of_16_bytes, sh

FOLDER = ROOT / "include" / "fencepost-atomic"
STRICT = ("-Wall", "-Wextra", "-Wconversion", "-pedantic", "-Werror")
#: clang's advice about each object that is bigger than what the processor reads at once.
QUIET = {"gcc": (), "clang-14": ("-Wno-atomic-alignment",)}
COMPILERS = ("gcc", "clang-14")
SUPPORTS = {"full": 3, "partial": 2, "basic": 1}


def header(support: str) -> tuple[str, ...]:
    return (f"-I{FOLDER}", f"-DFENCEPOST_ATOMIC_SUPPORT={SUPPORTS[support]}")


def told(runtime: Runtime, program: Path, compiler: str, *flags: str) -> str:
    """What programs/header.c says, compiled so and linked to the runtime."""
    runtime.needed()
    if runtime.target:
        flags = (*flags, "-static")
    source = PROGRAMS / "header.c"
    sh(f"{runtime.tools}{compiler}", *flags, "-O1", source, "-o", program, runtime.archive())
    return sh(*runtime.running(program))


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What gcc's own header makes of it."""
    program = tmp_path_factory.mktemp("own") / "program"
    said = told(SHIPPED, program, "gcc", "-std=c11")
    assert len(said.splitlines()) > 3000 and "three_bytes\n" in said
    return said


@pytest.mark.matrix(5)
@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("support", SUPPORTS)
def test_each_macro_does_what_the_compilers_own_does(
    support: str, compiler: str, expected: str, tmp_path: Path
) -> None:
    flags = ("-std=c99", *STRICT, *QUIET[compiler], *header(support))
    assert told(SHIPPED, tmp_path / "program", compiler, *flags) == expected


def test_clangs_own_header_says_the_same(expected: str, tmp_path: Path) -> None:
    """But for what it fills up."""
    without = ("-DWITHOUT_FILLED_UP", "-w")
    said = told(SHIPPED, tmp_path / "own", "clang-14", "-std=c11", *without)
    flags = ("-std=c11", *without, *header("full"))
    assert said == told(SHIPPED, tmp_path / "program", "clang-14", *flags)
    assert set(said.splitlines()) <= set(expected.splitlines())


@dataclass(frozen=True)
class There:
    """Another machine, and what its compiler's own header makes of it."""

    runtime: Runtime
    flags: tuple[str, ...]
    own: str


@pytest.fixture(
    scope="module", params={m.name: m for m in MACHINES}.values(), ids=lambda machine: machine.name
)
def there(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> There:
    runtime: Runtime = request.param
    runtime.needed()
    folder = tmp_path_factory.mktemp("there")
    all_sizes = has_exchange_of_16_bytes(runtime, folder)
    flags = ("-std=c11", *(() if all_sizes else ("-DWITHOUT_16_BYTES",)))
    return There(runtime, flags, told(runtime, folder / "own", "gcc", *flags))


@pytest.mark.matrix(5)
@pytest.mark.parametrize("support", SUPPORTS)
def test_each_macro_does_the_same_on(there: There, support: str, tmp_path: Path) -> None:
    flags = (*there.flags, *STRICT, *header(support))
    ours = told(there.runtime, tmp_path / "program", "gcc", *flags)
    assert ours == there.own and len(ours.splitlines()) > 2500


def example() -> str:
    """The program of docs/library/atomics.md."""
    page = (ROOT / "docs" / "library" / "atomics.md").read_text()
    (found,) = re.findall(r"```c\n(.*?)```", page, re.DOTALL)
    return str(found)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("support", [*SUPPORTS, "its own", "in C++"])
def test_the_example_compiles_everywhere(compiler: str, support: str, tmp_path: Path) -> None:
    source = tmp_path / "example.c"
    source.write_text(example())
    flags: tuple[str, ...] = QUIET[compiler]
    for standard in {"its own": ["c11"], "in C++": ["c++11", "c++20"]}.get(support, ["c90", "c11"]):
        language = ("-x", "c++") if support == "in C++" else ("-x", "c")
        found = () if support == "its own" else (f"-I{FOLDER}",)
        forced = header(support) if support in SUPPORTS else ()
        program = tmp_path / standard
        sh(
            *(compiler, f"-std={standard}", *STRICT, *flags, *found, *forced, *language, source),
            *("-x", "none", SHIPPED.archive(), "-lstdc++", "-o", program),
        )
        sh(program)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("support", SUPPORTS)
def test_it_needs_no_c_library(compiler: str, support: str, tmp_path: Path) -> None:
    source = tmp_path / "alone.c"
    source.write_text("#include <stdatomic.h>\nint main(void) { return 0; }\n")
    flags = ("-std=c99", *STRICT, *header(support), "-ffreestanding")
    if compiler == "clang-14":
        flags = (*flags, "-nostdlibinc")  # it would look there first
    listed = sh(compiler, *flags, "-M", source)
    own = ("/gcc/", "/clang/", str(FOLDER), str(source))
    outside = [
        path
        for path in listed.replace("\\\n", " ").split(":", 1)[1].split()
        if not any(part in path for part in own)
    ]
    assert outside == []
