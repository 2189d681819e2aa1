# SPDX-License-Identifier: MIT
"""The commands: a module each, which has its arguments and its exit status."""
