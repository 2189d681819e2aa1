# SPDX-License-Identifier: MIT
"""Input that somebody else made, or that a disk has spoiled: valid input with something changed.
The same in each run; more of it where the long tests run."""

from __future__ import annotations

import copy
import io
import json
import math
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

import pytest
import samples
from fencepost import cli
from fencepost.console import unforeseen
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st

#: Values that programs do not think of.
ODD_VALUES = [
    None,
    True,
    False,
    0,
    -1,
    0.0,
    -0.0,
    1e308,
    math.nan,
    math.inf,
    -math.inf,
    2**31,
    2**63,
    -(2**64),
    10**400,
    "",
    " ",
    "\0",
    "\n",
    "\ud800",
    "\udcff",
    "\x1b[2J\u202e",
    "/",
    "../../x",
    "*",
    "[",
    "9" * 400,
    "NaN",
    "x" * 5000,
    [],
    {},
    [[]],
    [None],
    {"": None},
    ["a", 1],
]

#: Text that is no JSON of Python's, or too much of it.
ODD_TEXTS = [
    b"[" * 100_000,
    b'{"a":' * 5_000,
    b"9" * 5_000,
    b"1e999",
    b"-1e999",
    b"NaN",
    b"Infinity",
    b'"\\ud800"',
    b'"\\udfff\\ud800"',
    b"\xff\xfe",
    b"\x00",
    b"\n",
    b"\r",
    b'"',
    b"\\",
    b"{",
    b"}",
    b"null",
    b"-",
    b".",
    b" ",
    b"\x1b[2J",
    b"0",
    b"\xf0\x9f\x98",
    b"\xed\xa0\x80",
]


def examples(few: int, many: int) -> Callable[[Any], Any]:
    """So many: the same in each run, so that a failure is there again. The long run has others for
    each commit."""
    found = settings(
        max_examples=many if samples.is_long else few,
        derandomize=not samples.is_long,
        database=None,
        deadline=None,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )
    return lambda test: seed(samples.seed())(found(test)) if samples.is_long else found(test)


@st.composite
def spoiled(draw: st.DrawFn, seeds: Sequence[bytes]) -> bytes:
    """One of the seeds with pieces lost, doubled, or replaced."""
    text = bytearray(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.sampled_from([0, 0, 1, 1, 4, 16, 1 << 20])))
        piece = draw(
            st.one_of(
                st.sampled_from(ODD_TEXTS),
                st.binary(max_size=8),
                st.just(b""),
                st.just(bytes(text[start:end]) * 2),
            )
        )
        text[start:end] = piece
    return bytes(text)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Paths of everything within a value."""
    found = [at] if at else []
    if isinstance(value, dict | list):
        for name in value if isinstance(value, dict) else range(len(value)):
            found += places(value[name], (*at, name))
    return found


@st.composite
def odd(draw: st.DrawFn, seeds: Sequence[Any]) -> Any:
    """One of the seeds with values that nobody expects, or without some that everybody does."""
    value = copy.deepcopy(draw(st.sampled_from(seeds)))
    for _ in range(draw(st.integers(1, 3))):
        everywhere = places(value)
        if not everywhere:
            break
        *way, last = draw(st.sampled_from(everywhere))
        inner = value
        for name in way:
            inner = inner[name]
        if draw(st.booleans()) or isinstance(inner, list):
            inner[last] = copy.deepcopy(draw(st.sampled_from(ODD_VALUES)))
        else:
            del inner[last]
    return value


def json_lines(values: Sequence[Any]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


Answer = Callable[..., tuple[int, str, str]]


@pytest.fixture
def answer(monkeypatch: pytest.MonkeyPatch) -> Answer:
    """Exit status, stdout and stderr of a command line; raises what nobody foresaw."""

    def fail(error: BaseException, _: Sequence[str]) -> None:
        raise error

    monkeypatch.setattr(unforeseen, "report", fail)

    def run(*words: object) -> tuple[int, str, str]:
        said, complained = io.StringIO(), io.StringIO()
        with redirect_stdout(said), redirect_stderr(complained):
            try:
                status = cli.main([str(word) for word in words])
            except SystemExit as end:  # of argparse
                status = int(end.code or 0)
        return status, said.getvalue(), complained.getvalue()

    return run
