# SPDX-License-Identifier: MIT
"""How the atomics runtime is measured beside the system's, in turns."""
