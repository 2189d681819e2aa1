# SPDX-License-Identifier: MIT
"""What was said about speed where this project began, and what was measured."""
