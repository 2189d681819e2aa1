# SPDX-License-Identifier: MIT
"""The command line of Fencepost. Runs executables and reads JSON Lines, links no native code."""
