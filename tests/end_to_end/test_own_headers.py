# SPDX-License-Identifier: MIT
"""A program that brings a copy of the library is judged with that one."""

from __future__ import annotations

from pathlib import Path

import pytest
from answer import fencepost

PROGRAM = """\
#include <atomic>
#include <cassert>
#include <fencepost/mutex.hpp>
static std::atomic<int> x{0};
int main() {
#ifdef COPY
  x.store(1);
  assert(!"a copy");
#endif
}
"""


@pytest.mark.matrix(3)
@pytest.mark.parametrize("option", ["-I", "-isystem", "-idirafter"])
@pytest.mark.parametrize("command", ["check", "asm"])
def test_the_users_copy_of_the_library_comes_first(
    tmp_path: Path, command: str, option: str
) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(PROGRAM)
    shown = ("-f", "main", "-t", "x86-64") if command == "asm" else ()
    words = (command, source, *shown, "--")
    without = fencepost(*words)
    copy = tmp_path / "vendored" / "fencepost"
    copy.mkdir(parents=True)
    (copy / "mutex.hpp").write_text("#define COPY\n")
    done = fencepost(*words, option, tmp_path / "vendored")
    attached = fencepost(*words, f"{option}{tmp_path / 'vendored'}")
    said, otherwise = {
        "check": ("violated", "holds"),
        "asm": ("xchg", "no atomic operation"),
    }[command]
    assert otherwise in without.stdout, without
    for one in (done, attached):
        assert said in one.stdout, one
