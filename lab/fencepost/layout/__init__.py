# SPDX-License-Identifier: MIT
"""What the placement of code does to a time."""
