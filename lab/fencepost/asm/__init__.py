# SPDX-License-Identifier: MIT
"""The instructions that compilers make of atomic operations, and whether they keep the order."""
