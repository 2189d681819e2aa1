# SPDX-License-Identifier: MIT
"""`fencepost weaken` where operations are written in macros: the compiler knows one place for all
that a macro says, and each of them is judged by itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from answer import fencepost

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


@pytest.mark.parametrize("source", [PUBLISHED, ASSERTED], ids=["of_its_own", "assert"])
def test_each_operation_of_a_macro_is_judged_by_itself(tmp_path: Path, source: str) -> None:
    program = tmp_path / "program.cpp"
    program.write_text(source)
    done = fencepost("weaken", "--no-costs", program)
    assert done.returncode == 0, done.stderr
    assert "orders can be weaker" in done.stdout
    proposed, _, needed = done.stdout.partition("needed: ")
    assert "(number 1 of the macro): " in proposed and "→ relaxed" in proposed
    assert "(number 2 of the macro): " in needed


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
    assert "the patch: edits text that is not what was compiled" in done.stderr
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
