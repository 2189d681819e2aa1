# SPDX-License-Identifier: MIT
"""Lets the tests of this folder import its modules, and builds what several of them explore."""

from __future__ import annotations

from pathlib import Path

import pytest
from exploring import KINDS, build


@pytest.fixture(scope="module", params=KINDS.values(), ids=KINDS.keys())
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    source, flags = request.param
    return build(source, tmp_path_factory.mktemp("program"), *flags)


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A program that takes seconds."""
    return build("families/lastzero.c", tmp_path_factory.mktemp("long"), "-DN=13")
