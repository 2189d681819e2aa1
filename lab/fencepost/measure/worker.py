# SPDX-License-Identifier: MIT
"""What a worker of a Dask cluster does for an experiment: it starts `fencepost bench` of its own
machine, and tells what that has written so far.

These functions are sent to the workers as they are, so a worker needs Dask and a checkout of this
project; they use the standard library alone, and return at once, for a worker calls them where it
also answers its scheduler.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG = 1


def _folder(worker: Any, job: str) -> Path:
    return Path(worker.local_directory) / job


def _jobs(worker: Any) -> dict[str, subprocess.Popen[bytes]]:
    """Those that this worker has started: kept with it, for this module is not."""
    if not hasattr(worker, "fencepost_jobs"):
        worker.fencepost_jobs = {}
    found: dict[str, subprocess.Popen[bytes]] = worker.fencepost_jobs
    return found


def start(job: str, name: str, launcher: str, words: tuple[str, ...], dask_worker: Any) -> str:
    """Starts the command line with these words, in a folder of its own, as `name`. Returns why it
    cannot be started, or nothing. FENCEPOST in the worker's environment says where the command
    line is, where it is not at the same place as where the cluster was asked."""
    folder = _folder(dask_worker, job)
    chosen = os.environ.get("FENCEPOST") or launcher
    if not os.access(chosen, os.X_OK):
        chosen = shutil.which("fencepost") or ""
    if not chosen:
        return (
            f"there is no Fencepost at {launcher}, nor in its PATH; FENCEPOST in the worker's "
            "environment says where it is"
        )

    def end_with_the_worker() -> None:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (folder / f"{name}.out").open("wb") as out, (folder / f"{name}.err").open("wb") as err:
            _jobs(dask_worker)[f"{job} {name}"] = subprocess.Popen(
                [chosen, "bench", *words],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                start_new_session=True,
                preexec_fn=end_with_the_worker,
            )
    except OSError as error:
        return f"{chosen} cannot be run: {error.strerror}"
    return ""


def poll(job: str, name: str, file: str, offset: int, dask_worker: Any) -> tuple[Any, ...]:
    """What is in this file of the job's folder from there on, the exit status if it has ended, and
    then what it complained of."""
    process = _jobs(dask_worker).get(f"{job} {name}")
    folder = _folder(dask_worker, job)
    status = process.poll() if process is not None else -1
    said = b""
    with contextlib.suppress(OSError), (folder / file).open("rb") as lines:
        lines.seek(offset)
        said = lines.read(1 << 20)
    complaint = ""
    if status is not None:
        with contextlib.suppress(OSError):
            complaint = (folder / f"{name}.err").read_text(errors="replace")[-4000:]
    return said, status, complaint


def stop(job: str, dask_worker: Any) -> None:
    """Interrupts it: what it has measured it keeps."""
    for name, process in _jobs(dask_worker).items():
        if name.startswith(f"{job} ") and process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGINT)


def forget(job: str, dask_worker: Any) -> None:
    """Nothing of it stays here."""
    for name, process in list(_jobs(dask_worker).items()):
        if name.startswith(f"{job} "):
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            del _jobs(dask_worker)[name]
    shutil.rmtree(_folder(dask_worker, job), ignore_errors=True)
