# SPDX-License-Identifier: MIT
"""A Dask cluster that helps to search: where it is, who works there, and who can take part.

Dask is imported when a cluster is asked for, and not before.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import threading
import warnings
from collections.abc import Callable
from types import TracebackType
from typing import Any

from fencepost import cluster_task
from fencepost.cluster_task import Job
from fencepost.input_error import UnusableInput

#: How long a scheduler may take to answer, and then to have a worker.
PATIENCE_SECONDS = 10.0
#: How long it may take to answer later, a worker to get a program, and to forget it.
ANSWER_SECONDS, PREPARE_SECONDS, FORGET_SECONDS = 30.0, 120.0, 5.0

_ADDRESS = re.compile(r"(?:(?:tcp|tls|ws|wss)://)?(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):(\d{1,5})")

#: What must be the same here, at the scheduler and at a worker, and where Dask keeps it. What is
#: sent between them is pickled, functions included.
_VERSIONS = (
    ("Python", "host", "python"),
    ("dask", "packages", "dask"),
    ("distributed", "packages", "distributed"),
    ("cloudpickle", "packages", "cloudpickle"),
    ("the processor", "host", "machine"),
)


def check_address(address: str) -> None:
    match = _ADDRESS.fullmatch(address)
    if match is None or not 0 < int(match.group(1)) < 65536:
        raise UnusableInput(
            f"--cluster {address}: that is no scheduler's address, such as tcp://192.168.0.10:8786 "
            "('dask scheduler' says which one it has)"
        )


def _version(of: dict[str, Any], where: str, name: str) -> str:
    version = str(of.get(where, {}).get(name, "none"))
    return ".".join(version.split(".")[:2]) if name == "python" else version


def mismatch(other: dict[str, Any], own: dict[str, Any], processor: bool = True) -> str:
    """The first difference in words, or nothing; both as Dask's get_versions has them."""
    for title, where, name in _VERSIONS if processor else _VERSIONS[:-1]:
        theirs, ours = _version(other, where, name), _version(own, where, name)
        if theirs != ours:
            return f"{title} is {theirs} there and {ours} here"
    return ""


class ByValue:
    """A function that is pickled as it is and not by its name, so that nobody needs its module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        import cloudpickle

        module = sys.modules[function.__module__]
        cloudpickle.register_pickle_by_value(module)
        try:
            self._code = cloudpickle.dumps(function)
        finally:
            cloudpickle.unregister_pickle_by_value(module)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[bytes]]:
        import cloudpickle

        return cloudpickle.loads, (self._code,)

    def __call__(self, *_: Any) -> None:
        raise TypeError("is called at the workers only")


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, address: str) -> None:
        check_address(address)
        self.address = address
        self._left_out: dict[str, str] = {}
        self._lock = threading.Lock()
        self._client: Any = None

    def __enter__(self) -> Cluster:
        try:
            from distributed import Client
        except ImportError as error:
            raise UnusableInput(
                f"--cluster needs Dask, which is not installed here ({error}): 'make build' "
                "installs it into .venv, or: pip install distributed"
            ) from None
        # What becomes of the cluster is said here, in words of our own.
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")
        try:
            who = asyncio.run(asyncio.wait_for(self._knock(), PATIENCE_SECONDS))
            if who != "Scheduler":
                raise UnusableInput(f"at {self.address} is a {who} of Dask's and not its scheduler")
            self._client = Client(  # type: ignore[no-untyped-call]
                self.address,
                timeout=PATIENCE_SECONDS,
                set_as_default=False,
                name="fencepost",
            )
        except UnusableInput:
            raise
        except OSError:
            raise UnusableInput(
                f"no Dask scheduler answers at {self.address} within {PATIENCE_SECONDS:g} s (is "
                "'dask scheduler' running there, and is the port open?)"
            ) from None
        except Exception as error:
            raise UnusableInput(
                f"what answers at {self.address} is no Dask scheduler that can be talked to: "
                f"{error}"
            ) from None
        # Once, before there are several threads: what is pickled by value is registered as such.
        self._prepare = ByValue(cluster_task.prepare)
        self._explore = ByValue(cluster_task.explore)
        self._forget = ByValue(cluster_task.forget)
        try:
            self._begin()
        except BaseException:
            self._client.close(timeout=2)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._client.close(timeout=2)
        except Exception:
            return  # it has vanished, and there is nothing to close

    async def _knock(self) -> str:
        """Who is there? Dask's client itself would wait for ever for what is no scheduler."""
        from distributed import Security
        from distributed.core import rpc

        security = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        async with rpc(self.address, connection_args=security) as there:  # type: ignore[no-untyped-call]
            return str((await there.identity())["type"])

    def _begin(self) -> None:
        versions = self._client.get_versions()
        if difference := mismatch(versions["scheduler"], versions["client"], processor=False):
            raise UnusableInput(
                f"the scheduler at {self.address} is of another version: {difference}"
            )
        try:
            self._client.wait_for_workers(1, timeout=PATIENCE_SECONDS)
        except TimeoutError:
            raise UnusableInput(
                f"the cluster at {self.address} has no workers: start some with 'dask worker "
                f"{self.address}'"
            ) from None

    def threads(self) -> dict[str, int]:
        """The workers, and how many tasks each does at a time; raises an error of any kind when the
        scheduler is gone."""
        if self._client.status != "running":
            raise OSError("the connection is lost")
        return dict(self._client.nthreads(callback_timeout=ANSWER_SECONDS))

    def leave_out(self, worker: str, why: str) -> None:
        with self._lock:
            known = worker in self._left_out
            self._left_out[worker] = why
        if not known:
            print(f"fencepost: the worker {worker} is left out: {why}", file=sys.stderr)

    @property
    def left_out(self) -> dict[str, str]:
        with self._lock:
            return dict(self._left_out)

    def prepare(self, job: Job, executable: bytes, workers: list[str]) -> list[str]:
        """Puts the program where the workers' tasks find it; says who can take part."""
        versions = self._client.get_versions()
        fit = []
        for worker in workers:
            theirs = versions["workers"].get(worker)
            if not isinstance(theirs, dict):
                continue  # it has gone in the meantime
            if difference := mismatch(theirs, versions["client"]):
                self.leave_out(worker, difference)
            else:
                fit.append(worker)
        if not fit:
            return []
        answers = self._client.run(
            self._prepare,
            tuple(job),
            executable,
            workers=fit,
            on_error="return",
            callback_timeout=PREPARE_SECONDS,
        )
        for worker, why in answers.items():
            if why and not isinstance(why, OSError):  # an OSError: it has gone
                self.leave_out(worker, str(why))
        return [worker for worker, why in answers.items() if not why]

    def versions(self) -> dict[str, Any]:
        """Of scheduler, workers and this side, as Dask's get_versions has them."""
        return dict(self._client.get_versions())

    def ask(self, function: ByValue, worker: str, *arguments: Any) -> Any:
        """What a function that returns at once answers at a worker. Raises OSError where that has
        gone."""
        try:
            answers = self._client.run(
                function,
                *arguments,
                workers=[worker],
                on_error="return",
                callback_timeout=ANSWER_SECONDS,
            )
        except Exception as error:
            raise OSError(f"{type(error).__name__}: {error}") from None
        answer = answers.get(worker, OSError("no answer"))
        if isinstance(answer, Exception):
            raise OSError(f"{type(answer).__name__}: {answer}")
        return answer

    def forget(self, job: Job, workers: list[str]) -> None:
        if self._client.status == "running" and workers:
            self._client.run(
                self._forget,
                tuple(job),
                workers=workers,
                on_error="ignore",
                callback_timeout=FORGET_SECONDS,
            )

    def submit(self, key: str, workers: list[str], job: Job, words: str, parcel: bytes) -> Any:
        return self._client.submit(
            self._explore,
            tuple(job),
            words,
            parcel,
            key=key,
            workers=workers,
            allow_other_workers=False,
            pure=False,
        )
