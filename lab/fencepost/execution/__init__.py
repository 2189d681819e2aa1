# SPDX-License-Identifier: MIT
"""An execution as the checker reports it, its steps, and why it went wrong."""
