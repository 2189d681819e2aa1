# SPDX-License-Identifier: MIT
"""Reads a part of a file that says itself where it is."""

from __future__ import annotations

import errno
import os


def part_of(descriptor: int, offset: int, size: int) -> bytes:
    """Read as many of these bytes as there are: a file that is cut short ends early."""
    parts = []
    try:
        while size > 0 and (part := os.pread(descriptor, min(size, 1 << 26), offset)):
            parts.append(part)
            offset, size = offset + len(part), size - len(part)
    except OverflowError:
        pass  # an offset beyond what files have: nothing is there
    except OSError as trouble:
        if trouble.errno != errno.EINVAL:  # of another such offset
            raise
    return b"".join(parts)
