# SPDX-License-Identifier: MIT
"""The C library as a linker sees it: what it exports is what the header declares, and what it needs
is the C library alone."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from fencepost.toolchain.toolchain import build_directory

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "fencepost" / "fencepost.h"
STRICT = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]


def sh(*command: str | Path) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def shared() -> Path:
    return build_directory() / "src" / "capi" / "libfencepost.so"


@pytest.fixture(scope="module")
def archive() -> Path:
    return build_directory() / "src" / "capi" / "libfencepost.a"


def is_sanitized() -> bool:
    cache = (build_directory() / "CMakeCache.txt").read_text()
    return re.search(r"^FENCEPOST_SANITIZE:STRING=.", cache, re.MULTILINE) is not None


def declared() -> set[str]:
    code = re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)
    return set(re.findall(r"\b(fencepost_\w+)\(", code))


def test_the_header_declares_what_the_library_exports_and_nothing_else(shared: Path) -> None:
    exported = {
        line.split()[-1]
        for line in sh("nm", "--dynamic", "--defined-only", shared).splitlines()
        if line.split()[-2] != "A"
    }
    # Each belongs to a version, so that a later one may change it.
    assert all(name.endswith("@@FENCEPOST_0") for name in exported), exported
    assert {name.partition("@@")[0] for name in exported} == declared()
    assert len(declared()) > 80


def test_the_name_that_programs_ask_for_has_the_version(shared: Path) -> None:
    assert "soname: [libfencepost.so.0]" in sh("readelf", "--dynamic", shared)


def test_no_cxx_runtime_is_needed(shared: Path, archive: Path) -> None:
    if is_sanitized():
        pytest.skip("a sanitizer brings libraries of its own")
    needed = re.findall(r"NEEDED.*\[(.*)\]", sh("readelf", "--dynamic", shared))
    assert {re.sub(r"[.-].*", "", name) for name in needed} <= {"libc", "ld"}
    for library in (shared, archive):
        wanted = sh("nm", "--undefined-only", *(["-D"] if library == shared else []), library)
        for name in re.findall(r"\b[UwW] (\S+)", wanted):
            # The archive's parts need each other; what begins with _Z is C++'s, ours excepted.
            assert not name.startswith("_Z") or "fencepost_in_c" in name or "steady_clock" in name
            assert not re.match(r"__gxx|__cxa_(?!finalize|atexit)|_Unwind", name), name


def test_in_the_archive_only_names_of_ours_are_visible(archive: Path) -> None:
    listed = sh("readelf", "--symbols", "--wide", archive).splitlines()
    for line in listed:
        fields = line.split()
        if len(fields) < 8 or fields[4] not in {"GLOBAL", "WEAK", "UNIQUE"} or fields[6] == "UND":
            continue
        name, visibility = fields[7], fields[5]
        # What is not part of the API is hidden, or is called by a name that nobody else has.
        assert name.startswith("fencepost_") or visibility == "HIDDEN" or "fencepost_in_c" in name


@pytest.mark.parametrize(
    "compiler",
    [
        ["gcc", "-std=c11", "-Wstrict-prototypes", "-xc"],
        ["clang-14", "-std=c11", "-Wstrict-prototypes", "-xc"],
        ["g++", "-std=c++11", "-xc++"],
        ["g++", "-std=c++20", "-xc++"],
        ["clang++-14", "-std=c++11", "-xc++"],
        ["g++", "-std=c++98", "-xc++"],
        ["clang++-14", "-std=c++98", "-xc++"],
        ["aarch64-linux-gnu-gcc", "-std=c11", "-xc"],
    ],
    ids=" ".join,
)
def test_the_header_stands_alone(compiler: list[str], tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#include <fencepost/fencepost.h>\n#include <fencepost/fencepost.h>\n")
    sh(*compiler, *STRICT, "-fsyntax-only", "-I", ROOT / "include", program)


def test_each_function_says_what_it_does() -> None:
    """Every declaration follows a comment, and not another declaration."""
    text = HEADER.read_text()
    assert re.findall(r"[;{}]\s*\n\s*(?:[\w]+ )+(fencepost_\w+)\(", text) == []
