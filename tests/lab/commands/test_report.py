# SPDX-License-Identifier: MIT
"""fencepost report on results with a known truth: numbers, verdicts, Markdown, and bad input. How
the page behaves in a browser is in report/test_page.py."""

from __future__ import annotations

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from fencepost.compare.ratios import typical
from fencepost.compare.select import Query, pairs_of_variants
from fencepost.compare.text import ratio_text
from fencepost.compare.verdict import Rope, compare
from fencepost.pages.plot_axes import axis, measured_axis
from fencepost.pages.plot_svg import swarm
from fencepost.report.content import Request, gather
from fencepost.report.parts import part_of
from fencepost.report.words import digits, scale_of
from fencepost.results.file import read_results
from fencepost.results.schema import Failure, Metric, Run, Window
from measured import lines, write_lines
from scripted import ROOT
from scripted import Run as Launch

pytestmark = pytest.mark.matrix(3)

ROUNDS = 12
#: Slow drift that all have in common, and noise that is fixed.
DRIFT = [1 + 0.01 * n for n in range(ROUNDS)]
NOISE = [1 + 0.002 * ((7 * n) % 5 - 2) for n in range(ROUNDS)]
FIGURES = {
    "fencepost_ring": [100 * d for d in DRIFT],
    "twice": [200 * d * n for d, n in zip(DRIFT, NOISE, strict=True)],
    "half": [50 * d * n for d, n in zip(DRIFT, NOISE, strict=True)],
    "same": [100 * d * (1 + 0.0005 * (n % 3 - 1)) for n, d in enumerate(DRIFT)],
    "wild": [100 * d * (3 if n % 2 else 0.4) for n, d in enumerate(DRIFT)],
}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return write_lines(tmp_path / "results.jsonl", lines(FIGURES))


def rows_of(markdown: str) -> dict[str, list[str]]:
    """The rows of tables, by the variant."""
    found = {}
    for line in markdown.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        name = next((cell.strip("`") for cell in cells if cell.startswith("`")), None)
        if name:
            found[name] = [cell.replace("\\", "") for cell in cells]
    return found


def test_each_variant_is_judged_beside_the_reference(fencepost: Launch, results: Path) -> None:
    done = fencepost("report", results, "--markdown", "-")
    assert done.returncode == 0, done.stderr
    rows = rows_of(done.stdout)
    assert "reference" in rows["fencepost_ring"][4]
    assert rows["twice"][4] == "▲ faster"
    assert rows["half"][4] == "▼ slower"
    assert rows["same"][4] == "≈ practically equal"
    assert rows["wild"][4] == "? not distinguishable"


def test_numbers_are_those_of_compare(fencepost: Launch, results: Path) -> None:
    rows = rows_of(fencepost("report", results, "--markdown", "-").stdout)
    page = results.with_suffix(".html")
    assert fencepost("report", results).returncode == 0
    text = re.sub(r"<[^>]*>", "", html.unescape(page.read_text()))
    measured = read_results([results])
    for name in FIGURES:
        if name == "fencepost_ring":
            continue
        pair = pairs_of_variants(measured, [name, "fencepost_ring"], Query())[0]
        expected = ratio_text(compare(pair, Rope(0.01), 0.95))
        assert rows[name][3] == expected
        assert expected in text
        told = fencepost("compare", name, "fencepost_ring", "--results", results, "--json")
        answer = json.loads(told.stdout)
        assert expected.startswith(f"{answer['ratio']:.4g} × [")


def test_the_command_under_the_table_is_one_that_runs(fencepost: Launch, results: Path) -> None:
    said = fencepost("report", results, "--markdown", "-").stdout
    command = re.search(r"`fencepost (compare VARIANT [^`]*)`", said)
    assert command
    words = command[1].replace("VARIANT", "twice").replace("'", "").split()
    done = fencepost(*words)
    assert done.returncode == 0, done.stderr
    assert "twice's speed is higher, better" in done.stdout


@pytest.mark.parametrize("names", [("x'$(touch made)'", "`touch made`"), ("a b;touch made", "-x")])
def test_a_command_that_is_printed_runs_nothing_that_stands_in_the_results(
    fencepost: Launch, tmp_path: Path, names: tuple[str, str]
) -> None:
    subject, reference = names
    odd = {reference if who == "fencepost_ring" else who: found for who, found in FIGURES.items()}
    results = write_lines(tmp_path / "results.jsonl", lines(odd, subject=subject))
    page = tmp_path / "page.html"
    assert fencepost("report", results, f"--reference={reference}", "--html", page).returncode == 0
    printed = re.search("<code>(fencepost compare .*?)</code>", page.read_text())
    assert printed
    command = html.unescape(printed[1]).replace("VARIANT", "twice", 1)
    done = subprocess.run(
        ["bash", "-c", f"'{ROOT}'/{command}"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "twice's speed is higher, better" in done.stdout
    assert not (tmp_path / "made").exists()


def test_the_verdict_of_a_time_is_the_other_way_round(fencepost: Launch, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "t.jsonl", lines(FIGURES, metric=Metric("cost", "ns", "lower")))
    rows = rows_of(fencepost("report", file, "--markdown", "-").stdout)
    assert rows["twice"][4] == "▼ slower"
    file = write_lines(tmp_path / "u.jsonl", lines(FIGURES, metric=Metric("mass", "kg", "")))
    rows = rows_of(fencepost("report", file, "--markdown", "-").stdout)
    assert rows["twice"][4] == "◆ higher"
    file = write_lines(
        tmp_path / "v.jsonl", lines(FIGURES, metric=Metric("fairness", "", "higher"))
    )
    rows = rows_of(fencepost("report", file, "--markdown", "-").stdout)
    assert rows["twice"][4] == "▲ better"


def test_intervals_hold_the_truth_and_too_few_windows_have_none() -> None:
    found = typical(FIGURES["twice"])
    assert found and found.low and found.high
    assert found.low < 211 < found.high and found.rounds == ROUNDS
    few = typical([3.0, 5.0])
    assert few and few.value == pytest.approx(15**0.5) and few.interval is None
    assert typical([float("nan")]) is None
    same = typical([2.0] * 5)
    assert same and (same.low, same.high) == (2.0, 2.0)
    rare = typical([0.0, 0.0, 8.0, 1.0, 2.0])
    assert rare and rare.low == 0.0 and rare.high
    share = typical([0.9, 1.0, 1.0, 0.7, 1.0], most=1.0)
    assert share and share.high is not None and share.high <= 1.0


def test_failures_and_discarded_windows_are_told(fencepost: Launch, tmp_path: Path) -> None:
    part = lines({"a": [1, 2, 3, 4], "b": [2, 3, 4, 5]})
    part += [
        Window("r1", "rings", "threads:2", "b", 4, {"speed": 9.0}, kept=False).to_json(),
        Window("r1", "rings", "threads:2", "c", 0, {"speed": 9.0}, kept=False).to_json(),
        *(Failure("r1", "rings", "threads:2", "d", n, f"signal {n}").to_json() for n in range(7)),
    ]
    file = write_lines(tmp_path / "r.jsonl", part)
    said = fencepost("report", file, "--markdown", "-").stdout.replace("\\", "")
    assert "8 kept, 2 discarded, 7 failed" in said
    assert "Failed: threads 2 d, round 0: signal 0" in said and "and 2 more failed" in said
    assert "c: every window was disturbed and discarded" in said
    assert rows_of(said)["b"][-1] == "4 (+1 discarded)"


def test_machines_are_reported_apart(fencepost: Launch, tmp_path: Path) -> None:
    file = write_lines(
        tmp_path / "r.jsonl",
        lines({"a": [1, 2, 3, 4], "b": [2, 3, 4, 5]}),
        lines({"a": [10, 20, 30, 40]}, run="r2", machine="aarch64, another"),
    )
    done = fencepost("report", file, "--markdown", "-", "--html", tmp_path / "p.html")
    assert done.returncode == 0
    assert "2 machines" in done.stdout and "nothing is compared across them" in done.stdout
    assert done.stdout.count("Measured on ") == 2
    report = gather(read_results([file]), Request())
    assert [len(one.subjects[0].works[0].variants) for one in report.machines] == [2, 1]


def test_the_command_under_a_table_is_one_that_compare_answers(
    fencepost: Launch, tmp_path: Path
) -> None:
    one = write_lines(tmp_path / "one.jsonl", lines(FIGURES))
    other = write_lines(tmp_path / "other.jsonl", lines(FIGURES, run="r2", kernel="7.0"))
    alone = fencepost("report", one, "--markdown", "-").stdout
    assert f"probabilities: `fencepost compare VARIANT fencepost_ring --results {one} " in alone
    both = fencepost("report", one, other, "--markdown", "-").stdout
    assert both.count("FILE having the results of this machine alone: `fencepost compare") == 2
    assert both.count(" --results FILE ") == 2


def test_what_cannot_be_compared_says_why_and_the_rest_is_reported(
    fencepost: Launch, tmp_path: Path
) -> None:
    file = write_lines(
        tmp_path / "r.jsonl",
        lines({"a": [1, 2, 3, 4], "b": [2, 3], "c": [0, 1, 2], "d": [2, 4, 6, 8]}),
    )
    rows = rows_of(fencepost("report", file, "--markdown", "-").stdout)
    assert "too few" in rows["b"][4]
    assert "not above zero" in rows["c"][4]
    assert rows["d"][4] == "▲ faster"


def test_targets_are_judged(fencepost: Launch, tmp_path: Path) -> None:
    metric = Metric("cpu_time", "ns", "lower")
    run = Run("r1", True, {"locks_uncontended": [metric]}, {"machine": "m"})
    figures = {"fencepost_mutex": 10.0, "parking_lot": 20.0, "pthread_mutex": 10.0}
    windows = [
        Window("r1", "locks_uncontended", "lock_and_unlock", who, n, {"cpu_time": value * NOISE[n]})
        for who, value in figures.items()
        for n in range(ROUNDS)
    ]
    file = write_lines(tmp_path / "r.jsonl", [run.to_json(), *(one.to_json() for one in windows)])
    said = fencepost("report", file, "--markdown", "-").stdout.replace("\\", "")
    assert "| ≤ 1 × parking_lot | 0.5 × [0.5, 0.5] | ✓ met |" in re.sub(r"0\.50+", "0.5", said)
    assert re.search(r"≤ 0.75 × pthread_mutex \| 1[.0]* × .* \| ✗ missed", said)
    assert "targets: 1 met, 1 missed" in said


def judged(text: str) -> list[tuple[list[float], str]]:
    """Parse the rows of targets in what either command printed. Returns the numbers of what was
    measured, and whether the target is met."""
    words = {"yes": "met", "no": "missed"}
    found = []
    for line in text.replace("\\", "").splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if not any(cell[:1] in ("≤", "≥") for cell in cells):
            continue
        measured = next(cell for cell in cells if "[" in cell)
        verdict = cells[-1].lstrip("✓✗? ")
        if verdict not in ("met", "missed", "not known"):
            verdict = words.get(verdict, "not known")
        found.append(([float(one) for one in re.findall(r"\d+(?:\.\d+)?", measured)], verdict))
    return found


@pytest.mark.parametrize(
    ("subject", "work", "figures"),
    [
        (
            "locks_uncontended",
            "lock_and_unlock",
            {
                "fencepost_mutex": [10.0, 10.1, 10.15],
                "parking_lot": [10.2, 10.4, 10.9],
                "pthread_mutex": [20.0, 25.0, 22.0],
            },
        ),
        # In one round ours is as quick as a plain load.
        (
            "protected_reads",
            "read",
            {
                "plain_load": [1.0, 1.02, 1.01, 1.0, 1.01, 2.6],
                "fencepost_hazard_pointer": [2.5, 2.52, 2.51, 2.49, 2.5, 2.5],
                "urcu_memb": [2.0, 2.01, 2.02, 1.99, 2.0, 3.6],
            },
        ),
        (
            "locks_uncontended",
            "lock_and_unlock",
            {"fencepost_mutex": [10.0, 10.1], "parking_lot": [20.2, 20.4]},
        ),
    ],
)
def test_targets_are_judged_as_the_tables_of_bench_do(
    fencepost: Launch, tmp_path: Path, subject: str, work: str, figures: dict[str, list[float]]
) -> None:
    metric = Metric("cpu_time", "ns", "lower")
    file = write_lines(tmp_path / "r.jsonl", lines(figures, "r", work, metric, subject=subject))
    reported = judged(fencepost("report", file, "--markdown", "-").stdout)
    printed = judged(fencepost("bench", "--report", file).stdout)
    assert reported
    assert [verdict for _, verdict in reported] == [verdict for _, verdict in printed]
    for (ours, _), (theirs, _) in zip(reported, printed, strict=True):
        assert ours == pytest.approx(theirs, rel=0.01)


def test_the_interval_of_a_fairness_that_has_a_target_ends_at_one(
    fencepost: Launch, tmp_path: Path
) -> None:
    figures = {"fencepost_mutex": [0.99, 0.97, 1.0, 0.93]}
    metric = Metric("fairness", "", "higher")
    work = "short_section/threads:2"
    file = write_lines(
        tmp_path / "r.jsonl", lines(figures, "r", work, metric, subject="locks_contended")
    )
    reported = judged(fencepost("report", file, "--markdown", "-").stdout)
    assert reported and {verdict for _, verdict in reported} == {"met"}
    assert all(max(numbers) == 1.0 for numbers, _ in reported)


PROTOCOLS = {"seq_cst": 10.0, "trunk": 12.0, "fence_removed_unsound": 14.0, "unknown": 9.0}


@pytest.fixture
def mutexes(tmp_path: Path) -> Path:
    metric = Metric("sections_per_second", "sections/s", "higher")
    run = Run("r1", True, {"event_mutexes": [metric]}, {"machine": "m"})
    windows = [
        Window("r1", "event_mutexes", "four_mutexes/threads:1", who, n, {metric.figure: value * x})
        for who, value in PROTOCOLS.items()
        for n, x in enumerate(NOISE)
    ]
    return write_lines(tmp_path / "r.jsonl", [run.to_json(), *(one.to_json() for one in windows)])


def test_what_was_not_checked_says_how_to(fencepost: Launch, mutexes: Path) -> None:
    said = fencepost("report", mutexes, "--markdown", "-").stdout
    assert "not checked in this report" in said
    assert "`fencepost study event-mutex --protocol fence_removed`" in said
    assert "--protocol unknown" not in said


def test_the_checkers_verdicts_stand_beside_the_timings(mutexes: Path) -> None:
    """With the real checker: a protocol that is known to be wrong, and one that holds."""
    build = Path(os.environ.get("FENCEPOST_BUILD_DIR", ROOT / "build" / "release"))
    if not (build / "checker" / "libfencepost_check.a").is_file():
        pytest.skip("the checker is not built")
    done = subprocess.run(
        [str(ROOT / "fencepost"), "report", str(mutexes), "--markdown", "-", "--check"],
        capture_output=True,
        text=True,
        env={**os.environ, "FENCEPOST_BUILD_DIR": str(build)},
    )
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("what the checker says")[-1]
    rows = {one.split("`")[1]: one for one in table.splitlines() if one.startswith("| `")}
    assert rows["seq_cst"].count("holds (4 clients)") == 4
    # Under every model but sequential consistency.
    assert "| holds (4 clients) | violated" in rows["fence_removed_unsound"]
    assert "lost-wakeup" in rows["fence_removed_unsound"]
    assert "not checked" not in done.stdout


def test_instructions_stand_beside_the_timings(fencepost: Launch, mutexes: Path) -> None:
    done = fencepost("report", mutexes, "--markdown", "-", "--asm")
    assert done.returncode == 0, done.stderr
    table = done.stdout.split("| operation |")[-1]
    rows = [one for one in table.splitlines() if one.startswith("| `seq_cst`")]
    assert [row.split("|")[2].strip() for row in rows] == ["`enter`", "`leave`"]
    assert "compare_exchange seq_cst/seq_cst: lock cmpxchg" in rows[0]
    assert "store seq_cst: xchg" in rows[1]


def test_each_part_of_the_library_has_its_proofs() -> None:
    assert part_of("rings", "rtrb") is None and part_of("x", "fencepost_futex") is None
    for variant, folder in {
        "fencepost_mutex": "mutex",
        "fencepost_event_count64": "event_count",
        "fencepost_single_producer_event_count_no_spinning": "event_count",
        "fencepost_spsc_ring_try_forms": "ring",
        "fencepost_rcu_scoped_lock": "rcu",
        "fencepost_srcu": "srcu",
    }.items():
        part = part_of("any", variant)
        assert part and part.proofs == folder and part.command.endswith(f" {folder}.")
    part = part_of("any", "fencepost_event_mutex_asymmetric")
    assert part and part.protocol == "asymmetric"


def test_a_figure_is_written_into_its_folder_whatever_the_subject_is_called(
    fencepost: Launch, results: Path
) -> None:
    folder = results.parent / "figures"
    names = ("../../up", "/tmp/absolute", "..", ".hidden", "a/b", "a_b", "x" * 300, "")
    names += ("x" * 301, "x" * 302, "é" * 200, "語" * 200)
    parts = [lines(FIGURES, f"r{n}", subject=name) for n, name in enumerate(names)]
    hostile = write_lines(results.parent / "hostile.jsonl", *parts)
    before = {path for path in results.parent.rglob("*") if folder not in path.parents}
    done = fencepost("report", hostile, "--figures", folder)
    assert done.returncode == 0, done.stderr
    made = {path for path in results.parent.rglob("*") if path.is_file()} - before
    assert len(made) == len(names)
    assert all(path.parent == folder and path.name[0] not in ".-" for path in made)


def test_figures_are_files_that_need_no_other(fencepost: Launch, results: Path) -> None:
    folder = results.parent / "figures"
    assert fencepost("report", results, "--figures", folder).returncode == 0
    text = (folder / "rings.svg").read_text()
    assert text.count("<circle") == ROUNDS * len(FIGURES)
    assert "items/s" in text and "a processor" in text
    assert not re.search(r"href=|@import|url\((?!#)", text)
    assert not results.with_suffix(".html").exists()


def test_distributions_of_the_shorter_form_are_read(fencepost: Launch, tmp_path: Path) -> None:
    part = lines({"a": [5, 6, 7], "b": [8, 9, 10]}, metric=Metric("median", "ns", "lower"))
    for window in part[1:]:
        window |= {"first_bin": 60, "bins": [4, 0, 3, 1]}
    file = write_lines(tmp_path / "r.jsonl", part)
    window = read_results([file]).windows[0]
    assert {k: v for k, v in window.figures.items() if k != "median"} == {
        "bin 60": 4.0,
        "bin 62": 3.0,
        "bin 63": 1.0,
    }
    assert fencepost("report", file, "--figures", tmp_path).returncode == 0
    assert "share of waits that take longer" in (tmp_path / "rings.svg").read_text()


def test_only_what_is_asked_for_is_reported(fencepost: Launch, tmp_path: Path) -> None:
    file = write_lines(tmp_path / "r.jsonl", lines(FIGURES), lines(FIGURES, "r2", "threads:8"))
    said = fencepost(
        "report",
        file,
        "--markdown",
        "-",
        "--work",
        "threads:8",
        "--title",
        "Mine",
        "--reference",
        "half",
    ).stdout
    assert "threads 8" in said and "threads 2" not in said
    assert said.startswith("## Mine\n")
    assert rows_of(said)["fencepost_ring"][4] == "▲ faster"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["no.jsonl"], "no.jsonl: No such file"),
        (["empty.jsonl"], "it is empty"),
        (["old.jsonl"], "schema 1, and this version reads schema 2"),
        (["words.txt"], "neither results, nor what"),
        (["broken.db"], "broken.db"),
        (["nothing.jsonl"], "nothing was measured"),
        (["r.jsonl", "--subject", "ringz"], "did you mean rings?"),
        (["r.jsonl", "--reference", "twise"], "did you mean twice"),
        (["r.jsonl", "--work", "nowhere"], "nothing in these results that matches"),
        (["r.jsonl", "--html", "folder"], "folder: it is a directory"),
        (["r.jsonl", "--html", "words.txt/page.html"], "there is no folder 'words.txt'"),
        (["r.jsonl", "--html", "/proc/page.html"], "/proc/page.html: "),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(
    fencepost: Launch, tmp_path: Path, arguments: list[str], says: str
) -> None:
    part = lines(FIGURES)
    write_lines(tmp_path / "r.jsonl", part)
    write_lines(tmp_path / "nothing.jsonl", part[:1])
    write_lines(tmp_path / "old.jsonl", [{**part[0], "schema": 1}])
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "words.txt").write_text("words\n")
    (tmp_path / "broken.db").write_bytes(b"SQLite format 3\0" + b"x" * 200)
    (tmp_path / "folder").mkdir()
    before = sorted(tmp_path.rglob("*"))
    done = fencepost("report", *arguments)
    assert done.returncode == 3
    assert says in done.stderr and "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_a_full_disk_leaves_the_page_that_was_there(results: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands in for the disk."""
    page = tmp_path / "page.html"
    page.write_text("the old page")
    limit = (
        "import resource, runpy, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "sys.argv = ['fencepost', 'report', sys.argv[1], '--html', sys.argv[2]]\n"
        "sys.dont_write_bytecode = True\n"
        "runpy.run_module('fencepost', run_name='__main__')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", limit, str(results), str(page)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "lab")},
    )
    assert done.returncode == 3, done.stderr
    assert "nothing was written" in done.stderr
    assert page.read_text() == "the old page"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["page.html", "results.jsonl"]


def test_a_file_that_may_not_be_written_is_left_alone(results: Path, tmp_path: Path) -> None:
    # Root may write everything, as long as it has this capability.
    launcher = ["setpriv", "--bounding-set=-dac_override"] if os.geteuid() == 0 else []
    page = tmp_path / "page.html"
    page.write_text("the old page")
    page.chmod(0o444)
    done = subprocess.run(
        [*launcher, str(ROOT / "fencepost"), "report", str(results), "--html", str(page)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3 and "may not be written" in done.stderr
    assert page.read_text() == "the old page"


def test_names_that_look_like_markup_are_shown_as_they_are(
    fencepost: Launch, tmp_path: Path
) -> None:
    name = 'a<script>alert("x")</script>|b'
    file = write_lines(tmp_path / "r.jsonl", lines({name: [1, 2, 3], "other": [1, 2, 3]}))
    page = tmp_path / "p.html"
    assert fencepost("report", file, "--html", page, "--title", "<b>&").returncode == 0
    assert "<script>alert" not in page.read_text() and "<b>&<" not in page.read_text()
    said = fencepost("report", file, "--markdown", "-").stdout
    assert '`a<script>alert("x")</script>\\|b`' in said


def test_axes_begin_at_zero_or_say_that_they_are_logarithmic() -> None:
    near = axis([80.0, 95.0], "ns")
    assert near.low == 0 and not near.logarithmic and near.place(0) == 0
    assert near.place(95) <= 1 and near.name == "ns"
    wide = axis([1.0, 900.0], "ns")
    assert wide.logarithmic and wide.name == "ns, logarithmic"
    assert wide.place(30) == pytest.approx(0.5, abs=0.02)
    assert axis([-3.0, 5.0], "x").low <= -3
    assert axis([], "x").high > 0 and axis([0.0], "x").high > 0
    threads = measured_axis([1, 2, 4, 8, 128], "threads")
    assert threads.logarithmic and [value for value, _ in threads.marks] == [1, 2, 4, 8, 128]
    assert not measured_axis([1, 2, 3], "threads").logarithmic


def test_axes_have_marks_that_can_be_read() -> None:
    for most in (1.0, 3.7, 12.0, 99.0, 1234.0, 8e6):
        for least in (most / 1.5, most / 100, most / 1e6):
            found = axis([least, most], "x")
            assert 2 <= len(found.marks) <= 12, (least, most, found.marks)
            assert all(found.low * 0.999 <= value <= found.high * 1.001 for value, _ in found.marks)


def test_numbers_have_the_digits_that_their_intervals_leave() -> None:
    assert digits(21.3456, 0.234) == "21.35"
    assert digits(21.3456, 12) == "21"
    assert digits(1234.5, 0.0) == "1,234"
    assert digits(0.000123456, 0.0) == "0.000123"
    assert digits(3.3e-8, 0.29) == "0.00"
    assert scale_of([2.5e7], "items/s").unit == "M items/s"
    assert scale_of([2.5e7], "ns").unit == "ms"
    assert scale_of([250.0], "ns").unit == "ns"


def test_dots_of_equal_windows_do_not_hide_each_other() -> None:
    places = swarm([10.0, 10.0, 10.0, 50.0], room=6.0)
    assert len({up for across, up in places if across == 10.0}) == 3
    assert (50.0, 0.0) in places
