# SPDX-License-Identifier: MIT
"""The command fencepost of a wheel: starts what lies beside this file."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn


def main() -> NoReturn:
    os.environ["FENCEPOST_PYTHON"] = sys.executable
    launcher = Path(__file__).resolve().with_name("fencepost")
    os.execv("/bin/sh", ["sh", str(launcher), *sys.argv[1:]])
