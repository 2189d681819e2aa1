# SPDX-License-Identifier: MIT
"""What every command has: arguments, errors, progress, what is printed, the version."""
