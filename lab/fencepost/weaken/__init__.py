# SPDX-License-Identifier: MIT
"""The weakest memory orders with which a program holds."""
