# SPDX-License-Identifier: MIT
"""Files of measured results: JSON Lines that are appended to, and everything that can be read."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from fencepost.console.input_error import UnusableInput
from fencepost.results.foreign import google_benchmark, looks_like_sysbench, sysbench
from fencepost.results.schema import Measured
from fencepost.results.store import is_store, read_store
from fencepost.system.json_text import in_words, parse_json
from fencepost.system.output_place import output_place
from fencepost.system.regular_file import check_regular, regular_bytes

_KIND = "file of results"
_MOST_BYTES = 1 << 30


class ResultsFile:
    """Appends line by line, each of them whole on the disk's side before the next is measured."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            cut_off = path.is_file() and path.stat().st_size > 0 and not _ends_a_line(path)
            with output_place(path) as place:
                self._file: TextIO = os.fdopen(
                    place.opened(at_end=True),
                    # An escape of JSON's for what is no text, such as a byte of a program's name.
                    "a",
                    encoding="utf-8",
                    errors="backslashreplace",
                )
        except OSError as problem:
            raise UnusableInput(f"{path}: {problem.strerror}") from None
        if cut_off:
            # What a crash left is a line of its own, which readers leave out.
            self._file.write("\n")

    def write(self, line: dict[str, Any]) -> None:
        """Raises UnusableInput where there is no space left."""
        try:
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as problem:
            raise UnusableInput(
                f"{self.path}: {problem.strerror}; what was written until then is in it"
            ) from None

    def close(self) -> None:
        try:
            self._file.close()
        except OSError as problem:
            raise UnusableInput(f"{self.path}: {problem.strerror}") from None


def _ends_a_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, 2)
        return file.read(1) == b"\n"


def read_results(paths: Sequence[Path]) -> Measured:
    """Read results files of any kind, known by what is in them. Raises UnusableInput."""
    found = Measured()
    for path in paths:
        found.extend(read_file(path))
    return found


def read_file(path: Path) -> Measured:
    try:
        check_regular(path, _KIND)
        if is_store(path):
            return read_store(path)
        text = regular_bytes(path, _MOST_BYTES, _KIND).decode(errors="replace")
    except OSError as problem:
        raise UnusableInput(f"{path}: {problem.strerror}") from None
    if not text.strip():
        raise UnusableInput(f"{path}: it is empty")
    if looks_like_sysbench(text):
        return sysbench(path, text)
    if '"benchmarks"' in text:
        with contextlib.suppress(ValueError):
            whole = parse_json(text)
            if isinstance(whole, dict) and "benchmarks" in whole:
                return google_benchmark(path, whole)
    return _json_lines(path, text)


def _json_lines(path: Path, text: str) -> Measured:
    found = Measured()
    lines = text.split("\n")
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            read = parse_json(line)
        except ValueError:
            _cut_off(path, number, number == len(lines), found)
            continue
        try:
            found.add(read)
        except UnusableInput as problem:
            raise UnusableInput(problem.message, f"{path}:{number}") from None
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise UnusableInput(
                f"not a line of results: {in_words(problem)}", f"{path}:{number}"
            ) from None
    if not found.runs:
        raise UnusableInput(f"{path}: there are no results in it")
    if found.repeated:
        times = "1 line is" if found.repeated == 1 else f"{found.repeated} lines are"
        found.remarks.append(f"{path}: {times} there again word for word, and not counted again")
    return found


def _cut_off(path: Path, number: int, last: bool, found: Measured) -> None:
    if number == 1:
        raise UnusableInput(
            "neither results, nor what Google Benchmark or sysbench writes", f"{path}:1"
        )
    where = "the last line" if last else f"line {number}"
    found.remarks.append(
        f"{path}: {where} is incomplete, as after a crash; it is left out, the rest is used"
    )
