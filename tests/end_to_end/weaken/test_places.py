# SPDX-License-Identifier: MIT
"""`fencepost weaken` names each operation where it is written: also as an argument of a call, to
which gcc gives the call's own place."""

from __future__ import annotations

import json
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


@pytest.mark.matrix(6)
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


#: The same operation on both ways: a compiler would make one of them, at the line of one.
MERGED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int state, which;
static void* put(void* unused) {
  if (atomic_load_explicit(&which, memory_order_relaxed)) {
    atomic_store_explicit(&state, 1, memory_order_release);
  } else {
    data = 1;
    atomic_store_explicit(&state, 1, memory_order_release);
  }
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, put, 0);
  if (atomic_load_explicit(&state, memory_order_acquire)) assert(data == 1);
  pthread_join(thread, 0);
}
"""


@pytest.mark.matrix(8)
@pytest.mark.parametrize("level", ["-O1", "-O2", "-Os"])
@pytest.mark.parametrize("compiler", ["gcc", "clang-14", "clang-19"])
def test_what_is_equal_on_two_ways_is_two_sites(compiler: str, level: str, tmp_path: Path) -> None:
    source = tmp_path / "program.c"
    source.write_text(MERGED)
    done = fencepost("weaken", "--no-costs", "--cc", compiler, source, "--", level)
    assert done.returncode == 0, done.stderr
    assert "left alone" not in done.stdout
    needed = f"needed: {source}:12:"
    assert needed in done.stdout and f"needed: {source}:9:" not in done.stdout


REPAIRED = """
#include <atomic>
#include <cassert>
#include <thread>
int data;
std::atomic<int> ready;
__attribute__((noinline)) void put(std::memory_order order) { ready.store(1, order); }
int main() {
  std::thread other([] { data = 1; put(std::memory_order_relaxed); });
  if (ready.load(std::memory_order_acquire)) assert(data == 1);
  put(std::memory_order_release);
  other.join();
}
"""


def test_what_was_not_varied_may_be_what_has_to_change(tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(REPAIRED)
    done = fencepost("weaken", "--no-costs", "--strengthen", source)
    assert done.returncode == 2, done.stdout
    assert "no assignment of orders holds" not in done.stdout
    assert "what was left alone" in done.stdout


#: A fence and two exchanges: whoever lowers the fence first needs the exchanges to release.
FENCE_FIRST = """
#include <atomic>
#include <cassert>
#include <thread>
int begun, in1, in2, data;
std::atomic<int> go, box1, box2;
int main() {
  std::thread feeder([] {
    begun = 1;
    go.store(1, std::memory_order_release);
    in1 = 1;
    box1.store(1, std::memory_order_release);
    in2 = 1;
    box2.store(1, std::memory_order_release);
  });
  std::thread writer([] {
    if (go.load(std::memory_order_relaxed) == 0) return;
    data = 1;
    std::atomic_thread_fence(std::memory_order_relaxed);
    assert(begun == 1);
    if (box1.exchange(2, std::memory_order_relaxed) == 1) assert(in1 == 1);
    if (box2.exchange(2, std::memory_order_relaxed) == 1) assert(in2 == 1);
  });
  if (box1.load(std::memory_order_acquire) == 2) assert(data == 1);
  if (box2.load(std::memory_order_acquire) == 2) assert(data == 1);
  feeder.join();
  writer.join();
}
"""


@pytest.mark.parametrize("options", [[], ["--all"]], ids=["one", "all"])
def test_of_the_smallest_repairs_the_one_with_the_fewest_steps_is_taken(
    tmp_path: Path, options: list[str]
) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(FENCE_FIRST)
    done = fencepost("weaken", "--no-costs", "--strengthen", "--json", *options, source)
    assert done.returncode == 0, done.stdout
    solutions = [
        [(change["operation"], change["to"]) for change in one["changes"]]
        for one in json.loads(done.stdout)["solutions"]
    ]
    assert solutions[0] == [("fence", "acq_rel"), ("exchange", "acquire"), ("exchange", "acquire")]
    assert (len(solutions) == 1) == (not options)
    assert len(set(map(tuple, solutions))) == len(solutions)


def test_of_a_line_without_columns_nothing_is_claimed(tmp_path: Path) -> None:
    """gcc counts no further than some 4,000."""
    source = tmp_path / "program.cpp"
    blanks = " " * 5000
    source.write_text(f"""
#include <atomic>
#include <thread>
std::atomic<int> first, second;
int main() {{
  std::thread other([] {{ {blanks} first.store(1); second.store(1); }});
  other.join();
}}
""")
    done = fencepost("weaken", "--no-costs", "--cc", "gcc", source)
    assert "no order that was varied can be weaker" in done.stdout
    said = "left alone: .*:6:0: store: the compiler does not tell which operation"
    assert re.search(said, done.stdout)


#: What looks whether a function's variable is initialised is the compiler's, and so is its order.
GUARDED = """
#include <atomic>
#include <cassert>
#include <thread>
struct number {
  number();
  int value;
};
number::number() : value(7) {}
const number& the_number() {
  static const number kept;
  return kept;
}
std::atomic<int> count;
int main() {
  std::thread other([] { count.fetch_add(the_number().value, std::memory_order_relaxed); });
  assert(the_number().value == 7);
  other.join();
}
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_the_order_of_a_guard_is_left_alone(compiler: str, tmp_path: Path) -> None:
    source = tmp_path / "program.cpp"
    source.write_text(GUARDED)
    done = fencepost("weaken", "--no-costs", "--json", "--cc", compiler, source)
    assert done.returncode == 0, done.stdout
    found = json.loads(done.stdout)
    assert [site["operation"] for site in found["sites"]] == ["fetch_add"]
