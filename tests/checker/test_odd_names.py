# SPDX-License-Identifier: MIT
"""A source whose name is no text is checked like any other, and every form of the result can be
read."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCE = '#include <assert.h>\nint main(void) {\n  assert(0 && "\\xe9\\x1b");\n}\n'
FORMS = {"--svg": "a.svg", "--html": "a.html", "--junit": "a.xml", "--sarif": "a.sarif"}

NAMES = {
    "no_utf8": b"caf\xe9",
    "escape": b"a\x1b[31mb",
    "spaces_and_quotes": b"a 'b' \"c\"",
    "direction": "a\u202eb".encode(),
    "colon": b"a:1:b",
}


@pytest.mark.parametrize("compiler", ["gcc", "clang-14"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.matrix(8)
def test_a_violation_is_told_whatever_the_name(name: str, compiler: str, tmp_path: Path) -> None:
    source = os.fsencode(tmp_path) + b"/" + NAMES[name] + b".c"
    Path(os.fsdecode(source)).write_text(SOURCE)
    forms = [word for pair in FORMS.items() for word in pair]
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", "--json", "--cc", compiler, *forms, source],
        capture_output=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": "utf-8:strict"},
    )
    assert done.returncode == 1, done.stdout + done.stderr
    found = json.loads(done.stdout)
    assert found["violation"]["kind"] == "assertion"
    found["file"].encode()  # no half of a surrogate pair
    assert found["violation"]["location"].endswith(".c:3")
    ElementTree.parse(tmp_path / "a.xml")
    ElementTree.parse(tmp_path / "a.svg")
    sarif = (tmp_path / "a.sarif").read_text(encoding="utf-8")
    json.dumps(json.loads(sarif), ensure_ascii=False).encode()
    (tmp_path / "a.html").read_text(encoding="utf-8")


def test_bytes_of_a_name_are_shown(tmp_path: Path) -> None:
    source = os.fsencode(tmp_path) + b"/caf\xe9.c"
    Path(os.fsdecode(source)).write_text(SOURCE)
    words = [str(ROOT / "fencepost"), "check", source]
    told = subprocess.run([*words, "--json"], capture_output=True, cwd=tmp_path)
    assert "caf\\xe9.c" in json.loads(told.stdout)["file"]
    shown = subprocess.run(words, capture_output=True, cwd=tmp_path)
    assert shown.returncode == 1
    shown.stdout.decode()


def test_an_end_of_a_line_in_a_name_is_refused_in_words(tmp_path: Path) -> None:
    source = tmp_path / "one\ntwo.c"
    source.write_text(SOURCE)
    done = subprocess.run(
        [str(ROOT / "fencepost"), "check", source], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 3
    assert "the end of a line in its name" in done.stderr
