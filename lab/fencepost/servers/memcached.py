# SPDX-License-Identifier: MIT
"""memcached under memaslap, which Debian's libmemcached-tools call memcaslap."""

from __future__ import annotations

import math
import os
import pwd
import re
import socket
from pathlib import Path

from fencepost.measure.watched import Failed
from fencepost.servers.stage import Stage, ask
from fencepost.servers.subject import Done, Server, Tool, found_number

#: Connections of the load generator, and its threads.
_CONNECTIONS, _GENERATORS = 32, 2
_MEMORY = 128
#: Of how many values the generator looks whether they are what it stored.
_VERIFIED = 0.1
_VALUE = 200
#: The share of requests that store something.
_STORES = {"get_90_set_10": 0.1, "get_50_set_50": 0.5}


class Memcached(Server):
    name = "memcached"
    question = "how many requests does memcached answer, with worker threads?"
    figure, unit = "requests_per_second", "requests/s"
    tools = (Tool("memcached", "memcached"), Tool("memcaslap", "libmemcached-tools"))
    workloads = tuple(_STORES)
    usual = ("get_90_set_10",)
    usual_threads = 4
    threads_are = "worker threads"
    seconds = 2.0

    def versions(self) -> str:
        return ask(["memcached", "--version"]).strip()

    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        stores = _STORES[workload]
        told_port, mix = stage.folder / "port", stage.folder / "mix"
        # Keys of 64 bytes, values of one length; 0 is to store, 1 to fetch.
        mix.write_text(
            f"key\n64 64 1\nvalue\n{_VALUE} {_VALUE} 1\ncmd\n0 {stores:g}\n1 {1 - stores:g}\n"
        )
        # Its load generator knows no sockets of the file system, so it gets a port: any.
        words = [
            "memcached",
            "-l",
            "127.0.0.1",
            "-p",
            "-1",
            "-U",
            "0",
            "-t",
            str(threads),
            "-m",
            str(_MEMORY),
            "-u",
            pwd.getpwuid(os.geteuid()).pw_name,
        ]
        environment = {"MEMCACHED_PORT_FILENAME": str(told_port)}
        with stage.server(words, lambda: _is_ready(told_port), environment) as server:
            port = _port(told_port)
            whole = max(1, math.ceil(seconds))
            generator = [
                "memcaslap",
                "-s",
                f"127.0.0.1:{port}",
                "-T",
                str(_GENERATORS),
                "-c",
                str(_CONNECTIONS),
                "-t",
                f"{whole}s",
                "-S",
                f"{whole + 60}s",
                "-F",
                str(mix),
                "-v",
                str(_VERIFIED),
            ]
            loaded = stage.load(generator, seconds, server)
            each_second, count = _check(loaded.output, _stats(port))
        return self.done(each_second, count, _latencies(loaded.output), loaded)


def _port(file: Path) -> int:
    """0 as long as it has not been said."""
    try:
        said = re.search(r"^TCP INET: (\d{1,5})$", file.read_text(errors="replace"), re.MULTILINE)
    except OSError:
        return 0
    return int(said[1]) if said else 0


def _is_ready(file: Path) -> bool:
    return bool(_port(file))


def _stats(port: int) -> dict[str, str]:
    """What the server counts. Raises Failed."""
    said = b""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
            connection.sendall(b"stats\r\n")
            while not said.endswith(b"END\r\n"):
                more = connection.recv(65536)
                if not more:
                    break
                said += more
    except OSError as problem:
        raise Failed(f"memcached does not answer: {problem}") from None
    return stats_of(said)


def stats_of(said: bytes) -> dict[str, str]:
    return dict(re.findall(r"^STAT (\S+) (.*?)\r?$", said.decode(errors="replace"), re.MULTILINE))


def _check(output: str, stats: dict[str, str]) -> tuple[float, float]:
    """Requests a second, and in all, those too with which the generator fills it before it begins;
    what both have counted must agree. Raises Failed."""

    def told(what: str) -> float:
        return found_number(rf"^{what}: (\d+)$", output, "memcaslap")

    if told("verify_failed"):
        raise Failed(f"memcached returned {told('verify_failed'):.0f} values that nobody stored")
    try:
        numbers = {
            name: int(stats[name])
            for name in (
                "cmd_get",
                "cmd_set",
                "get_hits",
                "get_misses",
                "curr_items",
                "total_items",
            )
        }
    except (KeyError, ValueError) as problem:
        raise Failed(f"memcached: its statistics lack {problem}") from None
    if numbers["get_hits"] + numbers["get_misses"] != numbers["cmd_get"]:
        raise Failed(f"memcached: its counts contradict each other: {numbers}")
    # What was on its way when the generator stopped it counts too.
    asked = told("cmd_get") - 2 * _CONNECTIONS
    if numbers["cmd_get"] < asked or numbers["curr_items"] > numbers["total_items"]:
        raise Failed(f"memcached has served less than was asked: {numbers}")
    count = numbers["cmd_get"] + numbers["cmd_set"]
    return found_number(r"TPS: (\d+)", output, "memcaslap"), count


def _latencies(output: str) -> list[float]:
    """Latencies in ms, from the histogram over powers of two of microseconds that memaslap prints:
    between two powers as if all were spread evenly."""
    histogram = re.findall(
        r"^Total Statistics.*?Log2 Dist:\s*\n((?: +\d+:[^\n]*\n)+)",
        output,
        re.MULTILINE | re.DOTALL,
    )
    if not histogram:
        raise Failed("memcaslap printed no histogram")
    bins: dict[int, int] = {}
    for line in histogram[-1].splitlines():
        first, _, counts = line.partition(":")
        for place, count in enumerate(counts.split()):
            bins[int(first) + place] = int(count)
    every = sum(bins.values())
    found = []
    for share in (0.95, 0.99):
        left = share * every
        for power, count in sorted(bins.items()):
            if count and left <= count:
                low = 2.0 ** (power - 1)
                found.append((low + low * left / count) / 1e3)
                break
            left -= count
    return found
