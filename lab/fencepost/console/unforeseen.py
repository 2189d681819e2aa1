# SPDX-License-Identifier: MIT
"""The last resort of the command line: an error that nobody foresaw is told in a few lines, and all
that finds its cause is kept in a file."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
import traceback
from collections.abc import Sequence

#: EX_SOFTWARE of sysexits.h: no verdict, and no fault of what was asked.
EXIT_UNFORESEEN = 70


def report(error: BaseException, argv: Sequence[str]) -> None:
    told = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1][:300]
    print(f"fencepost: a mistake of Fencepost's own: {told}", file=sys.stderr)
    text = _report(error, argv)
    try:
        # Only its owner may read it: a command line may hold what is nobody else's business.
        descriptor, name = tempfile.mkstemp(prefix="fencepost-mistake.", suffix=".txt")
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError:
        print(f"{text}fencepost: please report it with the lines above", file=sys.stderr)
        return
    print(
        f"fencepost: please report it with {name}, which says where it happened, and with the "
        "files that were read; there is no result",
        file=sys.stderr,
    )


def _report(error: BaseException, argv: Sequence[str]) -> str:
    return (
        f"command: fencepost {shlex.join(argv)}\n"
        f"python: {platform.python_version()} on {platform.platform()}\n"
        f"{''.join(traceback.format_exception(error))}"
    )
