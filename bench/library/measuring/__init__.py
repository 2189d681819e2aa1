# SPDX-License-Identifier: MIT
"""How the benchmarks of the library are run and judged: run.py is the command."""
