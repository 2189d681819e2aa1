# SPDX-License-Identifier: MIT
"""Python packages that some commands need and others do without."""

from __future__ import annotations

import importlib.util

from fencepost.console.input_error import UnusableInput


def require_numpy_and_scipy(command: str) -> None:
    """Raise UnusableInput, which says what to install, where the command misses one of them."""
    missing = [name for name in ("numpy", "scipy") if importlib.util.find_spec(name) is None]
    if missing:
        packages = " ".join(f"python3-{name}" for name in missing)
        raise UnusableInput(f"{command} needs {' and '.join(missing)} (Debian: {packages})")
