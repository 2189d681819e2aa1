# SPDX-License-Identifier: MIT
"""Programs that an argument spells (spelled_programs.h), and the ends to which they come."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from exploring import Answer, Exploring

MODELS = ("c++20", "c++14", "x86", "sc")


def explore(executable: Path, program: str, model: str, most: int) -> Answer:
    options = f"model={model} all=1 dump=1 max_executions={most}"
    return Exploring(executable, options, arguments=(program,)).answer()


def ends(answer: Answer) -> set[int]:
    """What main stores last, of every execution in which nobody is stuck."""
    found = set()
    for text in answer.executions:
        blocked, events, _ = json.loads(text)
        stores = [
            event
            for event in map(json.loads, events)
            if event["t"] == 0 and event["k"] == "W" and event.get("what") == "store"
        ]
        if not blocked and stores:
            found.add(max(stores, key=lambda event: event["i"])["val"])
    return found


def compare(
    own: Path,
    reference: Path,
    texts: list[str],
    most: int,
    models: tuple[str, ...] = MODELS,
    is_exact: Callable[[str], bool] = lambda _: True,
) -> tuple[int, int]:
    """Explores programs with the checker's own primitive and with one that it knows nothing of,
    each under one of the models, and asserts that they come to the same ends; those with `most`
    executions and more of the latter are left out. Where the latter is not exact, it may have fewer
    ends. How many executions there are of each kind."""
    executions = [0, 0]
    compared = 0
    for number, program in enumerate(texts):
        model = models[number % len(models)]
        expected = explore(reference, program, model, most)
        if sum(expected.counters[1:]) >= most:
            continue
        found = explore(own, program, model, most)
        assert found.counters[0] == expected.counters[0], (model, program)
        if expected.counters[0] == "holds":  # what comes behind a violation is not looked for
            assert ends(found) >= ends(expected), (model, program)
            if is_exact(program):
                assert ends(found) == ends(expected), (model, program)
        assert max(found.executions.values(), default=1) == 1, (model, program)
        compared += 1
        executions[0] += found.counters[1]
        executions[1] += expected.counters[1]
    assert compared > len(texts) / 3, "too many programs were over the limit"
    return executions[0], executions[1]
