# SPDX-License-Identifier: MIT
"""Measured results: their schema, files, other programs' files, a database."""
