# SPDX-License-Identifier: MIT
"""Files of results that others wrote, or that something has spoiled: each command says what is
wrong with them, or works with them. None fails otherwise."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.results.file import ResultsFile, read_file
from fencepost.results.schema import Failure, Measured, Metric
from fencepost.results.store import _interruptible, _opened, add_to_store
from hostile import ODD_TEXTS, ODD_VALUES, Answer, examples, json_lines, odd, spoiled
from hostile import answer as answer  # a fixture
from hypothesis import given
from hypothesis import strategies as st
from measured import lines

SPEEDS = {"a": [1.0, 2.0, 3.0, 2.5, 1.5], "fencepost_b": [4.0, 5.0, 6.0, 4.5, 5.5]}
METRIC = Metric("median", "ns", "lower")
OURS = [
    {
        **lines(SPEEDS, "r1", "x/threads:2", METRIC)[0],
        "started": "2026-01-01T00:00:00",
        "load": 0.5,
        "changed_since_commit": True,
        "commit": "abc",
        "resumed": [{"started": "x", "load": 1}],
        "experiment": {
            "rounds": 5,
            "warm_up": 0,
            "others": 0.1,
            "seed": 1,
            "programs": {},
            "windows": {"rings": 1},
            "subjects": ["rings"],
        },
    },
    *lines(SPEEDS, "r1", "x/threads:2", METRIC)[1:],
    Failure("r1", "rings", "x/threads:2", "a", 5, "it crashed").to_json(),
]
for window in OURS[1:-1]:
    window |= {
        "at": "2026-01-01T00:00:00",
        "elapsed": 0.1,
        "others_cpu": 0.0,
        "bins": [1, 2, 3],
        "first_bin": 100,
    }
LAYOUT = {
    "program": "p",
    "programs": {"a": ["gcc", "p.cpp", "h"], "b": ["gcc", "p.cpp", "h"]},
    "function": "main",
    "loop": 0,
    "layouts": ["as_compiled"],
    "cycle": 64,
}
MOVED = lines({"a": [1.0, 2.0, 3.0], "b": [2.0, 3.0, 4.0]}, "r3", "", METRIC)
MOVED = [
    {**MOVED[0], "layout": LAYOUT, "seed": 1},
    *({**one, "work": f"entry/padding:{at}"} for at in (0, 4, 8) for one in MOVED[1:]),
]
GOOGLE = {
    "context": {
        "date": "x",
        "host_name": "h",
        "num_cpus": 2,
        "executable": "/a/b",
        "load_avg": [0.1],
    },
    "benchmarks": [
        {
            "name": f"BM_x/threads:2/{who}",
            "run_name": f"BM_x/threads:2/{who}",
            "run_type": "iteration",
            "real_time": value,
            "cpu_time": value,
            "time_unit": "us",
            "counter": 3,
            "iterations": 10,
        }
        for who, values in SPEEDS.items()
        for value in values
    ],
}
SYSBENCH = b"""sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)
Running the test with following options:
Number of threads: 16

SQL statistics:
    transactions:                        23391  (2338.31 per sec.)
    queries:                             467820 (46766.17 per sec.)
General statistics:
    total time:                          10.0023s
Latency (ms):
         avg:                                    6.84
         95th percentile:                       11.24
"""
SEEDS = [json_lines(OURS), json_lines(MOVED), json.dumps(GOOGLE).encode(), SYSBENCH, SYSBENCH * 3]

hostile_files = st.one_of(
    spoiled(SEEDS),
    odd([OURS, MOVED]).map(lambda found: json_lines(found) if isinstance(found, list) else b"{}"),
    odd([GOOGLE]).map(lambda found: json.dumps(found).encode()),
    st.binary(max_size=64),
)


def read(path: Path) -> Measured | None:
    """None where it is refused, in words that fit on a line."""
    try:
        return read_file(path)
    except UnusableInput as problem:
        assert 0 < len(str(problem)) < 1000
        return None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_seeds_are_valid(seed: bytes, tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(seed)
    found = read(tmp_path / "r")
    assert found is not None and found.windows and not found.remarks


@examples(50, 4_000)
@given(hostile_files)
def test_a_spoiled_file_is_read_or_refused(tmp_path: Path, text: bytes) -> None:
    path, database = tmp_path / "r", tmp_path / "r.db"
    path.write_bytes(text)
    database.unlink(missing_ok=True)
    found = read(path)
    if found is not None:
        add_to_store(database, found)
        stored = read(database)
        assert stored is not None and stored.runs.keys() == found.runs.keys()
        assert len(stored.windows) == len(found.windows)


COMMANDS = [
    ["results", "FILE"],
    ["results", "FILE", "--into", "DATABASE"],
    ["compare", "*", "--all-pairs", "--results", "FILE"],
    ["compare", "*", "*", "--paired", "--json", "--across-machines", "--results", "FILE"],
    ["compare", "FILE", "OTHER", "--metric", "median"],
    ["report", "FILE", "--html", "PAGE"],
    ["report", "FILE", "--markdown", "PAGE"],
    ["report", "FILE", "--figures", "FIGURES"],
    ["bench", "--report", "FILE"],
    ["bench", "--layout", "--report", "FILE", "--json", "--svg", "PAGE"],
    ["bench", "--resume", "FILE", "--build-dir", "NOWHERE"],
    ["bench", "--layout", "loop", "--resume", "FILE", "--build-dir", "NOWHERE"],
]


@examples(24, 1_500)
@given(hostile_files, st.sampled_from(COMMANDS))
def test_whatever_is_read_no_command_fails_otherwise(
    tmp_path: Path, answer: Answer, text: bytes, words: list[str]
) -> None:
    path = tmp_path / "r"
    path.write_bytes(text)
    (tmp_path / "other").write_bytes(json_lines(lines(SPEEDS, "r9", "x/threads:2", METRIC)))
    names = {
        "FILE": path,
        "OTHER": tmp_path / "other",
        "DATABASE": tmp_path / "db",
        "PAGE": tmp_path / "page",
        "FIGURES": tmp_path / "figures",
        "NOWHERE": tmp_path / "nowhere",
    }
    (tmp_path / "db").unlink(missing_ok=True)
    status, said, complained = answer(*(names.get(word, word) for word in words))
    assert status in (0, 2, 3)
    assert said if status != 3 and words[0] != "report" else True
    if status == 3:
        assert complained.startswith(("fencepost", "usage"))
    if (tmp_path / "page").exists():
        (tmp_path / "page").read_bytes().decode()


@pytest.mark.parametrize("value", ODD_VALUES, ids=lambda value: repr(value)[:20])
def test_an_odd_value_in_any_place_of_a_line_is_no_surprise(value: object, tmp_path: Path) -> None:
    path = tmp_path / "r"
    for number in (0, 1, len(OURS) - 1):
        for name in OURS[number]:
            changed = [*OURS]
            changed[number] = {**OURS[number], name: value}
            path.write_bytes(json_lines(changed))
            read(path)


@pytest.mark.parametrize("text", ODD_TEXTS, ids=lambda text: repr(text[:20]))
@pytest.mark.parametrize("form", ["%s", '{"benchmarks": %s}', '{"kind": "run", "schema": %s}'])
def test_what_is_no_json_of_ours_is_refused_in_words(
    form: str, text: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "r"
    path.write_bytes(form.encode() % text)
    assert read(path) is None


@examples(15, 2_000)
@given(st.data())
def test_a_spoiled_database_is_read_or_refused(tmp_path: Path, data: st.DataObject) -> None:
    whole, path = tmp_path / "whole.db", tmp_path / "r.db"
    if not whole.exists():
        (tmp_path / "r").write_bytes(SEEDS[0])
        add_to_store(whole, read_file(tmp_path / "r"))
    path.write_bytes(data.draw(spoiled([whole.read_bytes()])))
    read(path)


@pytest.mark.parametrize("table", ["run", "window", "failure"])
@pytest.mark.parametrize("line", ["null", "[]", "1", "{}", '"x"', "[" * 500, "", None, b"\xff", 3])
def test_odd_lines_in_a_database_are_refused(table: str, line: object, tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(SEEDS[0])
    add_to_store(tmp_path / "r.db", read_file(tmp_path / "r"))
    connection = sqlite3.connect(tmp_path / "r.db")
    with connection:
        connection.execute("PRAGMA ignore_check_constraints=1")
        connection.execute(f"UPDATE {table} SET line = ?", ["" if line is None else line])
    connection.close()
    assert read(tmp_path / "r.db") is None


ENDLESS = (
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
    "SELECT x AS run, x AS line, x AS started FROM c WHERE x < 0"
)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            f"DROP TABLE run; CREATE VIEW run AS {ENDLESS}",
            "its table 'run' is a view",
        ),
        ("DROP TABLE failure", "its table 'failure' is not there"),
        (
            "DROP TABLE failure; CREATE TABLE failure(run, number, line AS (hex(zeroblob(9999))))",
            "failure.line is computed",
        ),
        (
            "CREATE TRIGGER more AFTER INSERT ON run BEGIN DELETE FROM window; END",
            "a database of ours has no trigger, and there is 'more'",
        ),
        (
            "DROP TABLE failure; CREATE VIRTUAL TABLE failure USING fts5(run, number, line)",
            "its table 'failure' is a virtual table",
        ),
        ("UPDATE run SET line = hex(zeroblob(40000000))", "too big"),
    ],
)
def test_a_database_that_computes_what_is_read_is_refused(
    changed: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "r").write_bytes(SEEDS[0])
    measured = read_file(tmp_path / "r")
    add_to_store(tmp_path / "r.db", measured)
    connection = sqlite3.connect(tmp_path / "r.db")
    connection.executescript(changed)
    connection.close()
    for deed in (read_file, lambda path: add_to_store(path, measured)):
        with pytest.raises(UnusableInput, match=said):
            deed(tmp_path / "r.db")


def test_reading_a_database_is_interrupted_by_a_signal() -> None:
    connection = _opened(":memory:")
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt), _interruptible():
            connection.execute(f"{ENDLESS} AND x > -1 LIMIT 1").fetchall()
    finally:
        signal.signal(signal.SIGALRM, before)
        connection.close()


@pytest.mark.parametrize(
    "line", ["", " ", "\t", "transactions:", "transactions: 1", "1", "total time: "]
)
def test_the_time_that_reading_takes_grows_with_the_file(line: str, tmp_path: Path) -> None:
    (tmp_path / "r").write_text("sysbench 1.0.20\n" + f"{line}\n" * 300_000)
    began = time.monotonic()
    read(tmp_path / "r")
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("command", [["results"], ["report"], ["compare", "a", "b", "--results"]])
def test_what_is_no_file_is_named_and_not_waited_for(
    command: list[str], tmp_path: Path, answer: Answer
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name, words in (
        ("pipe", "is a pipe"),
        ("folder", "is a directory"),
        ("none", "No such file"),
        ("/dev/zero", "is a device"),
        ("x" * 300, "File name too long"),
        ("a/b", "No such file"),
    ):
        status, said, complained = answer(*command, tmp_path / name)
        assert status == 3 and not said and words in complained


def test_what_is_no_text_is_written_as_an_escape_and_read_again(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path / "r")
    file.write({**OURS[0], "compiler": "gcc \udcff"})
    file.close()
    (run,) = read_file(tmp_path / "r").runs.values()
    assert run.facts["compiler"] == "gcc \ufffd"
