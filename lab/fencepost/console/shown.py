# SPDX-License-Identifier: MIT
"""Text of others as a terminal is given it: names, paths, messages and source may hold anything,
and are shown, not obeyed.

All that the command line prints goes through `Shown`, which `cli.main` puts in the place of stdout
and stderr. What is to be obeyed, such as a colour, begins with OWN.
"""

from __future__ import annotations

import codecs
import io
import locale
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

#: Begins a control sequence of our own. Nothing that is read from a file can know it.
OWN = f"\033{os.urandom(8).hex()}"

#: Back to the beginning of the line, which is emptied.
CLEAR_LINE = f"{OWN}[G{OWN}[K"

#: What stands for a sign of ours where the terminal's encoding has none.
_PLAIN = {
    "…": "~",
    "●": "*",
    "◆": "#",
    "✓": "+",
    "✗": "x",
    "⟲": "@",
    "→": ">",
    "←": "<",
    "▶": ">",
    "◀": "<",
    "▲": "^",
    "▼": "v",
    "│": "|",
    "╭": ",",
    "╰": "`",
    "·": ".",
    "×": "x",
    "±": "+/-",
    "≤": "<=",
    "≥": ">=",
    "≈": "~",
    "∞": "inf",
    "µ": "u",
    "−": "-",
    "–": "-",
    "—": "-",
}

_UNUSUAL = re.compile(r"[^\t\n -~]")


def shown(text: str, kept: str = "\t\n") -> str:
    """The text with an escape such as \\x1b or \\u202e for each letter that does not print: control
    characters, those that change the direction of writing, and halves of surrogate pairs."""

    def escape(found: re.Match[str]) -> str:
        letter = found[0]
        return letter if letter.isprintable() else _escaped(letter)

    text = _UNUSUAL.sub(escape, text)
    for letter in "\t\n":
        if letter not in kept:
            text = text.replace(letter, _escaped(letter))
    return text


def _escaped(letter: str) -> str:
    return letter.encode("unicode_escape").decode()


def _plainly(error: UnicodeError) -> tuple[str, int]:
    """An error handler of codecs: what the encoding lacks is shown in another way."""
    assert isinstance(error, UnicodeEncodeError)
    text = error.object[error.start : error.end]
    return "".join(_PLAIN.get(letter) or _escaped(letter) for letter in text), error.end


codecs.register_error("fencepost-plainly", _plainly)


class Shown:
    """A stream of text that shows what is written to it, and obeys what begins with OWN."""

    def __init__(self, stream: TextIO, may_be_lost: bool = False) -> None:
        self.stream = stream
        self.may_be_lost = may_be_lost
        #: Why what is written is lost, if it may be.
        self.lost: OSError | None = None

    def write(self, text: str) -> int:
        plain = "\033".join(map(shown, text.split(OWN)))
        self.pass_on(lambda: self.stream.write(plain))
        return len(text)

    def flush(self) -> None:
        self.pass_on(self.stream.flush)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def drop(self) -> None:
        """What is still to be printed cannot be, and Python would complain of it in the end."""
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, self.stream.fileno())
        os.close(null)

    def pass_on(self, deed: Callable[[], object]) -> None:
        try:
            deed()
        except OSError as error:
            if not self.may_be_lost:
                raise
            self.lost = error
            self.drop()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def shown_output() -> Iterator[None]:
    """Meanwhile all that is printed is shown, also where its encoding lacks a letter. That is the
    locale's; names and files are read and written as UTF-8 in any case (`./fencepost`). Work goes
    on, and the exit status stays, where stderr cannot be written: there is nowhere to say so."""
    before = sys.stdout, sys.stderr
    for stream in before:
        if isinstance(stream, io.TextIOWrapper):
            wanted = stream.encoding
            if sys.flags.utf8_mode and "PYTHONIOENCODING" not in os.environ:
                wanted = locale.getencoding()
            stream.reconfigure(encoding=wanted, errors="fencepost-plainly")
    sys.stdout = cast(TextIO, Shown(sys.stdout))
    sys.stderr = cast(TextIO, Shown(sys.stderr, may_be_lost=True))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = before


@contextmanager
def output_may_be_lost() -> Iterator[None]:
    """Meanwhile work goes on where stdout's reader has left, or where it has no room: its exit
    status and the files it writes are answers, too. `cli.main` tells what was lost."""
    stream = sys.stdout
    if not isinstance(stream, Shown):
        yield
        return
    stream.may_be_lost = True
    try:
        yield
        stream.flush()
    finally:
        stream.may_be_lost = False


def print_exactly(text: str) -> None:
    """Prints what another program is to read, such as a patch, as it is; shows it on a terminal."""
    stream = sys.stdout
    if isinstance(stream, Shown) and not stream.isatty() and hasattr(stream, "buffer"):
        stream.flush()
        exact = text.encode("utf-8", "surrogateescape")
        stream.pass_on(lambda: stream.buffer.write(exact))
    else:
        stream.write(text)
    stream.flush()
