# SPDX-License-Identifier: MIT
"""Loops at random, in C, whose rounds all have an effect: nested, in functions that are called or
put in line, in a function that calls itself, left and gone on with in several places."""

from __future__ import annotations

import random

#: Loops of a file, which turns.c calls by small letters.
LOOPS = 20

_OBJECTS = ("x", "y", "z")


class _Loop:
    def __init__(self, rng: random.Random, helpers: tuple[str, ...]) -> None:
        self.rng = rng
        self.helpers = helpers

    def effect(self) -> str:
        return f"atomic_fetch_add_explicit(&{self.rng.choice(_OBJECTS)}, 1, memory_order_relaxed);"

    def look(self) -> str:
        order = self.rng.choice(("relaxed", "acquire"))
        return f"atomic_load_explicit(&{self.rng.choice(_OBJECTS)}, memory_order_{order})"

    def condition(self) -> str:
        number = self.rng.randint(1, 3)
        return self.rng.choice(
            (
                f"{self.look()} >= {number}",
                f"{self.look()} >= {number}",
                f"seen >= {number}",
                f"(seen & 1) == {number & 1}",
                "--left <= 0",
            )
        )

    def other(self, depth: int) -> str:
        kind = self.rng.randrange(9)
        if kind <= 1:
            return f"seen = {self.look()};"
        if kind == 2:
            return f"if ({self.condition()}) continue;"
        if kind == 3:
            return f"if ({self.condition()}) return;"
        if kind == 4 and self.helpers:
            return f"{self.rng.choice(self.helpers)}({self.rng.randint(0, 1)});"
        if kind <= 6 and depth < 2:
            return self.rounds(depth + 1)
        if kind == 7:
            return "for (volatile int own = 0; own < 40; ++own) {}"
        return self.effect()

    def rounds(self, depth: int = 0) -> str:
        more = [self.other(depth) for _ in range(self.rng.choice((0, 1, 1, 2)))]
        ends = [f"if ({self.condition()}) break;"]
        parts = [self.effect(), *self.rng.sample(more + ends, len(more) + 1)]
        return "ROUNDS { " + " ".join(parts) + " }"

    def function(self, name: str, kind: str) -> str:
        again = f"if (deep > 0) {name}(deep - 1); " if kind == "recursive" else ""
        attribute = "__attribute__((noinline)) " if kind != "inline" else ""
        return (
            f"{attribute}static void {name}(int deep) {{\n"
            "  int seen = 0, left = 2;\n"
            f"  (void)seen, (void)left, (void)deep;\n  {again}{self.rounds()}\n"
            + (f"  {self.rounds()}\n" if self.rng.random() < 0.3 else "")
            + "}\n"
        )


def random_turns(rng: random.Random) -> str:
    """The file."""
    helpers = {"called": "called", "recursive": "recursive", "inlined": "inline"}
    text = "".join(_Loop(rng, ()).function(name, kind) for name, kind in helpers.items())
    names = [f"loop_{number}" for number in range(LOOPS)]
    for name in names:
        body = _Loop(rng, tuple(helpers)).function(name, "called")
        text += body.replace("(int deep)", "(void)").replace(", (void)deep", "")
    return text + f"static void (*const random_loops[])(void) = {{{', '.join(names)}}};\n"
