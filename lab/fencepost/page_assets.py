# SPDX-License-Identifier: MIT
"""The style sheets and scripts that pages carry with them: files of their own beside this one."""

from __future__ import annotations

from pathlib import Path


def asset(name: str) -> str:
    return (Path(__file__).parent / name).read_text()
