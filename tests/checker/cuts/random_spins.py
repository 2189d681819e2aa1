# SPDX-License-Identifier: MIT
"""Loops at random that look at atomic objects some times, in C: of some it can be proved that
nobody can tell how many rounds they took, and of many not, each for another reason."""

from __future__ import annotations

import random

#: Loops of a file, which bounded_spins.c calls by capital letters.
LOOPS = 26

_HEAD = """
#define PAUSE __asm__ volatile("")
static unsigned looked_at(unsigned k) {
  const unsigned found = look_relaxed(k);
  return found == 3 ? 0 : found;
}
"""

_STORE = "atomic_store_explicit(&objects[1 - k], 3, memory_order_release);"


class _Loop:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rounds = rng.randint(4, 7)
        #: What a loop of which much can be proved does seldom.
        self.wild = rng.random() < 0.35

    def look(self) -> str:
        k = "k" if self.rng.random() < 0.8 else "1 - k"
        return f"{self.rng.choice(('look', 'look', 'look_relaxed', 'looked_at'))}({k})"

    def number(self) -> int:
        return self.rng.randint(0, self.rounds)

    def condition(self) -> str:
        rng = self.rng
        of_reads = (
            "v == 1",
            "v == 2",
            "v != 0",
            "w != 0",
            "v == 2 || w == 1",
            f"{self.look()} == 1",
        )
        of_counter = (
            f"i == {self.number()}",
            f"i > {self.number()}",
            "(i & 1) != 0",
            f"v == 1 && i > {self.number()}",
            f"v == 1 && i == {self.number()}",
            f"v == 1 || i == {self.number()}",
            f"(unsigned)(i - {self.number()}) < 2",
            f"s > {self.number()}",
        )
        return rng.choice(of_counter if rng.random() < (0.4 if self.wild else 0.06) else of_reads)

    def leave(self) -> str:
        rng = self.rng
        if self.wild and rng.random() < 0.5:
            return rng.choice(("return (unsigned)i;", "{ s = (unsigned)i; break; }", "return s;"))
        return rng.choice(("return 1;", "return 2;", "break;", "return v;", "{ s = 9; break; }"))

    def statement(self) -> str:
        rng = self.rng
        if rng.random() < (0.3 if self.wild else 0.03):
            return rng.choice(
                (
                    "s += v;",
                    "++s;",
                    "s = v;",
                    "t = s; s = v;",
                    "if (v == 1) ++i;",
                    "if (v == 1) ++s;",
                    _STORE,
                    f"if (v == 1) {_STORE}",
                    "plain = 1;",
                    "if (i == 3) continue;",
                    "if (v == 1) { ++s; continue; }",
                    "if (v != 0) { t = s; s = 2; continue; }",
                    f"for (int j = 0; j < i; ++j) if ({self.look()} == 2) {self.leave()}",
                    "places[i & 1] = v;",
                    "if (places[1] == 2) return 3;",
                )
            )
        return rng.choice(
            (
                f"v = {self.look()};",
                f"v = {self.look()};",
                f"w = {self.look()};",
                f"if ({self.look()} == 1) {self.leave()}",
                f"if ({self.condition()}) {self.leave()}",
                f"if ({self.condition()}) {self.leave()}",
                f"if ({self.condition()}) continue;",
                f"if ({self.condition()}) w = {self.look()};",
                "PAUSE;",
                "sched_yield();",
                "for (int j = 0; j < (i & 3); ++j) PAUSE;",
                "if (pauses < 4) pauses *= 2; for (int j = 0; j < pauses; ++j) PAUSE;",
                f"for (int j = 0; j < 2; ++j) if ({self.look()} == 2) {self.leave()}",
            )
        )

    def header(self) -> tuple[str, str]:
        """What begins the loop, and what ends it."""
        n = self.rounds
        return self.rng.choice(
            (
                (f"for (i = 0; i < {n}; ++i) {{", "}"),
                (f"for (i = 0; i < {n} && {self.look()} == 0; ++i) {{", "}"),
                (f"for (i = 0; {self.look()} == 0 && i != {n}; ++i) {{", "}"),
                ("for (i = 0; i < n; i++) {", "}"),
                (f"i = {n}; while (i-- > 0) {{", "}"),
                (f"i = {n}; while ({self.look()} != 1) {{ if (i-- == 0) return 5;", "}"),
                ("i = 0; do {", f"}} while (++i < {n});"),
                ("i = n; do {", "} while (--i);"),
                (f"for (i = 1; i < {1 << (n - 2)}; i *= 2) {{", "}"),
                (
                    "while ((int)(s + t) < n && i++ < 9) { "
                    f"if ({self.look()} == 1) {{ ++s; continue; }}",
                    "++t; } return s + 3 * t;",
                ),
                (f"for (int o = 0; o < 2; ++o) for (i = 0; i < {n // 2 + 1}; ++i) {{", "}"),
            )
        )

    def afterwards(self) -> str:
        rng = self.rng
        if rng.random() < (0.4 if self.wild else 0.1):
            return rng.choice(
                (
                    "return (unsigned)i;",
                    f"return i == {self.number()};",
                    f"return i > {self.number()};",
                    "return s + 3 * t;",
                    "return v + 4 * w;",
                    f"if ((i & 1) != 0) {_STORE}",
                )
            )
        return rng.choice(
            (
                "return 3;",
                "return v;",
                "return s;",
                f"return i == {self.rounds};",
                f"return i < {self.rounds};",
                "return i < n;",
                "return i >= n;",
                "return i < 0;",
                "return i != 0;",
                f"if (i == {self.rounds}) {_STORE}",
                "return 3 + look_relaxed(1 - k);",
            )
        )

    def text(self, name: str) -> str:
        begins, ends = self.header()
        body = " ".join(self.statement() for _ in range(self.rng.randint(1, 3)))
        return (
            f"LOOP {name}(unsigned k) {{\n"
            f"  unsigned v = 0, w = 0, s = 0, t = 0, places[2] = {{0, 0}};\n"
            f"  int i = 0, n = {self.rounds} - (int)k, pauses = 1;\n"
            f"  {begins}\n    {body}\n  {ends}\n  {self.afterwards()}\n"
            "  (void)v, (void)w, (void)s, (void)t, (void)i, (void)n, (void)pauses, (void)places;\n"
            "  return 0;\n}\n"
        )


def random_loops(rng: random.Random) -> str:
    """The file."""
    names = [f"loop_{number}" for number in range(LOOPS)]
    loops = [_Loop(rng).text(name) for name in names]
    table = ", ".join(names)
    return (
        _HEAD
        + "".join(loops)
        + f"static unsigned (*const random_loops[])(unsigned) = {{{table}}};\n"
    )
