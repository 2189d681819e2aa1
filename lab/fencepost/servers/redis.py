# SPDX-License-Identifier: MIT
"""Redis with I/O threads, under redis-benchmark."""

from __future__ import annotations

import csv
import io
import socket
from dataclasses import dataclass
from pathlib import Path

from fencepost.measure.watched import Failed
from fencepost.servers.stage import Stage, ask
from fencepost.servers.subject import Done, Server, Tool

#: Connections of the load generator. It has one thread: with several it looks only four times a
#: second whether it is done.
_CLIENTS = 50
_KEYS = 100_000


@dataclass(frozen=True)
class _Load:
    commands: str
    #: Requests that are sent before the answer to the first is waited for.
    pipeline: int
    #: How many a second are expected, by which a window gets its length.
    expected: int


_LOADS = {
    "set_get": _Load("set,get", 1, 60_000),
    "set_get_pipelined": _Load("set,get", 16, 400_000),
    "lists": _Load("lpush,rpop", 16, 400_000),
}


class Redis(Server):
    name = "redis"
    question = "how many requests does Redis answer, with I/O threads?"
    figure, unit = "requests_per_second", "requests/s"
    tools = (
        Tool("redis-server", "redis-server"),
        Tool("redis-benchmark", "redis-tools"),
        Tool("redis-check-rdb", "redis-tools"),
    )
    workloads = tuple(_LOADS)
    usual = ("set_get_pipelined",)
    usual_threads = 2
    threads_are = "I/O threads"
    seconds = 2.0

    def versions(self) -> str:
        return ask(["redis-server", "--version"]).strip()

    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        load = _LOADS[workload]
        address = stage.folder / "socket"
        # No port, so that nobody else on the machine can talk to it; no saving but when asked.
        words = [
            "redis-server",
            "--port",
            "0",
            "--unixsocket",
            str(address),
            "--save",
            "",
            "--unixsocketperm",
            "700",
            "--dir",
            str(stage.folder),
            "--appendonly",
            "no",
            "--io-threads",
            str(threads),
            "--io-threads-do-reads",
            "yes",
            "--enable-debug-command",
            "yes",
            "--daemonize",
            "no",
        ]
        commands = load.commands.split(",")
        requests = max(load.pipeline, round(seconds * load.expected / len(commands)))
        with stage.server(words, lambda: _is_ready(address)) as server:
            generator = [
                "redis-benchmark",
                "-s",
                str(address),
                "-c",
                str(_CLIENTS),
                "-P",
                str(load.pipeline),
                "-r",
                str(_KEYS),
                "-t",
                load.commands,
                "-n",
                str(requests),
                "--csv",
            ]
            loaded = stage.load(generator, seconds, server)
            _check(stage, address)
        rows = list(csv.DictReader(io.StringIO(loaded.output)))
        if len(rows) != len(commands):
            raise Failed(f"redis-benchmark: {len(rows)} results")
        took = sum(requests / float(row["rps"]) for row in rows)
        latencies = [max(float(row[f"p{share}_latency_ms"]) for row in rows) for share in (95, 99)]
        count = requests * len(rows)
        return self.done(count / took, count, latencies, loaded)


def _told(address: Path, command: str) -> str:
    """The answer to one command, of one line. Raises OSError."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(60)
        connection.connect(str(address))
        connection.sendall(f"{command}\r\n".encode())
        said = b""
        while not said.endswith(b"\r\n"):
            more = connection.recv(4096)
            if not more:
                break
            said += more
    return said.decode(errors="replace").strip()


def _is_ready(address: Path) -> bool:
    try:
        return _told(address, "PING") == "+PONG"
    except OSError:
        return False


def _check(stage: Stage, address: Path) -> None:
    """What it holds is the same when it has written it down and read it again, and what it wrote is
    whole. Raises Failed."""
    try:
        before = _told(address, "DEBUG DIGEST")
        reloaded = _told(address, "DEBUG RELOAD")
        after = _told(address, "DEBUG DIGEST")
        saved = _told(address, "SAVE")
    except OSError as problem:
        raise Failed(f"redis-server does not answer: {problem}") from None
    if not before.startswith("+") or before.strip("+0") == "" or reloaded != "+OK":
        raise Failed(f"redis-server: DEBUG DIGEST and RELOAD: {before}, {reloaded}")
    if before != after:
        raise Failed(f"redis-server: its data was {before}, and after DEBUG RELOAD {after}")
    if saved != "+OK":
        raise Failed(f"redis-server: SAVE: {saved}")
    stage.ask(["redis-check-rdb", str(stage.folder / "dump.rdb")])
