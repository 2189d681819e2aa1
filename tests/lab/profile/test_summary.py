# SPDX-License-Identifier: MIT
"""Sums, quantiles, names, report, JSON and flame graph of files that were written by the test."""

from __future__ import annotations

import json
import os
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import fencepost.binary.source_location
import fencepost.profile.symbols
import pytest
from fencepost.console.input_error import UnusableInput
from fencepost.profile.counts import Bounds, bucket, quantile
from fencepost.profile.directory import heads_of, processes, read_directory
from fencepost.profile.file import Module, Site, read_lock_file
from fencepost.profile.flame import folded, write_flame
from fencepost.profile.report import report
from fencepost.profile.summary import Run, Summary, write_json
from fencepost.profile.symbols import PlaceNames, shown_function
from fencepost.profile.unrecorded import unrecorded
from fencepost.profile.words import at_most, cut, percent, short, span, table
from fencepost.system.whole_file import refuse_what_cannot_be_written, write_whole
from written_locks import CONDITION, MUTEX, READ_WRITE, WrittenLocks, histogram

#: A number that no process has.
NOBODY = 0x7FFFFFF0

PROGRAM = """\
#include <mutex>
static std::mutex one;
__attribute__((noinline)) extern "C" void taker() {
  std::lock_guard<std::mutex> guard(one);
}
int main() { taker(); }
"""


def _compiled(folder: Path, *flags: str) -> Path:
    source = folder / "program.cpp"
    source.write_text(PROGRAM)
    program = folder / "program"
    words = ["g++", "-O2", "-fno-plt", "-fcf-protection=none", *flags, source, "-o", program]
    subprocess.run(words, check=True)
    return program


def _behind_the_lock(program: Path) -> int:
    """The address behind the call of pthread_mutex_lock in taker()."""
    text = subprocess.run(
        ["objdump", "-d", "--no-show-raw-insn", program], check=True, text=True, capture_output=True
    ).stdout
    body = text[text.index("<taker>:\n") :].splitlines()[1:]
    calls = [n for n, line in enumerate(body) if "call" in line]
    return int(body[calls[0] + 1].split(":")[0], 16)


def _summary(folder: Path, *files: WrittenLocks) -> Summary:
    for written in files:
        written.write(folder)
    read, troubles = read_directory(folder)
    assert not troubles
    return Summary(Run("mutex", "/usr/bin/program", 2.0, 0), processes(read), PlaceNames())


def test_quantiles_are_bounds() -> None:
    assert bucket(0) == Bounds(0, 0)
    assert bucket(1) == Bounds(1, 1)
    assert bucket(4) == Bounds(8, 15)
    assert bucket(39) == Bounds(1 << 38, None)
    assert quantile(histogram(), 0.5) is None
    three = histogram(b1=50, b10=49, b20=1)
    assert quantile(three, 0.5) == bucket(1)
    assert quantile(three, 0.51) == bucket(10)
    assert quantile(three, 0.99) == bucket(10)
    assert quantile(three, 1.0) == bucket(20)


def test_words() -> None:
    assert [span(ns) for ns in (0, 999, 1000, 16383, 1.049e6, 2.2e9, 61e9)] == [
        "0 ns",
        "999 ns",
        "1.00 µs",
        "16.4 µs",
        "1.05 ms",
        "2.20 s",
        "1 min 01 s",
    ]
    assert [short(n) for n in (0, 1.5, 999, 9999, 12345, 999_600, 1.13e6)] == [
        "0",
        "1.5",
        "999",
        "9999",
        "12.3k",
        "1.00M",
        "1.13M",
    ]
    assert at_most(bucket(39)).startswith("over")
    assert percent(1, 3) == "33 %" and percent(1, 300) == "0.3 %" and percent(1, 0) == "-"
    assert cut("abcdefgh", 5) == "ab…gh"
    assert table([["a", "name"], ["10", "longer"]], 8) == [" a  name", "10  l…er"]


def test_functions_are_named_without_what_fills_a_line() -> None:
    assert shown_function("void foo<int>(int (*)(int)) [clone .isra.0]") == "foo"
    assert (
        shown_function("main::{lambda()#1}::operator()() const") == "main::{lambda#1}::operator()"
    )
    assert shown_function("std::ostream& operator<< <char>(std::ostream&, char)") == "operator<<"


def test_a_place_is_the_caller_of_the_standard_library(tmp_path: Path) -> None:
    """With debug information, without it, and without symbols."""
    program = _compiled(tmp_path, "-g")
    # Loaded at 0x10000, as if it were a position-independent executable.
    behind = _behind_the_lock(program)
    site = Site(0x10000 + behind, Module(0x10000, str(program)))
    place = PlaceNames().place(site)
    assert (place.function, Path(place.file).name, place.line) == ("taker", "program.cpp", 4)
    subprocess.run(["strip", "--strip-debug", program], check=True)
    place = PlaceNames().place(site)
    assert (place.function, place.file, place.line) == ("taker", "", 0)
    assert str(place) == "taker program"
    subprocess.run(["strip", program], check=True)
    place = PlaceNames().place(site)
    assert str(place) == f"program+{behind:#x}"


def test_debug_information_may_lie_apart(tmp_path: Path) -> None:
    program = _compiled(tmp_path, "-g")
    site = Site(_behind_the_lock(program), Module(0, str(program)))
    for words in (
        ["objcopy", "--only-keep-debug", program, f"{program}.debug"],
        ["strip", program],
        ["objcopy", f"--add-gnu-debuglink={program}.debug", program],
    ):
        subprocess.run(words, check=True)
    assert PlaceNames().place(site).line == 4


def test_no_program_is_started_on_what_another_user_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _compiled(tmp_path, "-g")
    program.chmod(0o777)
    sparse = tmp_path / "sparse"
    sparse.touch()
    os.truncate(sparse, 2 << 40)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)

    def never(*words: object, **more: object) -> None:
        raise AssertionError(words)

    monkeypatch.setattr(subprocess, "run", never)
    monkeypatch.setattr(fencepost.profile.symbols, "Functions", never)
    monkeypatch.setattr(fencepost.binary.source_location, "tool", never)
    names = PlaceNames()
    for module in (
        Module(0, "--plugin=/tmp/x.so"),
        Module(0, "-e"),
        Module(0, "relative"),
        Module(0, "/dev/zero"),
        Module(0, str(fifo)),
        Module(0, str(sparse)),
        Module(0, "/nul\0byte"),
        Module(0, str(program), is_ours=False),
        Module(0, str(tmp_path / ".." / tmp_path.name / program.name), is_ours=False),
    ):
        name = Path(module.path).name
        assert str(names.place(Site(0x235, module))) == f"{name}+0x235"


def test_what_nothing_is_known_of_has_a_name_too(tmp_path: Path) -> None:
    names = PlaceNames()
    assert str(names.place(None)) == "unknown place"
    assert str(names.place(Site(0x1234, None))) == "0x1234"
    assert str(names.place(Site(0x1234, Module(0x1000, "[vdso]")))) == "[vdso]+0x234"
    (tmp_path / "text").write_text("no program")
    assert "text+0x234" in str(names.place(Site(0x1234, Module(0x1000, str(tmp_path / "text")))))


def test_locks_of_a_place_are_summed_and_processes_kept_apart(tmp_path: Path) -> None:
    one, other = (
        WrittenLocks(pid=NOBODY),
        WrittenLocks(pid=NOBODY + 1, parent=NOBODY, sees_sleeps=0),
    )
    for written in (one, other):
        made = written.add_site(0x100)
        for address in (0x10, 0x20):
            written.add_lock(
                address,
                site=made,
                acquisitions=5,
                contended=2,
                waited=100,
                slept=60,
                waits=histogram(b6=2),
            )
        written.add_lock(0x30, READ_WRITE, made, shared=7)
        written.add_lock(0x40, CONDITION, made, contended=1, waited=10**12)
    summary = _summary(tmp_path, one, other)
    mutexes = next(group for group in summary.groups if group.kind == "mutex")
    assert (mutexes.counts.locks, mutexes.counts.acquisitions, mutexes.counts.waited) == (
        4,
        20,
        400,
    )
    assert mutexes.counts.waits[6] == 8
    # Conditions are no loss.
    assert (summary.locks.waited, summary.locks.shared) == (400, 14)
    told = summary.as_json()
    assert told["schema"] == "fencepost-locks/1"
    assert [process["pid"] for process in told["processes"]] == [NOBODY, NOBODY + 1]
    first, second = (process["locks"][0] for process in told["processes"])
    assert (first["slept_ns"], first["spun_ns"]) == (60, 40)
    # What is not seen is not zero.
    assert (second["slept_ns"], second["spun_ns"], second["sleeps"]) == (None, None, None)
    assert first["waits_histogram"] == [0, 0, 0, 0, 0, 0, 2]
    assert first["site"] == {"function": "0x100", "file": None, "line": None, "module": None}
    assert told["totals"]["waited_ns"] == 400 and told["totals"]["slept_ns"] is None
    assert told["totals"]["by_kind"]["condition"]["waited_ns"] == 2 * 10**12
    assert json.dumps(told)


def test_for_how_long_is_not_told_where_it_was_not_seen(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY, ended=time.monotonic_ns())
    seen, other = written.add_site(0x100), written.add_site(0x200)
    written.add_lock(0x10, site=seen, acquisitions=9, held=500, holds=histogram(b3=9))
    written.add_lock(0x20, site=other, acquisitions=9, held=500, unmeasured=1)
    summary = _summary(tmp_path, written)
    told = summary.as_json()
    held = {
        one["site"]["function"]: (one["held_ns"], one["holds_histogram"]) for one in told["sites"]
    }
    assert held == {"0x100": (500, [0, 0, 0, 9]), "0x200": (None, None)}
    assert told["totals"]["held_ns"] is None
    rows = {line.split()[-1]: line for line in report(summary, None).splitlines() if "0x" in line}
    assert "500 ns" in rows["0x100"] and "500 ns" not in rows["0x200"]


def test_locks_that_found_no_room_are_summed_by_kind(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY, ended=time.monotonic_ns(), lost_locks=1978)
    written.without_room(MUTEX, acquisitions=10, waited=2 * 10**9)
    written.without_room(CONDITION, waited=5 * 10**9)
    written.add_lock(0x10, acquisitions=1, handovers=1)
    summary = _summary(tmp_path, written)
    told = summary.as_json()
    assert (told["totals"]["waited_ns"], told["totals"]["acquisitions"]) == (2 * 10**9, 11)
    assert told["totals"]["by_kind"]["condition"]["waited_ns"] == 5 * 10**9
    # They are not told apart: nobody knows who had which for how long.
    assert (told["totals"]["held_ns"], told["totals"]["handovers"]) == (None, None)
    kinds = [lock["kind"] for lock in told["processes"][0]["locks"] if lock["address"] is None]
    assert kinds == ["mutex", "condition"]
    assert told["processes"][0]["lost_locks"] == 1978
    text = report(summary, None)
    assert text.startswith("program on mutex, 2.0 s: 2.00 s lost to locks")
    assert "mutex (all that found no room in the table)" in text
    assert "1,978 are counted together" in text


def test_more_locks_than_can_be_counted(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY, lost_locks=5, lost_locks_more=1)
    summary = _summary(tmp_path, written)
    assert summary.as_json()["processes"][0]["lost_locks"] is None
    assert "room for: the others are counted together" in report(summary, None)


def test_what_became_of_processes(tmp_path: Path) -> None:
    now = time.monotonic_ns()
    fates = [
        WrittenLocks(pid=NOBODY, began=now - 10**9, ended=now - 10**8),
        WrittenLocks(pid=NOBODY + 1, began=now - 10**9),
        WrittenLocks(pid=NOBODY + 2, began=now - 3 * 10**9),
        WrittenLocks(pid=NOBODY + 2, began=now - 2 * 10**9, ended=now),
        WrittenLocks(began=now),
    ]
    for written in fates:
        written.write(tmp_path)
    found = {(one.pid, one.recorded.began): one for one in heads_of(tmp_path)}
    told = [found[one.pid, one.began] for one in fates]
    assert [one.fate for one in told] == ["ended", "killed", "replaced", "ended", "running"]
    assert told[0].seconds == pytest.approx(0.9) and told[2].seconds == pytest.approx(1.0)
    assert told[1].seconds is None


def test_nobody_knows_when_a_process_was_killed_but_who_waited_for_it(tmp_path: Path) -> None:
    now = time.monotonic_ns()
    began = now - 10 * 10**9
    for pid in (NOBODY, NOBODY + 1):
        written = WrittenLocks(pid=pid, began=began)
        lock = written.add_lock(0x10, acquisitions=1)
        written.add_thread(pid, waits_for=lock, since=began + 10**9, began=began)
        written.write(tmp_path)
    read, _ = read_directory(tmp_path)
    found = processes(read, {NOBODY: began + 3 * 10**9})
    summary = Summary(Run("mutex", "/usr/bin/program", 10.0, None, "SIGKILL"), found, PlaceNames())
    told = summary.as_json()
    waited, other = sorted(told["processes"], key=lambda process: process["pid"])
    assert (waited["seconds"], waited["thread_seconds"]) == (3.0, 3.0)
    assert waited["unfinished_waits"][0]["waited_ns"] == 2 * 10**9
    assert (other["seconds"], other["thread_seconds"]) == (None, None)
    assert other["unfinished_waits"][0]["waited_ns"] is None
    assert (told["totals"]["thread_seconds"], told["totals"]["waiting_share"]) == (None, None)
    text = report(summary, None)
    assert "threads' time" not in text
    assert f"process {NOBODY + 1}: it is not known how long" in text
    assert f"process {NOBODY}: 1 threads were in the middle of waits for locks, of 2.00 s" in text


def test_what_is_still_held_at_the_end_was_held(tmp_path: Path) -> None:
    now = time.monotonic_ns()
    for pid, ended in ((NOBODY, now), (NOBODY + 1, 0)):
        written = WrittenLocks(pid=pid, began=now - 10**9 + pid - NOBODY, ended=ended)
        lock = written.add_lock(0x10, READ_WRITE, shared=3, held=100, holds=histogram(b7=1))
        for tid in (1, 2):
            written.add_thread(tid, held=((lock, 0, now - 5 * 10**8),), shared=1)
        written.write(tmp_path)
    summary = _summary(tmp_path)
    ended_, killed = (process["locks"][0] for process in summary.as_json()["processes"])
    assert ended_["held_ns"] == 10**9 + 100 and sum(ended_["holds_histogram"]) == 1
    assert killed["held_ns"] is None  # nobody knows when it ended


def test_the_report(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY, ended=time.monotonic_ns(), lost_locks=5)
    quick, slow = written.add_site(0x100), written.add_site(0x200)
    written.add_lock(0x10, site=quick, acquisitions=10**6, contended=10, waited=1000, held=10**9)
    for address in (0x20, 0x30):
        written.add_lock(
            address,
            site=slow,
            acquisitions=10,
            contended=5,
            waited=10**9,
            slept=5 * 10**8,
            waits=histogram(b30=5),
        )
    written.add_lock(0x40, CONDITION, quick, contended=3, timed_out=1, waited=10**10)
    summary = _summary(tmp_path, written)
    text = report(summary, None)
    assert text.startswith("program on mutex, 2.0 s: 2.00 s lost to locks, 1.00 s of it asleep")
    assert "1 threads waited at any time" in text
    lines = text.splitlines()
    order = [line for line in lines if "mutex 0x" in line]
    assert "mutex 0x200 (2 locks)" in order[0] and "mutex 0x100" in order[1]
    assert order[0].split()[:3] == ["2.00", "s", "100"]
    assert "1.07 s" in order[0]  # 2^30 - 1 ns
    assert "5 are counted together" in text
    assert any("condition 0x100" in line for line in lines[lines.index(order[1]) :])
    by_held = report(summary, None, "held").splitlines()
    assert "0x100" in next(line for line in by_held if "mutex 0x" in line)
    assert all(len(line) <= 80 for line in report(summary, 80).splitlines() if "lock" not in line)


def test_a_program_that_recorded_nothing(tmp_path: Path) -> None:
    assert "recorded nothing" in report(_summary(tmp_path), 80)


def test_processes_without_a_record_are_counted_by_reason(tmp_path: Path) -> None:
    """By their own notes, whatever else lies there, and by what their parents counted."""
    for number, target in enumerate(["27", "27", "28", "9" * 200, "words", "-1", "²"]):
        (tmp_path / f"{number}-1.unrecorded").symlink_to(target)
    (tmp_path / "8-1.unrecorded").write_text("27")
    (tmp_path / "9-1.unrecorded.more").symlink_to("27")
    WrittenLocks(pid=NOBODY, lost_children=3, lost_children_error=27).write(tmp_path)
    WrittenLocks(pid=1, lost_children=1, lost_children_error=2**32 - 1).write(tmp_path)
    found = unrecorded(tmp_path, read_directory(tmp_path)[0])
    assert {one.error: one.processes for one in found} == {
        -1: 1,
        27: 5,
        28: 1,
        999999999: 1,
        2**32 - 1: 1,
    }
    assert all(one.reason for one in found)
    assert [one.name for one in found[1:3]] == ["EFBIG", "ENOSPC"]


def test_json_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    summary = _summary(tmp_path, WrittenLocks(pid=NOBODY))
    path = tmp_path / "told.json"
    write_json(path, summary)
    assert json.loads(path.read_text())["lock"] == "mutex"
    assert [one.name for one in tmp_path.glob("*told*")] == ["told.json"]
    with pytest.raises(UnusableInput, match="No space left"):
        write_whole(Path("/dev/full"), "x" * 100_000)
    for where, said in ((tmp_path, "is a directory"), (tmp_path / "no" / "x", "no directory")):
        with pytest.raises(UnusableInput, match=said):
            refuse_what_cannot_be_written(where)


def test_flame_graphs(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY)
    inner, outer, made = (written.add_site(at) for at in (0x1, 0x2, 0x3))
    written.add_lock(0x10, site=made)
    written.add_stack([inner, outer], waited=3_000_000, count=3, site=made)
    written.add_stack([outer], waited=1_000_000, count=1, site=made)
    written.add_stack([outer], waited=10**12, count=1, site=made, kind=CONDITION)
    summary = _summary(tmp_path, written)
    assert folded(summary, PlaceNames()).splitlines() == [
        "0x2;0x1;[mutex 0x3] 3000",
        "0x2;[mutex 0x3] 1000",
    ]
    write_flame(tmp_path / "x.folded", summary, PlaceNames())
    assert (tmp_path / "x.folded").read_text() == folded(summary, PlaceNames())
    drawn = tmp_path / "x.svg"
    write_flame(drawn, summary, PlaceNames())
    space = "{http://www.w3.org/2000/svg}"
    columns = ElementTree.parse(drawn).getroot().find(f"{space}g")
    assert columns is not None
    told = {one.findtext(f"{space}title"): float(one.get("data-w", 0)) for one in columns}
    wide = next(width for title, width in told.items() if title and title.startswith("all"))
    at = next((width, title) for title, width in told.items() if title and "0x1" in title)
    assert at[0] == pytest.approx(0.75 * wide, abs=0.1)
    assert "3.00 ms, 75 % of all, 3 waits" in at[1]


def test_a_flame_graph_of_nothing_is_said(tmp_path: Path) -> None:
    summary = _summary(tmp_path, WrittenLocks(pid=NOBODY))
    with pytest.raises(UnusableInput, match="nothing waited"):
        write_flame(tmp_path / "x.svg", summary, PlaceNames())
    ElementTree.parse(tmp_path / "x.svg")


def test_reading_many_locks(tmp_path: Path) -> None:
    written = WrittenLocks(pid=NOBODY)
    for n in range(10_000):
        written.add_lock(16 * (n + 1), acquisitions=1)
    read = read_lock_file(written.write(tmp_path))
    assert sum(lock.acquisitions for lock in read.locks.values()) == 10_000
