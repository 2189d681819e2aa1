# SPDX-License-Identifier: MIT
"""Protocols of the literature, each claim about them, and what became of it."""
