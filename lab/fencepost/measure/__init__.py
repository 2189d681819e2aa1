# SPDX-License-Identifier: MIT
"""Windows of benchmarks in turns: taken, disturbed, repeated, kept."""
