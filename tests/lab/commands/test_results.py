# SPDX-License-Identifier: MIT
"""Files of results: what is written is read again, whoever wrote it, and damage is told."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.measure.window import list_variants
from fencepost.results.file import ResultsFile, read_file, read_results
from fencepost.results.schema import Failure, Metric
from fencepost.results.store import add_to_store, read_store
from measured import lines, write_lines
from scripted import Run

TWO = {"ours": [1.0, 2.0, 3.0], "theirs": [4.0, 5.0, 6.0]}

SYSBENCH = """\
sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 128

SQL statistics:
    transactions:                        1235 (205.71 per sec.)
    queries:                             24690 (4114.20 per sec.)

General statistics:
    total time:                          6.0003s

Latency (ms):
         avg:                                    9.70
         95th percentile:                       13.46
"""


def test_what_is_appended_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "results.jsonl"
    file = ResultsFile(path)
    for line in lines(TWO):
        file.write(line)
    file.close()
    found = read_file(path)
    assert [window.to_json() for window in found.windows] == lines(TWO)[1:]
    assert found.runs["r1"].to_json() == lines(TWO)[0]
    assert found.remarks == []


def test_a_file_that_ends_in_the_middle_of_a_line_is_used_without_it(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", lines(TWO))
    path.write_text(path.read_text()[:-20])
    found = read_file(path)
    assert len(found.windows) == 5
    assert "the last line is incomplete" in found.remarks[0]


def test_what_is_appended_after_a_crash_does_not_join_the_torn_line(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", lines(TWO))
    path.write_text(path.read_text()[:-20])
    file = ResultsFile(path)
    for line in lines({"ours": [7.0]}, run="r2"):
        file.write(line)
    file.close()
    found = read_file(path)
    assert [window.figures["speed"] for window in found.windows] == [1, 2, 3, 4, 5, 7]
    assert "line 7 is incomplete" in found.remarks[0]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("\n\n", "empty"),
        ("what is this\n", "neither results"),
        ("3\n", "not a line of results"),
        ("[]\n", "not a line of results"),
        ('{"kind": "run", "schema": 1, "run": "x"}\n', "schema 1, and this version reads schema 2"),
        ('{"kind": "window", "run": "x"}\n', "no line before it describes"),
        ('{"benchmarks": []}', "no benchmark in it was run"),
        ('{"benchmarks": [{"name": "a", "real_time": {}, "time_unit": "years"}]}', "years"),
    ],
)
def test_files_that_hold_no_results_are_refused_with_the_reason(
    tmp_path: Path, text: str, told: str
) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text(text)
    with pytest.raises(UnusableInput, match=told):
        read_file(path)


def test_a_window_that_lacks_a_field_is_refused_with_its_line(tmp_path: Path) -> None:
    broken = lines(TWO)
    del broken[3]["variant"]
    path = write_lines(tmp_path / "r.jsonl", broken)
    with pytest.raises(UnusableInput, match=r"r\.jsonl:4: .*no 'variant'"):
        read_file(path)


@pytest.mark.parametrize(
    ("number", "name", "value", "told"),
    [
        (0, "interleaved", "false", "'interleaved' is \"false\", which is neither true nor false"),
        (0, "run", 1, "'run' is 1, which is no text"),
        (1, "kept", "false", "'kept' is \"false\", which is neither true nor false"),
        (1, "kept", 1, "'kept' is 1, which is neither true nor false"),
        (1, "round", 0.7, "'round' is 0.7; rounds are 0, 1, 2"),
        (1, "round", -1, "'round' is -1; rounds are 0, 1, 2"),
        (1, "round", "0", "'round' is \"0\", which is no number"),
        (1, "round", True, "'round' is true, which is no number"),
        (1, "variant", None, "'variant' is null, which is no text"),
        (1, "elapsed", "1", "'elapsed' is \"1\", which is no number"),
        (1, "figures", {"speed": "1.5"}, "'speed' is \"1.5\", which is no number"),
        (1, "figures", {"speed": True}, "'speed' is true, which is no number"),
    ],
)
def test_a_value_of_another_kind_than_described_is_refused_with_its_line(
    tmp_path: Path, number: int, name: str, value: object, told: str
) -> None:
    broken = lines(TWO)
    broken[number][name] = value
    path = write_lines(tmp_path / "r.jsonl", broken)
    with pytest.raises(UnusableInput, match=rf"r\.jsonl:{number + 1}: ") as refused:
        read_file(path)
    assert told in str(refused.value)


def test_of_a_metric_only_higher_lower_and_nothing_are_better(tmp_path: Path) -> None:
    broken = lines(TWO)
    broken[0]["metrics"]["rings"][0]["better"] = "more"
    with pytest.raises(UnusableInput, match=r"r\.jsonl:1: .*'better' is \"more\""):
        read_file(write_lines(tmp_path / "r.jsonl", broken))


def test_a_line_that_is_there_again_counts_once_and_is_told(tmp_path: Path) -> None:
    disturbed = {**lines(TWO)[1], "kept": False, "figures": {"speed": 9.0}}
    failure = Failure("r1", "rings", "threads:2", "ours", 3, "it crashed").to_json()
    whole = [*lines(TWO), disturbed, failure]
    found = read_file(write_lines(tmp_path / "r.jsonl", whole, whole))
    assert [window.to_json() for window in found.windows] == whole[1:-1]
    assert len(found.failures) == 1
    assert "8 lines are there again" in found.remarks[0]


def test_two_figures_of_one_round_are_refused_with_their_line(tmp_path: Path) -> None:
    again = {**lines(TWO)[2], "figures": {"speed": 2.5}}
    path = write_lines(tmp_path / "r.jsonl", lines(TWO), [again])
    with pytest.raises(UnusableInput, match=r"r\.jsonl:8: .*round 1 of ours is there twice"):
        read_file(path)


def test_a_full_disk_is_told_and_what_was_written_remains(tmp_path: Path) -> None:
    full = Path("/dev/full")
    file = ResultsFile(full)
    with pytest.raises(UnusableInput, match="No space left on device"):
        file.write(lines(TWO)[0])


def resumed(times: int, figures: dict[str, list[float]]) -> list[dict[str, Any]]:
    """A run that was gone on with so often."""
    said = [{"started": f"day {n}", "load": 0.1} for n in range(times)]
    return lines(figures, resumed=said) if said else lines(figures)


def test_files_of_one_run_that_grew_count_once_in_either_order(tmp_path: Path) -> None:
    early = write_lines(tmp_path / "early.jsonl", resumed(0, {"ours": [1.0, 2.0]}))
    late = write_lines(tmp_path / "late.jsonl", resumed(1, {"ours": [1.0, 2.0, 3.0, 4.0]}))
    for paths in ([early, late], [late, early], [late, early, late]):
        found = read_results(paths)
        assert [window.figures["speed"] for window in found.windows] == [1, 2, 3, 4]
        assert len(found.runs["r1"].facts["resumed"]) == 1
        assert not found.remarks


def test_files_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    one = write_lines(tmp_path / "one.jsonl", lines({"ours": [1.0, 2.0]}))
    other = write_lines(tmp_path / "other.jsonl", lines({"ours": [1.0, 3.0]}))
    with pytest.raises(UnusableInput, match="contradict each other: round 1 of ours is there"):
        read_results([one, other])
    moved = write_lines(tmp_path / "moved.jsonl", lines({"ours": [1.0, 2.0]}, kernel="5.0"))
    with pytest.raises(UnusableInput, match="the run r1 is described in two ways"):
        read_results([one, moved])


# ------------------------------------------------------------------------------- the database


@pytest.mark.parametrize("first", ["early", "late"])
def test_the_database_takes_all_that_a_run_grew_by(tmp_path: Path, first: str) -> None:
    files = {
        "early": write_lines(tmp_path / "early.jsonl", resumed(0, {"ours": [1, 2], "b": [1, 2]})),
        "late": write_lines(
            tmp_path / "late.jsonl", resumed(1, {"ours": [1, 2, 3], "b": [1, 2, 3]})
        ),
    }
    store = tmp_path / "results.db"
    for name in (first, "early", "late"):
        add_to_store(store, read_file(files[name]))
    found, late = read_store(store), read_file(files["late"])
    assert found.runs == late.runs
    assert sorted(map(repr, found.windows)) == sorted(map(repr, late.windows))


def test_the_database_keeps_the_last_description_of_a_run(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    was, now = resumed(0, {"ours": [1.0]}), resumed(2, {"ours": [1.0]})
    now[0]["metrics"]["rings"].append(Metric("later", "s", "lower").to_json())
    for number, run in enumerate((was, now, was)):
        add_to_store(store, read_file(write_lines(tmp_path / f"{number}.jsonl", run)))
    (run,) = read_store(store).runs.values()
    assert len(run.facts["resumed"]) == 2
    assert [metric.figure for metric in run.metrics["rings"]] == ["speed", "later"]
    with sqlite3.connect(store) as connection:
        figures = connection.execute("SELECT figure FROM metric ORDER BY place").fetchall()
    assert figures == [("speed",), ("later",)]


def test_a_database_that_is_contradicted_stays_as_it_was(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    add_to_store(store, read_file(write_lines(tmp_path / "1.jsonl", lines(TWO))))
    other = write_lines(tmp_path / "2.jsonl", lines({"new": [1.0], "ours": [7.0]}))
    with pytest.raises(UnusableInput, match=r"results\.db: .*round 0 of ours .*nothing was added"):
        add_to_store(store, read_file(other))
    assert len(read_store(store).windows) == 6


def test_the_database_holds_what_the_lines_said_and_nothing_twice(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", lines(TWO), lines(TWO, run="r2"))
    store = tmp_path / "results.db"
    assert add_to_store(store, read_file(path)) == (2, 12)
    assert add_to_store(store, read_file(path)) == (0, 0)
    assert read_store(store).windows == read_file(path).windows
    assert read_file(store).runs == read_file(path).runs
    longer = write_lines(
        tmp_path / "longer.jsonl", lines({"ours": [1, 2, 3], "theirs": [4, 5, 6], "new": [7]})
    )
    assert add_to_store(store, read_file(longer)) == (0, 1)
    # A file and the database that holds it: once.
    assert len(read_results([store, path]).windows) == 13


def test_a_notebook_finds_each_figure_with_its_unit_and_machine(tmp_path: Path) -> None:
    store = tmp_path / "results.db"
    add_to_store(store, read_file(write_lines(tmp_path / "r.jsonl", lines(TWO, commit="abc"))))
    with sqlite3.connect(store) as connection:
        rows = connection.execute(
            'SELECT variant, round, value, unit, better, kernel, "commit" FROM measured '
            "WHERE work = 'threads:2' ORDER BY variant, round"
        ).fetchall()
    assert rows[0] == ("ours", 0, 1.0, "items/s", "higher", "6.1", "abc")
    assert len(rows) == 6


def test_databases_of_somebody_else_are_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "other.db"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    measured = read_file(write_lines(tmp_path / "r.jsonl", lines(TWO)))
    with pytest.raises(UnusableInput, match="database of schema 0"):
        add_to_store(foreign, measured)
    with pytest.raises(UnusableInput, match="database of schema 0"):
        read_file(foreign)
    text = tmp_path / "notes.txt"
    text.write_text("notes")
    with pytest.raises(UnusableInput, match="no database of results"):
        add_to_store(text, measured)
    assert text.read_text() == "notes"


# ----------------------------------------------------------------------------- what others wrote


def test_google_benchmarks_json_is_read_with_units_and_parameters(tmp_path: Path) -> None:
    rows = [
        {
            "name": "BM_push/64/threads:2/repeats:2",
            "run_name": "BM_push/64/threads:2",
            "run_type": "iteration",
            "repetition_index": n,
            "iterations": 10,
            "real_time": 2.5 + n,
            "cpu_time": 2.0 + n,
            "time_unit": "us",
            "items_per_second": 4e5,
            "threads": 2,
        }
        for n in range(2)
    ]
    rows.append(
        {
            "name": "BM_push/64/threads:2_mean",
            "run_name": "BM_push/64/threads:2",
            "run_type": "aggregate",
            "real_time": 3.0,
            "cpu_time": 2.5,
            "time_unit": "us",
        }
    )
    rows.append(
        {
            "name": "BM_pop/64/threads:2",
            "run_type": "iteration",
            "error_occurred": True,
            "error_message": "no queue",
        }
    )
    context = {"executable": "./queues", "num_cpus": 8, "host_name": "box", "load_avg": [0.5]}
    path = tmp_path / "out.json"
    path.write_text(json.dumps({"context": context, "benchmarks": rows}))
    found = read_file(path)
    assert [w.figures["cpu_time"] for w in found.windows] == [2000.0, 3000.0]
    first = found.windows[0]
    assert (first.subject, first.work, first.variant) == ("queues", "64/threads:2", "BM_push")
    assert [w.round for w in found.windows] == [0, 1]
    assert found.failures[0].message == "no queue"
    (run,) = found.runs.values()
    assert not run.interleaved
    assert run.metrics["queues"][0].to_json() == {
        "figure": "cpu_time",
        "unit": "ns",
        "better": "lower",
    }
    assert run.facts["processors"] == 8


def google_rows(*names: str, **more: object) -> dict[str, object]:
    rows = [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "real_time": float(number),
            "cpu_time": float(number),
            "time_unit": "ns",
            **more,
        }
        for number, name in enumerate(names, 1)
    ]
    return {"context": {}, "benchmarks": rows}


@pytest.mark.parametrize(
    ("names", "places"),
    [
        (["f/8", "f/8/real_time"], [("8", "f"), ("8", "f/real_time")]),
        (["f/iterations:10", "f/iterations:20"], [("iterations:10", "f"), ("iterations:20", "f")]),
        (["f/1/x", "f/x/1"], [("", "f/1/x"), ("", "f/x/1")]),
        (["f/1/x", "f/x/1/real_time"], [("1", "f/x"), ("1", "f/x/real_time")]),
    ],
)
def test_benchmarks_whose_names_look_alike_are_told_apart(
    tmp_path: Path, names: list[str], places: list[tuple[str, str]]
) -> None:
    path = tmp_path / "out.json"
    for order in (1, -1):
        path.write_text(json.dumps(google_rows(*[*names, *names][::order])))
        found = read_file(path).windows
        assert {(w.work, w.variant) for w in found} == set(places)
        assert len({(w.work, w.variant, w.round) for w in found}) == 4


def test_two_benchmarks_of_one_name_are_refused(tmp_path: Path) -> None:
    report = google_rows("f", "f", per_family_instance_index=0)
    for number, row in enumerate(report["benchmarks"]):  # type: ignore[arg-type, var-annotated]
        row["family_index"] = number
    path = tmp_path / "out.json"
    path.write_text(json.dumps(report))
    with pytest.raises(UnusableInput, match="two benchmarks are named 'f'"):
        read_file(path)


def test_what_a_program_of_others_lists_is_told_apart_as_well(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho f/8\necho f/8/real_time\n")
    program.chmod(0o755)
    found = list_variants("program", program, foreign=True)
    assert [(v.work, v.variant) for v in found] == [("8", "f"), ("8", "f/real_time")]
    program.write_text("#!/bin/sh\necho f\necho g\necho f\n")
    with pytest.raises(UnusableInput, match="two benchmarks named 'f'"):
        list_variants("program", program, foreign=True)


def test_sysbench_output_is_read_with_its_rounds(tmp_path: Path) -> None:
    paths = []
    for number in (1, 2):
        paths.append(tmp_path / f"trunk.{number}.log")
        paths[-1].write_text(SYSBENCH.replace("205.71", f"20{number}.5"))
    torn = tmp_path / "patch.log"
    torn.write_text(SYSBENCH + SYSBENCH[: SYSBENCH.index("General")])
    found = read_results([*paths, torn])
    assert [(w.variant, w.round, w.figures["transactions_per_second"]) for w in found.windows] == [
        ("trunk", 1, 201.5),
        ("trunk", 2, 202.5),
        ("patch", 0, 205.71),
    ]
    assert found.windows[0].work == "threads:128"
    assert found.windows[0].figures["latency_95th_percentile"] == 13.46
    assert [failure.message for failure in found.failures] == ["it did not end"]


# --------------------------------------------------------------------------------- the subcommand


def test_results_are_listed_and_gathered(fencepost: Run, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "r.jsonl", lines(TWO))
    done = fencepost("results", path, "--into", "results.db")
    assert done.returncode == 0, done.stderr
    assert "ours: 3 rounds" in done.stdout
    assert "speed in items/s" in done.stdout
    assert "1 runs, 6 windows" in done.stdout
    done = fencepost("results", "results.db")
    assert "theirs: 3 rounds" in done.stdout
    done = fencepost("results", "no.jsonl")
    assert done.returncode == 3
    assert "No such file" in done.stderr
