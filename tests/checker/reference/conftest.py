# SPDX-License-Identifier: MIT
"""Lets the tests of this folder import its modules, and keeps the long one for who asks."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes many minutes; runs if FENCEPOST_SLOW=1")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("FENCEPOST_SLOW") == "1":
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: set FENCEPOST_SLOW=1"))
