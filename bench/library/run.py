#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast is the library beside its peers?

Runs the benchmark programs variant by variant, interleaved (A B C A B C …), each variant in a
process of its own, and prints the ratio of ours to each peer with a bootstrap interval beside the
target. A window in which other processes used more than a set share of a processor is thrown away
and repeated. Every window is appended to a file of JSON Lines, from which --report prints the
tables again.

    .venv/bin/python bench/library/run.py [--subject rings] [--quick] [--only parking_lot]
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import json
import os
import platform
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = 1
#: /proc/stat counts in ticks on each processor, so less than this says nothing about a window.
TICKS_OF_DOUBT = 0.03
TRIES = 10


@dataclass(frozen=True)
class Subject:
    """One benchmark program, how long a window of it lasts, and what a window yields."""

    program: str
    figure: str
    unit: str
    more_is_better: bool
    seconds: float = 0.1


@dataclass(frozen=True)
class Target:
    """A figure of ours, as a multiple of a peer's or (without a peer) as it is, and its bound."""

    subject: str
    work: str
    ours: str
    peer: str | None
    bound: float
    figure: str | None = None
    at_least: bool = False


@dataclass
class Windows:
    """The kept windows of one run or of several: figures by (subject, work, variant) and round."""

    figures: dict[tuple[str, str, str], dict[int, dict[str, float]]] = field(
        default_factory=lambda: defaultdict(dict)
    )
    discarded: int = 0

    def add(self, window: dict[str, Any]) -> None:
        if not window["kept"]:
            self.discarded += 1
            return
        key = (window["subject"], window["work"], window["variant"])
        rounds = self.figures[key]
        rounds[len(rounds)] = window["figures"]

    def values(self, subject: str, work: str, variant: str, figure: str) -> list[float]:
        rounds = self.figures.get((subject, work, variant), {})
        return [figures[figure] for figures in rounds.values() if figure in figures]


SUBJECTS = {
    "locks_uncontended": Subject("locks_uncontended", "cpu_time", "ns", False, 0.1),
    "locks_contended": Subject("locks_contended", "sections_per_second", "sections/s", True, 0.5),
    "event_counts": Subject("event_counts", "cpu_time", "ns", False, 0.1),
    "sleep_and_wake": Subject("sleep_and_wake", "nanoseconds", "ns", False, 0.3),
    "rings": Subject("rings", "items_per_second", "items/s", True, 0.2),
}

CONTENDED = tuple(f"short_section/threads:{threads}" for threads in (2, 8, 32))
OUR_LOCKS = (
    "fencepost_mutex",
    "fencepost_futex_mutex",
    "fencepost_event_mutex_asymmetric",
    "fencepost_event_mutex_exchange",
    "fencepost_event_mutex_seq_cst",
)
ROUND_TRIPS = ("round_trip_one_processor", "round_trip_two_processors")
OUR_SLEEPERS = (
    "fencepost_futex",
    "fencepost_event_count",
    "fencepost_single_producer_event_count",
    "fencepost_two_word_event_count",
    "fencepost_condition_variable",
)
PASSES = ("fill_and_drain", "bursts", "full_speed")
RING_PEERS = (
    "rtrb",
    "ringbuf",
    "boost_spsc_queue",
    "readerwriterqueue",
    "atomic_queue_spsc",
    "ck_ring_spsc",
)

TARGETS = (
    Target("locks_uncontended", "lock_and_unlock", "fencepost_mutex", "parking_lot", 1.0),
    Target("locks_uncontended", "lock_and_unlock", "fencepost_mutex", "pthread_mutex", 0.75),
    Target("locks_uncontended", "lock_and_unlock", "fencepost_event_mutex_asymmetric",
           "parking_lot", 0.75),
    Target("locks_uncontended", "lock_and_unlock", "fencepost_event_mutex_asymmetric",
           "bare_spin_lock", 1.1),
    *(Target("locks_contended", work, "fencepost_mutex", "parking_lot", 1.0, at_least=True)
      for work in CONTENDED),
    *(Target("locks_contended", work, "fencepost_mutex", None, 0.5, "fairness", True)
      for work in CONTENDED),
    # A thread that got less than a hundredth of what the luckiest got was starved.
    *(Target("locks_contended", work, lock, None, 0.01, "fairness", True)
      for work in CONTENDED for lock in OUR_LOCKS),
    *(Target("event_counts", "increment", f"fencepost_single_producer_event_count{bits}",
             f"ck_ec{bits or 32}_one_producer", 1.05) for bits in ("", "64")),
    Target("event_counts", "increment", "fencepost_two_word_event_count",
           "release_store_and_load", 1.3),
    Target("event_counts", "increment", "fencepost_two_word_event_count",
           "load_release_store_and_load", 1.3),
    *(Target("event_counts", "increment", f"fencepost_event_count{bits}",
             f"ck_ec{bits or 32}_many_producers", 1.0) for bits in ("", "64")),
    *(Target("sleep_and_wake", "wake_sleeper", ours, None, 1.1, "over_raw_futex")
      for ours in OUR_SLEEPERS),
    *(Target("sleep_and_wake", work, ours, "raw_futex", 1.1)
      for work in ROUND_TRIPS for ours in OUR_SLEEPERS),
    *(Target("rings", work, "fencepost_spsc_ring", "fencepost_spsc_ring_without_blocking", 0.95,
             at_least=True) for work in PASSES),
    *(Target("rings", work, "fencepost_spsc_ring", peer, 1.0, at_least=True)
      for work in PASSES for peer in RING_PEERS),
)  # fmt: skip


# ---------------------------------------------------------------------------- statistics


@dataclass(frozen=True)
class Ratio:
    """A ratio of medians, or a median, with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float
    rounds: int

    def verdict(self, bound: float, at_least: bool) -> str:
        """Met, missed, or not to be told apart from the bound by these windows."""
        met = self.value >= bound if at_least else self.value <= bound
        certain = self.low >= bound if at_least else self.high <= bound
        hopeless = self.high < bound if at_least else self.low > bound
        if met:
            return "yes" if certain else "yes, within noise"
        return "no" if hopeless else "no, within noise"


def ratio_of_medians(
    ours: Sequence[float], peer: Sequence[float] | None, resamples: int = 2000
) -> Ratio | None:
    """Compare round by round: a resample draws whole rounds, ours and the peer's together."""
    rounds = len(ours) if peer is None else min(len(ours), len(peer))
    if rounds == 0:
        return None

    def statistic(chosen: Iterable[int]) -> float:
        indices = list(chosen)
        above = statistics.median(ours[n] for n in indices)
        if peer is None:
            return above
        below = statistics.median(peer[n] for n in indices)
        return above / below if below else float("inf")

    source = random.Random(1)
    drawn = sorted(statistic(source.choices(range(rounds), k=rounds)) for _ in range(resamples))
    return Ratio(
        statistic(range(rounds)),
        drawn[int(0.025 * (resamples - 1))],
        drawn[int(0.975 * (resamples - 1))],
        rounds,
    )


# ---------------------------------------------------------------------------- one window


def busy_seconds() -> dict[int, float]:
    """CPU time that anybody used, and that was stolen from this machine, on each processor."""
    busy = {}
    with Path("/proc/stat").open() as lines:
        for line in lines:
            name, *ticks = line.split()
            if re.fullmatch(r"cpu\d+", name):
                user, nice, system, _idle, _iowait, irq, softirq, steal = map(int, ticks[:8])
                used = user + nice + system + irq + softirq + steal
                busy[int(name[3:])] = used / float(os.sysconf("SC_CLK_TCK"))
    return busy


def own_seconds() -> float:
    """CPU time of this process and of those that it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


@dataclass(frozen=True)
class Outcome:
    """What one process measured, and how much of the processors others used meanwhile."""

    figures: dict[str, float]
    context: dict[str, Any]
    elapsed: float
    others: float

    def is_disturbed(self, limit: float) -> bool:
        """Whether others used more than `limit` of a processor that mattered."""
        # One pinned thread, timed by its CPU clock: only its own processor matters.
        if "one_thread" in self.figures:
            return self.figures["real_time"] > (1 + limit) * self.figures["cpu_time"]
        return self.others > TICKS_OF_DOUBT and self.others > limit * self.elapsed


class Failed(Exception):
    """A benchmark that crashed, hung or made no sense."""


def figures_of(report: dict[str, Any]) -> dict[str, float]:
    results = [row for row in report["benchmarks"] if row.get("run_type") != "aggregate"]
    if len(results) != 1:
        raise Failed(f"{len(results)} results instead of one")
    result = results[0]
    if result.get("error_occurred"):
        raise Failed(str(result.get("error_message")))
    leave_out = {"family_index", "per_family_instance_index", "repetitions", "repetition_index",
                 "threads"}  # fmt: skip
    return {
        key: float(value)
        for key, value in result.items()
        if isinstance(value, (int, float)) and key not in leave_out
    }


def run_window(program: Path, name: str, seconds: float) -> Outcome:
    with tempfile.NamedTemporaryFile(prefix="fencepost-bench-", suffix=".json") as out:
        command = [
            str(program),
            f"--benchmark_filter=^{re.escape(name)}$",
            f"--benchmark_min_time={seconds}",
            f"--benchmark_out={out.name}",
            "--benchmark_out_format=json",
        ]
        busy_before, own_before, start = busy_seconds(), own_seconds(), time.monotonic()
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            _, errors = process.communicate(timeout=60 + 20 * seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            raise Failed("did not end") from None
        except BaseException:
            process.kill()
            process.communicate()
            raise
        elapsed = time.monotonic() - start
        own = own_seconds() - own_before
        busy = {cpu: used - busy_before.get(cpu, 0.0) for cpu, used in busy_seconds().items()}
        if process.returncode != 0:
            last = errors.strip().splitlines()[-1:] or ["no message"]
            raise Failed(f"status {process.returncode}: {last[0]}")
        report = json.loads(Path(out.name).read_text())
    figures = figures_of(report)
    matter = os.sched_getaffinity(0)
    if "first_processor_only" in figures:
        matter = {min(matter)}
    others = sum(used for cpu, used in busy.items() if cpu in matter) - own
    return Outcome(figures, report["context"], elapsed, max(0.0, others))


# ---------------------------------------------------------------------------- many windows


@dataclass(frozen=True)
class Variant:
    """One benchmark of one program; `name` is what Google Benchmark calls it."""

    subject: str
    work: str
    variant: str
    name: str


def list_variants(subject: str, program: Path) -> list[Variant]:
    listed = subprocess.run(
        [str(program), "--benchmark_list_tests"],
        capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    variants = []
    for name in listed.stdout.split():
        bare = re.sub(r"/(iterations:\d+|manual_time|real_time)", "", name)
        work, _, variant = bare.rpartition("/")
        variants.append(Variant(subject, work, variant, name))
    return variants


def git(*arguments: str) -> str:
    try:
        found = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return found.stdout.strip()


def processor_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.machine()


class Results:
    """Appends to the file of JSON Lines: a line about the run, then one for each window."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.file: TextIO = path.open("a")
        self.run = f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
        self.described = False

    def describe(self, context: dict[str, Any]) -> None:
        if self.described:
            return
        self.described = True
        self.write(
            {
                "kind": "run",
                "schema": SCHEMA,
                "run": self.run,
                "started": datetime.now(UTC).isoformat(timespec="seconds"),
                "machine": f"{platform.machine()}, {processor_model()}",
                "processors": len(os.sched_getaffinity(0)),
                "pinned": context.get("pinned"),
                "kernel": platform.release(),
                "libc": " ".join(platform.libc_ver()),
                "compiler": context.get("compiler"),
                "flags": context.get("flags"),
                "commit": git("rev-parse", "--short=12", "HEAD"),
                "changed_since_commit": bool(git("status", "--porcelain", "include", "bench")),
                "load": os.getloadavg()[0],
                "priority": -os.getpriority(os.PRIO_PROCESS, 0),
            }
        )

    def window(self, variant: Variant, number: int, outcome: Outcome, kept: bool) -> dict[str, Any]:
        self.describe(outcome.context)
        line = {
            "kind": "window",
            "run": self.run,
            "subject": variant.subject,
            "work": variant.work,
            "variant": variant.variant,
            "round": number,
            "kept": kept,
            "elapsed": round(outcome.elapsed, 4),
            "others_cpu": round(outcome.others, 4),
            "figures": outcome.figures,
        }
        self.write(line)
        return line

    def write(self, line: dict[str, Any]) -> None:
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()


class Progress:
    """One line on a terminal, rewritten; nothing elsewhere."""

    def __init__(self, windows: int) -> None:
        self.windows = windows
        self.done = 0
        self.start = time.monotonic()
        self.shown = sys.stderr.isatty()

    def step(self, variant: Variant, discarded: int) -> None:
        self.done += 1
        if not self.shown:
            return
        left = (time.monotonic() - self.start) / self.done * (self.windows - self.done)
        text = f"{self.done}/{self.windows} windows, {left:.0f} s left, {discarded} discarded"
        print(f"\r{text}: {variant.work}/{variant.variant}"[:99].ljust(99), end="",
              file=sys.stderr, flush=True)  # fmt: skip

    def close(self) -> None:
        if self.shown:
            print("\r" + " " * 99 + "\r", end="", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Plan:
    """What is to be measured."""

    variants: list[Variant]
    programs: dict[str, Path]
    repetitions: int
    seconds: dict[str, float]
    others_limit: float


def measure(plan: Plan, results: Results, windows: Windows) -> list[str]:
    """Fill `windows`; returns what went wrong. Interrupted, it leaves what was done."""
    troubles: list[str] = []
    broken: set[Variant] = set()
    progress = Progress(len(plan.variants) * plan.repetitions)
    try:
        for number in range(plan.repetitions):
            for variant in plan.variants:
                progress.step(variant, windows.discarded)
                if variant in broken:
                    continue
                try:
                    if not measure_one(plan, variant, number, results, windows):
                        troubles.append(f"{variant.work}/{variant.variant}: "
                                        f"round {number}: disturbed {TRIES} times")  # fmt: skip
                except Failed as failure:
                    broken.add(variant)
                    troubles.append(f"{variant.work}/{variant.variant}: {failure}")
    finally:
        progress.close()
    return troubles


def measure_one(
    plan: Plan, variant: Variant, number: int, results: Results, windows: Windows
) -> bool:
    seconds = plan.seconds[variant.subject]
    for _ in range(TRIES):
        outcome = run_window(plan.programs[variant.subject], variant.name, seconds)
        kept = not outcome.is_disturbed(plan.others_limit)
        windows.add(results.window(variant, number, outcome, kept))
        if kept:
            return True
    return False


# ---------------------------------------------------------------------------- tables


def plain(name: str) -> str:
    return name.replace("_", " ").replace("/", ", ").replace("threads:", "threads ")


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in [header, *rows]) for n in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "| " + " | ".join(cells) + " |"


def target_rows(windows: Windows, targets: Iterable[Target] = TARGETS) -> list[list[str]]:
    rows = []
    for target in targets:
        subject = SUBJECTS[target.subject]
        figure = target.figure or subject.figure
        ours = windows.values(target.subject, target.work, target.ours, figure)
        peer = None
        if target.peer is not None:
            peer = windows.values(target.subject, target.work, target.peer, figure)
        ratio = ratio_of_medians(ours, peer)
        if ratio is None:
            continue
        at_least = target.at_least
        sign = "≥" if at_least else "≤"
        what = "" if target.figure is None else f": {plain(figure)}"
        unit = " ×" if peer is not None else ""
        rows.append(
            [
                plain(target.work) + what,
                plain(target.ours),
                plain(target.peer) if target.peer else "—",
                f"{ratio.value:.3g}{unit} [{ratio.low:.3g}, {ratio.high:.3g}]",
                f"{sign} {target.bound:g}{unit}",
                ratio.verdict(target.bound, at_least),
            ]
        )
    return rows


def variant_rows(windows: Windows) -> list[list[str]]:
    rows = []
    for (subject_name, work, variant), rounds in windows.figures.items():
        subject = SUBJECTS[subject_name]
        middle = ratio_of_medians(windows.values(subject_name, work, variant, subject.figure), None)
        if middle is None:
            continue
        scale, unit = (1e6, "M " + subject.unit) if middle.value > 1e6 else (1.0, subject.unit)
        extras = []
        for figure in ("fairness", "cpu_ns_per_wake"):
            values = windows.values(subject_name, work, variant, figure)
            if values:
                extras.append(f"{plain(figure)} {statistics.median(values):.3g}")
        rows.append(
            [
                plain(work),
                plain(variant),
                f"{middle.value / scale:.4g} {unit}",
                f"[{middle.low / scale:.4g}, {middle.high / scale:.4g}]",
                str(len(rounds)),
                ", ".join(extras),
            ]
        )
    return rows


def print_tables(windows: Windows, everything: bool) -> None:
    targets = target_rows(windows)
    if targets:
        header = ("work", "ours", "peer", "ratio [95 % interval]", "target", "met?")
        print("\n".join(table(header, targets)))
        print()
    if everything or not targets:
        header = ("work", "variant", "median", "95 % interval", "windows", "also")
        print("\n".join(table(header, variant_rows(windows))))
        print()
    kept = sum(len(rounds) for rounds in windows.figures.values())
    print(f"{kept} windows kept, {windows.discarded} discarded and repeated because others "
          "used the processors")  # fmt: skip


def read_results(path: Path) -> Windows:
    windows = Windows()
    with path.open() as lines:
        for number, text in enumerate(lines, 1):
            try:
                line = json.loads(text)
                if line["kind"] == "window":
                    windows.add(line)
                elif line["schema"] != SCHEMA:
                    raise SystemExit(f"{path}:{number}: schema {line['schema']}, not {SCHEMA}")
            except (ValueError, KeyError) as problem:
                raise SystemExit(f"{path}:{number}: not a line of results: {problem}") from None
    return windows


# ---------------------------------------------------------------------------- command line


def subject_name(text: str) -> str:
    if text in SUBJECTS:
        return text
    near = difflib.get_close_matches(text, SUBJECTS, n=2, cutoff=0.4) or list(SUBJECTS)
    raise argparse.ArgumentTypeError(f"no subject {text!r}; did you mean {' or '.join(near)}?")


def pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as problem:
        raise argparse.ArgumentTypeError(f"{text!r} is no pattern: {problem}") from None


def positive(text: str) -> float:
    number = float(text)
    if number <= 0:
        raise argparse.ArgumentTypeError("must be above zero")
    return number


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description="Measures the library beside its peers and prints ratios and targets."
    )
    parser.add_argument("--subject", type=subject_name, action="append", metavar="NAME",
                        help=f"only this one of {', '.join(SUBJECTS)}; repeatable")  # fmt: skip
    parser.add_argument("--only", type=pattern, metavar="PATTERN",
                        help="only benchmarks whose work/variant this matches")  # fmt: skip
    parser.add_argument("--repetitions", type=int, metavar="N", help="windows a variant (11)")
    parser.add_argument("--window", type=positive, metavar="SECONDS", help="length of a window")
    parser.add_argument("--quick", action="store_true",
                        help="three short windows a variant: a first impression")  # fmt: skip
    parser.add_argument("--others", type=positive, default=0.15, metavar="SHARE",
                        help="discard windows in which others used more than this share of a "
                             "processor (0.15)")  # fmt: skip
    parser.add_argument("--all", action="store_true", help="also print every variant's median")
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build" / "bench", metavar="DIR",
                        help="where the programs were built (build/bench)")  # fmt: skip
    parser.add_argument("--results", type=Path, metavar="FILE",
                        help="append to this file (BUILD_DIR/results.jsonl)")  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="FILE",
                        help="measure nothing: print the tables of these results")  # fmt: skip
    arguments = parser.parse_args()
    if arguments.repetitions is not None and arguments.repetitions < 1:
        parser.error("--repetitions: at least one")
    return arguments


def find_program(directory: Path, name: str) -> Path | None:
    for place in (directory / "bench" / "library" / name, directory / "library" / name):
        if os.access(place, os.X_OK):
            return place
    return None


def make_plan(arguments: argparse.Namespace) -> Plan:
    programs: dict[str, Path] = {}
    variants: list[Variant] = []
    for name in arguments.subject or SUBJECTS:
        program = find_program(arguments.build_dir, SUBJECTS[name].program)
        if program is None:
            print(f"fencepost: {name} is not built in {arguments.build_dir}: left out",
                  file=sys.stderr)  # fmt: skip
            continue
        programs[name] = program
        variants += list_variants(name, program)
    if not programs:
        raise SystemExit("fencepost: no benchmark is built; 'make bench' builds them, or cmake "
                         "with -DFENCEPOST_BENCH=ON")  # fmt: skip
    if arguments.only:
        variants = [v for v in variants if arguments.only.search(f"{v.work}/{v.variant}")]
        if not variants:
            raise SystemExit(f"fencepost: no benchmark matches {arguments.only.pattern!r}")
    repetitions = arguments.repetitions or (3 if arguments.quick else 11)
    shorter = 0.4 if arguments.quick else 1.0
    seconds = {name: arguments.window or SUBJECTS[name].seconds * shorter for name in programs}
    return Plan(variants, programs, repetitions, seconds, arguments.others)


def stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    arguments = parse_arguments()
    if arguments.report:
        if not arguments.report.is_file():
            raise SystemExit(f"fencepost: no such file: {arguments.report}")
        print_tables(read_results(arguments.report), arguments.all)
        return 0
    signal.signal(signal.SIGTERM, stop)
    plan = make_plan(arguments)
    # Ahead of what else runs here, where that is permitted; the results say whether it was.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
    results = Results(arguments.results or arguments.build_dir / "results.jsonl")
    windows = Windows()
    troubles: list[str] = []
    status = 0
    try:
        troubles = measure(plan, results, windows)
    except KeyboardInterrupt:
        print("\nfencepost: interrupted; this is what was measured until then", file=sys.stderr)
        status = 130
    print_tables(windows, arguments.all)
    print(f"every window is in {results.path}")
    for trouble in troubles:
        print(f"fencepost: {trouble}", file=sys.stderr)
    return status or (1 if troubles else 0)


if __name__ == "__main__":
    sys.exit(main())
