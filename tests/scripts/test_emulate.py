# SPDX-License-Identifier: MIT
"""Emulated programs run on one processor (scripts/emulate.sh)."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EMULATE = Path(__file__).resolve().parents[2] / "scripts" / "emulate.sh"
WHERE = "import os, sys; print(sorted(os.sched_getaffinity(0)), sys.argv[1:]); sys.exit(3)"

#: Two threads store and then look at what the other one has stored, as a lock and a sleeper do: in
#: C++ and on Arm one of them at least sees it.
BOTH_LOOK = """
#include <atomic>
#include <cstdio>
#include <thread>

constexpr int times = 20000;
struct alignas(64) flag { std::atomic<int> is; };
flag x[times], y[times];
int seen[2][times];
std::atomic<int> arrived;

void meet(int& before) {
  before += 2;
  ++arrived;
  while (arrived < before) std::this_thread::yield();
}
void look(flag* own, flag* other, int* found) {
  int before = 0;
  for (int round = 0; round != 30; ++round) {
    meet(before);
    for (int i = 0; i != times; ++i) {
      own[i].is.store(1);
      found[i] = other[i].is.load();
    }
    meet(before);
    int neither = 0;
    for (int i = 0; found == seen[0] && i != times; ++i) {
      neither += seen[0][i] == 0 && seen[1][i] == 0;
      x[i].is = y[i].is = 0;
    }
    if (neither != 0) std::printf("%d of %d\\n", neither, times);
  }
}
int main() {
  std::thread second(look, y, x, seen[1]);
  look(x, y, seen[0]);
  second.join();
}
"""


def test_it_is_one_of_those_that_are_allowed_and_words_and_status_are_passed_on() -> None:
    done = subprocess.run(
        [EMULATE, sys.executable, "-c", WHERE, "a b", ""], capture_output=True, text=True
    )
    found = re.fullmatch(r"\[(\d+)\] \['a b', ''\]\n", done.stdout)
    assert found is not None and int(found[1]) in os.sched_getaffinity(0), done.stdout + done.stderr
    assert done.returncode == 3


def test_on_one_processor_one_of_two_sees_what_the_other_has_stored(tmp_path: Path) -> None:
    """Without emulate.sh some runs have seen that neither does."""
    compiler = shutil.which("aarch64-linux-gnu-g++")
    if compiler is None or shutil.which("qemu-aarch64") is None:
        pytest.skip("not installed: aarch64-linux-gnu-g++, qemu-aarch64")
    source, program = tmp_path / "both_look.cpp", tmp_path / "both_look"
    source.write_text(BOTH_LOOK)
    subprocess.run(
        [compiler, "-O2", "-std=c++20", "-static", "-pthread", source, "-o", program], check=True
    )
    done = subprocess.run([EMULATE, "qemu-aarch64", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == "", done.stdout + done.stderr
