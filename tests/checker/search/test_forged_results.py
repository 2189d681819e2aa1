# SPDX-License-Identifier: MIT
"""A checked program shares a process with the checker, and may write over what the checker says, or
instead of it. Whatever it writes, a command ends as it should: with the verdict of a result that
agrees with itself, or inconclusive. What it writes here are genuine results with something changed,
the same in each run."""

from __future__ import annotations

import copy
import json
import random
import re
import xml.dom.minidom
from collections.abc import Callable, Iterable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
import samples
from exploring import HERE
from fencepost import cli
from fencepost.binary import source_location
from fencepost.check import tasks
from fencepost.execution import memory_objects, symbolise
from fencepost.execution.schema import KINDS, OBJECTS, ORDERS, VIOLATIONS
from fencepost.explore import run_program
from fencepost.explore.run_program import Bounds, Explorer
from fencepost.toolchain.build_program import build_program
from fencepost.toolchain.toolchain import Program, Toolchain

Json = dict[str, Any]

#: Programs with a violation of each kind, and with what only some executions have: buffers, pieces
#: of accesses, choices, barriers, blocks of a heap. The source, the model, the flags.
GENUINE = {
    "data-race": ("cpp/shared_pointers.cpp", "c++20", "-DSHARED"),
    "memory": ("pthread/last_uses.c", "x86", "-DCONDITION -DFREED"),
    "assertion": (
        "pthread/failed_attempt.c",
        "c++20",
        "-DATTEMPT=pthread_rwlock_trywrlock(&written)",
    ),
    "lost-wakeup": ("cpp/atomic_wait.cpp", "x86", "-DSTORE=release -DWAIT=acquire"),
    "deadlock": ("polling/beside_trouble.c", "x86", "-DKIND=3 -DDEADLOCK"),
    "non-termination": ("locks/mcs_lock.cpp", "x86", "-DNO_WAIT_FOR_SUCCESSOR"),
    "exit-status": ("process_end/which_exit.c", "sc", "-DTHREAD=exit(0) -DOTHER=exit(3)"),
    "uncaught": ("cpp/exceptions.cpp", "sc", "-DUNCAUGHT"),
    "invalid-order": ("memory/forbidden_orders.c", "c++20", "-DSTORE=acquire -DLOAD=relaxed"),
    "stale": ("../search/stale.c", "c++14", ""),
    "buffered": ("../search/stale.c", "x86", ""),
}
TRIED = 500 if samples.is_long else 10

MARKUP = '"><script>alert(1)</script>\x1b]0;x\x07\u202e\n\0\ud800</script><!--'
ODD = [
    *(None, True, False, "", [], {}, 0, -1, 1, 2, 3, 64, 1000, 2**31, 2**63, 2**64, 10**30),
    *(1e308, -1.5, float("nan"), float("inf"), [0, 0], [5, 5], [-1, 0], [0, 2**63], [[0, 0]]),
    *([[0, 0], [0, 1], [1, 1]], ["x"], "init", "holds", "violated", "inconclusive", MARKUP),
    "T1",
    "pc 0x401000 thread 99999999999 0x200000000000 thread 1",
    f"thread {'9' * 5000} at pc 0x{'f' * 5000}",
    "assertion `x' failed thread 1",
    "barrier-wait",
    "mutex-lock",
    *KINDS,
    *ORDERS,
    *OBJECTS,
    *VIOLATIONS,
]


def result_of(program: Program, model: str) -> Json:
    explorer = Explorer(program, Bounds(model=model))
    assert explorer.run().violation
    assert explorer._result
    return explorer._result


@pytest.fixture(scope="module")
def genuine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Program, Json]]:
    @cache
    def made(kind: str) -> tuple[Program, Json]:
        source, model, flags = GENUINE[kind]
        toolchain = Toolchain(flags=tuple(flags.split()))
        folder = tmp_path_factory.mktemp("genuine")
        program = build_program([HERE / "programs" / source], toolchain, folder)
        return program, result_of(program, model)

    return made


def ways_into(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    pairs: Any = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in pairs:
        yield (*way, key)
        if isinstance(one, dict | list):
            yield from ways_into(one, (*way, key))


def at(value: Any, way: Iterable[Any]) -> Any:
    for key in way:
        value = value[key]
    return value


def forged(result: Json, seed: str) -> Json:
    """The result with one to three values changed, left out, doubled, or taken from elsewhere."""
    chance, made = random.Random(seed), copy.deepcopy(result)
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        ways = list(ways_into(made))
        *way, last = chosen = chance.choice(ways)
        parent, turn = at(made, way), chance.random()
        if turn < 0.1 and isinstance(parent, dict):
            del parent[last]
        elif turn < 0.15 and isinstance(parent, list):
            parent.append(copy.deepcopy(parent[last]))
        elif turn < 0.2 and isinstance(parent, list):
            parent.reverse()
        elif turn < 0.3 and type(parent[last]) is int:
            parent[last] += chance.choice([-2, -1, 1, 2])
        elif turn < 0.8:
            alike = [one for one in ways if plain(one) == plain(chosen)]
            parent[last] = copy.deepcopy(at(made, chance.choice(alike)))
        else:
            parent[last] = copy.deepcopy(chance.choice(ODD))
    return made


def plain(way: tuple[Any, ...]) -> list[str]:
    """Without the places in lists."""
    return [key for key in way if isinstance(key, str)]


class Forger:
    """The command line in the place of whose program somebody else writes."""

    def __init__(self, program: Program, folder: Path) -> None:
        self._program, self._folder = program, folder
        self.files = {name: folder / f"o.{name}" for name in ("html", "svg", "junit", "sarif")}

    def check(self, line: bytes, *options: str) -> tuple[int, str]:
        """The status, and what is printed."""

        def read(explorer: Explorer, *_: object) -> None:
            explorer._take(line)

        for file in self.files.values():
            file.unlink(missing_ok=True)
        words = ["check", "--sandbox", *options, str(self._program.sources[0])]
        for name, file in self.files.items():
            words += [f"--{name}", str(file)]
        out, problems = StringIO(), StringIO()
        nobody = mock.Mock(**{"wait.return_value": 0, "poll.return_value": 0})
        processes = mock.Mock(Popen=lambda *_, **__: nobody)
        with (
            mock.patch.object(tasks, "build_program", lambda *_, **__: self._program),
            mock.patch.object(Explorer, "_read", read),
            mock.patch.object(run_program, "subprocess", processes),
            redirect_stdout(out),
            redirect_stderr(problems),
        ):
            status = cli.main(words)
        return status, out.getvalue() + problems.getvalue()


@pytest.fixture
def looks_up_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What compiled code comes from is asked once for each address."""
    known: dict[tuple[Any, ...], Any] = {}

    def once(binary: Path, addresses: Any, section: str | None = None) -> Any:
        wanted = set(addresses)
        new = [one for one in wanted if (binary, one) not in known]
        if new:
            told = source_location.inline_chains(binary, new, section)
            known.update({(binary, one): told[one] for one in new})
        return {one: known[binary, one] for one in wanted}

    for module in (symbolise, memory_objects):
        monkeypatch.setattr(module, "inline_chains", once)


@pytest.mark.parametrize("kind", GENUINE)
@pytest.mark.usefixtures("looks_up_once")
def test_no_forged_result_breaks_a_command(
    kind: str, genuine: Callable[[str], tuple[Program, Json]], tmp_path: Path
) -> None:
    program, result = genuine(kind)
    model = GENUINE[kind][1]
    forger = Forger(program, tmp_path)
    taken = 0
    for number in range(TRIED):
        made = forged(result, f"{kind} {number}")
        line = json.dumps(made).encode()
        options = ["--json"] if number % 2 else []
        status, said = forger.check(line, "--model", model, *options)
        seen = f"{kind} {number}: {said[-2000:]}"
        assert status in (0, 1, 2), seen
        assert not re.search("[\x1b\u202e\0]", said), seen
        if status == 0:
            assert made["verdict"] == "holds" and made["violation"] is None, seen
        taken += status == 1
        for name, file in forger.files.items():
            text = file.read_text()
            assert not re.search("[\x1b\u202e\0]", text), seen
            assert "<script>alert" not in text or name == "sarif", seen
            if name in ("svg", "junit"):
                xml.dom.minidom.parseString(text)
    assert 0 < taken < TRIED  # or nothing is changed, or nothing is looked at


def test_a_line_of_very_many_values_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """To read it would take a minute, and more memory than the program has."""

    def not_called(_: str) -> None:
        raise AssertionError("it is read")

    monkeypatch.setattr(run_program, "MOST_LINE_BYTES_CONFINED", 4000)
    monkeypatch.setattr(json, "loads", not_called)
    explorer = Explorer(mock.Mock(), Bounds(sandbox=True))
    explorer._take(b'{"type":"result","a":[' + b"[]," * 1000 + b"0]}")
    assert explorer._result is None and explorer._unreadable
