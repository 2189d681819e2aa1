# SPDX-License-Identifier: MIT
"""What a worker of a Dask cluster does for a search.

These functions are sent to the workers as they are, so a worker needs Dask and nothing of this
project, and cannot have another version of it. They use the standard library alone.

A task explores one part of the search for a while and answers with what it has counted and what is
left. It changes nothing outside its own process: whether it is done once, twice or not to its end
makes no difference to anybody who has not had its answer.
"""

from __future__ import annotations

import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

#: How a program is called everywhere: its own name is among the things that it may look at.
NAME = "program"
#: Seconds that a part may take beyond those that it is given.
PATIENCE = 120.0
#: Exit status of a program that cannot take part here, and says why.
REFUSED = 3
#: And what stands for it where there is no such program: the worker has been started anew.
MISSING = 1000

HEADER = "=II"  # kind and size of a message: checker/search/workers/channel.hpp
WORK_ITEM = 0


class Answer(NamedTuple):
    worker: str
    status: int  # of the process; 0: what was said is whole
    said: bytes  # messages for the process that shares out the search
    complaint: str


class Job(NamedTuple):
    """What all parts of one search have in common."""

    directory: str  # the name of one of its own, in that of the worker
    words: str
    environment: dict[str, str]
    arguments: tuple[str, ...]


def run(program: Path, job: Job, more_words: str, item: bytes | None) -> tuple[int, bytes, str]:
    deadline = time.monotonic() + PATIENCE
    ours, its = socket.socketpair()
    said = bytearray()
    whole = False
    with ours, tempfile.TemporaryFile() as errors:
        with its:
            words = f"{job.words} {more_words} part={its.fileno()}"
            process = subprocess.Popen(
                [NAME, *job.arguments],
                executable=program,
                env={**job.environment, "FENCEPOST_CHECK": words},
                cwd=program.parent,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=errors,
                pass_fds=[its.fileno()],
                start_new_session=True,
            )
        try:
            ours.settimeout(PATIENCE)
            if item is not None:
                ours.sendall(struct.pack(HEADER, WORK_ITEM, len(item)) + item)
            ours.shutdown(socket.SHUT_WR)
            while piece := ours.recv(1 << 16):
                said += piece
                ours.settimeout(max(0.1, deadline - time.monotonic()))
            whole = True
        except TimeoutError:
            process.kill()
        except OSError:
            whole = False  # it has ended without listening, and its status says why
        status = process.wait()
        errors.seek(0)
        complaint = errors.read(4096).decode(errors="replace").strip()
    return status if whole or status else -signal.SIGKILL, bytes(said), complaint


# A worker does not know the types above by their names: what goes there and back are plain tuples.


def prepare(plain_job: tuple[Any, ...], executable: bytes, dask_worker: Any) -> str:
    """Puts the program where the tasks will look for it. Returns why it cannot be run here, or
    nothing."""
    job = Job(*plain_job)
    directory = Path(dask_worker.local_directory) / job.directory
    program = directory / NAME
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        program.write_bytes(executable)
        program.chmod(0o700)
        status, _, complaint = run(program, job, "", None)
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        return f"the program cannot be put into {directory} and run: {error.strerror}"
    if status == 0:
        return ""
    shutil.rmtree(directory, ignore_errors=True)
    return complaint.splitlines()[-1] if complaint else f"the program ends with status {status}"


def explore(plain_job: tuple[Any, ...], more_words: str, item: bytes) -> tuple[Any, ...]:
    """Explores one part of the search for a while. Returns the parts of an Answer."""
    from distributed import get_worker

    job = Job(*plain_job)
    worker = get_worker()
    program = Path(worker.local_directory) / job.directory / NAME
    try:
        status, said, complaint = run(program, job, more_words, item)
    except OSError as error:
        status = REFUSED if program.exists() else MISSING
        return worker.address, status, b"", f"the program cannot be run: {error.strerror}"
    return worker.address, status, said if status == 0 else b"", complaint


def forget(plain_job: tuple[Any, ...], dask_worker: Any) -> None:
    """The search is over: nothing of it stays here."""
    shutil.rmtree(Path(dask_worker.local_directory) / Job(*plain_job).directory, ignore_errors=True)
