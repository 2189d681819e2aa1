# SPDX-License-Identifier: MIT
"""Which Fencepost this is, for people and in every JSON that it writes."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from functools import cache
from typing import Any

from fencepost import ROOT

#: What `schema` says of a kind of JSON. The number grows when a name goes or means something else,
#: not when one is added.
SCHEMAS = {"check": 1, "weaken": 1, "asm": 1, "compare": 1, "layout": 1, "study": 1, "locks": 1}


@cache
def version() -> str:
    """The version, as `0.1.0 (97a045c)`. The commit is not known everywhere: of a tree without
    git's folder, it is not said; `-dirty` after it says that the tree has changes that are not
    committed."""
    try:
        # Where Fencepost is installed; written as it was.
        return (ROOT / "version.txt").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        pass
    text = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    found = re.search(r"project\(fencepost VERSION ([\d.]+)", text)
    number = found[1] if found else "unknown version"
    commit = _commit()
    return f"{number} ({commit})" if commit else number


def _commit() -> str:
    git = ["git", f"--git-dir={ROOT / '.git'}", f"--work-tree={ROOT}"]
    words = [*git, "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def labelled(kind: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """The object as it is written, with what it is and who wrote it before everything else."""
    return {"schema": f"fencepost-{kind}/{SCHEMAS[kind]}", "fencepost": version(), **value}
