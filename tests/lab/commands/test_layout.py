# SPDX-License-Identifier: MIT
"""fencepost bench --layout: programs that print a number which is a matter of where their code
lies, and of nothing else, so that no test depends on how fast anything is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from fencepost.commands import layout as command
from fencepost.console.input_error import UnusableInput
from scripted import ROOT, Run

pytestmark = pytest.mark.matrix(5)

Write = Callable[[str, str], Path]

MOVED = "__attribute__((noipa)) long moved(long n) { return n; }\n"

#: 100 and the function's place modulo PERIOD; slower variants add something.
PLACED = """\
#include <stdio.h>
#ifndef PERIOD
#define PERIOD 32
#endif
#ifndef MORE
#define MORE 0
#endif
__attribute__((noipa)) long moved(long n) {
  __asm__ volatile(".globl here\\nhere:");
  return n;
}
extern char here[];
int main(void) {
  printf("%ld\\n", moved(100) + ((long)here) % PERIOD + MORE);
}
"""


def layout(fencepost: Run, *words: str | Path) -> Any:
    always = (
        "--layout",
        "--others",
        "1000",
        "--warm-up",
        "0",
        "--take",
        "number",
        "--function",
        "moved",
    )
    return fencepost("bench", *always, *words)


def lines_of(path: Path, kind: str) -> list[dict[str, Any]]:
    read = [json.loads(line) for line in path.read_text().splitlines()]
    return [line for line in read if line["kind"] == kind]


def test_the_period_that_is_in_the_code_is_found(fencepost: Run, write: Write) -> None:
    source = write("placed.c", PLACED)
    for period in (32, 64):
        into = f"{period}.jsonl"
        done = layout(
            fencepost,
            source,
            "--rounds",
            "5",
            "--step",
            "8",
            "--json",
            "--into",
            into,
            "--",
            f"-DPERIOD={period}",
        )
        assert done.returncode == 0, done.stderr
        (way,) = json.loads(done.stdout.splitlines()[0])["ways"]
        assert way["period"]["bytes"] == period
        places = [100 + size % period for size in way["layouts"]]
        slowest = max(range(16), key=lambda n: way["effects"][n]["value"])
        fastest = min(range(16), key=lambda n: way["effects"][n]["value"])
        found = way["effects"][slowest]["value"] / way["effects"][fastest]["value"]
        assert found == pytest.approx(max(places) / min(places), rel=0.03)


def test_a_program_that_does_not_care_has_no_effect_of_layout(fencepost: Run, write: Write) -> None:
    source = write(
        "same.c",
        "#include <stdio.h>\n" + MOVED + 'int main(void) { printf("%ld\\n", moved(5)); }\n',
    )
    done = layout(fencepost, source, "--rounds", "3", "--step", "16", "--into", "r.jsonl")
    assert done.returncode == 0, done.stderr
    assert "no effect of the padding seen (p = 1)" in done.stdout


def test_a_difference_that_is_layout_is_called_that(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    """`far` is the same program, and lies elsewhere where the compiler placed it."""
    source = write(
        "placed.c",
        PLACED.replace(
            "__attribute__",
            '#ifdef FAR\n__asm__(".text\\n.balign 64\\n.skip 48");\n#endif\n__attribute__',
        ),
    )
    done = layout(
        fencepost,
        source,
        "--build",
        "near=-falign-functions=64",
        "--build",
        "far=-fno-align-functions -DFAR",
        "--build",
        "slow=-falign-functions=64 -DMORE=90",
        "--rounds",
        "3",
        "--step",
        "4",
        "--rope",
        "3%",
        "--at",
        "function",
        "--json",
        "--into",
        "r.jsonl",
        "--",
        "-DPERIOD=64",
        "-fno-toplevel-reorder",
    )
    assert done.returncode == 0, done.stderr
    compared = json.loads(done.stdout.splitlines()[0])["compared"]
    verdicts = {(one["one"], one["other"]): one["verdict"] for one in compared}
    assert verdicts["near", "far"] == "layout"
    assert {verdicts[pair] for pair in verdicts if "slow" in pair} == {"not layout"}


def test_results_are_compared_by_the_layout(fencepost: Run, write: Write) -> None:
    source = write("placed.c", PLACED)
    done = layout(
        fencepost,
        source,
        "--build",
        "quick=",
        "--build",
        "slow=-DMORE=90",
        "--rounds",
        "3",
        "--step",
        "32",
        "--random",
        "2",
        "--into",
        "r.jsonl",
    )
    assert done.returncode == 0, done.stderr
    read = fencepost("compare", "quick", "slow", "--results", "r.jsonl", "--json")
    assert read.returncode == 0, read.stderr
    works = {json.loads(line)["work"] for line in read.stdout.splitlines()}
    paddings = {f"entry/padding:{size}" for size in (0, 32, 64, 96)}
    assert works == {*paddings, "as_compiled", "random/placement:0", "random/placement:1"}
    assert all(json.loads(line)["verdict"] == "lower" for line in read.stdout.splitlines())
    listed = fencepost("results", "r.jsonl", "--into", "r.db")
    assert listed.returncode == 0, listed.stderr
    told = layout(fencepost, "--report", "r.db")
    assert told.returncode == 0, told.stderr
    assert "random placements" in told.stdout


def test_what_was_measured_is_not_measured_again(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write("placed.c", PLACED)
    path = tmp_path / "r.jsonl"
    where = "--into"
    for rounds, windows in ((2, 10), (2, 10), (5, 25)):
        done = layout(fencepost, source, "--rounds", str(rounds), "--step", "32", where, path)
        assert done.returncode == 0, done.stderr
        kept = lines_of(path, "window")
        assert len(kept) == windows
        assert len({line["run"] for line in kept}) == 1
        assert {line["round"] for line in kept} == set(range(rounds))
        where = "--resume"
    for words, said in (
        (("--step", "16"), "layouts was ["),
        (("--step", "32", "--", "-DMORE=1"), "programs was {"),
    ):
        other = layout(fencepost, source, "--resume", path, *words)
        assert other.returncode == 3
        assert f"--resume {path}: {said}" in other.stderr


def test_rounds_go_through_the_layouts_in_orders_that_a_seed_draws(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write("placed.c", PLACED)
    orders = []
    for seed in (1, 1, 2):
        path = tmp_path / f"{len(orders)}.jsonl"
        done = layout(
            fencepost, source, "--rounds", "3", "--step", "8", "--seed", str(seed), "--into", path
        )
        assert done.returncode == 0, done.stderr
        orders.append([line["work"] for line in lines_of(path, "window")])
    assert orders[0] == orders[1] != orders[2]
    assert orders[0][:17] != orders[0][17:34]
    assert sorted(orders[0][:17]) == sorted(orders[0][17:34])


def test_a_run_says_what_was_done(fencepost: Run, write: Write, tmp_path: Path) -> None:
    source = write("placed.c", PLACED)
    done = layout(
        fencepost,
        source,
        "--rounds",
        "3",
        "--step",
        "32",
        "--seed",
        "5",
        "--into",
        "r.jsonl",
        "--",
        "-DMORE=1",
    )
    assert done.returncode == 0, done.stderr
    (run,) = lines_of(tmp_path / "r.jsonl", "run")
    assert run["flags"] == "-O2 -DMORE=1"
    assert run["processors"] == len(os.sched_getaffinity(0))
    assert run["layout"]["function"] == "moved"
    assert run["seed"] == 5
    assert "gcc" in run["compiler"].lower()


@pytest.mark.skipif(
    subprocess.run(["setarch", "--addr-no-randomize", "true"], capture_output=True).returncode != 0,
    reason="addresses cannot be fixed here",
)
def test_addresses_can_be_fixed_and_the_stack_moved(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    """The program prints where its stack is: with fixed addresses a matter of the layout alone."""
    source = write(
        "stack.c",
        "#include <stdio.h>\n"
        + MOVED
        + 'int main(void) { int x; printf("%ld\\n", (long)&x & 0xfffff); }\n',
    )
    path = tmp_path / "r.jsonl"
    done = layout(
        fencepost,
        source,
        "--fixed-addresses",
        "--at",
        "none",
        "--random",
        "6",
        "--rounds",
        "3",
        "--into",
        path,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, set[float]] = {}
    for line in lines_of(path, "window"):
        found.setdefault(line["work"], set()).add(line["figures"]["number"])
    assert all(len(values) == 1 for values in found.values())
    assert len(set.union(*found.values())) > 4


def test_where_addresses_cannot_be_fixed_it_says_so(write: Write, tmp_path: Path) -> None:
    source = write("placed.c", PLACED)
    refusing = tmp_path / "bin" / "setarch"
    refusing.parent.mkdir()
    refusing.write_text("#!/bin/sh\necho 'setarch: Operation not permitted' >&2\nexit 1\n")
    refusing.chmod(0o755)
    done = subprocess.run(
        [str(ROOT / "fencepost"), "bench", "--layout", str(source), "--fixed-addresses"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=dict(os.environ, PATH=f"{refusing.parent}:{os.environ['PATH']}"),
    )
    assert done.returncode == 3
    assert "addresses cannot be fixed here: setarch: Operation not permitted" in done.stderr
    assert "without --fixed-addresses" in done.stderr


def test_the_figure_shows_every_layout_of_each_variant(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write("placed.c", PLACED)
    done = layout(
        fencepost,
        source,
        "--build",
        "quick=",
        "--build",
        "slow=-DMORE=90",
        "--rounds",
        "5",
        "--step",
        "8",
        "--random",
        "3",
        "--into",
        "r.jsonl",
        "--svg",
        "time.svg",
        "--all",
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^\| 56 +\| \S+ % \[", done.stdout, re.M)
    drawing = ElementTree.parse(tmp_path / "time.svg")
    texts = [element.text for element in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert {"quick", "slow", "bytes of padding N", "% from the mean of all layouts"} <= set(texts)
    assert texts.count("repeats itself every 32 bytes") == 2
    lines = [
        element.attrib["points"].split()
        for element in drawing.iter("{http://www.w3.org/2000/svg}polyline")
    ]
    assert [len(points) for points in lines] == [16, 16]
    heights = [float(point.split(",")[1]) for point in lines[0]]
    assert heights[:4] == sorted(heights[:4], reverse=True)  # upwards is slower
    assert heights[:4] == heights[4:8]
    there = fencepost("bench", "--layout", "--report", "r.jsonl", "--svg", tmp_path)
    assert there.returncode == 3
    assert "it is a directory" in there.stderr


def test_without_permission_to_pin_it_goes_on_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(_process: int, _processors: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setaffinity", refuse)
    assert not command._pin(None)
    assert "no permission to pin" in capsys.readouterr().err
    # Who named processors is told, and decides.
    with pytest.raises(UnusableInput, match="no permission to pin"):
        command._pin([0])


def test_bad_input_is_told_in_clear_words(fencepost: Run, write: Write) -> None:
    placed = write("placed.c", PLACED)
    broken = write("broken.c", "int main(void) { return x; }\n")
    cases = [
        (("minimul",), "nor a program of ours: minimal, mutex; did you mean 'minimal'?"),
        (("minimal", "--variants", "relaxt"), "no variant 'relaxt'; did you mean 'relaxed'?"),
        ((placed, "--function", "movd"), "no function 'movd'; did you mean 'moved'?"),
        ((placed, "--at", "loop", "--rounds", "1"), "moved has no loop"),
        ((broken,), "broken.c: does not compile:"),
        ((placed, "--build", "old"), "expected NAME=FLAGS"),
        ((placed, "--at", "none"), "leaves no layouts"),
        ((placed, "--step", "64"), "smaller than the cycle"),
        ((), "needs source files, or one of our programs"),
        ((placed, "--take", "benchmark"), "is no program of Google Benchmark's"),
        ((placed, "--program", "x"), "--layout builds what it measures"),
        (("minimal", "--build", "a="), "--build is for source files"),
        ((placed, "--resume", "placed.c"), "neither results, nor"),
        ((placed, "--cpu", "4000"), "processors that may be used are"),
        ((placed, "--compiler", "no-such-cc"), "there is no compiler 'no-such-cc' here"),
    ]
    for words, said in cases:
        done = layout(fencepost, *words)
        assert done.returncode == 3, (words, done.stdout, done.stderr)
        assert said in done.stderr, (words, done.stderr)
        assert "Traceback" not in done.stderr
    usage = layout(fencepost, placed, "--cycle", "60")
    assert usage.returncode == 3
    assert "'60' is no power of two" in usage.stderr


def test_a_program_that_prints_no_number_or_crashes_is_named(fencepost: Run, write: Write) -> None:
    silent = write("silent.c", "long moved(long n) { return n; }\nint main(void) { return 0; }\n")
    done = layout(fencepost, silent, "--rounds", "3", "--step", "32", "--into", "s.jsonl")
    assert done.returncode == 1
    assert "printed nothing, where a number was expected" in done.stderr
    crash = write(
        "crash.c",
        PLACED.replace(
            "int main(void) {", "int main(void) {\n  if ((long)here % 128 > 100) __builtin_trap();"
        ),
    )
    done = layout(fencepost, crash, "--rounds", "3", "--step", "16", "--into", "c.jsonl")
    assert done.returncode == 1
    assert "padding:112: killed by SIGILL" in done.stderr
    # What can be said without that layout is said.
    assert "7 layouts" in done.stdout


@pytest.mark.skipif(
    not any(Path(d, "libbenchmark.so").exists() for d in ("/usr/lib/x86_64-linux-gnu", "/usr/lib"))
    or shutil.which("g++") is None,
    reason="Google Benchmark is not installed",
)
def test_a_program_of_google_benchmark_is_measured_by_that(
    fencepost: Run, write: Write, tmp_path: Path
) -> None:
    source = write(
        "bench.cpp",
        """\
#include <benchmark/benchmark.h>
static void moved(benchmark::State& state) { for (auto _ : state) benchmark::ClobberMemory(); }
static void other(benchmark::State& state) { for (auto _ : state) benchmark::ClobberMemory(); }
BENCHMARK(moved);
BENCHMARK(other);
BENCHMARK_MAIN();
""",
    )
    path = tmp_path / "r.jsonl"
    done = fencepost(
        "bench",
        "--layout",
        source,
        "--function",
        "moved",
        "--rounds",
        "3",
        "--step",
        "32",
        "--seconds",
        "0.001",
        "--only",
        "^moved$",
        "--others",
        "1000",
        "--into",
        path,
        "--",
        "-lbenchmark",
    )
    assert done.returncode == 0, done.stderr
    windows = lines_of(path, "window")
    assert {line["work"] for line in windows} == {
        "as_compiled/moved",
        *(f"entry/padding:{size}/moved" for size in (0, 32, 64, 96)),
    }
    assert "layout_bench moved: cpu_time" in done.stdout


def test_our_own_programs_are_moved(fencepost: Run, tmp_path: Path) -> None:
    """A few turns of each: what they print is a number above zero."""
    for subject, variants in (("minimal", 2), ("mutex", 4)):
        path = tmp_path / f"{subject}.jsonl"
        done = fencepost(
            "bench",
            "--layout",
            subject,
            "--step",
            "32",
            "--rounds",
            "3",
            "--argument",
            "1000000",
            "--others",
            "1000",
            "--into",
            path,
        )
        assert done.returncode == 0, done.stderr
        windows = lines_of(path, "window")
        assert len({line["variant"] for line in windows}) == variants
        assert len(windows) == variants * 5 * 3
