# SPDX-License-Identifier: MIT
"""What was said about speed in an implementation of C11's atomics (Gustedt, 2015) and in
"Preemption is GC for memory reordering" (Khuong, 2019)."""

from __future__ import annotations

from fencepost.runners.claims.claim import HIGHER, LOWER, Claim, Figure, Group, Question


def pushed(one: str, expected: str, other: str, *threads: int) -> tuple[Question, ...]:
    return tuple(
        Question(
            "lifo",
            f"stack/threads:{n}",
            one,
            expected,
            other,
            None,
            f"`{one}` / `{other}`, elements a second, {n} threads",
        )
        for n in threads
    )


def increment(one: str, expected: str, other: str, rope: float = 0.05) -> Question:
    return Question(
        "event_counts",
        "increment",
        one,
        expected,
        other,
        "cpu_time",
        f"`{one}` / `{other}`, time",
        rope,
    )


def cycles(label: str, variant: str) -> Figure:
    return Figure(
        label, "event_counts", "increment", variant, "reference_cycles", "reference cycles"
    )


def called(label: str, variant: str) -> Figure:
    return Figure(
        label,
        "sleep_and_wake",
        "wake_sleeper",
        variant,
        "signal_reference_cycles",
        "reference cycles",
    )


def read(one: str, expected: str, other: str) -> Question:
    return Question(
        "protected_reads", "read", one, expected, other, "cpu_time", f"`{one}` / `{other}`, time"
    )


LIFO = Group(
    "lifo",
    "Locks of the atomics runtime, on a stack",
    (),
    (
        Claim(
            "the 16-byte instruction is twice as fast as locks with few threads",
            "article of July 2015",
            pushed("instruction", HIGHER, "published_futex", 1, 2),
        ),
        Claim(
            "and with many threads, four times",
            "article of July 2015",
            pushed("instruction", HIGHER, "published_futex", 32, 256),
        ),
        Claim(
            "a spin lock by compare-exchange beats a pthread mutex by 30 to 40 % with few threads",
            "article of July 2015",
            pushed("compare_exchange_spin", HIGHER, "pthread_mutex", 1, 2),
        ),
        Claim(
            "it drops severely with more threads than processors",
            "article of July 2015",
            pushed("compare_exchange_spin", LOWER, "pthread_mutex", 8, 32, 256),
        ),
        Claim(
            "the one-word futex lock with a counter always beats a pthread mutex: by 10 to 20 % "
            "with few threads, by 5 % with many",
            "article of July 2015",
            pushed("published_futex", HIGHER, "pthread_mutex", 1, 2, 32, 256),
        ),
        Claim(
            "musl's internal lock is a bit worse than a pthread mutex with one thread, 10 to 20 "
            "% better with more",
            "article of July 2015",
            (
                *pushed("musl_lock", LOWER, "pthread_mutex", 1),
                *pushed("musl_lock", HIGHER, "pthread_mutex", 8, 32, 256),
            ),
        ),
        Claim(
            "counting in the locks changes the performance substantially",
            "article of July 2015",
            elsewhere=(
                "confirmed",
                "17 instead of 9 ns a store: "
                "[atomics.md](../library/atomics.md#looking-into-the-locks)",
            ),
        ),
        Claim(
            "one round of spinning is enough on average, and a lock's owner loses its processor in "
            "0.1 % of all sections",
            "article of July 2015",
            elsewhere=(
                "not measured yet",
                "a build with `FENCEPOST_ATOMIC_STATISTICS` counts it: "
                "[atomics.md](../library/atomics.md#looking-into-the-locks)",
            ),
        ),
    ),
)

EVENT_COUNTS = Group(
    "event_counts",
    "Event counts, fast paths, reclamation",
    (
        "event_counts",
        "sleep_and_wake",
        "locks_uncontended",
        "protected_reads",
        "--seconds",
        "0.15",
        "--only",
        "/increment/|/wake_sleeper/(fencepost|ck_ec32|raw_futex).*(?<!spinning)$"
        "|/lock_and_unlock/(pthread|fencepost_futex|fencepost_event)"
        "|/read/(plain_load|fencepost_hazard_pointer|urcu_mb|urcu_memb|ck_hp)$",
    ),
    (
        Claim(
            "an increment with many producers takes about 30 cycles with no waiter, one with one "
            "producer about 8",
            "article of 9 January 2019",
            (
                increment("ck_ec32_one_producer", LOWER, "ck_ec32_many_producers"),
                increment("fencepost_single_producer_event_count", LOWER, "fencepost_event_count"),
            ),
            (
                cycles("ck, many", "ck_ec32_many_producers"),
                cycles("ck, one", "ck_ec32_one_producer"),
                cycles("ours, many", "fencepost_event_count"),
                cycles("ours, one", "fencepost_single_producer_event_count"),
            ),
        ),
        Claim(
            "one producer's increment takes 3 to 4 cycles more than the update of a ring's pointer",
            "article of 9 January 2019",
            (
                increment("ck_ec32_one_producer", HIGHER, "release_store"),
                increment("fencepost_single_producer_event_count", HIGHER, "release_store"),
            ),
            (
                cycles("ck", "ck_ec32_one_producer"),
                cycles("ours", "fencepost_single_producer_event_count"),
                cycles("the pointer alone", "release_store"),
            ),
        ),
        Claim(
            "it is comparable to a counter that is not atomic",
            "article of 9 January 2019",
            (increment("fencepost_single_producer_event_count", LOWER, "atomic_add"),),
            (
                cycles("ours", "fencepost_single_producer_event_count"),
                cycles("an atomic addition", "atomic_add"),
            ),
            not_here="no counter that is not atomic stands beside it; an atomic one does",
        ),
        Claim(
            "to wake a sleeper takes 700 cycles more",
            "article of 9 January 2019",
            figures=(
                called("The call that wakes, Concurrency Kit", "ck_ec32_many_producers"),
                called("ours", "fencepost_event_count"),
                called("a raw futex", "raw_futex"),
            ),
            not_here="said of an E5-46xx and Linux 4.16, as a number of cycles",
        ),
        Claim(
            "a barrier in every reader is an overhead that counts; the asymmetric fence spares it",
            "article of 9 January 2019",
            (read("fencepost_hazard_pointer", LOWER, "ck_hp"), read("urcu_memb", LOWER, "urcu_mb")),
        ),
        Claim(
            "few threads: what counts is the fast path's instructions, so that a spin lock beats "
            "the futex lock and that the mutex",
            "article of July 2015",
            (
                Question(
                    "locks_uncontended",
                    "lock_and_unlock",
                    "pthread_spinlock",
                    LOWER,
                    "fencepost_futex_mutex",
                    "cpu_time",
                    "`pthread_spinlock` / `fencepost_futex_mutex`, time",
                ),
                Question(
                    "locks_uncontended",
                    "lock_and_unlock",
                    "fencepost_futex_mutex",
                    LOWER,
                    "pthread_mutex",
                    "cpu_time",
                    "`fencepost_futex_mutex` / `pthread_mutex`, time",
                ),
            ),
        ),
    ),
)
