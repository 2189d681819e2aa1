# SPDX-License-Identifier: MIT
"""Names of places in programs that are damaged, somebody else's, or made to keep a reader busy."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import fencepost.binary.source_location
import fencepost.system.limited_tool
import pytest
from fencepost.profile import symbols
from fencepost.profile.dump import Dump
from fencepost.profile.file import Module, Site, read_lock_file
from fencepost.profile.symbols import PlaceNames, readable_file
from fencepost.profile.waits import Waits
from written_locks import WrittenLocks

NOBODY = 65534


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("program") / "program"
    source = made.with_suffix(".cpp")
    source.write_text("namespace own { int taker(int x) { return x; } }\nint main() {}\n")
    subprocess.run(["g++", "-O0", "-g", "-no-pie", "-o", made, source], check=True)
    return made


@pytest.fixture
def program(compiled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(compiled, tmp_path / "program"))


def _site(program: Path, is_ours: bool = True) -> Site:
    told = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    (address,) = [line.split()[0] for line in told.splitlines() if line.endswith("_ZN3own5takerEi")]
    return Site(int(address, 16) + 5, Module(0, str(program), is_ours))


def _instead(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """What is started in the place of addr2line."""
    tool = folder / "addr2line"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    monkeypatch.setattr(fencepost.binary.source_location, "tool", lambda *_: str(tool))


def test_a_tool_that_hangs_costs_its_time_and_not_the_name(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = _site(program)
    assert PlaceNames().place(site).line == 1
    _instead(monkeypatch, program.parent, "exec sleep 1000")
    monkeypatch.setattr(fencepost.system.limited_tool, "SECONDS", 0.3)
    assert str(PlaceNames().place(site)) == "own::taker program"


def test_all_files_together_have_one_deadline_and_what_it_left_is_told(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's record may name hundreds of root's files."""
    now, given = [0.0], []

    def takes_all(seconds: float) -> dict[int, Any]:
        given.append(seconds)
        now[0] += seconds
        return {}

    monkeypatch.setattr(symbols, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(symbols, "inline_chains", lambda *_, seconds: takes_all(seconds))
    monkeypatch.setattr(symbols, "_functions_at", lambda *_: takes_all(_[-1]))
    names = PlaceNames(seconds=8)
    assert not names.left_unnamed
    copies = [Path(shutil.copy(program, tmp_path / f"copy{n}")) for n in range(3)]
    names.prepare(_site(copy) for copy in copies)
    assert given == [4.0, 4.0]
    assert names.left_unnamed.startswith("3 places are not named")
    assert [names.place(_site(copy)).function.partition("+")[0] for copy in copies] == [
        "copy0",
        "copy1",
        "copy2",
    ]
    assert names.left_unnamed.startswith("3 places")


def test_a_file_is_asked_about_once_for_all_places_of_a_dump(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _instead(monkeypatch, program.parent, f"cat >> {tmp_path}/asked; echo end >> {tmp_path}/asked")
    address = _site(program).address
    written = WrittenLocks()
    # Anybody may say that it is loaded many times.
    modules = [written.add_module(str(program), base) for base in (0, 0x100000)]
    for n in range(4):
        sites = [written.add_site(address + 16 * n + k, modules[k % 2]) for k in (0, 3, 6)]
        lock = written.add_lock(0x1000 + n, site=sites[0])
        holds = ((lock, sites[1], 0),)
        written.add_thread(10 + 2 * n, "holder", held=holds)
        written.add_thread(11 + 2 * n, "waiter", waits_for=lock, waits_at=sites[2], since=1)
    waits = Waits(read_lock_file(written.write(tmp_path)), None)
    names = PlaceNames()
    Dump(waits, [], names, 10**9).text()
    *places, end = (tmp_path / "asked").read_text().split()
    assert len(places) == 12 and end == "end"


@pytest.mark.parametrize(
    "said",
    ["0x", "0xyz\\n??:0", "0x" + "9" * 5000, "f\\nfile.c:²", "f\\nfile.c:" + "9" * 5000, "\\200"],
)
def test_what_a_tool_says_of_a_damaged_file_is_no_error(
    said: str, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _instead(monkeypatch, program.parent, f"cat >/dev/null; printf '{said}\\n'")
    assert str(PlaceNames().place(_site(program))) == "own::taker program"


def test_into_a_file_of_another_user_no_tool_looks(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has run it; its symbols are read here."""
    if os.geteuid() != 0:
        pytest.skip("needs root, to give a file away")
    site = _site(program)
    os.chown(program, NOBODY, NOBODY)
    _instead(monkeypatch, program.parent, "touch started")
    monkeypatch.chdir(program.parent)
    assert str(PlaceNames().place(site)) == "own::taker program"
    assert not (program.parent / "started").exists()


def test_what_another_user_names_is_looked_into_where_only_root_can_put_it(
    program: Path, tmp_path: Path
) -> None:
    roots = Path("/bin/true")
    assert readable_file(Module(0, str(roots), is_ours=False)) == roots.resolve()
    # Who may change the folder may put another file there in the next moment.
    copy = tmp_path / "copy"
    copy.write_bytes(program.read_bytes())
    assert readable_file(Module(0, str(copy))) == copy
    assert readable_file(Module(0, str(copy), is_ours=False)) is None
    link = tmp_path / "link"
    link.symlink_to(roots)
    assert readable_file(Module(0, str(link), is_ours=False)) == roots.resolve()


def test_an_inlined_function_of_its_callers_name_is_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "queue.hpp").write_text(
        "struct Queue { int x; };\n"
        "[[gnu::noipa]] void taken();\n"
        "[[gnu::always_inline]] inline int put(Queue& q, int v) {\n"
        "  taken();\n"
        "  return q.x = v;\n"
        "}\n"
    )
    (tmp_path / "program.cpp").write_text(
        '#include "queue.hpp"\n'
        "Queue queue;\n"
        "int put(int v) { return put(queue, v); }\n"
        "void taken() {}\n"
        "int main() { return put(0); }\n"
    )
    program = tmp_path / "program"
    flags = ["-O1", "-g", "-no-pie"]
    subprocess.run(["g++", *flags, "-o", program, tmp_path / "program.cpp"], check=True)
    code = subprocess.run(["objdump", "-d", program], capture_output=True, text=True).stdout
    body = code.partition("<_Z3puti>:")[2].partition("ret")[0].splitlines()
    call = next(n for n, line in enumerate(body) if "_Z5takenv" in line)
    site = Site(int(body[call + 1].split(":")[0], 16), Module(0, str(program), True))
    place = PlaceNames().place(site)
    assert (Path(place.file).name, place.line) == ("queue.hpp", 4)
