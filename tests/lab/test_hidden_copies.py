# SPDX-License-Identifier: MIT
"""What gcc says of its instrumentation is not taken for granted."""

from __future__ import annotations

from pathlib import Path

import pytest
from fencepost.hidden_copies import check_copies
from fencepost.input_error import Unsupported


def test_a_compiler_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match="fdump-tree-tsan"):
        check_copies(tmp_path / "0-program")
