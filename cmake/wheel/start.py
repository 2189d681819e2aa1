# SPDX-License-Identifier: MIT
"""The command fencepost of a wheel: starts what lies beside this file."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    os.environ["FENCEPOST_PYTHON"] = sys.executable
    # Python ignores them, and whether the caller did nobody can tell by now.
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    launcher = Path(__file__).resolve().with_name("fencepost")
    os.execv("/bin/sh", ["sh", str(launcher), *sys.argv[1:]])
