# SPDX-License-Identifier: MIT
"""The verdict on a program does not depend on the version of the compiler.

Each case of test_programs.py with each version that the checker takes and that is installed: gcc
and clang as they come are test_levels.py's, of the others `make test` installs the newest and
`make test-long` all."""

from __future__ import annotations

import shutil
import zlib

import pytest
from fencepost.explore.annotated import Case
from fencepost.toolchain.compilers import TRIED
from test_levels import CLANG, at_level, comparable, is_known_to_differ
from test_programs import check_here, complaints, id_of

LEVELS = ("-O0", "-O2")
NEWEST = f"clang-{max(TRIED['clang'])}"
#: Not as they come.
OTHERS = sorted({f"clang-{major}" for major in TRIED["clang"]} - {CLANG})
INSTALLED = [compiler for compiler in OTHERS if shutil.which(compiler)]


def levels_of(case: Case, compiler: str) -> tuple[str, ...]:
    """Both with the newest; with those between one of them, of half the cases each."""
    turn = zlib.crc32(f"{id_of(case)}{compiler}".encode()) % len(LEVELS)
    return LEVELS if compiler == NEWEST else LEVELS[turn : turn + 1]


VARIANTS = {
    f"{id_of(case)}{compiler}{level}": at_level(case, compiler, level)
    for case in comparable()
    for compiler in INSTALLED
    for level in levels_of(case, compiler)
}


@pytest.mark.matrix(700, 3)
@pytest.mark.parametrize("name", [name for name in VARIANTS if not is_known_to_differ(name)])
def test_the_verdict_depends_on_no_version(name: str) -> None:
    found = list(complaints(VARIANTS[name], check_here(VARIANTS[name])))
    assert not found, "\n".join(found)


def test_the_newest_that_is_taken_is_installed() -> None:
    assert INSTALLED[-1:] == OTHERS[-1:], "scripts/install_packages.sh test installs it"


@pytest.mark.slow
def test_each_that_is_taken_is_installed() -> None:
    assert INSTALLED == OTHERS, "scripts/install_packages.sh long installs them"
