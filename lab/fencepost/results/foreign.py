# SPDX-License-Identifier: MIT
"""What others wrote, as results of ours: Google Benchmark's JSON, and what sysbench prints.

Neither says that its repetitions were taken in turns, so none is taken to be."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from fencepost.console.input_error import UnusableInput
from fencepost.results.schema import Failure, Measured, Metric, Run, Window
from fencepost.system.json_text import as_figure, in_words

NANOSECONDS = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
#: Of a row of Google Benchmark: numbers that are no figures.
_NO_FIGURES = {
    "family_index",
    "per_family_instance_index",
    "repetitions",
    "repetition_index",
    "threads",
    "iterations",
    "one_thread",
}
_CLOCK_WORDS = re.compile(r"(iterations|repeats|min_time|min_warmup_time):.*|\w+_time")
_PARAMETER = re.compile(r"[\w ]+:[\w.+-]+|-?\d+(\.\d+)?")


def google_benchmark(path: Path, report: Mapping[str, Any]) -> Measured:
    """`--benchmark_format=json`, with or without repetitions. Numbers and NAME:VALUE in a
    benchmark's name are parameters of its work; the rest is the variant."""
    try:
        return _google_benchmark(path, report)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise UnusableInput(
            f"{path}: not as Google Benchmark writes it: {in_words(problem)}"
        ) from None


def _google_benchmark(path: Path, report: Mapping[str, Any]) -> Measured:
    context = dict(report.get("context", {}))
    subject = Path(str(context.get("executable", _stem(path)))).name
    rows = [row for row in report["benchmarks"] if row.get("run_type") != "aggregate"]
    if not rows:
        raise UnusableInput(f"{path}: no benchmark in it was run")
    id = _identity(path, repr(report))
    windows: list[Window] = []
    failures: list[Failure] = []
    rounds: dict[str, int] = {}
    figures: dict[str, None] = {}
    _check_families(rows)
    names = works_and_variants(map(_name_of, rows))
    for row in rows:
        name = _name_of(row)
        number = rounds[name] = rounds.get(name, -1) + 1
        work, variant = names[name]
        if row.get("error_occurred"):
            message = str(row.get("error_message", "failed"))
            failures.append(Failure(id, subject, work, variant, number, message))
            continue
        found = _figures(row)
        figures.update(dict.fromkeys(found))
        windows.append(Window(id, subject, work, variant, number, found))
    metrics = metrics_of(figures, [str(row["name"]) for row in rows])
    facts = {
        "started": context.get("date"),
        "machine": context.get("host_name"),
        "processors": context.get("num_cpus"),
        "load": next(iter(context.get("load_avg") or []), None),
        "from": "google-benchmark",
        **{key: context[key] for key in ("compiler", "flags", "commit") if key in context},
    }
    run = Run(id, False, {subject: metrics}, facts)
    return Measured({id: run}, windows, failures)


def _figures(row: Mapping[str, Any]) -> dict[str, float]:
    found = {
        str(key): as_figure(value)
        for key, value in row.items()
        if isinstance(value, int | float) and not isinstance(value, bool) and key not in _NO_FIGURES
    }
    scale = NANOSECONDS[row.get("time_unit", "ns")]
    for clock in ("real_time", "cpu_time"):
        if clock in found:
            found[clock] *= scale
    return found


def metrics_of(figures: Iterable[str], names: Iterable[str]) -> list[Metric]:
    """Metrics of figures of benchmarks with these names; what they are timed by comes first."""
    by_the_wall = any(re.search("/(real|manual)_time", name) for name in names)
    main = "real_time" if by_the_wall else "cpu_time"
    return [metric_of(figure) for figure in sorted(figures, key=lambda one: (one != main, one))]


def metric_of(figure: str) -> Metric:
    """What a figure of Google Benchmark's is."""
    if figure in ("real_time", "cpu_time"):
        return Metric(figure, "ns", "lower")
    if figure.endswith("_per_second"):
        return Metric(figure, figure.removesuffix("_per_second") + "/s", "higher")
    return Metric(figure, "", "")


def _name_of(row: Mapping[str, Any]) -> str:
    return str(row.get("run_name", row["name"]))


def _check_families(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raises ValueError where two benchmarks have one name."""
    families: dict[str, Any] = {}
    for row in rows:
        name = _name_of(row)
        family = (row.get("family_index"), row.get("per_family_instance_index"))
        if families.setdefault(name, family) != family:
            raise ValueError(
                f"two benchmarks are named {name!r}, and their figures cannot be told apart; name "
                "them apart, or run one of them alone (--benchmark_filter)"
            )


def works_and_variants(names: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Split each benchmark's name into its parameters and the rest; no two have both the same."""
    found = {name: work_and_variant(name) for name in names}
    # What says how a benchmark was timed tells those apart that differ in nothing else; then where
    # a parameter stands.
    for closer in (lambda name: work_and_variant(name, whole=True), lambda name: ("", name)):
        times = Counter(found.values())
        found |= {name: closer(name) for name in found if times[found[name]] > 1}
    return found


def work_and_variant(name: str, whole: bool = False) -> tuple[str, str]:
    """Split a benchmark's name into its parameters and the rest. What says how it was timed is kept
    only with `whole`."""
    parts = [part for part in name.split("/") if whole or not _CLOCK_WORDS.fullmatch(part)]
    parameters = [part for part in parts[1:] if _PARAMETER.fullmatch(part)]
    rest = parts[:1] + [part for part in parts[1:] if not _PARAMETER.fullmatch(part)]
    return "/".join(parameters), "/".join(rest)


_SYSBENCH = re.compile(r"^sysbench [\d.]+", re.MULTILINE)
_NUMBER = r"(\d+(?:\.\d+)?)(?![\d.])"
_PATTERNS = {
    "transactions_per_second": rf"^[ \t]*transactions:\s+\d+\s+\({_NUMBER} per sec",
    "queries_per_second": rf"^[ \t]*queries:\s+\d+\s+\({_NUMBER} per sec",
    "events_per_second": rf"^[ \t]*events per second:\s+{_NUMBER}",
    "latency_average": rf"^[ \t]*avg:\s+{_NUMBER}",
    "latency_95th_percentile": rf"^[ \t]*95th percentile:\s+{_NUMBER}",
    "total_time": rf"^[ \t]*total time:\s+{_NUMBER}s",
}
_SYSBENCH_METRICS = (
    Metric("transactions_per_second", "transactions/s", "higher"),
    Metric("queries_per_second", "queries/s", "higher"),
    Metric("events_per_second", "events/s", "higher"),
    Metric("total_time", "s", "lower"),
    Metric("latency_average", "ms", "lower"),
    Metric("latency_95th_percentile", "ms", "lower"),
)


def looks_like_sysbench(text: str) -> bool:
    return bool(_SYSBENCH.search(text[:4000])) and not text.lstrip().startswith("{")


def sysbench(path: Path, text: str) -> Measured:
    """A file may hold one run or several. Its name, less a number at its end, is the variant:
    trunk.1.log and trunk.2.log are two rounds of trunk."""
    numbered = re.fullmatch(r"(.+?)[._-](\d+)", _stem(path))
    variant, first = (numbered[1], int(numbered[2][-9:])) if numbered else (_stem(path), 0)
    id = _identity(path, text)
    starts = [match.start() for match in _SYSBENCH.finditer(text)] + [len(text)]
    windows: list[Window] = []
    failures: list[Failure] = []
    for number, (start, end) in enumerate(itertools.pairwise(starts), first):
        piece = text[start:end]
        found = {
            name: as_figure(match[1])
            for name, pattern in _PATTERNS.items()
            if (match := re.search(pattern, piece, re.MULTILINE))
        }
        threads = re.search(r"^Number of threads:\s+(\d+)", piece, re.MULTILINE)
        work = f"threads:{threads[1]}" if threads else ""
        if "total_time" not in found:
            failures.append(Failure(id, "sysbench", work, variant, number, "it did not end"))
            continue
        windows.append(Window(id, "sysbench", work, variant, number, found))
    measured = {name for window in windows for name in window.figures}
    metrics = [metric for metric in _SYSBENCH_METRICS if metric.figure in measured]
    run = Run(id, False, {"sysbench": metrics}, {"from": "sysbench"})
    return Measured({id: run}, windows, failures)


def _stem(path: Path) -> str:
    """Its name is text here, whatever its bytes are."""
    return path.stem.encode(errors="replace").decode()


def _identity(path: Path, text: str) -> str:
    """The same file is the same run, however often it is read."""
    return f"{_stem(path)}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
