# SPDX-License-Identifier: MIT
"""Real servers as what is measured."""
