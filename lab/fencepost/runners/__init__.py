# SPDX-License-Identifier: MIT
"""What `fencepost bench` measures by programs of its own, which judge and draw in ways of their
own: known.py lists them."""
