# SPDX-License-Identifier: MIT
"""The live view of a running program's locks, in a terminal."""

from __future__ import annotations

import curses
import os
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fencepost.console.input_error import UnusableInput
from fencepost.console.shown import shown
from fencepost.profile.directory import lives
from fencepost.profile.file import read_lock_file
from fencepost.profile.rates import Interval, Look
from fencepost.profile.running import running_in
from fencepost.profile.screen import Screen
from fencepost.profile.symbols import PlaceNames
from fencepost.run.parent import Child

#: Between two pictures, in seconds.
_REFRESH = 1.0

#: How long a program may take to begin to record.
_PATIENCE = 10.0

_KEYS = {
    curses.KEY_UP: "up",
    curses.KEY_DOWN: "down",
    curses.KEY_PPAGE: "page up",
    curses.KEY_NPAGE: "page down",
    curses.KEY_HOME: "home",
}
_CTRL_C = 3


def top(path: Path, names: PlaceNames, once: bool) -> int:
    """Show the locks of the process that writes this file, until the reader quits. Where there is
    no terminal, or with `once`, show a single picture of a second."""
    view = _View(path, names)
    if once or not (sys.stdin.isatty() and sys.stdout.isatty()):
        view.look()
        time.sleep(_REFRESH)
        view.look()
        columns = shutil.get_terminal_size().columns if sys.stdout.isatty() else 1 << 16
        lines = view.lines(columns, 1 << 16)
        print("\n".join(lines[:-1]).rstrip())
        if names.left_unnamed:
            print(f"fencepost run: {names.left_unnamed}", file=sys.stderr)
        return 0
    _in_terminal(view, lambda: True, None)
    return 0


def top_of_child(
    program: Path,
    words: Sequence[str],
    environment: Mapping[str, str],
    directory: Path,
    names: PlaceNames,
    tell_waits: Callable[[], None],
) -> Child:
    """Starts a program, shows its locks until it ends, and goes on waiting where the reader does
    not want to see more. What the program says goes to files."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UnusableInput("--top with a program needs a terminal; --stats tells at the end")
    folder = Path(tempfile.mkdtemp(prefix="fencepost-output."))
    said = [folder / "stdout", folder / "stderr"]
    opened = [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)]
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    opened += [os.open(path, new, 0o600) for path in said]
    try:
        child = Child(program, words, environment, (opened[0], opened[1], opened[2]))
    finally:
        for descriptor in opened:
            os.close(descriptor)
    path = _first_file(child, directory, tell_waits)
    if path is not None:
        with suppress(UnusableInput):
            _in_terminal(_View(path, names), lambda: _goes_on(child, tell_waits), child)
    print(f"fencepost run: what the program says is in {said[0]} and {said[1]}", file=sys.stderr)
    if child.runs:
        print(f"fencepost run: process {child.pid} goes on; Ctrl-C interrupts it", file=sys.stderr)
    child.wait(tell_waits)
    return child


def _goes_on(child: Child, tell_waits: Callable[[], None]) -> bool:
    child.wait(tell_waits, 0)
    return child.runs


def _first_file(child: Child, directory: Path, tell_waits: Callable[[], None]) -> Path | None:
    until = time.monotonic() + _PATIENCE
    while child.runs and time.monotonic() < until:
        child.wait(tell_waits, 0.05)
        for process in running_in(directory):
            return process.recorded.path
    return None


class _View:
    """The latest looks at a file, and what the reader has chosen to see of them."""

    def __init__(self, path: Path, names: PlaceNames) -> None:
        self.screen = Screen()
        self._path, self._names = path, names
        self._looks: list[Look] = []
        self.fate = "running"

    def look(self) -> None:
        """Keeps what was last seen when the program has ended."""
        if self.fate != "running":
            return
        try:
            recorded = read_lock_file(self._path)
        except UnusableInput:
            if not self._looks:
                raise
            self.fate = "ended"
            return
        now = time.monotonic_ns()
        if recorded.ended or not lives(recorded.pid, (now - recorded.began) / 1e9):
            self.fate = "ended"
        self._looks = [*self._looks[-1:], Look.at_file(recorded, now)]

    def lines(self, width: int, height: int) -> list[str]:
        first = self._looks[0] if len(self._looks) > 1 else None
        interval = Interval(first, self._looks[-1], self._names)
        return self.screen.lines(interval, self._names, width, height, self.fate)


def _in_terminal(view: _View, goes_on: Callable[[], bool], child: Child | None) -> None:
    view.look()
    with suppress(KeyboardInterrupt):
        curses.wrapper(lambda window: _loop(window, view, goes_on, child))


def _loop(
    window: curses.window, view: _View, goes_on: Callable[[], bool], child: Child | None
) -> None:
    with suppress(curses.error):
        curses.curs_set(0)
    if child is not None:
        curses.raw()  # Ctrl-C is meant for the program, Ctrl-Z for nobody
    window.timeout(100)
    looked = time.monotonic()
    drawn = False
    while goes_on():
        now = time.monotonic()
        # The first picture soon, of a short time; then one a second.
        if not view.screen.paused and now - looked >= (_REFRESH if drawn else 0.2):
            view.look()
            looked, drawn = now, True
            _draw(window, view)
        key = window.getch()
        if key == _CTRL_C and child is not None:
            child.send(signal.SIGINT)
        elif key != -1:
            if not view.screen.press(_KEYS.get(key) or (chr(key) if key > 0 else "")):
                return
            _draw(window, view)


def _draw(window: curses.window, view: _View) -> None:
    columns, rows = os.get_terminal_size()
    if (rows, columns) != window.getmaxyx():  # its signal goes to the program where there is one
        curses.resizeterm(rows, columns)
    height, width = window.getmaxyx()
    window.erase()
    for n, line in enumerate(view.lines(width - 1, height)):
        reverse = line.startswith("DEADLOCK") or n == height - 1
        with suppress(curses.error):  # it was made smaller meanwhile
            text = shown(line, kept="")[: width - 1]
            window.addstr(n, 0, text, curses.A_REVERSE if reverse else curses.A_NORMAL)
    window.refresh()
