# SPDX-License-Identifier: MIT
"""The launcher with the scripted runtime, as the tests call it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

Run = Callable[..., subprocess.CompletedProcess[str]]
