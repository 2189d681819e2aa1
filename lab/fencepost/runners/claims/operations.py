# SPDX-License-Identifier: MIT
"""What was said about the cost of single operations, in MySQL bug 100132 and by Gustedt (2015)."""

from __future__ import annotations

from fencepost.runners.claims.claim import EQUAL, HIGHER, LOWER, Claim, Group, Question


def operation(one: str, expected: str, other: str) -> Question:
    return Question(
        "single_operations",
        "one_operation",
        one,
        expected,
        other,
        "cpu_time",
        f"`{one}` / `{other}`, time",
    )


OPERATIONS = Group(
    "operations",
    "Single operations",
    ("single_operations",),
    (
        Claim(
            "acquire and release are almost no advantage over seq_cst on x86: loads",
            "article of July 2015",
            (operation("load_acquire_baseline", EQUAL, "load_seq_cst_baseline"),),
        ),
        Claim(
            "the same: read-modify-writes",
            "article of July 2015; reviewer, 27 July 2020",
            (
                operation("exchange_acq_rel_baseline", EQUAL, "exchange_seq_cst_baseline"),
                operation("fetch_add_relaxed_baseline", EQUAL, "fetch_add_seq_cst_baseline"),
                operation(
                    "compare_exchange_succeeding_acquire_baseline",
                    EQUAL,
                    "compare_exchange_succeeding_seq_cst_baseline",
                ),
            ),
        ),
        Claim(
            "the same: stores",
            "article of July 2015",
            (operation("store_release_baseline", EQUAL, "store_seq_cst_baseline"),),
        ),
        Claim(
            "a fence of order acq_rel does nothing on Intel",
            "reviewer, 27 July 2020",
            (operation("fence_acq_rel_baseline", EQUAL, "nothing_baseline"),),
        ),
        Claim(
            "exchange and compare-exchange cost the same on Intel",
            "reviewer, 16 July 2020",
            (
                operation(
                    "exchange_seq_cst_baseline",
                    EQUAL,
                    "compare_exchange_succeeding_seq_cst_baseline",
                ),
            ),
        ),
        Claim(
            "a load is by far the cheapest",
            "reviewer, 26 August 2020",
            (
                operation("load_seq_cst_baseline", LOWER, "store_seq_cst_baseline"),
                operation("load_seq_cst_baseline", LOWER, "exchange_seq_cst_baseline"),
            ),
            not_here="said of AArch64",
        ),
        Claim(
            "a store takes half of what an exchange takes",
            "reviewer, 26 August 2020",
            (operation("store_seq_cst_baseline", LOWER, "exchange_seq_cst_baseline"),),
            not_here="said of AArch64; on x86-64 a seq_cst store is an `xchg`",
        ),
        Claim(
            "a seq_cst fence takes longer than a store, less than an exchange",
            "reviewer, 26 August 2020",
            (
                operation("fence_seq_cst_baseline", HIGHER, "store_seq_cst_baseline"),
                operation("fence_seq_cst_baseline", LOWER, "exchange_seq_cst_baseline"),
            ),
            not_here="said of AArch64",
        ),
        Claim(
            "a compare-exchange that fails takes half of one that succeeds",
            "reviewer, 26 August 2020",
            (
                operation(
                    "compare_exchange_failing_seq_cst_baseline",
                    LOWER,
                    "compare_exchange_succeeding_seq_cst_baseline",
                ),
            ),
            not_here="said of AArch64 without LSE",
        ),
        Claim(
            "with `-march=native` both take the same",
            "reviewer, 26 August 2020",
            (
                operation(
                    "compare_exchange_failing_seq_cst_native",
                    EQUAL,
                    "compare_exchange_succeeding_seq_cst_native",
                ),
            ),
            not_here="said of AArch64, where the flag brings LSE",
        ),
        Claim(
            "`-march=native` makes compare-exchange slower",
            "reviewer, 26 and 28 August 2020",
            (
                operation(
                    "compare_exchange_succeeding_seq_cst_native",
                    HIGHER,
                    "compare_exchange_succeeding_seq_cst_baseline",
                ),
            ),
            not_here="said of AArch64, where the flag brings LSE",
        ),
        Claim(
            "`-march=native` makes exchange faster",
            "reviewer, 26 August 2020",
            (operation("exchange_seq_cst_native", LOWER, "exchange_seq_cst_baseline"),),
            not_here="said of AArch64, where the flag brings LSE",
        ),
        Claim(
            "an exclusive load with acquire is always faster than one without",
            "reporter, 5 August 2020",
            not_here="said of AArch64",
        ),
    ),
)
