# SPDX-License-Identifier: MIT
"""The machine that something is measured on, as a run's line tells it."""

from __future__ import annotations

import contextlib
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fencepost.console.version import version


def processor_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith(("model name", "CPU part")):
                return line.partition(":")[2].strip()
    return platform.machine()


def governor() -> str | None:
    """Governors of the processors' clocks, each named once, or None where nothing says."""
    found = set()
    for path in Path("/sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_governor"):
        with contextlib.suppress(OSError):
            found.add(path.read_text().strip())
    return " and ".join(sorted(found)) or None


def machine_facts() -> dict[str, Any]:
    return {
        "fencepost": version(),
        "started": now(),
        "machine": f"{platform.machine()}, {processor_model()}",
        "processors": len(os.sched_getaffinity(0)),
        "governor": governor(),
        "kernel": platform.release(),
        "libc": " ".join(platform.libc_ver()),
        "load": os.getloadavg()[0],
        "priority": -os.getpriority(os.PRIO_PROCESS, 0),
    }


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def new_run() -> str:
    """A name for a run that no other has."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%S}-{os.getpid()}"
