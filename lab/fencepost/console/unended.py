# SPDX-License-Identifier: MIT
"""Threads of other people's libraries that should have ended and have not.

Python joins threads when the process ends, and runs the destructors of what they hold: with a
thread that waits for a peer that has vanished, the process would never end. Whoever starts such a
library notes its threads here; the end of the process (cli.end) asks whether one is left.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable

#: How long the last of them may take to end once nobody needs them.
LAST_SECONDS = 1.0

_noted: set[threading.Thread] = set()


def note(threads: Iterable[threading.Thread]) -> None:
    _noted.update(thread for thread in threads if thread is not threading.current_thread())


def left() -> list[threading.Thread]:
    """Those of them that still run, after a moment to end in."""
    until = time.monotonic() + LAST_SECONDS
    for thread in _noted:
        thread.join(max(0.0, until - time.monotonic()))
    return [thread for thread in _noted if thread.is_alive()]
