# SPDX-License-Identifier: MIT
"""A first impression: which variants of a subject give the picture, and how often and for how long
they are measured so that all of it takes less than five minutes."""

from __future__ import annotations

from collections.abc import Mapping

#: Rounds, at least and at most; seconds that they may take, and after which it ends in any case.
_ROUNDS = (3, 7)
_BUDGET, LIMIT = 150.0, 215.0
#: How often a disturbed window is measured at most.
QUICK_TRIES = 3
#: What starting a program takes, in seconds.
_START = 0.05

_LOCKS = "(fencepost_mutex|fencepost_event_mutex_asymmetric|pthread_mutex|parking_lot|{more})$"
_RECLAMATION = "(fencepost_hazard_pointer|fencepost_rcu|urcu_memb|crossbeam_epoch{more})$"

#: By subject: the work/variant, as a pattern. Of a subject that is not here, all are measured.
ENOUGH = {
    "locks_uncontended": _LOCKS.format(more="bare_spin_lock|std_mutex|empty_loop"),
    "locks_contended": "threads:(2|8)/" + _LOCKS.format(more="bare_spin_lock|nothing_shared"),
    "shared_locks": "threads:(1|2)/"
    "(fencepost_shared_mutex|std_shared_mutex|abseil_mutex|parking_lot_rwlock)$",
    "context_switches": "no_clock$",
    "event_counts": "(event_count|ck_ec32_\\w+|release_store|atomic_add)$",
    "sleep_and_wake": "(wake_sleeper|two_processors)/"
    "(raw_futex|fencepost_event_count|fencepost_condition_variable|pthread_cond|std_atomic_wait)$",
    "rings": "(fencepost_spsc_ring|fencepost_spsc_ring_without_blocking|rtrb|boost_spsc_queue)$",
    "protected_reads": _RECLAMATION.format(more="|plain_load"),
    "replaced_objects": _RECLAMATION.format(more=""),
    "hash_maps": "lookups_95/threads:(1|4)/"
    "(fencepost_concurrent_hash_map|std_shared_mutex|urcu_memb_lfht|dashmap|papaya)$",
    "event_mutexes": "threads:(1|4)/(trunk_unsound|solution_1|solution_2|proposal_3_exchange|"
    "seq_cst|exchange|asymmetric|full_fences)$",
    "try_locks": "threads:(1|8)/",
    "single_operations": "_baseline$",
    "crc32_spin": "threads:(1|8)/"
    "(fencepost_spin_mutex|fencepost_mutex|pthread_spinlock|pthread_mutex|nothing_shared)$",
}

#: What is measured by programs of its own, and how much of it in how many seconds at most.
BY_ITSELF = {
    "atomics": (
        "--quick",
        "--for",
        "25",
        "--only",
        "^operations/__atomic_(load|store|exchange|fetch_add)_(8|16)/seq_cst"
        "|^operations/__atomic_\\w+/24 bytes/seq_cst"
        "|^contended/load_and_compare_exchange/threads:(1|8)$"
        "|^lifo/stack/threads:(1|8)/(futex_mutex|libatomic|instruction|bare_pthread_mutex)$",
    ),
    "latency": (
        "--quick",
        "--for",
        "25",
        "--only",
        # What works on every machine of x86-64; tickets need the daemon.
        "(alone|loaded)/(full_fences|private_expedited|mprotect|global)$",
    ),
}


def rounds_in_time(seconds: Mapping[str, float], counts: Mapping[str, int]) -> int:
    """How many rounds, of so many windows of this length of each subject."""
    each = sum(counts[name] * (length + _START) for name, length in seconds.items())
    fewest, most = _ROUNDS
    # The warm-up is one more.
    return max(fewest, min(most, int(_BUDGET / each) - 1))
