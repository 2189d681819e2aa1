# SPDX-License-Identifier: MIT
"""MariaDB under sysbench's OLTP loads. Its tables are loaded once, and each window begins with a
copy of them."""

from __future__ import annotations

import os
import pwd
import re
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fencepost.measure.watched import Failed
from fencepost.servers.child import Child
from fencepost.servers.stage import START_PATIENCE, STOP_PATIENCE, Stage, ask
from fencepost.servers.subject import Done, Server, Tool, found_number
from fencepost.servers.sysbench import latencies
from fencepost.system.tree_removal import remove_tree

_TABLES, _ROWS = 4, 10_000
_LOADS = (
    "oltp_point_select",
    "oltp_read_only",
    "oltp_read_write",
    "oltp_update_index",
    "oltp_update_non_index",
)
_DISTRIBUTIONS = ("uniform", "pareto", "zipfian")
#: Seconds of load that are thrown away, in which pages are read and threads started.
_WARM_UP = 1
_ZIPFIAN = Path(__file__).with_name("zipfian.lua")
_DATA, _SOCKET, _LOG = "data", "socket", "log.txt"


class MariaDB(Server):
    name = "mariadb"
    question = "how many transactions does MariaDB carry out, under sysbench?"
    figure, unit = "transactions_per_second", "transactions/s"
    tools = (
        Tool("mariadbd", "mariadb-server-core"),
        Tool("mariadb-install-db", "mariadb-server-core"),
        Tool("mariadb", "mariadb-client-core"),
        Tool("sysbench", "sysbench"),
    )
    workloads = tuple(f"{load}/{rand}" for load in _LOADS for rand in _DISTRIBUTIONS)
    usual = ("oltp_point_select/uniform", "oltp_read_write/uniform")
    usual_threads = 16
    threads_are = "connections, each with a thread of the server's"
    seconds = 3.0

    def versions(self) -> str:
        server = ask(["mariadbd", "--no-defaults", "--version"]).strip()
        return f"{server}; {ask(['sysbench', '--version']).strip()}"

    def prepare(self, place: Path) -> None:
        data = place / _DATA
        ask(
            [
                "mariadb-install-db",
                "--no-defaults",
                f"--datadir={data}",
                "--skip-test-db",
                "--auth-root-authentication-method=normal",
                f"--user={_user()}",
                "--innodb-log-file-size=32M",
            ],
            folder=place,
        )
        server = Child(_server_words(place), place)
        try:
            server.wait_until(lambda: _is_ready(place), START_PATIENCE, "its start")
            _ask_sql(place, "CREATE DATABASE sbtest")
            ask([*_sysbench("oltp_read_write", place), "prepare"], folder=place)
            server.stop(STOP_PATIENCE)
        except Failed as failure:
            raise _with_log(failure, place) from None
        finally:
            server.kill()
        super().prepare(place)

    def window(self, stage: Stage, workload: str, threads: int, seconds: float) -> Done:
        assert self.place is not None
        folder = stage.folder
        _copy(self.place / _DATA, folder / _DATA)
        try:
            with stage.server(_server_words(folder), lambda: _is_ready(folder)) as server:
                load = [*_load_words(workload, folder), f"--threads={threads}"]
                if not stage.counts_locks:
                    stage.ask([*load, f"--time={_WARM_UP}", "run"])
                whole = max(1, round(seconds))
                loaded = stage.load(
                    [*load, f"--time={whole}", "--histogram=on", "run"], whole, server
                )
                _check(folder)
            _check_log(folder)
        except Failed as failure:
            raise _with_log(failure, folder) from None
        output = loaded.output
        each_second = found_number(r"transactions:\s+\d+\s+\(([\d.]+) per", output, "sysbench")
        count = found_number(r"transactions:\s+(\d+)", output, "sysbench")
        return self.done(each_second, count, latencies(output, (0.95, 0.99)), loaded)


def _user() -> str:
    return pwd.getpwuid(os.geteuid()).pw_name


def _server_words(folder: Path) -> list[str]:
    """Nothing of the system's configuration, nothing on the network, nothing written at each
    commit: what is measured is not the disk."""
    return [
        "mariadbd",
        "--no-defaults",
        f"--user={_user()}",
        f"--datadir={folder / _DATA}",
        f"--socket={folder / _SOCKET}",
        f"--pid-file={folder / 'pid'}",
        "--skip-networking",
        f"--log-error={folder / _LOG}",
        "--skip-log-bin",
        "--max-connections=300",
        "--thread-cache-size=256",
        "--innodb-buffer-pool-size=128M",
        "--innodb-log-file-size=32M",
        "--innodb-flush-log-at-trx-commit=0",
        "--innodb-buffer-pool-load-at-startup=0",
        "--innodb-buffer-pool-dump-at-shutdown=0",
    ]


def _sysbench(script: str, folder: Path) -> list[str]:
    return [
        "sysbench",
        script,
        "--db-driver=mysql",
        f"--mysql-socket={folder / _SOCKET}",
        "--mysql-user=root",
        f"--tables={_TABLES}",
        f"--table-size={_ROWS}",
    ]


def _load_words(workload: str, folder: Path) -> list[str]:
    script, distribution = workload.split("/")
    if distribution != "zipfian":
        return [*_sysbench(script, folder), f"--rand-type={distribution}"]
    return ["env", f"FENCEPOST_OLTP={script}", *_sysbench(str(_ZIPFIAN), folder)]


def _copy(data: Path, to: Path) -> None:
    """Sharing blocks where the file system can."""
    command = ["cp", "-a", "--reflink=auto", str(data), str(to)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        remove_tree(to)
        raise Failed(f"no room for a copy of MariaDB's data ({data})") from None


def _is_ready(folder: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(5)
        try:
            connection.connect(str(folder / _SOCKET))
            return bool(connection.recv(1))
        except OSError:
            return False


def _ask_sql(folder: Path, statements: str) -> list[list[str]]:
    """Rows of columns. Raises Failed."""
    words = ["mariadb", "--no-defaults", f"--socket={folder / _SOCKET}", "--user=root", "-N", "-B"]
    said = ask(words, statements, folder)
    return [line.split("\t") for line in said.splitlines()]


def _check(folder: Path) -> None:
    """Every row is there once, each index has as many, and the server finds its tables whole.
    Raises Failed."""
    tables = [f"sbtest.sbtest{number}" for number in range(1, _TABLES + 1)]
    whole = [str(_ROWS), str(_ROWS * (_ROWS + 1) // 2)]
    for table, number in zip(tables, range(1, _TABLES + 1), strict=True):
        for index in ("PRIMARY", f"k_{number}"):
            (counts,) = _ask_sql(
                folder, f"SELECT COUNT(*), SUM(id) FROM {table} FORCE INDEX ({index}) WHERE k >= 0"
            )
            if counts != whole:
                raise Failed(
                    f"mariadbd: {table} has rows and sum of ids {counts} by its index "
                    f"{index}, which were {whole}"
                )
    # What was deleted is taken out of one index after the other, which an extended check in the
    # middle of it takes note of: all of it first.
    _ask_sql(folder, "SET GLOBAL innodb_max_purge_lag_wait = 0")
    told = _ask_sql(folder, f"CHECK TABLE {', '.join(tables)} EXTENDED")
    if bad := [row for row in told if row[-1] != "OK"] or len(told) != _TABLES:
        raise Failed(f"mariadbd: CHECK TABLE: {bad or told}")


def _log(folder: Path) -> Sequence[str]:
    try:
        return (folder / _LOG).read_text(errors="replace").splitlines()
    except OSError:
        return ()


def _check_log(folder: Path) -> None:
    for line in _log(folder):
        if "[ERROR]" in line or re.search(r"got signal \d+|Assertion failure", line):
            raise Failed(f"mariadbd wrote: {line}")


def _with_log(failure: Failed, folder: Path) -> Failed:
    """Add the log's first complaint, which says more than how the server ended."""
    told = [line for line in _log(folder) if "[ERROR]" in line or "signal" in line]
    return Failed(f"{failure}; its log: {told[0]}") if told else failure
