# SPDX-License-Identifier: MIT
"""The embedded database of measured results: SQLite, which is in Python's standard library, and
which notebooks, R, DuckDB (ATTACH) and every language read.

Tables run, metric, window, figure and failure, and a view `measured` that has a row for each figure
with all that is known of it. Its schema's number is PRAGMA user_version.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.results.schema import SCHEMA, Failure, Measured, Run, Window
from fencepost.system.json_text import in_words, parse_json
from fencepost.system.output_place import output_place

_MAGIC = b"SQLite format 3\0"
#: The longest row that is read.
_MOST_BYTES = 1 << 26
#: Of SQLite's machine, between two looks whether there was a signal.
_STEPS = 100_000
_TABLES = """
-- `line` is all that was said, as JSON; the other columns are for those who ask.
CREATE TABLE run (
  run TEXT PRIMARY KEY, started TEXT, machine TEXT, processors INTEGER, governor TEXT, kernel TEXT,
  compiler TEXT, flags TEXT, "commit" TEXT, load REAL, interleaved INTEGER NOT NULL,
  line TEXT NOT NULL);
CREATE TABLE metric (
  run TEXT NOT NULL REFERENCES run, subject TEXT NOT NULL, place INTEGER NOT NULL,
  figure TEXT NOT NULL, unit TEXT NOT NULL, better TEXT NOT NULL,
  PRIMARY KEY (run, subject, figure));
CREATE TABLE window (
  run TEXT NOT NULL REFERENCES run, number INTEGER NOT NULL, subject TEXT NOT NULL,
  work TEXT NOT NULL, variant TEXT NOT NULL, round INTEGER NOT NULL, kept INTEGER NOT NULL,
  at TEXT, elapsed REAL, others_cpu REAL, line TEXT NOT NULL,
  PRIMARY KEY (run, number));
CREATE TABLE figure (
  run TEXT NOT NULL, number INTEGER NOT NULL, figure TEXT NOT NULL, value REAL,
  PRIMARY KEY (run, number, figure), FOREIGN KEY (run, number) REFERENCES window);
CREATE TABLE failure (
  run TEXT NOT NULL REFERENCES run, number INTEGER NOT NULL, line TEXT NOT NULL,
  PRIMARY KEY (run, number));
CREATE VIEW measured AS
  SELECT w.run, w.subject, w.work, w.variant, w.round, w.kept, f.figure, f.value, m.unit, m.better,
         w.at, w.elapsed, w.others_cpu, r.started, r.machine, r.processors, r.governor, r.kernel,
         r.compiler, r.flags, r."commit", r.load
    FROM figure f JOIN window w USING (run, number) JOIN run r USING (run)
    LEFT JOIN metric m ON m.run = w.run AND m.subject = w.subject AND m.figure = f.figure;
"""
_COLUMNS = (
    "started",
    "machine",
    "processors",
    "governor",
    "kernel",
    "compiler",
    "flags",
    "commit",
    "load",
)


#: What reading lines raises that are none of ours.
_ODD_LINES = (OSError, ValueError, KeyError, TypeError, AttributeError)


def is_store(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def add_to_store(path: Path, measured: Measured) -> tuple[int, int]:
    """Adds what is not there yet, all of it or nothing, and makes the file where there is none.
    Returns how many runs and windows it added. Raises UnusableInput."""
    try:
        if path.exists() and path.stat().st_size and not is_store(path):
            raise UnusableInput(f"{path}: it is there already, and no database of results")
        with output_place(path) as place:
            place.refuse_others()
        connection = _opened(str(path))
        try:
            with connection, _interruptible():
                _prepare(connection, path)
                return _add(connection, measured)
        except UnusableInput as problem:
            raise UnusableInput(f"{path}: {problem}; nothing was added") from None
        finally:
            connection.close()
    except (sqlite3.Error, *_ODD_LINES) as problem:
        raise UnusableInput(f"{path}: {in_words(problem)}; nothing was added") from None


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute("BEGIN IMMEDIATE")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if tables == 0:
        for statement in _TABLES.split(";\n"):
            if statement.strip():
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA}")
    elif version != SCHEMA:
        raise UnusableInput(_other_schema(version))
    else:
        _refuse_what_computes(connection)


def _opened(name: str, *, uri: bool = False) -> sqlite3.Connection:
    """Others may have made the database: nothing in it takes all memory, or keeps signals away."""
    connection = sqlite3.connect(name, uri=uri, timeout=60)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MOST_BYTES)
    connection.set_progress_handler(lambda: 0, _STEPS)
    return connection


@contextmanager
def _interruptible() -> Iterator[None]:
    """SQLite ends a statement in which a signal's handler has raised, and says only that it did."""
    try:
        yield
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode == sqlite3.SQLITE_INTERRUPT:
            raise KeyboardInterrupt from None
        raise


def _refuse_what_computes(connection: sqlite3.Connection) -> None:
    """Raises UnusableInput for a view in a table's place and the like: it may never end."""
    kinds = {}
    for kind, name, sql in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        if kind == "trigger":
            raise UnusableInput(f"a database of ours has no trigger, and there is {name!r}")
        if kind in ("table", "view"):
            virtual = re.match(r"\s*CREATE\s+VIRTUAL\b", str(sql), re.IGNORECASE)
            kinds[str(name).lower()] = "virtual table" if virtual else kind
    for name in ("run", "metric", "window", "figure", "failure"):
        if kinds.get(name) != "table":
            found = f"a {kinds[name]}" if name in kinds else "not there"
            raise UnusableInput(f"no database of ours: its table {name!r} is {found}")
        for column in connection.execute(f"PRAGMA table_xinfo({name})"):
            if column[6]:
                raise UnusableInput(f"no database of ours: {name}.{column[1]} is computed")


def _other_schema(version: int) -> str:
    return f"a database of schema {version}, and this version reads schema {SCHEMA}"


def _add(connection: sqlite3.Connection, measured: Measured) -> tuple[int, int]:
    stored = _read(connection)
    before = len(stored.runs), len(stored.windows)
    windows, failures = (_next_numbers(connection, table) for table in ("window", "failure"))
    failed = len(stored.failures)
    stored.extend(measured)
    for id in measured.runs:
        _put_run(connection, stored.runs[id])
    for window in stored.windows[before[1] :]:
        number = windows[window.run] = windows.get(window.run, -1) + 1
        _add_window(connection, window, number)
    for failure in stored.failures[failed:]:
        number = failures[failure.run] = failures.get(failure.run, -1) + 1
        connection.execute(
            "INSERT INTO failure VALUES (?,?,?)",
            (failure.run, number, json.dumps(failure.to_json())),
        )
    return len(stored.runs) - before[0], len(stored.windows) - before[1]


def _next_numbers(connection: sqlite3.Connection, table: str) -> dict[str, int]:
    """The number of each run's last entry: a window's number is its place in the run."""
    found = connection.execute(f"SELECT run, max(number) FROM {table} GROUP BY run")
    return {str(run): int(number) for run, number in found}


def _put_run(connection: sqlite3.Connection, run: Run) -> None:
    """Store the run in the place of what was said of it before, if anything was."""
    facts = [run.facts.get(name) for name in _COLUMNS]
    connection.execute(
        "INSERT OR REPLACE INTO run VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        [run.id, *map(_column, facts), run.interleaved, json.dumps(run.to_json())],
    )
    connection.execute("DELETE FROM metric WHERE run = ?", [run.id])
    for subject, metrics in run.metrics.items():
        connection.executemany(
            "INSERT OR IGNORE INTO metric VALUES (?,?,?,?,?,?)",
            [(run.id, subject, n, m.figure, m.unit, m.better) for n, m in enumerate(metrics)],
        )


def _column(fact: Any) -> str | int | float | None:
    """The fact as SQLite stores it: what is none of its kinds as JSON."""
    if fact is None or isinstance(fact, str | float):
        return fact
    if isinstance(fact, int) and -(2**63) <= fact < 2**63:
        return fact
    return json.dumps(fact)


def _add_window(connection: sqlite3.Connection, window: Window, number: int) -> None:
    line = window.to_json()
    connection.execute(
        "INSERT INTO window VALUES (?,?,?,?,?,?,?,?,?,?,?)",
        (
            window.run,
            number,
            window.subject,
            window.work,
            window.variant,
            window.round,
            window.kept,
            line.get("at"),
            line.get("elapsed"),
            line.get("others_cpu"),
            json.dumps(line),
        ),
    )
    connection.executemany(
        "INSERT INTO figure VALUES (?,?,?,?)",
        [(window.run, number, name, value) for name, value in window.figures.items()],
    )


def read_store(path: Path) -> Measured:
    """Raises UnusableInput."""
    try:
        connection = _opened(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version != SCHEMA:
                raise UnusableInput(_other_schema(version))
            _refuse_what_computes(connection)
            with _interruptible():
                found = _read(connection)
        except UnusableInput as problem:
            raise UnusableInput(f"{path}: {problem}") from None
        finally:
            connection.close()
    except (sqlite3.Error, *_ODD_LINES) as problem:
        raise UnusableInput(f"{path}: {in_words(problem)}") from None
    if not found.runs:
        raise UnusableInput(f"{path}: there are no results in it")
    return found


def _read(connection: sqlite3.Connection) -> Measured:
    """All that it holds. Raises UnusableInput or _ODD_LINES."""
    found = Measured()
    for (line,) in connection.execute("SELECT line FROM run ORDER BY started, run"):
        run = Run.from_json(parse_json(line))
        found.runs[run.id] = run
    for (line,) in connection.execute("SELECT line FROM window ORDER BY run, number"):
        found.add_window(Window.from_json(parse_json(line)))
    for (line,) in connection.execute("SELECT line FROM failure ORDER BY run, number"):
        found.add_failure(Failure.from_json(parse_json(line)))
    return found
