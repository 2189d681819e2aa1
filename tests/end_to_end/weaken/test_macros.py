# SPDX-License-Identifier: MIT
"""`fencepost weaken` where operations are written in macros: the compiler knows one place for all
that a macro says, and each of them is judged by itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from answer import fencepost

pytestmark = pytest.mark.matrix(3)

PUBLISHED = """
#include <atomic>
#include <cassert>
#include <thread>
#define PUBLISH(value) do { \\
  buffer.store(value, std::memory_order_release); \\
  ready.store(1, std::memory_order_release); \\
} while (0)
std::atomic<int> buffer, ready;
int data;
int main() {
  std::thread other([] { data = 1; PUBLISH(7); });
  if (ready.load(std::memory_order_acquire)) {
    assert(data == 1 && buffer.load(std::memory_order_relaxed) == 7);
  }
  other.join();
}
"""

ASSERTED = """
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> first, second;
int data;
int main() {
  std::thread other([] {
    data = 1;
    first.store(1, std::memory_order_relaxed);
    second.store(1, std::memory_order_release);
  });
  assert(first.load(std::memory_order_acquire) < 3 &&
         (second.load(std::memory_order_acquire) == 0 || data == 1));
  other.join();
}
"""


#: In C the outer macro's name is the place of both.
NESTED = """
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
static int data;
static atomic_int ready, count;
static void* add(void* unused) {
  data = 1;
  atomic_fetch_add(&ready, atomic_fetch_add(&count, 1) + 1);
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, add, 0);
  if (atomic_load_explicit(&ready, memory_order_acquire)) assert(data == 1);
  pthread_join(thread, 0);
}
"""

#: One operation, of which a loop that is unrolled makes two calls.
UNROLLED = """
#include <atomic>
#include <cassert>
#include <thread>
#define LOAD(flag) (flag).load(std::memory_order_seq_cst)
std::atomic<int> flags[2];
int data;
int main() {
  std::thread other([] { data = 1; flags[1].store(1, std::memory_order_release); });
  int sum = 0;
  for (int i = 0; i < 2; ++i) sum += LOAD(flags[i]);
  if (sum) assert(data == 1);
  other.join();
}
"""


@pytest.mark.parametrize(
    ("source", "name", "options"),
    [
        (PUBLISHED, "program.cpp", ["gcc"]),
        (PUBLISHED, "program.cpp", ["clang-14"]),
        (ASSERTED, "program.cpp", ["clang-14"]),
        (NESTED, "program.c", ["gcc"]),
    ],
)
def test_each_operation_of_a_macro_is_judged_by_itself(
    tmp_path: Path, source: str, name: str, options: list[str]
) -> None:
    program = tmp_path / name
    program.write_text(source)
    done = fencepost("weaken", "--no-costs", "--cc", *options, program)
    assert done.returncode == 0, done.stderr
    assert "orders can be weaker" in done.stdout
    proposed, _, needed = done.stdout.partition("needed: ")
    assert "(number 1 of the macro): " in proposed and "→ relaxed" in proposed
    assert "(number 2 of the macro): " in needed


def test_what_stands_in_the_parentheses_of_a_macro_is_where_it_is_written(tmp_path: Path) -> None:
    """gcc's plugin knows (checker/compiler/own_places.hpp)."""
    program = tmp_path / "program.cpp"
    program.write_text(ASSERTED)
    done = fencepost("weaken", "--no-costs", "--diff", program)
    assert "of the macro" not in done.stderr and "every program holds with it" in done.stderr
    assert "+  assert(first.load(std::memory_order_relaxed) < 3 &&" in done.stdout
    assert "second.load(std::memory_order_relaxed)" not in done.stdout


@pytest.mark.parametrize("flags", [[], ["--", "-O3"]], ids=["usual", "O3"])
def test_one_operation_of_a_macro_is_one_however_often_it_is_compiled(
    tmp_path: Path, flags: list[str]
) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(UNROLLED)
    done = fencepost("weaken", "--no-costs", program, *flags)
    assert done.returncode == 0, done.stderr
    assert "number" not in done.stdout
    assert "load: seq_cst → acquire" in done.stdout


def test_what_is_one_of_several_is_not_edited(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(PUBLISHED)
    done = fencepost("weaken", "--no-costs", "--diff", program)
    assert done.stdout == ""
    assert "it is one of several operations of a macro's use" in done.stderr


def test_a_patch_of_a_header_elsewhere_says_where_it_is_to_be_applied(tmp_path: Path) -> None:
    header = tmp_path / "include" / "flag.hpp"
    header.parent.mkdir()
    header.write_text(
        "#include <atomic>\nstruct flag {\n  std::atomic<int> value{0};\n"
        "  void set() { value.store(1); }\n  bool is_set() { return value.load() != 0; }\n};\n"
    )
    folder = tmp_path / "some checks"
    folder.mkdir()
    (folder / "check.cpp").write_text(
        '#include "../include/flag.hpp"\n#include <cassert>\n#include <thread>\n'
        "flag ready;\nint data;\nint main() {\n"
        "  std::thread other([] { data = 1; ready.set(); });\n"
        "  if (ready.is_set()) assert(data == 1);\n  other.join();\n}\n"
    )
    done = fencepost("weaken", "--no-costs", "--diff", "check.cpp", cwd=folder)
    assert done.returncode == 0, done.stderr
    told = re.search(r"apply it with: (patch -p1 -d .*)", done.stderr)
    assert told is not None
    subprocess.run(["bash", "-c", told[1]], input=done.stdout, text=True, cwd=folder, check=True)
    assert "value.store(1, std::memory_order_release)" in header.read_text()


def test_a_patch_that_edits_what_is_not_compiled_is_told(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(
        "#include <atomic>\n#include <cassert>\n#include <thread>\n"
        "std::atomic<int> ready;\nint data;\nint main() {\n"
        "  std::thread other([] { data = 1; ready.store(1\n"
        "#ifdef NEVER\n    , std::memory_order_seq_cst\n#endif\n  ); });\n"
        "  if (ready.load(std::memory_order_acquire)) assert(data == 1);\n  other.join();\n}\n"
    )
    done = fencepost("weaken", "--no-costs", "--diff", program)
    assert done.returncode == 2 and done.stdout == ""
    said = "the patch: is not printed: edits text that is not what was compiled"
    assert said in done.stderr
    assert "every program holds with it" not in done.stderr


def test_what_is_met_only_where_the_program_fails_is_no_matter_of_the_patch(tmp_path: Path) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(
        "#include <atomic>\n#include <cassert>\n#include <thread>\n"
        "std::atomic<int> data, ready, lost;\nint main() {\n"
        "  std::thread other([] { data.store(1); ready.store(1); });\n"
        "  if (ready.load() == 1 && data.load() == 0) {\n    lost.store(1);\n    assert(false);\n"
        "  }\n  other.join();\n}\n"
    )
    done = fencepost("weaken", "--no-costs", "--diff", program)
    assert done.returncode == 0, done.stderr
    assert "the patch: every program holds with it" in done.stderr
