# SPDX-License-Identifier: MIT
"""`fencepost bench server`: servers and other programs as they are installed, on one lock after the
other, measured as everything else is (docs/lab/servers.md)."""

from __future__ import annotations

import argparse
import fnmatch
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fencepost import ROOT
from fencepost.console.arguments import count
from fencepost.console.input_error import UnusableInput
from fencepost.measure.experiment import Request, nearest
from fencepost.measure.results import commit_facts
from fencepost.measure.subjects import Subject
from fencepost.measure.watched import Failed
from fencepost.measure.window import Outcome, Taking, Variant
from fencepost.run.locks import GLIBC, locks, unsound_locks
from fencepost.servers.known import SERVERS, server_of
from fencepost.servers.locks import lock_figures
from fencepost.servers.place import Place, open_place
from fencepost.servers.stage import Stage
from fencepost.servers.subject import LOCKS, Server

#: The subject that stands for all of them.
SERVER = "server"
QUESTION = "how fast are servers and other installed programs on each lock?"
#: What is measured where nobody says: each window has a server of its own, and takes some seconds.
ROUNDS = 3
USUAL_LOCKS = (GLIBC, "mutex", "futex_mutex")
QUICK_LOCKS = (GLIBC, "mutex")

EXAMPLES = f"""\
servers, unmodified, on each lock (docs/lab/servers.md; scripts/install_bench_packages.sh has them):
  fencepost bench --list server               which there are, with their loads
  fencepost bench server quick                a first impression, in two minutes
  fencepost bench server --servers {",".join(list(SERVERS)[:2])} --rounds 11
  fencepost bench server --servers redis --locks glibc,mutex --threads 2,4
  fencepost compare mutex glibc --results build/bench/server.jsonl

"""


def _names(text: str) -> list[str]:
    return [name for name in text.split(",") if name]


def _counts(text: str) -> list[int]:
    return [count(one) for one in _names(text)]


def add_arguments(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--servers",
        type=_names,
        metavar="A,B",
        help=f"these of {', '.join(SERVERS)} (all that are installed)",
    )
    group.add_argument(
        "--locks",
        type=_names,
        action="extend",
        dest="variants",
        metavar="A,B",
        help=f"those of 'fencepost run --list' ({', '.join(USUAL_LOCKS)})",
    )
    group.add_argument(
        "--threads",
        type=_counts,
        metavar="N,M",
        help="connections or threads, as the server has it (--list)",
    )
    group.add_argument(
        "--workloads",
        type=_names,
        metavar="A,B",
        help="loads of --list, or patterns of them such as 'oltp_*'; all: every one",
    )


def asked_of_servers(args: argparse.Namespace, asked: Request) -> Request:
    """Replace `server` by those that are wanted and installed. Raises UnusableInput."""
    wanted = SERVER in asked.subjects
    named = [one for one in asked.subjects if server_of(one)]
    for option in ("servers", "threads", "workloads"):
        if getattr(args, option) and not wanted and not named and not args.resume:
            raise UnusableInput(f"--{option} is for 'fencepost bench server'")
    if not wanted and not named:
        return asked
    if others := [one for one in asked.subjects if one != SERVER and one not in named]:
        raise UnusableInput(f"{SERVER} is measured by itself, not with {others[0]}")
    if wanted:
        chosen = args.servers or list(SERVERS)
        for name in chosen:
            if name not in SERVERS:
                raise UnusableInput(f"there is no server {name!r}; {nearest(name, SERVERS)}")
        found = [SERVERS[name]() for name in dict.fromkeys(chosen)]
        for one in found:
            # What is only listed need not be installed.
            if not args.report and (args.list or _is_there(one)):
                named += [one.subject.program, one.locks_subject.program]
        if not named and not args.report:
            raise UnusableInput(
                "none of these servers is installed; scripts/install_bench_packages.sh installs "
                "them all"
            )
    return replace(
        asked,
        subjects=tuple(dict.fromkeys(named)),
        threads=tuple(args.threads) if args.threads else None,
        workloads=tuple(args.workloads) if args.workloads else None,
        rounds=asked.rounds if asked.quick else asked.rounds or ROUNDS,
        # A window has a server of its own: none is like a first one.
        warm_up=asked.warm_up or 0,
    )


def _is_there(server: Server) -> bool:
    """Says what is missing where it is not."""
    lacking = server.lacking()
    if lacking:
        missing = " and ".join(one.program for one in lacking)
        print(
            f"fencepost: {server.name} is left out: {missing} is {_not_installed(server)}",
            file=sys.stderr,
        )
    return not lacking


def _not_installed(server: Server) -> str:
    """How the missing programs of a server are installed."""
    packages = dict.fromkeys(tool.package for tool in server.lacking())
    return f"not installed: apt-get install {' '.join(packages)}"


def missing_servers() -> Iterable[str]:
    """A line for each server that cannot be measured here, for the list of everything."""
    for server in (kind() for kind in SERVERS.values()):
        if server.lacking():
            yield f"  {server.name}: {_not_installed(server)}"


@dataclass
class _SharedPlace:
    """Opened when the first window is taken, by whichever server it is."""

    place: Place | None = None

    def open(self) -> Place:
        if self.place is None:
            self.place = open_place()
        return self.place

    def close(self) -> None:
        if self.place is not None:
            self.place.close()
        self.place = None


@dataclass
class ServerProgram:
    """A server in the place of a benchmark program: its windows are taken by itself."""

    server: Server
    works: Sequence[tuple[str, int]]
    locks: Sequence[str]
    shared: _SharedPlace
    counts_locks: bool
    #: Why it cannot be prepared, once that is known.
    unprepared: str = ""
    prepared: bool = False

    foreign = False

    @property
    def subject(self) -> Subject:
        return self.server.locks_subject if self.counts_locks else self.server.subject

    @property
    def name(self) -> str:
        return self.subject.program

    def variants(self) -> list[Variant]:
        return [
            Variant(self.name, f"{workload}/threads:{threads}", lock, f"{workload} {threads}")
            for workload, threads in self.works
            for lock in self.locks
        ]

    def fingerprint(self) -> str:
        """The same for the same programs and the same locks."""
        found = hashlib.sha256()
        files = [shutil.which(tool.program) or "" for tool in self.server.tools]
        known = locks() | unsound_locks()
        files += [str(known[lock].library) for lock in self.locks if lock != GLIBC]
        for path in files:
            with Path(path).open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
        return found.hexdigest()[:16]

    def commit_facts(self) -> dict[str, Any]:
        return commit_facts()

    def facts(self) -> dict[str, Any]:
        try:
            return {self.server.name: self.server.versions()}
        except Failed as failure:
            raise UnusableInput(f"{self.server.name}: {failure}") from None

    def window(self, variant: Variant, seconds: float, taking: Taking) -> Outcome:
        """Raises Failed."""
        workload, threads = variant.name.split(" ")
        place = self.shared.open()
        self._prepare(place)
        with place.window() as folder:
            stage = Stage(folder, variant.variant, taking.patience, self.counts_locks)
            done = self.server.measured(stage, workload, int(threads), seconds)
            figures = done.figures
            if self.counts_locks:
                figures = lock_figures(stage.counts, done.count)
        return Outcome(figures, {}, done.loaded.elapsed, done.loaded.others)

    def _prepare(self, place: Place) -> None:
        if self.unprepared:
            raise Failed(self.unprepared)
        if not self.prepared:
            own = place.folder / self.name
            own.mkdir()
            try:
                self.server.prepare(own)
            except Failed as failure:
                self.unprepared = str(failure)
                raise
            self.prepared = True

    def close(self) -> None:
        self.shared.close()


def server_programs(asked: Request, built: bool) -> list[ServerProgram]:
    """Return the programs for those of the subjects that are servers. Raises UnusableInput."""
    wanted = {one: list(_works(one, asked)) for one in map(server_of, asked.subjects) if one}
    if not any(wanted.values()):
        every = sorted(name for one in SERVERS.values() for name in one.workloads)
        names = ", ".join(asked.workloads or ())
        raise UnusableInput(f"no load is called {names}; {nearest(names, every)}")
    if not built:
        _build_locks()
    known = [GLIBC, *locks(), *unsound_locks()]
    for lock in asked.variants or ():
        if lock not in known:
            raise UnusableInput(
                f"there is no lock {lock!r}; {nearest(lock, known)}; 'fencepost run --list' "
                "names them"
            )
    chosen = asked.variants or (QUICK_LOCKS if asked.quick else USUAL_LOCKS)
    shared = _SharedPlace()
    return [
        ServerProgram(kind(), wanted[kind], chosen, shared, subject.endswith(LOCKS))
        for subject in asked.subjects
        if (kind := server_of(subject)) and wanted[kind]
    ]


def _works(server: type[Server], asked: Request) -> Iterable[tuple[str, int]]:
    for workload in server.workloads:
        if _is_wanted(workload, server.usual, asked.workloads):
            for threads in asked.threads or (server.usual_threads,):
                yield workload, threads


def _is_wanted(workload: str, usual: Sequence[str], wanted: Sequence[str] | None) -> bool:
    if wanted is None:
        return workload in usual
    return any(
        one == "all" or fnmatch.fnmatchcase(workload, one) or workload.startswith(f"{one}/")
        for one in wanted
    )


def _build_locks() -> None:
    script = ROOT / "scripts" / "build.sh"
    if script.is_file() and "FENCEPOST_BUILD_DIR" not in os.environ:
        targets = ("fencepost_preload", "fencepost_profiler")
        built = subprocess.run(
            [str(script), "release", *targets], capture_output=True, text=True, errors="replace"
        )
        if built.returncode != 0:
            last = "\n".join((built.stdout + built.stderr).strip().splitlines()[-15:])
            raise UnusableInput(f"the locks cannot be built:\n{last}")
    if not locks():
        raise UnusableInput("no lock is built for programs; run 'make build'")


def list_servers(asked: Request) -> Iterable[str]:
    """What there is, for --list."""
    kinds = dict.fromkeys(kind for name in asked.subjects if (kind := server_of(name)))
    for kind in kinds:
        server = kind()
        yield f"{server.subject.program}: {server.question}"
        if server.lacking():
            yield f"  {_not_installed(server)}"
        for workload in server.workloads:
            usual = ", measured where nothing is said" if workload in server.usual else ""
            yield f"  {workload}{usual}"
        yield f"    {server.locks_subject.program}: the same loads, while its locks are counted"
        yield f"    threads are {server.threads_are}, usually {server.usual_threads}"
    yield f"locks: {', '.join((GLIBC, *locks()))}; usually {', '.join(USUAL_LOCKS)}"
