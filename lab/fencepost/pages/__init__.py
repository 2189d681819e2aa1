# SPDX-License-Identifier: MIT
"""What every page of ours is made of: markup, style sheets, scripts, charts."""
