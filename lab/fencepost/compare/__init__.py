# SPDX-License-Identifier: MIT
"""Whether figures differ, by how much, and how sure that is."""
