# SPDX-License-Identifier: MIT
"""How the latency of heavy fences is measured, judged and drawn."""
