# SPDX-License-Identifier: MIT
"""A child that does not outlive who started it, however that one ends."""

from __future__ import annotations

import ctypes
import signal

_PR_SET_PDEATHSIG = 1
_C_LIBRARY = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Called in a child before it executes a program: the kernel kills it when the thread that
    started it is gone. A program that takes on other rights than its user's forgets it."""
    _C_LIBRARY.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
