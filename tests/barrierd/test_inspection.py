# SPDX-License-Identifier: MIT
"""What --status, --metrics and --self-test say of a clock."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from clock_place import DAEMON, FALSE_CLOCK, READER, Place

NOBODY = "65534"


def test_status_shows_ages_rates_and_costs(place: Place) -> None:
    place.serve()
    shown = json.loads(place.barrierd("--status", "--seconds", "0.3").stdout)
    assert shown["alive"] and shown["wakes"] and shown["hooks"] in ("x86", "generic")
    assert shown["programs"]
    assert all(program["missed"] >= 0 for program in shown["programs"])
    assert sum(cpu["interrupts_per_s"] for cpu in shown["cpus"]) > 0
    assert shown["cores"] > 0
    done = place.run(
        DAEMON, "--directory", place.folder, "--status", "--seconds", "0.01", user=NOBODY
    )
    seen_by_nobody = json.loads(done.stdout)
    assert seen_by_nobody["programs"] is None and seen_by_nobody["cores"] is None


def test_status_is_json_whatever_the_folder_is_called(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    strange = tmp_path_factory.mktemp("plain") / 'a "b" \\ c\n'
    assert place.run(DAEMON, "--once", "--mount", "--directory", f"{strange}/").returncode == 0
    shown = place.run(DAEMON, "--status", "--seconds", "0.01", "--directory", strange)
    assert json.loads(shown.stdout)["clock"] == f"{strange}/interrupt_clock"
    assert place.run(DAEMON, "--stop", "--directory", strange).returncode == 0
    assert not strange.exists()


def test_status_is_json_also_where_the_folder_is_no_text(
    place: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plain = tmp_path_factory.mktemp("plain")
    no_text = b"\xc3\xa4 \xff \xc0\x80 \xed\xa0\x80 \xf0\x9f\x98\x80 \xe2\x82"
    strange = os.fsdecode(bytes(plain) + b"/" + no_text)
    once = (DAEMON, "--once", "--mount", "--directory", strange)
    assert place.run("sh", "-c", '"$@" > /dev/null', "sh", *once).returncode == 0
    shown = place.run(DAEMON, "--status", "--seconds", "0.01", "--directory", strange)
    wrong = "\N{REPLACEMENT CHARACTER}"
    umlaut, face = "\N{LATIN SMALL LETTER A WITH DIAERESIS}", "\N{GRINNING FACE}"
    name = f"{umlaut} {wrong} {wrong * 2} {wrong * 3} {face} {wrong * 2}"
    assert json.loads(shown.stdout)["clock"] == f"{plain}/{name}/interrupt_clock"
    assert place.run(DAEMON, "--stop", "--directory", strange).returncode == 0


@pytest.mark.parametrize("task", ["--status", "--metrics", "--self-test"])
def test_output_of_a_clock_that_is_lost_is_an_error(place: Place, task: str) -> None:
    place.serve()
    words = f"exec {DAEMON} --directory {place.folder} {task} --seconds 0.1 > /dev/full"
    done = place.run("sh", "-c", words)
    assert done.returncode == 1
    assert "cannot write the standard output" in done.stderr


def test_the_self_test_is_as_long_as_it_has_to_be(place: Place) -> None:
    place.serve()
    done = place.barrierd("--self-test", "--seconds", "1e-300")
    assert done.returncode == 0, done.stdout
    assert [line[:4] for line in done.stdout.splitlines()] == ["ok  "] * 7
    assert " 0 rounds" not in done.stdout and " 0 times" not in done.stdout


def test_the_self_test_says_that_it_may_start_no_thread(place: Place) -> None:
    place.serve()
    with tempfile.TemporaryDirectory() as folder:
        # The tree may be where that user cannot come to it.
        Path(folder).chmod(0o755)
        daemon = shutil.copy(DAEMON, folder)
        words = ("prlimit", "--nproc=1", daemon, "--directory", place.folder)
        done = place.run(*words, "--self-test", "--seconds", "0.1", user=NOBODY)
    assert done.returncode == 1
    assert "cannot start a thread: Resource temporarily unavailable" in done.stderr


def test_the_self_test_finds_all_well(place: Place) -> None:
    place.serve()
    done = place.barrierd("--self-test", "--seconds", "0.4")
    assert done.returncode == 0, done.stdout
    assert [line[:4] for line in done.stdout.splitlines()] == ["ok  "] * 7
    assert " 0 violations (without waiting: " in done.stdout


def test_the_self_test_of_a_dead_clock_fails(place: Place) -> None:
    assert place.run(FALSE_CLOCK, place.clock, "good").returncode == 0
    place.run("mkdir", f"{place.folder}/private")
    done = place.barrierd("--self-test", "--seconds", "0.4")
    assert done.returncode == 1
    assert "FAIL  the clock is alive" in done.stdout


def metrics(place: Place) -> tuple[int, dict[str, float]]:
    done = place.barrierd("--metrics")
    lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
    return done.returncode, {line.split()[0]: float(line.split()[1]) for line in lines}


def test_metrics_are_what_prometheus_reads(place: Place) -> None:
    place.serve()
    status, first = metrics(place)
    assert status == 0
    assert first["fencepost_interrupt_clock_alive"] == 1
    cpus = [name for name in first if name.startswith("fencepost_interrupt_clock_age_seconds{cpu=")]
    assert len(cpus) >= 1 and all(first[name] >= 0 for name in cpus)
    assert any("program_missed_total{program=" in name for name in first)
    assert place.run(READER, "wait", place.clock, "3").stdout == "passed 3\n"
    _, second = metrics(place)
    counters = [name for name in first if "_total" in name]
    assert all(second[name] >= first[name] for name in counters)
    assert any(second[name] > first[name] for name in counters)
    # Each metric is described once, before its numbers.
    text = place.barrierd("--metrics").stdout
    described = [line.split()[2] for line in text.splitlines() if line.startswith("# TYPE")]
    assert len(described) == len(set(described))
    assert {name.split("{")[0] for name in first} == set(described)


def test_metrics_say_that_a_clock_is_dead_or_missing(place: Place) -> None:
    assert metrics(place) == (1, {"fencepost_interrupt_clock_alive": 0})
    daemon = place.serve()
    daemon.kill()
    daemon.wait()
    place.wait_for("dead")
    status, found = metrics(place)
    assert (status, found["fencepost_interrupt_clock_alive"]) == (1, 0)
