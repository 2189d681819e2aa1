# SPDX-License-Identifier: MIT
"""What compiled code holds: its calls, assembly, symbols and places in the source."""
