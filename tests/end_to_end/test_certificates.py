# SPDX-License-Identifier: MIT
"""What a verdict does not cover stands in its certificate."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from answer import Check

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))

pytestmark = [
    pytest.mark.matrix(3),
    pytest.mark.skipif(
        not (BUILD / "checker" / "libfencepost_check.a").exists(),
        reason="this build has no checker",
    ),
]

STACK = """\
#include <atomic>
#include <thread>
struct node { node* next; };
std::atomic<node*> top{nullptr};
void push() {
  node* const n = new node{top.load()};
#ifdef EXCHANGES
  n->next = top.exchange(n);
#else
  while (!top.compare_exchange_strong(n->next, n)) {}
#endif
}
int main() {
  std::thread other(push);
  push();
  other.join();
  for (node* n = top.load(); n != nullptr;) { node* const next = n->next; delete n; n = next; }
}
"""


def _assumptions(tmp_path: Path, text: str, *words: str, model: str = "sc") -> list[str]:
    program = tmp_path / "program.cpp"
    program.write_text(text)
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", "--model", model, "--json", str(program), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return list(json.loads(done.stdout)["assumptions"])


def test_addresses_that_come_back(tmp_path: Path) -> None:
    def says_so(*words: str) -> bool:
        return any("ABA" in one for one in _assumptions(tmp_path, STACK, *words))

    assert says_so("--no-reuse")
    assert not says_so()
    assert not says_so("--no-reuse", "--", "-DEXCHANGES")


def test_executions_that_are_left_out(tmp_path: Path) -> None:
    program = """\
#include <atomic>
#include <fencepost/instrumentation.hpp>
#include <thread>
std::atomic<int> x{0};
int main() {
  std::thread other([] { x = 1; });
  fencepost::instrumentation::assume(x == 1 || !IN_TIME);
  other.join();
}
"""

    def says_so(*flags: str) -> bool:
        return any("assume" in one for one in _assumptions(tmp_path, program, "--", *flags))

    assert says_so("-DIN_TIME=1")
    assert not says_so("-DIN_TIME=0")


def test_assertions_that_are_compiled_out(tmp_path: Path) -> None:
    nothing = "int main() {}\n"
    assert any("NDEBUG" in one for one in _assumptions(tmp_path, nothing, "--", "-DNDEBUG"))
    assert not any("NDEBUG" in one for one in _assumptions(tmp_path, nothing))


def test_what_clang_does_not_tell(tmp_path: Path) -> None:
    def see_gcc(*words: str) -> int:
        told = _assumptions(tmp_path, "int main() {}\n", *words)
        return sum("(see gcc)" in one for one in told)

    assert see_gcc("--cc", "clang-14") == 1
    assert see_gcc() == 0


def _unwatched(tmp_path: Path, text: str) -> str:
    told = _assumptions(tmp_path, text)
    return " ".join(one for one in told if "does to the program's memory" in one)


def test_members_of_the_library_that_change_their_object(tmp_path: Path) -> None:
    resource = """\
#include <memory_resource>
int main() { std::pmr::monotonic_buffer_resource r; return r.allocate(8) == nullptr; }
"""
    path = """\
#include <filesystem>
int main() { std::filesystem::path p("a/b"); p.remove_filename(); return p.empty(); }
"""
    exception = """\
#include <stdexcept>
int main() { try { throw std::out_of_range("x"); } catch (const std::exception&) {} }
"""
    thread = """\
#include <condition_variable>
#include <thread>
int main() { std::condition_variable c; c.notify_all(); std::thread([] {}).join(); }
"""
    assert "std::pmr::monotonic_buffer_resource " in _unwatched(tmp_path, resource)
    assert "std::filesystem::path::remove_filename" in _unwatched(tmp_path, path)
    assert "~" not in _unwatched(tmp_path, exception)
    assert not _unwatched(tmp_path, thread)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        ("sched_getcpu", "#include <sched.h>\nint main() { return sched_getcpu(); }\n"),
        ("setlocale", '#include <clocale>\nint main() { return !std::setlocale(LC_ALL, ""); }\n'),
        (
            "std::random_device",
            "#include <random>\nint main() { return std::random_device()() == 0; }\n",
        ),
    ],
)
def test_what_is_answered_in_the_systems_place(call: str, text: str, tmp_path: Path) -> None:
    assert any(call in one for one in _assumptions(tmp_path, text))
    assert not any(call in one for one in _assumptions(tmp_path, "int main() {}\n"))


COROUTINE = """\
#include <coroutine>
struct task {
  struct promise_type {
    task get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
  std::coroutine_handle<promise_type> handle;
};
task work() { co_return; }
int main() { work().handle.destroy(); }
"""


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_local_variables_of_coroutines(compiler: str, tmp_path: Path) -> None:
    def says_so(text: str) -> bool:
        told = _assumptions(tmp_path, text, "--cc", compiler)
        return any("lives across a suspension" in one for one in told)

    assert says_so(COROUTINE)
    assert not says_so("int main() {}\n")


def test_nothing_is_claimed_of_weak_exchanges_that_nobody_sees(check: Check) -> None:
    """clang does not tell them from strong ones."""
    weak = """\
        #include <atomic>
        #include <cassert>
        #include <thread>
        std::atomic<int> x;
        int main() {
          std::thread other([] { x.load(); });
          int expected = 0;
          assert(x.compare_exchange_weak(expected, 1));
          other.join();
        }
        """
    assert check(weak, "--weak-cas", name="program.cpp").verdict == "violated"
    answer = check(weak, "--weak-cas", "--cc", "clang-14", name="program.cpp")
    assert answer.status == 3 and "--weak-cas: clang does not tell" in answer.errors
    strong = weak.replace("_weak", "_strong")
    answer = check(strong, "--weak-cas", name="program.cpp")
    assert answer.verdict == "holds" and "fails for nothing" not in answer.text


ERRNO = """\
#include <cerrno>
#include <cstdlib>
#include <thread>
int main() {
  int* const shown = WHOSE;
  std::thread other([shown] { *shown = 0; });
  std::strtol("99999999999999999999", nullptr, 10);
  other.join();
}
"""


def test_an_errno_that_another_thread_comes_to(tmp_path: Path) -> None:
    def says_so(*words: str) -> bool:
        return any("errno of another" in one for one in _assumptions(tmp_path, ERRNO, *words))

    assert says_so("--", "-DWHOSE=&errno")
    assert not says_so("--", "-DWHOSE=new int")


FENCED = """\
#include <pthread.h>
#include <atomic>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t both = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static std::atomic<int> x;
static void* take(void*) {
  x.store(1, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  TAKE;
  LEAVE;
  return nullptr;
}
int main() {
  pthread_t other;
  pthread_spin_init(&spin, 0);
  pthread_create(&other, nullptr, take, nullptr);
  int is_there = 1;
  BEFORE;
  if (TRY == 0) {
    LEAVE;
  } else {
    AFTER;
    is_there = x.load(std::memory_order_relaxed);
  }
  pthread_join(other, nullptr);
  return MEANS && is_there == 0;
}
"""
FENCE = "std::atomic_thread_fence(std::memory_order_acquire)"


@pytest.mark.parametrize(
    ("kind", "take", "attempt", "lock"),
    [
        ("mutex", "lock", "trylock", "mutex"),
        ("rwlock", "rdlock", "trywrlock", "both"),
        ("rwlock", "wrlock", "tryrdlock", "both"),
        ("spin", "lock", "trylock", "spin"),
    ],
)
def test_fences_beside_an_attempt_that_fails(
    tmp_path: Path, kind: str, take: str, attempt: str, lock: str
) -> None:
    calls = {"TAKE": take, "LEAVE": "unlock", "TRY": attempt}
    flags = [f"-D{name}=pthread_{kind}_{call}(&{lock})" for name, call in calls.items()]

    def told(before: str, after: str, means: bool = False, model: str = "c++20") -> bool:
        words = (f"-DBEFORE={before}", f"-DAFTER={after}", f"-DMEANS={means:d}")
        found = _assumptions(tmp_path, FENCED, "--", *flags, *words, model=model)
        return any("attempt at a lock that fails" in one for one in found)

    assert told("", FENCE, means=True)
    assert told(FENCE, "")
    assert not told("", "")
    assert not told("", FENCE, means=True, model="x86")


PROMISE = """\
#include <future>
#include <thread>
int main() {
#if defined(TASK)
  std::packaged_task<int()> task([] { return 0; });
  auto result = task.get_future();
  std::thread other([&] { task(); });
#elif defined(PROMISE)
  std::promise<int> promise;
  auto result = promise.get_future();
  std::thread other([&] { promise.set_value(0); });
#else
  auto result = std::async(std::launch::async, [] { return 0; });
  std::thread other([] {});
#endif
  const int value = result.get();
  other.join();
  return value;
}
"""


@pytest.mark.parametrize("level", ["-O0", "-O2"])
@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
def test_the_end_of_a_promise(tmp_path: Path, compiler: str, level: str) -> None:
    def told(*flags: str) -> list[str]:
        words = ("--cc", compiler, "--", level, *flags)
        return [one for one in _assumptions(tmp_path, PROMISE, *words) if "may end while" in one]

    assert [one.partition(" may")[0] for one in told("-DPROMISE")] == ["a std::promise"]
    assert [one.partition(" may")[0] for one in told("-DTASK")] == ["a std::packaged_task"]
    assert told() == []


def test_the_array_of_a_stream(tmp_path: Path) -> None:
    text = """\
#include <cstdio>
int main() {
  char array[BUFSIZ];
  GIVES;
}
"""

    def says_so(gives: str) -> bool:
        told = _assumptions(tmp_path, text, "--", f"-DGIVES={gives}")
        return "an array given to setvbuf or setbuf lives as long as its stream" in told

    assert says_so("setvbuf(stdout,array,_IOFBF,sizeof array)")
    assert says_so("setbuf(stdout,array)")
    assert not says_so("array[0]=0")
