# SPDX-License-Identifier: MIT
"""Runs tools on files that may be damaged, or made to keep them busy."""

from __future__ import annotations

import math
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

#: What a tool may take. The largest programs' debug information is read in a fraction of it.
SECONDS, CPU_SECONDS, MEMORY, OUTPUT = 120.0, 60, 16 << 30, 256 << 20


def output_of(command: Sequence[str | Path], told: str, seconds: float = math.inf) -> str:
    """What it wrote before it ended, or was ended at a limit. What it complains of is not kept."""
    limits = (f"--cpu={CPU_SECONDS}", f"--as={MEMORY}", f"--fsize={OUTPUT}", "--core=0")
    with tempfile.TemporaryFile() as written:
        with suppress(subprocess.TimeoutExpired, OSError):
            subprocess.run(
                ["prlimit", *limits, "--", *map(str, command)],
                input=told.encode(errors="surrogateescape"),
                stdout=written,
                stderr=subprocess.DEVNULL,
                timeout=min(SECONDS, seconds),
                check=False,
            )
        written.seek(0)
        # The name of a file may be any bytes.
        return written.read(OUTPUT).decode(errors="surrogateescape")
