# SPDX-License-Identifier: MIT
"""What all tests share: where the build is, as seen from every folder that a test works in."""

from __future__ import annotations

import os
from pathlib import Path

if "FENCEPOST_BUILD_DIR" in os.environ:
    os.environ["FENCEPOST_BUILD_DIR"] = str(Path(os.environ["FENCEPOST_BUILD_DIR"]).resolve())
