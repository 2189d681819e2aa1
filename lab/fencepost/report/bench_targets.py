# SPDX-License-Identifier: MIT
"""The targets that our figures have, beside those of peers."""

from __future__ import annotations

from dataclasses import dataclass

from fencepost.servers.known import SERVERS
from fencepost.servers.subject import LOCKS, PREFIX


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
    #: A variant whose figure is taken off ours and the peer's: the target is of what they add.
    beyond: str | None = None


CONTENDED = tuple(f"short_section/threads:{threads}" for threads in (2, 8, 32))
OUR_LOCKS = (
    "fencepost_mutex",
    "fencepost_futex_mutex",
    "fencepost_event_mutex_asymmetric",
    "fencepost_event_mutex_exchange",
    "fencepost_event_mutex_seq_cst",
)
PEER_SHARED_LOCKS = ("std_shared_mutex", "pthread_rwlock", "abseil_mutex", "parking_lot_rwlock")
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
OUR_SCHEMES = ("fencepost_hazard_pointer", "fencepost_rcu")
PEER_SCHEMES = ("urcu_memb", "ck_epoch", "ck_hp", "crossbeam_epoch", "seize", "haphazard")
PEER_MAPS = (
    "std_shared_mutex",
    "urcu_memb_lfht",
    "urcu_qsbr_lfht",
    "dashmap",
    "papaya",
    "papaya_pinned",
    "scc_hash_index",
)
#: How many lookups in 100 operations, and what is wanted then.
MIXES = {"lookups_100": 1.5, "lookups_95": 1.5, "lookups_50": 1.0}

TARGETS = (
    Target("locks_uncontended", "lock_and_unlock", "fencepost_mutex", "parking_lot", 1.0),
    Target("locks_uncontended", "lock_and_unlock", "fencepost_mutex", "pthread_mutex", 0.75),
    Target(
        "locks_uncontended",
        "lock_and_unlock",
        "fencepost_event_mutex_asymmetric",
        "parking_lot",
        0.75,
    ),
    Target(
        "locks_uncontended",
        "lock_and_unlock",
        "fencepost_event_mutex_asymmetric",
        "bare_spin_lock",
        1.1,
    ),
    *(
        Target("locks_contended", work, "fencepost_mutex", "parking_lot", 1.0, at_least=True)
        for work in CONTENDED
    ),
    *(
        Target("locks_contended", work, "fencepost_mutex", None, 0.5, "fairness", True)
        for work in CONTENDED
    ),
    *(
        Target(
            "shared_locks",
            f"{mix}/threads:{threads}",
            "fencepost_shared_mutex",
            peer,
            1.0,
            at_least=True,
        )
        for mix in ("reads_100", "reads_95")
        for threads in (1, 2, 8)
        for peer in PEER_SHARED_LOCKS
    ),
    # A thread that got less than a hundredth of what the luckiest got was starved.
    *(
        Target("locks_contended", work, lock, None, 0.01, "fairness", True)
        for work in CONTENDED
        for lock in OUR_LOCKS
    ),
    *(
        Target(
            "event_counts",
            "increment",
            f"fencepost_single_producer_event_count{bits}",
            f"ck_ec{bits or 32}_one_producer",
            1.05,
        )
        for bits in ("", "64")
    ),
    Target(
        "event_counts", "increment", "fencepost_two_word_event_count", "release_store_and_load", 1.3
    ),
    Target(
        "event_counts",
        "increment",
        "fencepost_two_word_event_count",
        "load_release_store_and_load",
        1.3,
    ),
    *(
        Target(
            "event_counts",
            "increment",
            f"fencepost_event_count{bits}",
            f"ck_ec{bits or 32}_many_producers",
            1.0,
        )
        for bits in ("", "64")
    ),
    *(
        Target("sleep_and_wake", "wake_sleeper", ours, None, 1.1, "over_raw_futex")
        for ours in OUR_SLEEPERS
    ),
    *(
        Target("sleep_and_wake", work, ours, "raw_futex", 1.1)
        for work in ROUND_TRIPS
        for ours in OUR_SLEEPERS
    ),
    *(
        Target(
            "rings",
            work,
            "fencepost_spsc_ring",
            "fencepost_spsc_ring_without_blocking",
            0.95,
            at_least=True,
        )
        for work in PASSES
    ),
    *(
        Target("rings", work, "fencepost_spsc_ring", peer, 1.0, at_least=True)
        for work in PASSES
        for peer in RING_PEERS
    ),
    *(
        Target("protected_reads", "read", ours, "urcu_memb", 0.6, beyond="plain_load")
        for ours in OUR_SCHEMES
    ),
    *(
        Target("protected_reads", "read", ours, peer, 1.0)
        for ours in (*OUR_SCHEMES, "fencepost_rcu_scoped_lock")
        for peer in PEER_SCHEMES
    ),
    *(
        Target("replaced_objects", work, ours, peer, 1.0, at_least=True)
        for work in ("replace_alone", "replace_while_read")
        for ours in OUR_SCHEMES
        for peer in PEER_SCHEMES
    ),
    *(
        Target(
            "hash_maps",
            f"{mix}/threads:{threads}",
            "fencepost_concurrent_hash_map",
            peer,
            bound,
            at_least=True,
        )
        for mix, bound in MIXES.items()
        for threads in (1, 2, 4, 8)
        for peer in PEER_MAPS
    ),
    *(
        Target("context_switches", work, "interrupt_clock", None, 1.01, "over_no_clock")
        for work in ("pipe", "futex")
    ),
    # The lock that is recommended is worse in no server, and costs it no more of the processors.
    *(
        Target(
            PREFIX + name,
            f"{workload}/threads:{server.usual_threads}",
            "mutex",
            "glibc",
            1.0,
            at_least=True,
        )
        for name, server in SERVERS.items()
        for workload in server.usual
    ),
    *(
        Target(
            PREFIX + name,
            f"{workload}/threads:{server.usual_threads}",
            "mutex",
            "glibc",
            1.0,
            "cpu_ns_each",
        )
        for name, server in SERVERS.items()
        for workload in server.usual
    ),
    *(
        Target(
            PREFIX + name + LOCKS,
            f"{workload}/threads:{server.usual_threads}",
            "mutex",
            "glibc",
            1.0,
        )
        for name, server in SERVERS.items()
        for workload in server.usual
    ),
)
