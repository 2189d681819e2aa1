# SPDX-License-Identifier: MIT
"""Functions of a file that may be anybody's, and tools that are started on it."""

from __future__ import annotations

import os
import random
import struct
import subprocess
from pathlib import Path

import fencepost.binary.elf_functions
import fencepost.system.limited_tool
import pytest
from fencepost.binary.elf_functions import Functions
from fencepost.system.file_part import part_of
from fencepost.system.limited_tool import output_of

SYMBOL = struct.Struct("<IBBHQQ")
FUNCTION = 2


def _section(kind: int, offset: int, size: int, link: int = 0) -> bytes:
    return struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, size, link, 0, 0, 0)


def _file(path: Path, sections: list[bytes], content: bytes) -> Path:
    """`content` follows the header at 64; then come the sections' headers."""
    header = b"\x7fELF\x02\x01\x01".ljust(40, b"\0") + struct.pack(
        "<QIHHHHHH", 64 + len(content), 0, 64, 0, 0, 64, len(sections), 0
    )
    path.write_bytes(header + content + b"".join(sections))
    return path


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("functions")
    source = folder / "program.c"
    source.write_text("int shared(int x) { return x; }\nint main(void) { return shared(0); }\n")
    subprocess.run(["gcc", "-O0", "-g", "-o", folder / "program", source], check=True)
    return folder / "program"


def test_a_function_is_known_from_its_first_byte_to_its_last(program: Path, tmp_path: Path) -> None:
    told = subprocess.run(["nm", "-S", program], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in told.splitlines() if line.endswith(" shared"))
    address, size = int(words[0], 16), int(words[1], 16)
    found = Functions(program)
    assert [found.at(address), found.at(address + size - 1)] == ["shared", "shared"]
    assert found.at(address + size) != "shared" and found.at(address - 1) != "shared"
    assert found.at(0) is None and found.at(2**70) is None
    # Of a stripped file what the dynamic linker has.
    library = tmp_path / "library.so"
    source = program.with_suffix(".c")
    subprocess.run(["gcc", "-O0", "-shared", "-fPIC", "-s", "-o", library, source], check=True)
    told = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True).stdout
    words = next(line.split() for line in told.splitlines() if line.endswith(" shared"))
    assert Functions(library).at(int(words[0], 16)) == "shared"


def test_a_damaged_file_has_fewer_functions(program: Path, tmp_path: Path) -> None:
    whole = program.read_bytes()
    path = tmp_path / "damaged"
    (headers,) = struct.unpack_from("<Q", whole, 40)
    for seed in range(150):
        chance = random.Random(seed)
        content = bytearray(whole)
        for _ in range(chance.randrange(1, 20)):
            place = chance.choice((chance.randrange(16, 64), chance.randrange(headers, len(whole))))
            content[place] = chance.choice((0, 1, 0x7F, 0xFF, chance.randrange(256)))
        if seed % 3 == 0:
            del content[chance.randrange(len(content)) :]
        path.write_bytes(content)
        found = Functions(path)
        for address in range(0x1000, 0x1200, 16):
            assert found.at(address) is None or len(found.at(address) or "") <= 1 << 14


def test_what_is_no_program_has_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "text").write_text("#!/bin/sh\n")
    os.mkfifo(tmp_path / "pipe")
    for name in ("empty", "text", "pipe"):
        assert Functions(tmp_path / name).at(0) is None
    with pytest.raises(OSError):
        Functions(tmp_path / "nothing")


def test_no_more_is_read_than_a_program_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sixty thousand tables of terabytes, in a sparse file; and names without an end."""
    read = 0

    def counted(descriptor: int, offset: int, size: int) -> bytes:
        nonlocal read
        read += size
        return part_of(descriptor, offset, min(size, 1 << 20))

    monkeypatch.setattr(fencepost.binary.elf_functions, "part_of", counted)
    sections = [_section(2, 64, 1 << 40, 1)] * 60_000
    path = _file(tmp_path / "sparse", sections, SYMBOL.pack(0, FUNCTION, 0, 1, 0x1000, 1))
    os.truncate(path, 1 << 41)
    Functions(path)
    assert read < 1 << 29
    monkeypatch.undo()
    names = b"\0" + b"a" * (1 << 20)
    table = b"".join(SYMBOL.pack(1, FUNCTION, 0, 1, 0x1000 + n, 1) for n in range(1000))
    sections = [_section(2, 64, len(table), 1), _section(3, 64 + len(table), len(names))]
    found = Functions(_file(tmp_path / "long", sections, table + names))
    assert {len(found.at(0x1000 + n) or "") for n in range(1000)} == {1 << 14}


def test_a_tool_is_ended_at_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    assert output_of(["cat"], "told\udc80\n") == "told\udc80\n"
    assert output_of(["/no/such/tool"], "") == ""
    monkeypatch.setattr(fencepost.system.limited_tool, "OUTPUT", 10_000)
    assert output_of(["yes"], "") == "y\n" * 5000
    monkeypatch.setattr(fencepost.system.limited_tool, "CPU_SECONDS", 1)
    assert output_of(["sh", "-c", "echo begun; while :; do :; done"], "") == "begun\n"
    monkeypatch.setattr(fencepost.system.limited_tool, "SECONDS", 0.3)
    assert output_of(["sh", "-c", "echo begun; exec sleep 1000"], "") == "begun\n"
