# SPDX-License-Identifier: MIT
"""Files that the project makes are new or looked at whose they are, and lie where they seem to:
another user may have put a link, a pipe or a file at a name that can be foreseen."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: Calls that make a file under a name of the caller's, or hand out names for one.
_MAKES = re.compile(r"O_CREAT\b|\b(?:tmpnam|tempnam|tmpnam_r|mktemp|creat|shm_open)\s*\(")

#: It tells calls that make files from others, and makes none.
_TELLS_APART = "sandbox.py"


def _made(text: str) -> list[str]:
    """The statements that make files: from the last ; { or } to the next."""
    found = []
    for at in _MAKES.finditer(text):
        begin = max(text.rfind(sign, 0, at.start()) for sign in ";{}\n") + 1
        ends = [end for sign in ";\n" if (end := text.find(sign, at.end())) >= 0]
        found.append(text[begin : min(ends, default=len(text))].strip())
    return found


def _unsafe(text: str) -> list[str]:
    """What makes a file behind a link, or takes one that is there, where nobody looks at owners."""
    needed = ("O_NOFOLLOW",) if "st_uid" in text else ("O_NOFOLLOW", "O_EXCL")
    return [one for one in _made(text) if not all(flag in one for flag in needed)]


def test_files_are_made_new_and_through_no_link() -> None:
    sources = [
        path
        for folder in ("checker", "include", "lab", "src", "study")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".c", ".cpp", ".hpp", ".h", ".py") and path.name != _TELLS_APART
    ]
    texts = {path: path.read_text() for path in sources}
    assert sum(len(_made(text)) for text in texts.values()) >= 4
    assert {str(path): found for path, text in texts.items() if (found := _unsafe(text))} == {}


def test_what_is_unsafe_is_found() -> None:
    assert _unsafe("a; open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600); b") != []
    assert _unsafe("x = os.open(name, os.O_CREAT | os.O_EXCL)\ny") != []
    assert _unsafe("char* name = tmpnam(buffer);") != []
    assert _unsafe("open(name, O_CREAT | O_NOFOLLOW, 0600);") != []
    assert _unsafe("open(name, O_CREAT, 0600); fstat(file, &at); at.st_uid != geteuid();") != []
    assert _unsafe("open(name, O_CREAT | O_EXCL | O_NOFOLLOW, 0600);") == []
    assert _unsafe("open(a, O_CREAT | O_NOFOLLOW); fstat(a, &at); at.st_uid != geteuid();") == []
