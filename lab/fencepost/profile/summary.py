# SPDX-License-Identifier: MIT
"""What a run's processes did with their locks: summed by the place where the locks are from, and as
JSON, whose schema is in docs/lab/lock_statistics.md."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fencepost.console.version import labelled
from fencepost.profile.counts import LOCKS, Counts
from fencepost.profile.directory import Process
from fencepost.profile.file import KINDS, Lock
from fencepost.profile.symbols import Place, PlaceNames
from fencepost.profile.unrecorded import Unrecorded
from fencepost.system.whole_file import write_whole

#: Where all locks of a kind are from that found no room in a file's table.
NO_ROOM = Place("(all that found no room in the table)", "", 0, "")


@dataclass(frozen=True)
class Run:
    """What `fencepost run` itself knows."""

    lock: str
    program: str
    seconds: float
    #: Of the program itself; None while it runs.
    status: int | None = None
    signal: str | None = None


@dataclass(frozen=True)
class Group:
    """Locks of a kind that were initialised, or first used, at the same place."""

    kind: str
    place: Place
    initialised: bool
    counts: Counts

    @property
    def name(self) -> str:
        return f"{self.kind.replace('_', '-')} {self.place}"


class Summary:
    """Everything that the processes of a run have recorded, with names."""

    def __init__(
        self,
        run: Run,
        processes: Sequence[Process],
        names: PlaceNames,
        unrecorded: Sequence[Unrecorded] = (),
    ) -> None:
        self.run = run
        self.unrecorded = list(unrecorded)
        self.processes = list(processes)
        self.kinds: dict[str, Counts] = {kind: Counts() for kind in KINDS[1:]}
        self.locks = Counts()
        names.prepare(site for process in self.processes for site in process.recorded.sites[1:])
        self._places = [names.places(process.recorded) for process in self.processes]
        groups: dict[tuple[str, Place, bool], Counts] = {}
        for process, places in zip(self.processes, self._places, strict=True):
            recorded, held = process.recorded, process.still_held
            for lock in recorded.locks.values():
                if _is_unused(lock):
                    continue
                place = _place(lock, places)
                added = [groups.setdefault((lock.kind, place, lock.initialised), Counts())]
                added.append(self.kinds[lock.kind])
                if lock.kind in LOCKS:
                    added.append(self.locks)
                for counts in added:
                    counts.add(lock, recorded.sees_sleeps, held.get(lock.number, 0))
        self.groups = [Group(*key, counts) for key, counts in groups.items()]

    @property
    def sees_sleeps(self) -> bool:
        return all(process.recorded.sees_sleeps for process in self.processes)

    @property
    def thread_seconds(self) -> float | None:
        """How long those threads lived that used locks, in all; None: that of some is not known."""
        known = [process.thread_seconds for process in self.processes]
        return None if None in known else sum(one for one in known if one is not None)

    @property
    def waiting_share(self) -> float | None:
        """Share of the threads' time spent in waits for mutexes, read-write and spin locks."""
        whole = self.thread_seconds
        if whole is None:
            return None
        return self.locks.waited / 1e9 / whole if whole > 0 else 0.0

    @property
    def waiting_threads(self) -> float:
        """How many threads waited for mutexes, read-write and spin locks, on average."""
        return self.locks.waited / 1e9 / self.run.seconds if self.run.seconds > 0 else 0.0

    def as_json(self) -> dict[str, Any]:
        run = self.run
        return labelled(
            "locks",
            {
                "lock": run.lock,
                "program": run.program,
                "seconds": round(run.seconds, 6),
                "status": run.status,
                "signal": run.signal,
                "sees_sleeps": self.sees_sleeps,
                "processes": [
                    _process(process, places)
                    for process, places in zip(self.processes, self._places, strict=True)
                ],
                "unrecorded": [one.as_json() for one in self.unrecorded],
                "sites": [
                    {
                        "kind": group.kind,
                        "site": group.place.as_json(),
                        "initialised": group.initialised,
                        "locks": group.counts.locks,
                        **group.counts.as_json(),
                    }
                    for group in sorted(self.groups, key=lambda one: -one.counts.waited)
                ],
                "totals": {
                    "locks": self.locks.locks,
                    "waiting_threads": round(self.waiting_threads, 6),
                    "thread_seconds": _rounded(self.thread_seconds, 6),
                    "waiting_share": _rounded(self.waiting_share, 9),
                    **self.locks.as_json(),
                    "by_kind": {
                        kind: {"locks": counts.locks, **counts.as_json()}
                        for kind, counts in self.kinds.items()
                        if counts.locks
                    },
                },
            },
        )


def _is_unused(lock: Lock) -> bool:
    """All that found no room, where nothing is known to have happened to them."""
    return not lock.is_one and lock.acquisitions + lock.shared + lock.waited + lock.refused == 0


def _place(lock: Lock, places: Sequence[Place]) -> Place:
    """Where it is from."""
    if not lock.is_one:
        return NO_ROOM
    return places[lock.site] if lock.site < len(places) else places[0]


def _process(process: Process, places: Sequence[Place]) -> dict[str, Any]:
    recorded = process.recorded
    sees, held = recorded.sees_sleeps, process.still_held
    locks = []
    for lock in recorded.locks.values():
        counts = Counts()
        counts.add(lock, sees, held.get(lock.number, 0))
        if _is_unused(lock):
            continue
        locks.append(
            {
                "address": f"{lock.address:#x}" if lock.is_one else None,
                "kind": lock.kind,
                "site": _place(lock, places).as_json(),
                "initialised": lock.initialised,
                "destroyed": lock.ended,
                **counts.as_json(),
            }
        )
    return {
        "pid": recorded.pid,
        "parent": recorded.parent or None,
        "began": _moment(recorded.began_real),
        "seconds": _rounded(process.seconds, 6),
        "thread_seconds": _rounded(process.thread_seconds, 6),
        "fate": process.fate,
        "sees_sleeps": sees,
        "lost_locks": recorded.lost_locks,
        "lost_threads": recorded.lost_threads,
        "confined": recorded.is_confined,
        "threads": [
            {
                "tid": thread.tid,
                "name": thread.name,
                "waited_ns": thread.waited,
                "slept_ns": thread.slept if sees and not thread.unseen else None,
                "sleeps": thread.sleeps if sees and not thread.unseen else None,
            }
            for thread in recorded.threads.values()
        ],
        "unfinished_waits": [
            {
                "tid": thread.tid,
                "kind": lock.kind,
                "site": _place(lock, places).as_json(),
                "waited_ns": waited,
            }
            for thread, lock, waited in process.unfinished
        ],
        "locks": locks,
    }


def _rounded(number: float | None, digits: int) -> float | None:
    return None if number is None else round(number, digits)


def _moment(nanoseconds: int) -> str | None:
    try:
        return datetime.fromtimestamp(nanoseconds / 1e9, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return None  # half-written


def write_json(path: Path, summary: Summary) -> None:
    """The whole file or none: what was there stays until the new one is complete."""
    write_whole(path, json.dumps(summary.as_json(), indent=1) + "\n")
