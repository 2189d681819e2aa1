# SPDX-License-Identifier: MIT
"""From source files to a program that explores its own executions."""
