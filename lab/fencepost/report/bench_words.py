# SPDX-License-Identifier: MIT
"""Names of what is measured, as words."""

from __future__ import annotations


def plain(name: str) -> str:
    return name.replace("_", " ").replace("/", ", ").replace("threads:", "threads ")
