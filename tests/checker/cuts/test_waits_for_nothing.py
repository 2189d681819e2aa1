# SPDX-License-Identifier: MIT
"""A program that holds only as long as no wait returns for nothing is told so at the line of the
wait, though spurious wake-ups are not asked for; and none that looks again."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

HEAD = """
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>
std::mutex m;
std::condition_variable cv;
bool ready, done;
std::atomic<int> word;
"""

#: The waiter's code; the line of the wait ends with `// @`.
FAILING = {
    "if": """
void waiter() {
  std::unique_lock lock(m);
  if (!ready) cv.wait(lock);  // @
  assert(ready);
}
void waker() { std::lock_guard lock(m); ready = true; cv.notify_one(); }
""",
    "once_more": """
void wait_a_little(std::unique_lock<std::mutex>& lock) {
  cv.wait(lock);  // @
}
void waiter() {
  std::unique_lock lock(m);
  if (!ready) wait_a_little(lock);
  assert(ready);
}
void waker() { std::lock_guard lock(m); ready = true; cv.notify_all(); }
""",
    "looks_at_something_else": """
void waiter() {
  std::unique_lock lock(m);
  do {
    if (ready) break;
    cv.wait(lock);  // @
  } while (!done && false);
  assert(ready);
}
void waker() { std::lock_guard lock(m); ready = true; cv.notify_all(); }
""",
    "races": """
int data;
void waiter() {
  { std::unique_lock lock(m); if (!ready) cv.wait(lock); }  // @
  data += 1;
}
void waker() { data = 1; std::lock_guard lock(m); ready = true; cv.notify_all(); }
""",
    "second_wait": """
void waiter() {
  std::unique_lock lock(m);
  while (!done) cv.wait(lock);
  if (!ready) cv.wait(lock);  // @
  assert(ready);
}
void waker() {
  { std::lock_guard lock(m); done = true; cv.notify_all(); }
  { std::lock_guard lock(m); ready = true; cv.notify_all(); }
}
""",
}

LOOKING_AGAIN = {
    "while": """
void waiter() {
  std::unique_lock lock(m);
  while (!ready) cv.wait(lock);
  assert(ready);
}
void waker() { std::lock_guard lock(m); ready = true; cv.notify_one(); }
""",
    "predicate": """
void waiter() {
  std::unique_lock lock(m);
  cv.wait(lock, [] { return ready; });
  assert(ready);
}
void waker() { std::lock_guard lock(m); ready = true; cv.notify_one(); }
""",
    "atomic_wait": """
void waiter() { word.wait(0); assert(word.load() == 1); }
void waker() { word.store(1); word.notify_one(); }
""",
    "without_harm": """
void waiter() { std::unique_lock lock(m); if (!ready) cv.wait(lock); }
void waker() { std::lock_guard lock(m); ready = true; cv.notify_one(); }
""",
}

NOTHING_TO_WAKE = """
std::counting_semaphore<8> s(0);
void waiter() { m.lock(); m.unlock(); }
void waker() { m.lock(); m.unlock(); s.release(); }
"""

MAIN = """
int main() { std::thread t(waiter); waker(); t.join(); }
"""

#: Far more executions than are tried.
MANY = """
std::atomic<int> others;
void waiter() {
  std::unique_lock lock(m);
  while (!ready) cv.wait(lock);
  others.fetch_add(1);
}
void waker() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 5; ++i) threads.emplace_back([] { others.fetch_add(1); });
  { std::lock_guard lock(m); ready = true; cv.notify_one(); }
  for (std::thread& t : threads) t.join();
}
"""


def assumption(path: Path, code: str, *options: str) -> str:
    path.write_text(HEAD + code + MAIN)
    command = [str(ROOT / "fencepost"), "check", "--json", str(path), *options]
    done = subprocess.run(
        [*command, "--", "-std=c++20"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (line,) = (t for t in json.loads(done.stdout)["assumptions"] if t.startswith("waits return"))
    return str(line)


@pytest.mark.matrix(5)
@pytest.mark.parametrize("model", ["c++20", "x86", "sc"])
@pytest.mark.parametrize("name", FAILING)
def test_wait_without_a_predicate_is_named(tmp_path: Path, name: str, model: str) -> None:
    path = tmp_path / "program.cpp"
    said = assumption(path, FAILING[name], "--model", model)
    number = next(n for n, line in enumerate(path.read_text().split("\n"), 1) if "// @" in line)
    assert f"if the wait at {path}:{number} returned for nothing, the program could fail" in said


def test_clang_names_the_same_line(tmp_path: Path) -> None:
    path = tmp_path / "program.cpp"
    said = assumption(path, FAILING["if"], "--cc", "clang-14")
    assert f"if the wait at {path}:" in said
    assert "(assertion)" in said


@pytest.mark.parametrize("name", LOOKING_AGAIN)
def test_wait_that_looks_again_is_not_named(tmp_path: Path, name: str) -> None:
    said = assumption(tmp_path / "program.cpp", LOOKING_AGAIN[name])
    assert said == "waits return only when woken, or once in each thread for nothing"


def test_nothing_is_tried_where_nobody_can_wake_for_nothing(tmp_path: Path) -> None:
    said = assumption(tmp_path / "program.cpp", NOTHING_TO_WAKE)
    assert said == "waits return only when woken (see --spurious)"


def test_what_was_not_tried_to_the_end_is_said(tmp_path: Path) -> None:
    said = assumption(tmp_path / "program.cpp", MANY)
    assert said.startswith("waits return only when woken (see --spurious); once in each thread for")
    assert re.search(r"was tried in \d+ executions, without a verdict: .*limit", said), said


def test_where_it_came_to_what_has_no_model_is_said(tmp_path: Path) -> None:
    text = FAILING["if"].replace("assert(ready);", 'if (!ready) setenv("A", "B", 1);')
    said = assumption(tmp_path / "program.cpp", f"#include <cstdlib>\n{text}")
    assert said.endswith("without a verdict: 'setenv()' is not modelled")
