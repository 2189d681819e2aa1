# SPDX-License-Identifier: MIT
"""What was said about speed in MySQL bug 100132 (the event mutex), MySQL bug 88399 (its try-lock)
and in an article about ARM's LSE and MySQL.

"Proposal 1" and "proposal 2" of August are the study's solution_1 and solution_2, "Krunal's" is
patch_22_july.
"""

from __future__ import annotations

from fencepost.runners.claims.claim import EQUAL, HIGHER, LOWER, Claim, Group, Question

ARM = "said of AArch64"
SERVER = (
    "said of InnoDB's latches in a whole server, which are no pthread mutexes and keep their place "
    "under `fencepost run` ([servers.md](../lab/servers.md))"
)


def alone(one: str, expected: str, other: str, rope: float = 0.05) -> Question:
    """Question about the CPU time of a critical section that nobody else wants."""
    return Question(
        "event_mutexes",
        "four_mutexes/threads:1",
        one,
        expected,
        other,
        "cpu_ns_each",
        f"`{one}` / `{other}`, time, 1 thread",
        rope,
    )


def fought_for(
    one: str, expected: str, other: str, threads: tuple[int, ...] = (8, 32)
) -> tuple[Question, ...]:
    return tuple(
        Question(
            "event_mutexes",
            f"four_mutexes/threads:{n}",
            one,
            expected,
            other,
            "sections_per_second",
            f"`{one}` / `{other}`, sections a second, {n} threads",
        )
        for n in threads
    )


def tried(one: str, other: str, *threads: int) -> tuple[Question, ...]:
    return tuple(
        Question(
            "try_locks",
            f"{kind}/threads:{n}",
            one,
            HIGHER,
            other,
            "sections_per_second",
            f"{kind.replace('_', ' ')}, sections a second, {n} threads",
        )
        for kind in ("bare", "event_mutex")
        for n in threads
    )


_PROTOCOLS = (
    "trunk_unsound",
    "fence_removed_unsound",
    "first_patch_valid_unsound",
    "solution_1",
    "solution_2",
    "solution_2_acq_rel",
    "patch_22_july_unsound",
    "proposal_3_unsound",
    "proposal_3_exchange",
    "proposal_3b_unsound",
    "full_fences",
)

PROTOCOLS = Group(
    "protocols",
    "The protocols of the event mutex",
    (
        "event_mutexes",
        "--seconds",
        "0.15",
        "--only",
        f"event_mutexes/four_mutexes/threads:(1|8|32)/({'|'.join(_PROTOCOLS)})$",
    ),
    (
        Claim(
            "an unlock of a release store and an acquire load gains 4 to 6 % on x86 too",
            "reporter, 7 July 2020",
            (
                alone("first_patch_valid_unsound", LOWER, "trunk_unsound", 0.02),
                *fought_for("first_patch_valid_unsound", HIGHER, "trunk_unsound"),
            ),
        ),
        Claim(
            "the acquire fence in exit costs; to remove it helps",
            "reporter, 9 July; reviewer, 26 August",
            (alone("fence_removed_unsound", LOWER, "trunk_unsound"),),
            not_here=f"{ARM}, where it is a `dmb`; on x86-64 it is no instruction",
        ),
        Claim(
            "seq_cst on the flag costs only on the slow paths, which are rare",
            "reviewer, 13 July",
            (
                alone("solution_1", EQUAL, "fence_removed_unsound"),
                *fought_for("solution_1", EQUAL, "fence_removed_unsound"),
            ),
        ),
        Claim(
            "acquire and release in place of seq_cst make no difference worth the name",
            "reporter, 16 and 17 July",
            (
                alone("first_patch_valid_unsound", EQUAL, "solution_1"),
                *fought_for("first_patch_valid_unsound", EQUAL, "solution_1"),
            ),
        ),
        Claim(
            "exchange or compare-exchange as try-lock: no difference on Intel",
            "reviewer, 16 July",
            (
                alone("proposal_3_exchange", EQUAL, "proposal_3_unsound"),
                *fought_for("proposal_3_exchange", EQUAL, "proposal_3_unsound"),
            ),
        ),
        Claim(
            "proposal 3's second `xchg` in exit is a cost on Intel, which 3b does without",
            "reviewer, 16 July",
            (alone("proposal_3b_unsound", LOWER, "proposal_3_unsound"),),
        ),
        Claim(
            "proposal 3b is as fast as plain seq_cst on Intel, being the same instructions",
            "reviewer, 16 July",
            (alone("proposal_3b_unsound", EQUAL, "solution_1"),),
        ),
        Claim(
            "solution 2's exchange is worse than a load would be",
            "reporter, 27 July",
            (
                alone("solution_2", HIGHER, "solution_1"),
                *fought_for("solution_2", LOWER, "solution_1"),
            ),
        ),
        Claim(
            "solution 2 may be faster than solution 1 on Intel, for it needs one synchronising "
            "operation to leave and wake where that needs two",
            "reviewer, 27 July",
            fought_for("solution_2", HIGHER, "solution_1"),
        ),
        Claim(
            "acq_rel in place of seq_cst in solution 2 gains nothing",
            "reviewer, 27 July",
            (
                alone("solution_2_acq_rel", EQUAL, "solution_2"),
                *fought_for("solution_2_acq_rel", EQUAL, "solution_2"),
            ),
        ),
        Claim(
            "one thread, time: solution 1 < trunk",
            "reviewer, 26 August",
            (alone("solution_1", LOWER, "trunk_unsound"),),
            not_here=ARM,
        ),
        Claim(
            "one thread, time: trunk < the patch of 22 July",
            "reviewer, 26 August",
            (alone("trunk_unsound", LOWER, "patch_22_july_unsound"),),
            not_here=ARM,
        ),
        Claim(
            "one thread, time: the patch of 22 July < solution 2; the whole span is 37 %",
            "reviewer, 26 August",
            (
                alone("patch_22_july_unsound", LOWER, "solution_2"),
                alone("solution_1", LOWER, "solution_2"),
            ),
            not_here=ARM,
        ),
    ),
)

TRY_LOCKS = Group(
    "try_locks",
    "Question-and-set or compare-exchange (MySQL bug 88399)",
    ("try_locks", "--only", "/threads:(1|32|128)/"),
    (
        Claim(
            "compare-exchange is better than test-and-set under high contention, with 32 threads "
            "and more; 16 % on a ppc64le of 128 processors",
            "article of 8 November 2017; its readers, 8 and 15 December",
            tried("compare_exchange_seq_cst", "test_and_set", 32, 128),
            not_here="said of AArch64 and ppc64le, and of machines with more than 32 processors",
        ),
        Claim(
            "acquire and relaxed in place of seq_cst give some more",
            "article of 8 November 2017",
            tried("compare_exchange_acquire", "compare_exchange_seq_cst", 32, 128),
            not_here="said of AArch64; on x86-64 they are the same instructions",
        ),
    ),
)

LSE = Group(
    "lse",
    "LSE, and the spin mutex around a CRC-32",
    ("crc32_spin",),
    (
        Claim(
            "LSE helps a contended spin mutex around a CRC-32 of 16 KiB",
            "reporter, 4 August 2020",
            not_here="on AArch64 this command compares the three ways to compile; under "
            "qemu-user a test runs each, and times none",
        ),
        Claim(
            "with LSE compare-exchange and exchange are one instruction, and outline atomics "
            "branch on what the processor has",
            "reporter, 4 August 2020",
            elsewhere=("confirmed", "[asm.md](../lab/asm.md#the-arguments-tables)"),
        ),
        Claim(
            "in MySQL LSE makes hardly a difference, or costs 2 to 4 % (zipfian updates)",
            "reporter, 4 August 2020",
            not_here=f"{ARM}; {SERVER}",
        ),
    ),
)

SERVERS = Group(
    "servers",
    "The server, and how to measure",
    (),
    (
        Claim(
            "trunk and solution 2 differ by less than 1 % with a probability of 76 %, by nine "
            "runs each in turns",
            "reviewer, 5 August 2020",
            elsewhere=(
                "confirmed",
                "83 % by our model from the published figures: "
                "[compare.md](../lab/compare.md#the-model), "
                "`pytest tests/lab/compare/test_posterior.py`",
            ),
        ),
        Claim(
            "three runs are too few, and the differences between averages are noise",
            "MySQL Verification Team, 3 August 2020; reviewer, 3 to 7 August",
            elsewhere=(
                "confirmed",
                "three rounds are the fewest that `fencepost compare` takes, "
                'and "not distinguishable" is what it makes of differences like '
                "these: [compare.md](../lab/compare.md)",
            ),
        ),
        Claim(
            "solution 2 is at least as fast as the others in spite of its retry loops",
            "reviewer, 5, 11 and 26 August 2020",
            not_here=f"{ARM}; {SERVER}",
        ),
        Claim(
            "seq_cst costs 6 to 12 % in some settings of sysbench",
            "reporter, 27 July and 1 August 2020",
            not_here=f"{ARM}; {SERVER}",
        ),
        Claim(
            "an exchange on the lock word in exit, a retry loop, is worse than a store and a load",
            "reviewer, 9 July 2020",
            not_here=ARM,
        ),
        Claim(
            "compare-exchange loops on one address are costly on ARM",
            "reviewer, 16 July 2020",
            not_here=ARM,
        ),
        Claim(
            "store and load with release and acquire, and with seq_cst, are the same "
            "instructions on AArch64, hence the same speed",
            "reviewer, 20 July 2020",
            elsewhere=(
                "confirmed, of the instructions",
                "[asm.md](../lab/asm.md#the-arguments-tables)",
            ),
        ),
    ),
)
