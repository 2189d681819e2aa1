#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""head_comment.py FILE: the header as doxygen is to read it: the comment at its head describes the
file, and comments before functions of the C header describe those."""

import sys
from pathlib import Path

lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
if lines[0].startswith("//"):
    lines[0] = "//! \\file"
    for n in range(1, len(lines)):
        if not lines[n].startswith("//"):
            break
        lines[n] = "//!" + lines[n][2:]
else:
    lines[0] = "/*! \\file"
    lines[1:] = ["/**" + line[2:] if line.startswith("/* ") else line for line in lines[1:]]
print("\n".join(lines))
