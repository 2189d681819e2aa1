# SPDX-License-Identifier: MIT
"""Runs benchmarks as experiments: round by round, in each every variant once, in an order drawn
anew; each window in a process of its own; and a window in which others used the processors is
thrown away and repeated. Prints the ratio of ours to each peer with an interval, beside its target.
Every window is kept in a file as it ends, which `fencepost compare` reads too."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shlex
import signal
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from fencepost.commands import bench_server, layout
from fencepost.commands.bench_server import SERVER
from fencepost.compare.command import pin, processor_list
from fencepost.console.arguments import (
    count,
    count_or_none,
    new_file,
    pattern,
    positive,
    seconds,
    seed_number,
)
from fencepost.console.input_error import UnusableInput
from fencepost.console.packages import require_numpy_and_scipy
from fencepost.measure.command import carried_out, run_ahead_of_others
from fencepost.measure.counters import Counters
from fencepost.measure.experiment import (
    OTHERS,
    ROUNDS,
    WARM_UP,
    Earlier,
    Experiment,
    Request,
    make_experiment,
    measure,
    nearest,
)
from fencepost.measure.programs import (
    BUILD_DIR,
    INSTALL_PEERS,
    Measurable,
    Program,
    find_program,
    missing_peers,
    own_program,
    programs_of,
)
from fencepost.measure.quick import BY_ITSELF
from fencepost.measure.results import Results, Windows, commit_facts, read_measured, windows_of
from fencepost.measure.resume import ResumedRun, begun
from fencepost.measure.subjects import SUBJECTS
from fencepost.measure.window import Taking
from fencepost.results.file import ResultsFile, read_file
from fencepost.results.machine import machine_facts
from fencepost.results.schema import part_of
from fencepost.results.store import add_to_store, is_store
from fencepost.runners.known import RUNNERS, hand_over, hand_over_quick
from fencepost.servers.known import server_of
from fencepost.system.json_text import understood

EXIT_UNUSABLE = 3
#: Behind --: with --layout flags of the compiler, and options of those that measure by themselves.
PASSES_ON = True
#: Some variants of all subjects, in few and short windows.
QUICK = "quick"
_DATABASES = (".db", ".sqlite", ".sqlite3")

EPILOG = (
    """\
examples:
  fencepost bench --list                      what can be measured, and what it answers
  fencepost bench quick                       a first impression of everything
  fencepost bench locks_contended --rounds 15
  fencepost bench --only 'parking_lot$|fencepost_mutex' --all
  fencepost bench rings --variants fencepost_spsc_ring,rtrb --into results.db
  fencepost bench --resume build/bench/results.jsonl
  fencepost bench atomics -- --plots plots    (what --list calls "by itself" has options of its own)
  fencepost bench --program ./my_benchmark --into mine.jsonl
  fencepost bench rings --cluster tcp://192.168.0.10:8786 --into machines.jsonl

Programs are built when they are missing or older than their sources. How it is measured, and what
the tables say: docs/lab/measurement_method.md. What is in the file: docs/lab/results.md.

exit status: 0, 1 if a benchmark failed, was always disturbed, or its result could not be written, 3
if nothing could be measured, 130 if it was interrupted; what was measured is kept and printed

"""
    + bench_server.EXAMPLES
    + layout.EXAMPLES
)


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subjects",
        nargs="*",
        metavar="SUBJECT",
        help="what to measure (all); quick: a first impression",
    )
    what = parser.add_argument_group("what")
    what.add_argument(
        "--list", action="store_true", help="measure nothing: say what there is, with its variants"
    )
    what.add_argument(
        "--program",
        type=Path,
        metavar="FILE",
        help="measure this Google Benchmark program instead of ours",
    )
    what.add_argument(
        "--only",
        type=pattern,
        metavar="PATTERN",
        help="only benchmarks whose subject/work/variant this matches",
    )
    what.add_argument(
        "--variants", type=_names, action="extend", metavar="A,B", help="only these variants"
    )
    how = parser.add_argument_group("how")
    how.add_argument(
        "--rounds", type=count, metavar="N", help=f"windows of each variant ({ROUNDS})"
    )
    how.add_argument(
        "--seconds", type=seconds, metavar="S", help="length of a window (the subject's)"
    )
    how.add_argument(
        "--warm-up",
        type=count_or_none,
        metavar="N",
        help=f"windows before a variant's first that are thrown away ({WARM_UP})",
    )
    how.add_argument(
        "--others",
        type=positive,
        metavar="SHARE",
        help=f"discard windows in which others used more than this share of a processor ({OTHERS})",
    )
    how.add_argument(
        "--cpu", type=processor_list, metavar="LIST", help="only on these processors: 1 or 0,2-3"
    )
    how.add_argument(
        "--seed",
        type=seed_number,
        metavar="N",
        help="of the orders, which are drawn by lot otherwise",
    )
    how.add_argument(
        "--timeout",
        type=seconds,
        metavar="SECONDS",
        help="longer, and a benchmark has failed (60 and 20 windows)",
    )
    how.add_argument(
        "--build-dir", type=Path, metavar="DIR", help="build nothing: measure what is built there"
    )
    how.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="measure at every worker of this Dask cluster, and nothing here",
    )
    how.add_argument(
        "--facts", action="store_true", help="measure nothing: print as JSON what would be measured"
    )
    kept = parser.add_argument_group("results")
    kept.add_argument(
        "--into",
        type=new_file,
        metavar="FILE",
        help="append to this file (build/bench/results.jsonl; of --program: "
        "its name.jsonl); results.db: to results.db.jsonl, and in the end "
        "to that database",
    )
    kept.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="go on with the last run of this file where it stopped",
    )
    kept.add_argument(
        "--all", action="store_true", help="also print every variant's typical figure"
    )
    kept.add_argument(
        "--report",
        type=Path,
        metavar="FILE",
        help="measure nothing: print the tables of these results",
    )
    bench_server.add_arguments(parser.add_argument_group("servers on our locks"))
    layout.add_arguments(parser.add_argument_group("the same code at other places"))


def run(args: argparse.Namespace) -> int:
    try:
        return _run(args)
    except UnusableInput as problem:
        print(f"fencepost: {problem}", file=sys.stderr)
        return EXIT_UNUSABLE


def _run(args: argparse.Namespace) -> int:
    if args.layout:
        return layout.run(args)
    if runners := [name for name in args.subjects if name in RUNNERS]:
        if set(args.subjects) - {QUICK, runners[0]}:
            raise UnusableInput(f"{runners[0]} is measured by itself, not with other subjects")
        hand_over(runners[0], args, QUICK in args.subjects)
    if args.passed_on:
        raise UnusableInput(
            f"what follows -- is for {', '.join(RUNNERS)}, and with --layout for the compiler"
        )
    asked = bench_server.asked_of_servers(args, _asked(args))
    if args.report:
        require_numpy_and_scipy("bench --report")
        from fencepost.report.bench_tables import print_groups

        print_groups(read_measured(args.report), args.all)
        return 0
    if args.list:
        print("\n".join(_list(asked, args.build_dir or BUILD_DIR)))
        return 0
    if args.cluster:
        return _on_cluster(args, asked)
    if args.cpu:
        pin(args.cpu)
    if not args.facts:
        require_numpy_and_scipy("bench")
    earlier = None
    if args.resume:
        with understood(f"--resume {args.resume}"):
            earlier = begun(args.resume, asked)
    if earlier:
        asked = earlier.asked
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    experiment = make_experiment(asked, _programs(asked, args.build_dir))
    if args.facts:
        print(json.dumps(_facts(experiment)))
        return 0
    status = _measured(args, experiment, earlier)
    return _first_impression(args, asked, status) if asked.quick else status


def _first_impression(args: argparse.Namespace, asked: Request, status: int) -> int:
    """What `quick` measures besides, and its last words."""
    files = [args.resume or args.into or BUILD_DIR / "quick.jsonl"]
    of_everything = asked == replace(Request(), quick=True, seed=asked.seed, others=asked.others)
    if of_everything and not (args.resume or args.into or args.build_dir or status == 130):
        for name, words in BY_ITSELF.items():
            _say(f"{name}: {RUNNERS[name].question}")
            file = _kept_apart(BUILD_DIR / f"quick-{name}.jsonl")
            more = ["--others", str(args.others)] if args.others else []
            status = max(status, hand_over_quick(name, [*words, *more, "--results", str(file)]))
            if file.is_file():
                files.append(file)
    drawn = shlex.join(map(str, files))
    print(
        "This is a first impression: some of the variants, in few and short windows. "
        "'fencepost bench SUBJECT' measures a subject properly, and\n"
        "'fencepost bench litmus' shows what the fences order;\n"
        f"'fencepost report {drawn}' draws these."
    )
    return status


def _asked(args: argparse.Namespace) -> Request:
    names = tuple(dict.fromkeys(name for name in args.subjects if name != QUICK))
    for name in names:
        if name not in SUBJECTS and name != SERVER and not server_of(name):
            known = [*SUBJECTS, *RUNNERS, SERVER, QUICK]
            raise UnusableInput(f"there is no subject {name!r}; {nearest(name, known)}")
    if args.program and args.subjects:
        raise UnusableInput("--program measures that program, and no subject besides")
    return Request(
        names,
        os.path.realpath(args.program) if args.program else None,
        QUICK in args.subjects,
        args.only.pattern if args.only else None,
        tuple(args.variants) if args.variants else None,
        args.rounds,
        args.seconds,
        args.warm_up,
        args.others,
        args.seed,
    )


def _programs(asked: Request, directory: Path | None) -> Sequence[Measurable]:
    if asked.program is not None:
        return [own_program(Path(asked.program))]
    if any(map(server_of, asked.subjects)):
        return bench_server.server_programs(asked, directory is not None)
    return programs_of(asked.subjects or tuple(SUBJECTS), directory)


def _list(asked: Request, directory: Path) -> Iterator[str]:
    if any(map(server_of, asked.subjects)):
        yield from bench_server.list_servers(asked)
        return
    programs: list[Program] = []
    if asked.program is not None:
        programs.append(own_program(Path(asked.program)))
    for name in () if asked.program else asked.subjects or SUBJECTS:
        path = find_program(directory, name)
        if path is None:
            yield f"{name}: {SUBJECTS[name].question} (not built yet)"
        else:
            programs.append(Program(SUBJECTS[name], path))
    for program in programs:
        yield f"{program.name}: {program.subject.question}"
        works: dict[str, list[str]] = {}
        for one in program.variants():
            works.setdefault(one.work, []).append(one.variant)
        together: dict[tuple[str, ...], list[str]] = {}
        for work, variants in works.items():
            together.setdefault(tuple(variants), []).append(work)
        for some, of in together.items():
            yield f"  {', '.join(of)}".rstrip()
            yield f"    {', '.join(some)}"
    if asked == Request():
        for name, runner in RUNNERS.items():
            yield f"{name}: {runner.question} (by itself)"
        yield f"{SERVER}: {bench_server.QUESTION} (by itself)"
        yield from bench_server.missing_servers()
        if lacking := missing_peers(directory):
            yield (
                f"peers that these programs were built without: {lacking}; {INSTALL_PEERS} "
                "installs what is missing, and the next run takes it in"
            )


def _facts(experiment: Experiment) -> dict[str, Any]:
    commit = next(iter(experiment.programs.values())).commit_facts()
    return {**machine_facts(), **commit, "experiment": experiment.to_json()}


def _on_cluster(args: argparse.Namespace, asked: Request) -> int:
    for option in ("program", "resume", "facts"):
        if getattr(args, option):
            raise UnusableInput(f"--{option} does not go together with --cluster")
    require_numpy_and_scipy("bench")
    from fencepost.measure.cluster import run_on_cluster, words_of
    from fencepost.report.bench_tables import print_tables

    if asked.seed is None:
        asked = replace(asked, seed=random.SystemRandom().randrange(2**31))
    words = words_of(asked, args.timeout, args.cpu)
    if args.build_dir:
        words.append(f"--build-dir={args.build_dir.resolve()}")
    database = args.into if args.into and _is_database(args.into) else None
    usual = BUILD_DIR / "cluster.jsonl"
    path = _lines_beside(database) if database else args.into or usual
    file = ResultsFile(path)
    sites, interrupted = run_on_cluster(args.cluster, words, commit_facts(), file)
    with contextlib.suppress(UnusableInput):  # a full disk has been told of
        file.close()
    for run in [run for site in sites for run in site.runs]:
        found = part_of(read_file(path), run)
        print(f"{run}: {found.runs[run].facts.get('machine')}\n")
        print_tables(windows_of(found), args.all or asked.quick, targets=not asked.quick)
        print()
        if database:
            _add(database, path, run)
    print(
        f"every window is in {path}; 'fencepost compare RUN RUN --across-machines --results "
        f"{path}' compares two runs"
    )
    return 130 if interrupted else 1 if any(site.trouble for site in sites) else 0


def _measured(args: argparse.Namespace, experiment: Experiment, earlier: ResumedRun | None) -> int:
    program = next(iter(experiment.programs.values()))
    commit = program.commit_facts()
    database = args.into if args.into and _is_database(args.into) else None
    run, facts, windows, done = "", {}, Windows(), Earlier()
    if earlier:
        if args.into and not database:
            raise UnusableInput("--resume goes on in its own file; leave --into out")
        path = args.resume
        with understood(f"--resume {path}"):
            earlier.check_same(experiment, commit)
            run, facts, windows = earlier.run.id, dict(earlier.run.facts), earlier.windows
            done = earlier.earlier(experiment)
    else:
        path = _lines_beside(database) if database else args.into or _usual_file(experiment)
    counters = Counters()
    servers = {}
    for one in experiment.programs.values():
        servers.update(one.facts())
    subjects = {name: one.subject for name, one in experiment.programs.items()}
    more = {
        **commit,
        "experiment": experiment.to_json(),
        "counters": list(counters.names) or counters.why_not,
    }
    if servers:
        more["servers"] = servers
    results = Results(path, subjects, more, run, facts)
    run_ahead_of_others()
    if not counters.names:
        _say(f"no cycles and instructions are counted here ({counters.why_not})")
    if done.failed:
        _say(f"{len(done.failed)} benchmarks failed earlier and are left out")

    def finish() -> None:
        counters.close()
        _tell(experiment, windows, results, args.all)
        if database:
            _add(database, path, results.run)

    taking = Taking(args.timeout, counters)
    return carried_out(lambda: measure(experiment, taking, results, windows, done), finish, path)


def _tell(experiment: Experiment, windows: Windows, results: Results, everything: bool) -> None:
    # Only here: what is judged needs packages that are slow to load, and not always there.
    from fencepost.report.bench_tables import print_tables

    windows.metrics = {name: one.subject.metrics for name, one in experiment.programs.items()}
    quick = experiment.asked.quick
    servers = any(map(server_of, experiment.programs))
    print_tables(windows, everything or quick or servers, targets=not quick)
    if results.pinned is False:
        _say(
            "threads could not be pinned to processors (sched_setaffinity is not permitted here): "
            "the scheduler placed them, and figures vary more for it"
        )


def _add(database: Path, path: Path, run: str) -> None:
    """This run, to a database; what was measured is in the file in any case."""
    try:
        runs, windows = add_to_store(database, part_of(read_file(path), run))
        print(f"added to {database}: {runs} runs, {windows} windows")
    except (UnusableInput, KeyError) as problem:
        _say(f"{database}: nothing was added: {problem}")


def _usual_file(experiment: Experiment) -> Path:
    """Where nobody names one. That of a first impression holds the last one alone."""
    program = next(iter(experiment.programs.values()))
    if program.foreign:
        return Path(f"{program.name}.jsonl")
    servers = any(map(server_of, experiment.programs))
    if not experiment.asked.quick:
        return BUILD_DIR / ("server.jsonl" if servers else "results.jsonl")
    return _kept_apart(BUILD_DIR / ("quick-server.jsonl" if servers else "quick.jsonl"))


def _kept_apart(path: Path) -> Path:
    """This file, free for new results: what is in it becomes that of the time before."""
    if path.is_file():
        path.replace(path.with_suffix(".previous.jsonl"))
    return path


def _lines_beside(database: Path) -> Path:
    """Where windows are written as they end: a database is added to in the end."""
    return database.with_name(database.name + ".jsonl")


def _is_database(path: Path) -> bool:
    return path.suffix in _DATABASES or (path.is_file() and is_store(path))


def _say(text: str) -> None:
    print(f"fencepost: {text}", file=sys.stderr)
