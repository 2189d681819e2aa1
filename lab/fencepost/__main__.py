# SPDX-License-Identifier: MIT
import sys

from fencepost.cli import main

sys.exit(main(sys.argv[1:]))
