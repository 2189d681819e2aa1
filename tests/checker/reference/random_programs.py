# SPDX-License-Identifier: MIT
"""Random litmus tests over every operation, order and fence of the litmus language.

The same seed gives the same programs, on every machine.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence

LOAD_ORDERS = ("rlx", "acq", "sc")
STORE_ORDERS = ("rlx", "rel", "sc")
RMW_ORDERS = ("rlx", "acq", "rel", "acq_rel", "sc")
FENCE_ORDERS = ("acq", "rel", "acq_rel", "sc")
LOCATIONS = "xyzw"

# What a program is made of: weights of load, store, exchange, fetch_op, compare-exchange, fence.
_MIXTURES = {
    "accesses": (5, 5, 0, 0, 0, 0),
    "fences": (4, 4, 0, 0, 0, 4),
    "read-modify-writes": (2, 2, 2, 3, 3, 0),
    "everything": (4, 4, 1, 2, 2, 2),
    "lock-like": (2, 2, 1, 0, 4, 1),
}
# Which orders: the probability that an access is seq_cst, else that it is relaxed.
_STRENGTHS = {
    "relaxed": (0.0, 1.0),
    "release-acquire": (0.0, 0.15),
    "sc": (0.9, 0.5),
    "sc and relaxed": (0.5, 0.9),
    "any": (0.34, 0.4),
}


#: Of an asymmetric program: the probability that a statement is a heavy or light fence, or N.
_SHARES = ((0.2, 0.2, 0.1), (0.25, 0.3, 0.0), (0.25, 0.0, 0.35), (0.35, 0.1, 0.1))


class _Program:
    """One random program, built statement by statement."""

    def __init__(
        self, rng: random.Random, asymmetric: bool = False, bytewise: bool = False
    ) -> None:
        self.rng = rng
        self.shares = rng.choice(_SHARES) if asymmetric else None
        self.threads = rng.choices((1, 2, 3, 4), (1, 12, 10, 4))[0]
        self.locations = rng.choices((1, 2, 3, 4), (3, 10, 4, 1))[0]
        self.mixture = _MIXTURES[rng.choice(list(_MIXTURES))]
        self.sc, self.relaxed = _STRENGTHS[rng.choice(list(_STRENGTHS))]
        if asymmetric and rng.random() < 0.8:  # what other orders forbid, fences need not
            self.mixture, self.sc, self.relaxed = _MIXTURES["accesses"], 0.0, 0.95
        self.conditionals = rng.random() < 0.35
        self.next_value = 1
        # Few values make several writes look alike to a reader; many tell them apart.
        self.values = rng.choice((1, 2, 9))
        self.bytewise = bytewise
        if bytewise:
            self.threads, self.locations = rng.choice((2, 2, 3, 3, 4)), rng.choice((2, 2, 2, 3))

    def place(self) -> str:
        """A location, or a range of neighbours if each is a byte: often all of them."""
        first = self.rng.randrange(self.locations)
        if not self.bytewise:
            return LOCATIONS[first]
        highest = self.locations - 1
        last = self.rng.choice((first, highest, self.rng.randint(first, highest)))
        return LOCATIONS[first] if first == last else f"{LOCATIONS[first]}:{LOCATIONS[last]}"

    def order(self, orders: tuple[str, ...]) -> str:
        if self.rng.random() < self.sc:
            return "sc"
        if "rlx" in orders and self.rng.random() < self.relaxed:
            return "rlx"
        return self.rng.choice([o for o in orders if o not in ("rlx", "sc")] or ["rlx"])

    def value(self, registers: int) -> str:
        if registers and self.rng.random() < 0.2:
            register = f"r{self.rng.randrange(registers)}"
            return register if self.rng.random() < 0.5 else f"{register}+1"
        value = self.next_value
        self.next_value = self.next_value % self.values + 1
        if self.bytewise and self.rng.random() < 0.5:
            value = value * 257 + self.rng.choice((0, 1, 256))  # something in the next byte too
        return str(value)

    def statement(self, registers: int) -> tuple[str, bool]:
        """A statement without its result, and whether it has one."""
        rng = self.rng
        location = self.place()
        if self.shares:
            heavy, light, addition = self.shares
            share = rng.random()
            if share < heavy:
                return "F heavy", False
            if share < heavy + light:
                return "F light", False
            if share < heavy + light + addition:
                return f"N {location} {rng.choice((1, 1, 2))}", True
        what = rng.choices("RWXUCF", self.mixture)[0]
        if what == "R":
            return f"R {location} {self.order(LOAD_ORDERS)}", True
        if what == "W":
            return f"W {location} {self.value(registers)} {self.order(STORE_ORDERS)}", False
        if what == "X":
            return f"X {location} {self.value(registers)} {self.order(RMW_ORDERS)}", True
        if what == "U":
            operation = rng.choices(("add", "sub", "and", "or", "xor"), (6, 1, 1, 1, 1))[0]
            operand = rng.choice((0, 1, 1, 2))
            return f"U {location} {operation} {operand} {self.order(RMW_ORDERS)}", True
        if what == "C":
            expected = rng.choices(("0", "1", "2"), (6, 3, 1))[0]
            if registers and rng.random() < 0.2:
                expected = f"r{rng.randrange(registers)}"
            success, failure = self.order(RMW_ORDERS), self.order(LOAD_ORDERS)
            return f"C {location} {expected} {self.value(registers)} {success} {failure}", True
        return f"F {self.order(FENCE_ORDERS)}", False

    def block(self, size: int, registers: int) -> tuple[list[str], int]:
        """Some statements, and how many registers have been written after them."""
        result: list[str] = []
        while size > 0:
            if self.conditionals and registers and self.rng.random() < 0.3:
                inner_size = self.rng.randint(1, min(size, 2))
                comparison = self.rng.choice(("==", "!="))
                register = self.rng.randrange(registers)
                inner, after = self.block(inner_size, registers)
                text = f"if r{register}{comparison}{self.rng.choice((0, 1, 1))} "
                text += "{ " + "; ".join(inner) + " }"
                if self.rng.random() < 0.3:
                    other, after_other = self.block(1, registers)
                    after = max(after, after_other)
                    text += " else { " + "; ".join(other) + " }"
                registers = after
                result.append(text)
                size -= inner_size
                continue
            text, reads = self.statement(registers)
            if reads and registers < 8:
                text = f"r{registers}={text}"
                registers += 1
            result.append(text)
            size -= 1
        return result, registers

    def text(self) -> str:
        largest = {1: 6, 2: 5, 3: 4, 4: 3}[self.threads] - (1 if self.bytewise else 0)
        inits = "".join(
            f"{name}={1 if self.rng.random() < 0.1 else 0}; "
            for name in LOCATIONS[: self.locations]
        )
        threads = []
        for t in range(self.threads):
            statements, _ = self.block(self.rng.randint(1, largest), 0)
            threads.append(f"T{t}: " + "; ".join(statements))
        return inits + "; ".join(threads)


def _varied_statement(program: _Program, text: str) -> str:
    """The statement with other orders, sometimes another operation on the same location."""
    rng = program.rng
    words = text.split(" ")
    words[:1] = words[0].split("=") if "=" in words[0] else ["", words[0]]
    target, what, *rest = words
    change = rng.random()
    if what in "WR" and program.shares and change > 0.8:
        return f"{target + '=' if target else ''}N {rest[0]} 1"
    if what == "W" and change < 0.1:
        what, rest = "X", [*rest[:2], program.order(RMW_ORDERS)]
    elif what == "W" and change < 0.2 and "r" not in rest[1]:
        what, rest = "U", [rest[0], "add", rest[1], program.order(RMW_ORDERS)]
    elif what == "W":
        rest[-1] = program.order(STORE_ORDERS)
    elif what == "R" and change < 0.1:
        what, rest = "U", [rest[0], "add", "0", program.order(RMW_ORDERS)]
    elif what == "R" and change < 0.2:
        orders = [program.order(RMW_ORDERS), program.order(LOAD_ORDERS)]
        what, rest = "C", [rest[0], rng.choice("017"), "8", *orders]
    elif what == "R":
        rest[-1] = program.order(LOAD_ORDERS)
    elif what == "F" and program.shares:
        rest = [rng.choice(("light", "heavy", "sc"))]
    elif what == "N":
        rest = [rest[0], rng.choice(("1", "2"))]
    elif what == "F":
        rest = [program.order(FENCE_ORDERS)]
    elif what == "C":
        rest[-2:] = [program.order(RMW_ORDERS), program.order(LOAD_ORDERS)]
    else:
        rest[-1] = program.order(RMW_ORDERS)
    return f"{target + '=' if target else ''}{what} {' '.join(rest)}"


def _varied(rng: random.Random, shape: str, asymmetric: bool) -> str:
    """A litmus test with other orders, threads in another order, and things put in."""
    inits, *bodies = re.split(r"T\d+:", shape)
    program = _Program(rng, asymmetric)
    program.locations = len(re.findall(r"[a-z]+(?==)", inits))
    threads = []
    for body in bodies:
        side = rng.choice(("light", "light", "heavy")) if asymmetric else ""
        statements: list[str] = []
        for text in (part.strip() for part in body.strip().strip(";").split(";")):
            if "{" in text or "}" in text:
                return shape
            if asymmetric and statements and rng.random() < 0.6:
                statements.append(f"F {side}")
            elif statements and rng.random() < 0.1:
                statements.append(f"F {program.order(FENCE_ORDERS)}")
            if text[0] != "F" or rng.random() < 0.8:
                statements.append(_varied_statement(program, text))
        threads.append(statements)
    if rng.random() < 0.3:
        into = rng.choice(threads)
        into.insert(rng.randint(0, len(into)), program.statement(0)[0])
    if len(threads) < 4 and rng.random() < 0.3:
        threads.append([program.statement(0)[0] for _ in range(rng.choice((1, 1, 2)))])
    if rng.random() < 0.5:
        rng.shuffle(threads)
    return inits + "; ".join(f"T{t}: {'; '.join(body)}" for t, body in enumerate(threads))


def random_programs(
    seed: int, shapes: Sequence[str] = (), asymmetric: bool = False
) -> Iterator[str]:
    """Litmus tests without end; every second one is like one of `shapes`, if there are any. Those
    that are asymmetric have light and heavy fences and non-atomic additions too."""
    rng = random.Random(seed)
    while True:
        yield _Program(random.Random(rng.getrandbits(64)), asymmetric).text()
        if shapes:
            yield _varied(random.Random(rng.getrandbits(64)), rng.choice(shapes), asymmetric)


def mixed_size_programs(seed: int) -> Iterator[str]:
    """Without end: programs that access neighbouring bytes one by one and together."""
    rng = random.Random(seed)
    while True:
        yield _Program(random.Random(rng.getrandbits(64)), bytewise=True).text()
