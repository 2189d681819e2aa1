# SPDX-License-Identifier: MIT
from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from clock_place import Place, why_not


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    if reason := why_not():
        pytest.skip(reason)
    # For other users to come by: pytest's own folders are closed to them.
    folder = tmp_path / "bpf"
    folder.mkdir()
    for above in [tmp_path, *tmp_path.parents]:
        if above.stat().st_uid == os.getuid() and not above.stat().st_mode & 0o001:
            above.chmod(above.stat().st_mode | 0o011)
    made = Place(folder)
    yield made
    made.close()
