# SPDX-License-Identifier: MIT
"""A program on another lock than its own."""
