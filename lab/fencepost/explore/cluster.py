# SPDX-License-Identifier: MIT
"""A Dask cluster that helps to search: where it is, who works there, and who can take part.

Dask is imported when a cluster is asked for, and not before. Its own calls may wait for ever: for a
peer that is silent, and for the thread in which Dask talks. So nothing here calls it without a
bound. What goes over the connection goes through _call, connecting and closing through _within.
"""

from __future__ import annotations

import asyncio
import logging
import re
import sys
import threading
import time
import warnings
from collections.abc import Awaitable, Callable, Sequence
from types import TracebackType
from typing import Any

from fencepost.console import unended
from fencepost.console.input_error import UnusableInput
from fencepost.explore import cluster_task
from fencepost.explore.cluster_task import Job

#: How long a scheduler may take to answer, and then to have a worker.
PATIENCE_SECONDS = 10.0
#: How long it may take to answer later, a worker to get a program, and to forget it; and how long
#: the connection may take to be closed.
ANSWER_SECONDS, PREPARE_SECONDS, FORGET_SECONDS, CLOSE_SECONDS = 30.0, 120.0, 5.0, 5.0

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


def _in_words(error: BaseException) -> str:
    return str(error) if type(error) is OSError else f"{type(error).__name__}: {error}"


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


def _within(seconds: float, work: Callable[[], Any]) -> Any:
    """What `work` returns or raises. TimeoutError where it has not ended in time: it goes on then,
    in a thread that nobody waits for."""
    outcome: list[tuple[Any, BaseException | None]] = []

    def carry_out() -> None:
        try:
            outcome.append((work(), None))
        except BaseException as error:
            outcome.append((None, error))

    thread = threading.Thread(target=carry_out, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise TimeoutError(f"it has not ended within {seconds:g} s")
    result, error = outcome[0]
    if error is not None:
        raise error
    return result


class Cluster:
    """A connection to a scheduler."""

    def __init__(self, address: str) -> None:
        check_address(address)
        self.address = address
        #: Why nobody at the cluster can be asked any more, or nothing.
        self.lost = ""
        self._left_out: dict[str, str] = {}
        self._lock = threading.Lock()
        self._client: Any = None
        self._threads_before: set[threading.Thread] = set()

    def __enter__(self) -> Cluster:
        try:
            import distributed  # noqa: F401
        except ImportError as error:
            raise UnusableInput(
                f"--cluster needs Dask, which is not installed here ({error}): 'make build' "
                "installs it into .venv, or: pip install distributed"
            ) from None
        # What becomes of the cluster is said here, in words of our own.
        for name in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
        warnings.filterwarnings("ignore", module="distributed")
        self._threads_before = set(threading.enumerate())
        try:
            self._connect()
            # Once, before there are several threads: what is pickled by value is registered.
            self._prepare = ByValue(cluster_task.prepare)
            self._explore = ByValue(cluster_task.explore)
            self._forget = ByValue(cluster_task.forget)
            self._begin()
        except BaseException:
            self._close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def _connect(self) -> None:
        try:
            # Each of the two has a bound of its own, which Dask does not keep where the other end
            # takes the connection and then says nothing.
            who = _within(2 * PATIENCE_SECONDS, self._who_is_there)
            if who != "Scheduler":
                raise UnusableInput(f"at {self.address} is a {who} of Dask's and not its scheduler")
            _within(2 * PATIENCE_SECONDS, self._make_client)
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

    def _close(self) -> None:
        """Within CLOSE_SECONDS, whatever the other end does. Where that fails, the threads that
        Dask has started here are left to the end of the process."""
        try:
            if self._client is not None:
                # Half of it is for the scheduler, half for the thread in which Dask talks.
                close = self._client.close
                _within(CLOSE_SECONDS, lambda: close(timeout=CLOSE_SECONDS / 2))
        except Exception as error:
            print(
                f"fencepost: the connection to the cluster at {self.address} cannot be closed, and "
                f"is given up: {_in_words(error)}",
                file=sys.stderr,
            )
        finally:
            unended.note(set(threading.enumerate()) - self._threads_before)

    def _who_is_there(self) -> str:
        return asyncio.run(asyncio.wait_for(self._knock(), PATIENCE_SECONDS))

    async def _knock(self) -> str:
        """Who is there? Dask's client itself would wait for ever for what is no scheduler."""
        from distributed import Security
        from distributed.core import rpc

        security = Security().get_connection_args("client")  # type: ignore[no-untyped-call]
        async with rpc(self.address, connection_args=security) as there:  # type: ignore[no-untyped-call]
            return str((await there.identity())["type"])

    def _make_client(self) -> None:
        from distributed import Client

        self._client = Client(  # type: ignore[no-untyped-call]
            self.address, timeout=PATIENCE_SECONDS, set_as_default=False, name="fencepost"
        )

    def _begin(self) -> None:
        from distributed.versions import get_versions

        client = self._client
        self.own_versions: dict[str, Any] = get_versions()
        try:
            there = self._call(ANSWER_SECONDS, lambda: client.scheduler.versions(packages=[]))
            if difference := mismatch(there, self.own_versions, processor=False):
                raise UnusableInput(
                    f"the scheduler at {self.address} is of another version: {difference}"
                )
            until = time.monotonic() + PATIENCE_SECONDS
            while not self.threads():
                if time.monotonic() > until:
                    raise UnusableInput(
                        f"the cluster at {self.address} has no workers: start some with 'dask "
                        f"worker {self.address}'"
                    )
                time.sleep(0.1)
        except OSError as error:
            raise UnusableInput(f"the cluster at {self.address} has vanished: {error}") from None

    def _call(self, seconds: float, work: Callable[[], Awaitable[Any]]) -> Any:
        """What this answers that Dask's own thread carries out. Raises OSError where it fails or
        takes longer, also where that thread is stuck."""
        try:
            return self._client.sync(work, callback_timeout=seconds)
        except TimeoutError:
            raise OSError(f"no answer within {seconds:g} s") from None
        except Exception as error:
            raise OSError(_in_words(error)) from None

    def _ask_each(
        self, workers: Sequence[str], seconds: float, work: Callable[[str], Awaitable[Any]]
    ) -> dict[str, Any]:
        """What these workers answer, asked all at once; an OSError for each that has not answered
        in time. Raises OSError where the scheduler has vanished."""
        present = self._present(min(seconds, ANSWER_SECONDS))

        async def ask(worker: str) -> Any:
            if worker not in present:
                return OSError("it is not there any more")
            try:
                async with asyncio.timeout(seconds):
                    return await work(worker)
            except TimeoutError:
                return OSError(f"no answer within {seconds:g} s")
            except Exception as error:
                return OSError(_in_words(error))

        async def ask_all() -> list[Any]:
            return await asyncio.gather(*map(ask, workers))

        # The workers' time is over first, so that one of them does not cost the others' answers.
        return dict(zip(workers, self._call(seconds + 1, ask_all), strict=True))

    def _present(self, seconds: float | None = None) -> dict[str, int]:
        """The workers, and how many tasks each does at a time. A scheduler that does not say so has
        vanished, and is not asked again."""
        if not self.lost:
            try:
                client = self._client
                return dict(self._call(seconds or ANSWER_SECONDS, lambda: client.nthreads()))
            except OSError as error:
                self.lost = str(error)
        raise OSError(self.lost)

    def threads(self) -> dict[str, int]:
        """The workers, and how many tasks each does at a time; raises OSError when the scheduler is
        gone, or was gone in between."""
        if self._client.status != "running":
            raise OSError("the connection is lost")
        return self._present()

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
        fit = []
        for worker, theirs in self.versions(workers).items():
            if isinstance(theirs, OSError):
                if worker in self._present():
                    self.leave_out(worker, str(theirs))
            elif difference := mismatch(theirs, self.own_versions):
                self.leave_out(worker, difference)
            else:
                fit.append(worker)
        if not fit:
            return []
        run, function = self._client.run, self._prepare
        # To all in one message, for it is a large one.
        answers = self._call(
            PREPARE_SECONDS,
            lambda: run(function, tuple(job), executable, workers=fit, on_error="return"),
        )
        for worker, why in answers.items():
            if why and not isinstance(why, OSError):  # an OSError: it has gone
                self.leave_out(worker, str(why))
        return [worker for worker, why in answers.items() if not why]

    def versions(self, workers: Sequence[str]) -> dict[str, Any]:
        """Versions of these workers' packages, as Dask's get_versions has them. The value is an
        OSError for each worker that does not say."""
        message = {"op": "versions", "packages": []}

        async def of(worker: str) -> Any:
            scheduler = self._client.scheduler
            there = await scheduler.broadcast(msg=message, workers=[worker], on_error="ignore")
            return there.get(worker, OSError("no answer"))

        return self._ask_each(workers, ANSWER_SECONDS, of)

    def ask(
        self, function: ByValue, worker: str, *arguments: Any, seconds: float | None = None
    ) -> Any:
        """What a function that returns at once answers at a worker. Raises OSError where that has
        gone."""
        answer = self.ask_all(function, [worker], *arguments, seconds=seconds)[worker]
        if isinstance(answer, Exception):
            raise OSError(_in_words(answer))
        return answer

    def ask_all(
        self,
        function: ByValue,
        workers: Sequence[str],
        *arguments: Any,
        seconds: float | None = None,
    ) -> dict[str, Any]:
        """The same of several workers at once; an exception is among the answers. Raises OSError
        where the scheduler has vanished."""
        run = self._client.run

        async def at(worker: str) -> Any:
            answers = await run(function, *arguments, workers=[worker], on_error="return")
            return answers.get(worker, OSError("no answer"))

        return self._ask_each(workers, ANSWER_SECONDS if seconds is None else seconds, at)

    def forget(self, job: Job, workers: list[str]) -> None:
        if not self.lost and self._client.status == "running" and workers:
            self.ask_all(self._forget, workers, tuple(job), seconds=FORGET_SECONDS)

    def cancel(self, future: Any) -> None:
        """Does not wait for it."""
        self._client.loop.add_callback(future.cancel)

    def submit(self, key: str, workers: list[str], job: Job, words: str, item: bytes) -> Any:
        return self._client.submit(
            self._explore,
            tuple(job),
            words,
            item,
            key=key,
            workers=workers,
            allow_other_workers=False,
            pure=False,
        )
