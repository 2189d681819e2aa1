# SPDX-License-Identifier: MIT
"""Which programs are explored, and how many executions each has.

Each takes about a second at most, and is there in a small size for the tests. Most are programs
that the tests know too; `executions` and `small_executions` follow from the model and change only
if the program does. What a search may do better or worse, `blocked`, is in the recorded baseline.
"""

from __future__ import annotations

from dataclasses import dataclass

TESTED = "tests/checker/programs"
PROOFS = "tests/library/proofs"
OWN = "bench/checker/programs"


@dataclass(frozen=True)
class Subject:
    """A program in one size under one model."""

    name: str
    source: str
    model: str
    flags: str
    executions: int
    #: The same program, smaller: what it is compiled with instead. None: it is small enough.
    small: tuple[str, int] | None = None
    #: What else it is explored with, words of FENCEPOST_CHECK.
    options: str = ""
    #: CPU seconds that the best checker known to us was measured to need for the same executions
    #: on this kind of machine, without the 0.05 s that it takes to start.
    reference_seconds: float | None = None

    def sized(self, small: bool) -> tuple[str, int]:
        """What it is compiled with, and how many executions it then has."""
        return self.small if small and self.small else (self.flags, self.executions)


FAMILIES = (
    Subject(
        "lastzero",
        f"{TESTED}/families/lastzero.c",
        "c++20",
        "-DN=15",
        147_456,
        ("-DN=8", 704),
        reference_seconds=9.6,
    ),
    Subject(
        "lastzero, c++14",
        f"{TESTED}/families/lastzero.c",
        "c++14",
        "-DN=13",
        32_768,
        ("-DN=7", 320),
    ),
    Subject(
        "indexer",
        f"{TESTED}/families/indexer.c",
        "c++20",
        "-DN=15",
        4_096,
        ("-DN=12", 8),
        reference_seconds=3.4,
    ),
    Subject(
        "fib",
        f"{TESTED}/families/fib.c",
        "c++20",
        "-DN=5 -DLIMIT=144",
        525_630,
        ("-DN=3 -DLIMIT=21", 2_258),
        reference_seconds=3.2,
    ),
    Subject("readers", f"{TESTED}/families/readers.c", "c++20", "-DN=16", 65_536, ("-DN=6", 64)),
    Subject(
        "readers(13)",
        f"{TESTED}/families/readers.c",
        "c++20",
        "-DN=13",
        8_192,
        ("-DN=3", 8),
        reference_seconds=0.43,
    ),
    Subject(
        "store_ring", f"{TESTED}/families/store_ring.c", "c++20", "-DN=15", 32_767, ("-DN=6", 63)
    ),
    Subject(
        "store_ring, x86", f"{TESTED}/families/store_ring.c", "x86", "-DN=15", 32_767, ("-DN=6", 63)
    ),
    Subject(
        "retry_counter",
        f"{TESTED}/families/retry_counter.c",
        "c++20",
        "-DN=6",
        720,
        ("-DN=4", 24),
    ),
    Subject(
        "confirming",
        f"{TESTED}/families/confirming.c",
        "c++20",
        "-DSETTERS=4 -DOTHERS=1",
        13_344,
        ("-DSETTERS=2 -DOTHERS=1", 68),
    ),
    Subject(
        "mutex_readers",
        f"{TESTED}/families/mutex_readers.c",
        "c++20",
        "-DN=8",
        40_320,
        ("-DN=5", 120),
    ),
)

LOCKS = (
    Subject(
        "ticket_lock",
        f"{TESTED}/locks/ticket_lock.c",
        "c++20",
        "-DTHREADS=6",
        720,
        ("-DTHREADS=4", 24),
    ),
    Subject(
        "test_test_and_set",
        f"{TESTED}/locks/test_test_and_set.cpp",
        "c++20",
        "-DTHREADS=5",
        120,
        ("-DTHREADS=3", 6),
    ),
    Subject(
        "mcs_lock",
        f"{TESTED}/locks/mcs_lock.cpp",
        "c++20",
        "-DTHREADS=5",
        23_640,
        ("-DTHREADS=3", 66),
    ),
    Subject(
        "seqlock", f"{TESTED}/locks/seqlock.cpp", "c++20", "-DWRITES=20", 21, ("-DWRITES=1", 2)
    ),
    Subject(
        "futex_lock, x86",
        f"{TESTED}/futex/mutex.c",
        "x86",
        "-DTHREADS=3 -DSPINS=8",
        35_400,
        ("-DTHREADS=2 -DSPINS=2", 16),
    ),
    Subject(
        "mutex_turns, sc",
        f"{TESTED}/pthread/mutex_counter.c",
        "sc",
        "-DTHREADS=7",
        5_040,
        ("-DTHREADS=4", 24),
    ),
    Subject(
        "mutex_plain_work", f"{OWN}/plain_work.c", "c++20", "-DTHREADS=6", 720, ("-DTHREADS=3", 6)
    ),
    Subject(
        "read_write_lock",
        f"{TESTED}/rwlock/exclusion.c",
        "c++20",
        "-DFIRST=writes -DTHIRD=reads -DFOURTH=reads",
        18,
        ("-DSECOND=reads -DTHIRD=writes", 4),
    ),
)

QUEUES = (
    Subject(
        "michael_scott_queue",
        f"{TESTED}/lockfree/michael_scott_queue.cpp",
        "c++20",
        "-DEACH=3",
        14_040,
        ("-DEACH=1", 26),
    ),
    Subject(
        "condvar_buffer",
        f"{TESTED}/pthread/bounded_buffer.c",
        "c++20",
        "-DWAKE=pthread_cond_broadcast -DITEMS=3",
        3_840,
        ("-DWAKE=pthread_cond_broadcast -DITEMS=2", 40),
    ),
    Subject(
        "hazard_pointers",
        f"{TESTED}/lockfree/hazard_pointer.cpp",
        "c++20",
        "-DREADERS=7",
        44_778,
        ("-DREADERS=2", 30),
    ),
)

LIBRARY = (
    Subject(
        "mpmc_ring",
        f"{PROOFS}/ring/mpmc_elements.cpp",
        "c++20",
        "-DCAPACITY=2 -DPRODUCERS=2 -DCONSUMERS=2 -DEACH=2",
        11_368,
        ("-DCAPACITY=2 -DPRODUCERS=2 -DCONSUMERS=1 -DEACH=1", 14),
    ),
    Subject(
        "mpmc_ring_sleeping",
        f"{PROOFS}/ring/mpmc_no_lost_wakeup.cpp",
        "c++20",
        "-DRING=mpmc",
        9_415,
    ),
    Subject(
        "spsc_ring_sleeping",
        f"{PROOFS}/ring/spsc_no_lost_wakeup.cpp",
        "c++20",
        "-DRING=spsc -DELEMENTS=2",
        11_878,
        ("-DRING=spsc -DELEMENTS=1", 20),
    ),
    Subject(
        "event_mutex", f"{PROOFS}/event_mutex/crowd.cpp", "c++20", "-DPROTOCOL=seq_cst", 36_226
    ),
    Subject(
        "event_mutex, c++14",
        f"{PROOFS}/event_mutex/crowd.cpp",
        "c++14",
        "-DPROTOCOL=seq_cst",
        36_250,
    ),
    Subject(
        "event_mutex_exchange, x86",
        f"{PROOFS}/event_mutex/crowd.cpp",
        "x86",
        "-DPROTOCOL=exchange",
        14_882,
    ),
    Subject(
        "event_mutex_asymmetric",
        f"{PROOFS}/event_mutex/crowd.cpp",
        "c++20",
        "-DPROTOCOL=asymmetric",
        55_306,
    ),
    Subject(
        "mutex_spurious",
        f"{PROOFS}/mutex/mutual_exclusion.cpp",
        "c++20",
        "",
        29_392,
        options="spurious=1",
    ),
    Subject(
        "condvar_spurious",
        f"{PROOFS}/condition_variable/no_lost_wakeup.cpp",
        "c++20",
        "",
        11_190,
        options="spurious=1",
    ),
    Subject(
        "event_count_spurious",
        f"{PROOFS}/event_count/two_producers.cpp",
        "c++20",
        "-DKIND=many_producers",
        5_850,
        options="spurious=1",
    ),
)

SUBJECTS = (*FAMILIES, *LOCKS, *QUEUES, *LIBRARY)

#: Over a million executions, with writes that are revisited all the way: does memory stay flat?
LONG = Subject("lastzero(18)", f"{TESTED}/families/lastzero.c", "c++20", "-DN=18", 1_376_256)
LONG_STEPS = (10_000, 100_000, 1_000_000)
