# SPDX-License-Identifier: MIT
"""How the benchmarks of the library are run and judged: run.py is the command.

Results are written and read by the command line's own modules, which are in lab/."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[3] / "lab"))
