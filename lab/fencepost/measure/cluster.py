# SPDX-License-Identifier: MIT
"""The same experiment at every worker of a Dask cluster: one run each, whose lines come back into
one file as they are written. Workers of one machine measure one after another."""

from __future__ import annotations

import contextlib
import sys
import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput
from fencepost.console.progress import ProgressLine
from fencepost.explore.cluster import FORGET_SECONDS, ByValue, Cluster, mismatch
from fencepost.measure import worker as bench_worker
from fencepost.measure.experiment import Request
from fencepost.results.file import ResultsFile
from fencepost.results.schema import Measured, Run
from fencepost.system.json_text import in_words, parse_json

POLL_SECONDS = 0.5
#: Interrupted, how long all workers together may take to bring what they have, and each to answer.
STOP_SECONDS, STOP_ANSWER_SECONDS = 20.0, 5.0
FACTS, BENCH = "facts", "bench"
_LINES = "results.jsonl"
#: What must be the same here and there: what is measured.
_SAME = ("commit", "changes")


@dataclass
class Site:
    """A worker, what it is doing, and how much of what it wrote has come back."""

    worker: str
    stage: str = ""
    offset: int = 0
    windows: int = 0
    runs: list[str] = field(default_factory=list)
    told: bytes = b""
    #: Why it is not measuring, or measured not all.
    trouble: str = ""

    @property
    def host(self) -> str:
        return self.worker.rpartition(":")[0]


class OnCluster:
    """Carries an experiment out at all workers."""

    def __init__(
        self, cluster: Cluster, words: Sequence[str], here: Mapping[str, Any], file: ResultsFile
    ) -> None:
        """`words` are those of `fencepost bench`; `here` what is measured here, as --facts says."""
        self._cluster = cluster
        self._words = tuple(words)
        self._here = here
        self._file = file
        self._job = f"fencepost-bench-{uuid.uuid4().hex[:12]}"
        self._start = ByValue(bench_worker.start)
        self._poll = ByValue(bench_worker.poll)
        self._stop = ByValue(bench_worker.stop)
        self._forget = ByValue(bench_worker.forget)
        try:
            self.sites = [Site(worker) for worker in sorted(cluster.threads())]
        except OSError as error:
            raise UnusableInput(f"the cluster at {cluster.address} has vanished: {error}") from None

    def measure(self) -> None:
        """Until all are done. Interrupted, it stops them, and takes what they have."""
        line = ProgressLine()
        waiting = list(self.sites)
        active: dict[str, Site] = {}
        try:
            while waiting or active:
                for site in [one for one in waiting if one.host not in active]:
                    if site.host in active:
                        continue  # another one of this machine has just been started
                    waiting.remove(site)
                    if self._begin(site):
                        active[site.host] = site
                for site in list(active.values()):
                    if self._is_over(site):
                        del active[site.host]
                done = ", ".join(f"{one.worker} {one.windows}" for one in self.sites)
                line.clear()
                line.say(f"windows: {done}")
                if active:
                    time.sleep(POLL_SECONDS)
        except KeyboardInterrupt:
            self._interrupt(list(active.values()))
            raise
        finally:
            line.clear()
            self._clean_up()

    def _begin(self, site: Site) -> bool:
        try:
            theirs = self._cluster.versions([site.worker])[site.worker]
        except OSError:
            site.trouble = f"{self._gone()} before it began"
            return False
        if not isinstance(theirs, dict):
            site.trouble = f"{self._gone()} before it began"
            return False
        if difference := mismatch(theirs, self._cluster.own_versions, processor=False):
            site.trouble = difference
            return False
        return self._starts(site, FACTS, "--facts")

    def _starts(self, site: Site, stage: str, *more: str) -> bool:
        site.stage, site.offset = stage, 0
        launcher = str(ROOT / "fencepost")
        words = (*self._words, *more)
        try:
            why = self._cluster.ask(self._start, site.worker, self._job, stage, launcher, words)
        except OSError as error:
            why = f"{self._gone()}: {error}"
        site.trouble = why
        return not why

    def _gone(self) -> str:
        return "it has gone, and so has its scheduler" if self._cluster.lost else "it has gone"

    def _is_over(self, site: Site, seconds: float | None = None) -> bool:
        """Takes what there is, if it comes within these seconds; whether nothing more will come."""
        file = f"{FACTS}.out" if site.stage == FACTS else _LINES
        try:
            said, status, complaint = self._cluster.ask(
                self._poll,
                site.worker,
                *(self._job, site.stage, file, site.offset),
                seconds=seconds,
            )
        except OSError:
            site.trouble = f"{self._gone()}; what came back until then is kept"
            return True
        site.offset += len(said)
        site.told += said
        if site.stage == BENCH:
            self._take_lines(site)
        if status is None or said:
            return False
        last = (complaint.strip().splitlines() or ["it said nothing"])[-1]
        if site.stage == BENCH:
            if status != 0:
                site.trouble = last.removeprefix("fencepost: ")
            return True
        if status != 0:
            site.trouble = last.removeprefix("fencepost: ")
            return True
        return not self._is_same(site) or not self._starts(site, BENCH, "--into", _LINES)

    def _is_same(self, site: Site) -> bool:
        """Whether it would measure what would be measured here."""
        try:
            there = dict(parse_json(site.told.decode(errors="replace")))
        except (ValueError, TypeError):
            site.trouble = "it does not say what it would measure: is it another version?"
            return False
        site.told = b""
        for fact in _SAME:
            if there.get(fact) != self._here.get(fact):
                is_commit = fact == "commit"
                was, now = there.get(fact) or "none", self._here.get(fact) or "none"
                site.trouble = (
                    f"its sources are of commit {was}, and these of {now}"
                    if is_commit
                    else "its sources are changed otherwise since their commit than these"
                )
                return False
        return True

    def _take_lines(self, site: Site) -> None:
        """Those that are whole. Runs get names that no other worker gives."""
        *whole, site.told = site.told.split(b"\n")
        for text in whole:
            try:
                line = parse_json(text.decode(errors="replace"))
                Measured({str(line["run"]): Run("", False, {})}).add(line)
            except (ValueError, KeyError, TypeError, AttributeError, UnusableInput) as problem:
                site.trouble = f"it wrote what is no line of results: {in_words(problem)}"
                continue
            line["run"] = f"{line['run']}-{self.sites.index(site) + 1}"
            if line["kind"] == "run":
                line["worker"] = site.worker
            self._file.write(line)
            if line["kind"] == "run":
                site.runs.append(line["run"])
            site.windows += line["kind"] == "window" and bool(line["kept"])

    def _clean_up(self) -> None:
        workers = [site.worker for site in self.sites]
        with contextlib.suppress(OSError):
            self._cluster.ask_all(self._forget, workers, self._job, seconds=FORGET_SECONDS)

    def _interrupt(self, active: Sequence[Site]) -> None:
        workers = [site.worker for site in active]
        with contextlib.suppress(OSError):
            self._cluster.ask_all(self._stop, workers, self._job, seconds=STOP_ANSWER_SECONDS)
        until = time.monotonic() + STOP_SECONDS
        left = [one for one in active if one.stage == BENCH]
        while left:
            for one in list(left):
                if time.monotonic() > until:
                    return
                if self._is_over(one, STOP_ANSWER_SECONDS):
                    left.remove(one)
            time.sleep(0.2)


def words_of(asked: Request, timeout: float | None, cpu: Sequence[int] | None) -> list[str]:
    """The words of `fencepost bench` by which a worker measures what was asked for here."""
    words = [*asked.subjects, *(["quick"] if asked.quick else [])]
    options = {
        "--only": asked.only,
        "--variants": ",".join(asked.variants) if asked.variants else None,
        "--rounds": asked.rounds,
        "--seconds": asked.seconds,
        "--warm-up": asked.warm_up,
        "--others": asked.others,
        "--seed": asked.seed,
        "--threads": ",".join(map(str, asked.threads)) if asked.threads else None,
        "--workloads": ",".join(asked.workloads) if asked.workloads else None,
        "--timeout": timeout,
        "--cpu": ",".join(map(str, cpu)) if cpu else None,
    }
    return words + [f"{name}={value}" for name, value in options.items() if value is not None]


def run_on_cluster(
    address: str, words: Sequence[str], here: Mapping[str, Any], file: ResultsFile
) -> tuple[list[Site], bool]:
    """Each worker, with what became of it; and whether it was interrupted. Raises UnusableInput."""
    with Cluster(address) as cluster:
        on_cluster = OnCluster(cluster, words, here, file)
        interrupted = False
        try:
            on_cluster.measure()
        except KeyboardInterrupt:
            interrupted = True
        except UnusableInput as problem:
            # A full disk, for example: what came back until then is told.
            for site in on_cluster.sites:
                site.trouble = site.trouble or str(problem)
        sites = on_cluster.sites
    for site in sites:
        if site.trouble:
            print(f"fencepost: the worker {site.worker}: {site.trouble}", file=sys.stderr)
    if not any(site.runs for site in sites) and not interrupted:
        raise UnusableInput("no worker has measured anything")
    return sites, interrupted
