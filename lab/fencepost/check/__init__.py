# SPDX-License-Identifier: MIT
"""What one call of `fencepost check` does: programs under models, and the files about them."""
