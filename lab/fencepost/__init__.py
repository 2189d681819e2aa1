# SPDX-License-Identifier: MIT
"""The command line of Fencepost. Runs executables and reads JSON Lines, links no native code."""

from pathlib import Path

#: What everything of ours lies in: the source tree, or what an installation has made of it.
ROOT = Path(__file__).resolve().parents[2]
