# SPDX-License-Identifier: MIT
"""Files and processes: read and written whole, bounded, ended in time."""
