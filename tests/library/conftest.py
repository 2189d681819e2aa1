# SPDX-License-Identifier: MIT
"""What a usual run draws by lot. test_proofs.py is a program, too, which finds no module of tests/,
and so is told."""

from __future__ import annotations

import pytest
import samples


@pytest.fixture
def seed() -> int:
    return samples.seed()


@pytest.fixture
def is_long() -> bool:
    return samples.is_long
