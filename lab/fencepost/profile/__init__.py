# SPDX-License-Identifier: MIT
"""What a program's locks cost it: the record, read and told."""
