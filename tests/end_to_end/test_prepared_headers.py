# SPDX-License-Identifier: MIT
"""Programs that begin with <thread> are compiled with a header that was read before, and are the
same programs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from answer import BUILD
from fencepost.build_program import Toolchain, build_program
from fencepost.prepared_headers import HEADER, READ, begins_with_thread

PROGRAM = """\
#include <atomic>
#include <thread>
std::atomic<int> x;
int plain;
int main() {
  std::jthread other([] { plain = VALUE; x.store(1, std::memory_order_release); x.notify_one(); });
  x.wait(0);
  return plain - VALUE;
}
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("FENCEPOST_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("FENCEPOST_BUILD_DIR", str(BUILD))
    return tmp_path / "cache"


def compiled(folder: Path, name: str, *flags: str) -> tuple[str, str]:
    """The machine code, and what the compiler says that it read."""
    source, directory = folder / "program.cpp", folder / name
    source.write_text(PROGRAM)
    build_program([source], Toolchain("gcc", ("-DVALUE=5", *flags)), directory)
    code = subprocess.run(
        ["objdump", "-dr", "--no-show-raw-insn", "0-program.o"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    )
    return code.stdout, (directory / "0-program.d").read_text()


def prepared(cache: Path) -> list[Path]:
    return sorted(cache.glob(f"*/{HEADER}.gch"))


def test_the_second_time_they_are_kept_and_the_code_stays_the_same(
    cache: Path, tmp_path: Path
) -> None:
    first, _ = compiled(tmp_path, "first")
    assert not prepared(cache)
    second, _ = compiled(tmp_path, "second")
    (header,) = prepared(cache)
    third, read = compiled(tmp_path, "third")
    assert first == second == third
    assert "call" in first and "fencepost_library_atomic32" in first
    assert HEADER not in read, "it was not taken"

    # A header that has changed since.
    noted = header.with_name(READ)
    states = json.loads(noted.read_text())
    name = next(name for name in states if name.endswith("/thread"))
    noted.write_text(json.dumps({**states, name: [0, 0]}))
    before = header.stat().st_mtime_ns
    assert compiled(tmp_path, "fourth")[0] == first
    assert header.stat().st_mtime_ns > before
    assert json.loads(noted.read_text())[name] == states[name]

    # A macro that the headers ask for is the user's now: they are read as they are.
    assert compiled(tmp_path, "fifth", "-DX=1")[0] == first
    assert HEADER in compiled(tmp_path, "sixth", "-DX=1")[1]
    assert prepared(cache) == [header]


def test_other_flags_have_a_header_of_their_own(cache: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        compiled(tmp_path, name, "-O2", "-D_GLIBCXX_ASSERTIONS")
        compiled(tmp_path, f"{name} of others", "-include", "cstdio")  # could stand before it
    assert len(prepared(cache)) == 1
    assert len(list(cache.iterdir())) == 2  # and the note that it was asked for


@pytest.mark.parametrize("setting", ["", "/proc/nowhere"])
def test_without_a_folder_for_them_it_works_all_the_same(
    setting: str, cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FENCEPOST_CACHE", setting)
    assert compiled(tmp_path, "one")[0] == compiled(tmp_path, "two")[0]
    assert not cache.exists()


@pytest.mark.parametrize(
    "beginning",
    [
        "#include <thread>",
        "// text\n\n#include <atomic>\n#  include <thread> // text\n#define A 1",
        "/* text\n#define A 1\n*/\n#include <cassert>\n#include <thread>",
    ],
)
def test_a_file_may_begin_with_comments_and_the_librarys_headers(
    beginning: str, tmp_path: Path
) -> None:
    (tmp_path / "a.cpp").write_text(beginning)
    assert begins_with_thread(tmp_path / "a.cpp")


@pytest.mark.parametrize(
    "beginning",
    [
        "#include <atomic>\nint x;\n#include <thread>",
        "#define A 1\n#include <thread>",
        "#include <own/config>\n#include <thread>",
        "#include <config>\n#include <thread>",
        "#include <pthread.h>\n#include <thread>",
        '#include "config.hpp"\n#include <thread>',
        "// text \\\n#include <thread>",
        "/*/ #include <thread>\n#include <thread>\n*/",
        "/* text */ #define A 1\n#include <thread>",
        "#if A\n#include <thread>\n#endif",
        "",
    ],
)
def test_nothing_that_could_mean_something_to_a_header_may_stand_before(
    beginning: str, tmp_path: Path
) -> None:
    (tmp_path / "a.cpp").write_text(beginning)
    assert not begins_with_thread(tmp_path / "a.cpp")
