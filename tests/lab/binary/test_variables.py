# SPDX-License-Identifier: MIT
"""Names for addresses, from what the compilers write about a program's globals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from fencepost.binary.variables import Variables

SOURCE = """\
#include <array>
#include <atomic>
#include <pthread.h>
struct slot { std::atomic<int> key; long value; };
struct head { char pad[8]; };
struct queue : head { slot slots[3]; union { int low; long whole; }; };
namespace deep { queue table[2]; static std::atomic<bool> hidden; }
std::array<std::atomic<int>, 4> ring;
std::atomic<long> lone;
int grid[2][3];
struct guard { int before; pthread_mutex_t lock; } guarded;
void* volatile kept;
int main() {
  static std::atomic<int> inside;
  kept = &inside;
  kept = &deep::hidden;
}
"""


@pytest.fixture(scope="module", params=["g++", "clang++-14"])
def variables(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Finder:
    directory = tmp_path_factory.mktemp("variables")
    source, program = directory / "globals.cpp", directory / "globals"
    source.write_text(SOURCE)
    subprocess.run(
        [request.param, "-std=c++20", "-O1", "-g", "-no-pie", str(source), "-o", str(program)],
        check=True,
    )
    return Finder(program, source)


class Finder:
    def __init__(self, program: Path, source: Path) -> None:
        self._variables = Variables(program, (source,))
        listed = subprocess.run(["nm", "-C", program], capture_output=True, text=True, check=True)
        self._symbols = {}
        for line in listed.stdout.splitlines():
            address, _, name = line.partition(" ")
            if address:
                self._symbols[name[2:]] = int(address, 16)

    def name(self, symbol: str, offset: int) -> str | None:
        return self._variables.name(self._symbols[symbol] + offset)


@pytest.mark.parametrize(
    ("symbol", "offset", "name"),
    [
        ("lone", 0, "lone"),
        ("ring", 8, "ring[2]"),
        ("grid", 16, "grid[1][1]"),
        ("guarded", 8, "guarded.lock"),
        ("deep::hidden", 0, "deep::hidden"),
        ("main::inside", 0, "inside"),
        ("deep::table", 8, "deep::table[0].slots[0].key"),
        ("deep::table", 64 + 8 + 16 + 8, "deep::table[1].slots[1].value"),
        ("deep::table", 56, "deep::table[0].low"),
    ],
)
def test_an_address_is_named_as_the_language_would(
    variables: Finder, symbol: str, offset: int, name: str
) -> None:
    assert variables.name(symbol, offset) == name


def test_an_address_between_variables_has_no_name(variables: Finder) -> None:
    assert variables.name("lone", 1 << 40) is None
