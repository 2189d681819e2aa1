# SPDX-License-Identifier: MIT
import sys

from fencepost.cli import end, main

end(main(sys.argv[1:]))
