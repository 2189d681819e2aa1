# SPDX-License-Identifier: MIT
"""What all tests share: where the build is, as seen from every folder that a test works in; where
what is kept from one start of the command line to the next, which is started a thousand times; that
a failure is told when it happens, so that a run that is cut short has said what it found; that
tests of many threads do not run beside each other, and none beside one that changes the machine;
and what is left to the long run."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
import samples

if "FENCEPOST_BUILD_DIR" in os.environ:
    os.environ["FENCEPOST_BUILD_DIR"] = str(Path(os.environ["FENCEPOST_BUILD_DIR"]).resolve())

# In the build and not beside the sources, also where the user wants no such files.
KEPT = Path(__file__).resolve().parents[1] / "build" / "kept"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What a full disk or a closed pipe does to the command line is another thing with it.
os.environ.pop("PYTHONUNBUFFERED", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(KEPT / "python")
os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(KEPT / "hypothesis")

# Readline, which pytest loads, tells what is started of a terminal that nobody has, and os.environ
# does not know of it.
for variable in ("COLUMNS", "LINES"):
    os.environ.pop(variable, None)
    os.unsetenv(variable)

# A shell has what it starts in the background ignore these, and tests send them to what they start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
for number in (signal.SIGQUIT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


samples.choose_seed()


class _Failures:
    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.write_line(f"FAILED in {report.when}: {report.nodeid}")
            self._terminal.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "crowd: runs dozens of threads; one such test at a time")
    config.addinivalue_line("markers", "alone: changes the machine; no test runs beside it")
    config.addinivalue_line("markers", f"slow: takes minutes; runs where {samples.LONG} is set")
    config.addinivalue_line("markers", f"sampled: takes more where {samples.LONG} is set")
    config.addinivalue_line(
        "markers",
        f"matrix(n, turns): one in n runs; where {samples.LONG} is set all, in so many turns",
    )
    config.addinivalue_line(
        "markers", "lot(n, name): of the files and tests with this name one in n runs, as in matrix"
    )
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Failures(terminal), "failures-at-once")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    terminalreporter.write_line(f"samples were drawn by {samples.SEED}={samples.seed()}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    try:
        _leave_out(config, items, [one for one in items if not samples.is_in_part(one.nodeid)])
    except ValueError as mistake:
        raise pytest.UsageError(str(mistake)) from None
    if samples.is_long:
        _leave_out(config, items, [one for one in items if not _is_in_turn(one, config)])
        return
    left = [item for item in items if item.get_closest_marker("slow")]
    matrices = defaultdict(list)
    lots = defaultdict(lambda: defaultdict(list))
    shares = {}
    for item in items:
        # Of a function its entries are the matrix, of a file its tests.
        for node, mark in item.iter_markers_with_node("matrix"):
            name = node.nodeid.partition("[")[0]
            shares[name] = mark.args[0]
            matrices[name].append(item)
            break
        for node, mark in item.iter_markers_with_node("lot"):
            shares[mark.args[1]] = mark.args[0]
            lots[mark.args[1]][node.nodeid.partition("[")[0]].append(item)
    for name, nodes in lots.items():
        if config.option.keyword or any(node in word for node in nodes for word in config.args):
            continue
        for node in samples.all_but_one_in(shares[name], sorted(nodes), name):
            left += nodes[node]
    for name, entries in matrices.items():
        if _is_asked_for(name, config):
            continue
        left += samples.all_but_one_in(shares[name], entries, name)
    _leave_out(config, items, left)


def _is_asked_for(name: str, config: pytest.Config) -> bool:
    """By its name, or by words of it."""
    return bool(config.option.keyword) or any(name in word for word in config.args)


def _is_in_turn(item: pytest.Item, config: pytest.Config) -> bool:
    mark = item.get_closest_marker("matrix")
    if mark is None or len(mark.args) < 2:
        return True
    name = item.nodeid.partition("[")[0]
    return _is_asked_for(name, config) or samples.is_in_turn(mark.args[1], item.nodeid)


def _leave_out(config: pytest.Config, items: list[pytest.Item], left: list[pytest.Item]) -> None:
    if left:
        config.hook.pytest_deselected(items=left)
        gone = set(left)
        items[:] = [item for item in items if item not in gone]


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run one test of a crowd at a time, and none beside one that is to be alone. This holds across
    all processes of the run. The time limit of a test begins when the test does."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as turns:

        def locked(name: str, how: int) -> IO[str]:
            turn = turns.enter_context((KEPT / name).open("w"))
            fcntl.flock(turn, how)
            return turn

        # Who waits to be alone holds the gate: nobody else begins meanwhile.
        is_alone = item.get_closest_marker("alone") is not None
        gate = locked("gate", fcntl.LOCK_EX)
        locked("room", fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH)
        if not is_alone:
            fcntl.flock(gate, fcntl.LOCK_UN)
        if item.get_closest_marker("crowd"):
            locked("crowd", fcntl.LOCK_EX)
        return (yield)
