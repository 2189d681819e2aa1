# SPDX-License-Identifier: MIT
"""The checker's benchmark: which programs, how one is explored and measured, what is said of it."""
