# SPDX-License-Identifier: MIT
"""Files as the recorder of a program's locks writes them (src/profiler/record/layout.hpp), written
from Python: what the tests say, and nothing by chance."""

from __future__ import annotations

import os
import struct
import time
from dataclasses import dataclass, field
from pathlib import Path

MAGIC = b"FPLOCK02"
MUTEX, READ_WRITE, SPIN, CONDITION, SEMAPHORE, FUTEX = range(1, 7)


def histogram(**buckets: int) -> list[int]:
    """histogram(b3=2): two durations in bucket 3."""
    return [buckets.get(f"b{n}", 0) for n in range(40)]


def _all_of(kind: int, **counters: int) -> bytes:
    """Record of all locks of a kind that found no room, as bytes."""
    names = ("acquisitions", "waited")
    assert set(counters) <= set(names)
    acquisitions, waited = (counters.get(name, 0) for name in names)
    return struct.pack(
        "=QIIIIII11Q", 0, kind, 0, 0, 0, 0, 0, acquisitions, 0, 0, 0, 0, 0, waited, 0, 0, 0, 0
    ).ljust(768, b"\0")


@dataclass
class WrittenLocks:
    """Numbers are what the add_… functions return."""

    pid: int = field(default_factory=os.getpid)
    parent: int = 0
    began: int = field(default_factory=time.monotonic_ns)
    ended: int = 0
    sees_sleeps: int = 1
    behind: str = "mutex"
    lost_locks: int = 0
    lost_threads: int = 0
    thread_time: int = 0
    late_threads: int = 0
    lost_children: int = 0
    lost_children_error: int = 0
    is_confined: int = 0
    lost_locks_more: int = 0
    modules: list[bytes] = field(default_factory=lambda: [bytes(512)])
    sites: list[bytes] = field(default_factory=lambda: [bytes(16)])
    locks: list[bytes] = field(default_factory=lambda: [bytes(768), *map(_all_of, range(1, 7))])
    threads: list[bytes] = field(default_factory=lambda: [bytes(512)])
    stacks: list[bytes] = field(default_factory=list)

    def add_module(self, path: str, base: int = 0) -> int:
        self.modules.append(struct.pack("=Q504s", base, path.encode()))
        return len(self.modules) - 1

    def add_site(self, address: int, module: int = 0) -> int:
        self.sites.append(struct.pack("=QII", address, module, 0))
        return len(self.sites) - 1

    def add_lock(
        self,
        address: int,
        kind: int = MUTEX,
        site: int = 0,
        *,
        initialised: int = 1,
        ended: int = 0,
        last: int = 0,
        unseen: int = 0,
        beyond: int = 0,
        unmeasured: int = 0,
        waits: list[int] | None = None,
        holds: list[int] | None = None,
        **counters: int,
    ) -> int:
        names = (
            "acquisitions",
            "shared",
            "contended",
            "handovers",
            "refused",
            "timed_out",
            "waited",
            "slept",
            "sleeps",
            "held",
            "wakes",
        )
        assert set(counters) <= set(names)
        self.locks.append(
            struct.pack(
                "=QIIHHIII11Q40Q40QII",
                address,
                kind,
                site,
                initialised,
                unseen,
                ended,
                last,
                beyond,
                *(counters.get(name, 0) for name in names),
                *(waits or histogram()),
                *(holds or histogram()),
                unmeasured,
                0,
            )
        )
        return len(self.locks) - 1

    def without_room(self, kind: int, **counters: int) -> int:
        self.locks[kind] = _all_of(kind, **counters)
        return kind

    def add_thread(
        self,
        tid: int,
        name: str = "",
        *,
        waits_for: int = 0,
        waits_at: int = 0,
        waits_shared: int = 0,
        since: int = 0,
        waited: int = 0,
        slept: int = 0,
        sleeps: int = 0,
        held: tuple[tuple[int, int, int], ...] = (),
        shared: int = 0,
        more_held: int = 0,
        handle: int = 0,
        joins: int = 0,
        began: int = 0,
        unseen: int = 0,
        retakes: int = 0,
    ) -> int:
        """`held`: of each its lock, where it was taken and since when."""
        words = b"".join(
            struct.pack("=IIQII", lock, site, taken, shared, 1) for lock, site, taken in held
        )
        self.threads.append(
            struct.pack(
                "=IIIHHQQQQ16sII",
                tid,
                waits_for,
                waits_at,
                waits_shared,
                unseen,
                since,
                waited,
                slept,
                sleeps,
                name.encode(),
                len(held),
                more_held,
            )
            + words.ljust(17 * 24, b"\0")
            + struct.pack("=QQQII", handle, joins, began, 0, retakes)
        )
        return len(self.threads) - 1

    def add_stack(
        self, frames: list[int], waited: int, count: int = 1, site: int = 0, kind: int = MUTEX
    ) -> None:
        padded = frames + [0] * (24 - len(frames))
        self.stacks.append(
            struct.pack("=QQQII24I", len(self.stacks) + 1, waited, count, site, kind, *padded)
        )

    def content(self) -> bytes:
        tables = (self.modules, self.sites, self.locks, self.threads, self.stacks)
        sizes = (512, 16, 768, 512, 128)
        descriptions, body, offset = b"", b"", 4096
        for table, size in zip(tables, sizes, strict=True):
            data = b"".join(table)
            descriptions += struct.pack("=QIIII", offset, size, len(table) + 3, len(table), 0)
            body += data + bytes(3 * size)
            offset += len(data) + 3 * size
        head = (
            MAGIC
            + struct.pack(
                "=IIQQQIIQ",
                self.pid,
                self.parent,
                self.began,
                time.time_ns(),
                self.ended,
                self.lost_locks,
                self.lost_threads,
                self.sees_sleeps,
            )
            + descriptions
            + struct.pack(
                "=64sQIIHHI",
                self.behind.encode(),
                self.thread_time,
                self.lost_children,
                self.lost_children_error,
                self.is_confined,
                self.lost_locks_more,
                self.late_threads,
            )
        )
        return head.ljust(4096, b"\0") + body

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.pid}-{self.began}.locks"
        path.write_bytes(self.content())
        return path
