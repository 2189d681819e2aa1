# SPDX-License-Identifier: MIT
"""Pages and tables of measured results."""
