# SPDX-License-Identifier: MIT
"""Loops at random that try to change an object until they can, in C: of some it can be proved that
they go on with nothing but what a failed attempt has found, and of many not."""

from __future__ import annotations

import random

#: Loops of a file, which random_retries.c calls by capital letters.
LOOPS = 26

_ORDERS = ("memory_order_relaxed", "memory_order_acquire", "memory_order_seq_cst")
_BOTH = (
    "memory_order_acq_rel, memory_order_relaxed",
    "memory_order_acq_rel, memory_order_acquire",
    "memory_order_seq_cst, memory_order_seq_cst",
    "memory_order_relaxed, memory_order_relaxed",
)


class _Loop:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def number(self) -> int:
        return self.rng.choice((0, 1, 2, 3, 4, 5, 8))

    def load(self) -> str:
        return f"atomic_load_explicit(&word, {self.rng.choice(_ORDERS)})"

    def first(self) -> str:
        return self.rng.choice(
            (
                f"int found = {self.number()};",
                f"int found = {self.number()};",
                f"int found = {self.load()};",
                f"int found = {self.load()};",
                "int found = atomic_load_explicit(&other, memory_order_relaxed);",
            )
        )

    def test(self) -> str:
        """Of what a round knows."""
        return self.rng.choice(
            (
                f"found == {self.number()}",
                f"found == {self.number()}",
                f"(found & {self.rng.choice((1, 2, 4))}) != 0",
                f"found > {self.number()}",
                f"expected == {self.number()}",
                f"found == {self.number()} && expected == {self.number()}",
                "found == expected + 2",
                f"was && found == {self.number()}",
                "found != expected",
                "atomic_load_explicit(&other, memory_order_relaxed) != 0",
                f"found == {self.number()} && rounds > 1",
            )
        )

    def before(self) -> str:
        return self.rng.choice(
            (
                f"if (found == {self.number()}) return 7;",
                f"if ((found & 1) != 0) {{ found = {self.load()}; continue; }}",
                f"while ((found & 1) != 0) found = {self.load()};",
                f"if ({self.test()}) break;",
                "PAUSE;",
                f"was = found == {self.number()};",
            )
        )

    def behind(self) -> str:
        return self.rng.choice(
            (
                f"if ({self.test()}) return 6;",
                f"if ({self.test()}) return 6;",
                f"if ({self.test()}) break;",
                f"if ({self.test()}) found = {self.load()};",
                f"if ({self.test()}) continue;",
                f"if ({self.test()}) PAUSE;",
                f"found = {self.load()};",
                f"switch (found - expected) {{ case {self.number()}: return 5; default: break; }}",
                "sched_yield();",
                "for (int i = 0; i < pauses; ++i) PAUSE; if (pauses < 8) pauses *= 2;",
                f"was = found == {self.number()};",
                "++rounds;",
            )
        )

    def some(self, make: str, most: int) -> str:
        made = (getattr(self, make)() for _ in range(self.rng.randint(0, most)))
        return "\n    ".join(made)

    def text(self, name: str) -> str:
        rng = self.rng
        change = rng.choice(
            ("found + 1", "found + 2", "found + 2", "found | 1", "8", "expected + 4")
        )
        attempt = (
            f"atomic_compare_exchange_strong_explicit(&word, &found, {change}, {rng.choice(_BOTH)})"
        )
        after = rng.choice(
            ("return found;", "return found;", "return 3;", "return found + expected;")
        )
        return (
            f"__attribute__((noinline)) static int {name}(void) {{\n"
            "  int expected = 0, rounds = 0, pauses = 1;\n"
            "  _Bool was = 0;\n"
            f"  {self.first()}\n"
            "  for (;;) {\n"
            f"    {self.some('before', 1)}\n"
            "    expected = found;\n"
            f"    if ({attempt}) break;\n"
            f"    {self.some('behind', 2)}\n"
            "  }\n"
            "  (void)was, (void)rounds, (void)pauses;\n"
            f"  {after}\n"
            "}\n"
        )


def random_loops(rng: random.Random) -> str:
    """The file."""
    names = [f"loop_{number}" for number in range(LOOPS)]
    table = ", ".join(names)
    return (
        "".join(_Loop(rng).text(name) for name in names)
        + f"static int (*const random_loops[])(void) = {{{table}}};\n"
    )
