# SPDX-License-Identifier: MIT
"""`fencepost weaken` names each operation where it is written: also as an argument of a call, to
which gcc gives the call's own place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from answer import fencepost

#: In each the load of `head` need not acquire, that of `tail` must.
USES = {
    "condition": "if (distance(HEAD, TAIL) == 1) assert(slot == 42);",
    "first_value": "const unsigned found = distance(HEAD, TAIL); if (found) assert(slot == 42);",
    "loop": "while (distance(HEAD, TAIL) == 0) std::this_thread::yield(); assert(slot == 42);",
    "library": 'std::printf("%u %u\\n", HEAD, TAIL); if (TAIL) assert(slot == 42);',
    "operation": "seen.store(TAIL, std::memory_order_relaxed);"
    " if (seen.load(std::memory_order_relaxed) != HEAD) assert(slot == 42);",
    "constructor": "const pair both(HEAD, TAIL); if (both.second) assert(slot == 42);",
    "returned": "if (get()) assert(slot == 42);",
}

PROGRAM = """
#include <atomic>
#include <cassert>
#include <cstdio>
#include <thread>
int slot;
std::atomic<unsigned> head{0}, tail{0}, seen{0};
unsigned distance(unsigned from, unsigned to) { return to - from; }
struct pair {
  pair(unsigned one, unsigned other) : first(one), second(other) {}
  unsigned first, second;
};
unsigned get() { return distance(HEAD, TAIL); }
int main() {
  std::thread producer([] { slot = 42; tail.store(1, std::memory_order_release); });
  USE
  producer.join();
}
"""
ACQUIRES = "load(std::memory_order_acquire)"


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
@pytest.mark.parametrize("use", USES)
def test_an_argument_of_a_call_is_a_site_of_its_own(
    use: str, compiler: str, tmp_path: Path
) -> None:
    text = PROGRAM.replace("USE", USES[use])
    if use != "returned":
        text = re.sub(r"^unsigned get.*\n", "", text, flags=re.MULTILINE)
    text = text.replace("HEAD", f"head.{ACQUIRES}").replace("TAIL", f"tail.{ACQUIRES}")
    source = tmp_path / "program.cpp"
    source.write_text(text)
    done = fencepost("weaken", "--no-costs", "--diff", "--cc", compiler, source)
    assert done.returncode == 0, done.stderr
    assert "every program holds with it" in done.stderr
    added = [line for line in done.stdout.splitlines() if re.match(r"\+[^+]", line)]
    assert added and all("head.load(std::memory_order_relaxed)" in line for line in added)
    kept = "tail.load(std::memory_order_acquire)"
    assert text.count(kept) >= 1 and kept in "".join(added)
