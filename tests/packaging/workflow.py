# SPDX-License-Identifier: MIT
"""workflow.py: prints the shell lines of the workflow in docs/checker/in_your_project.md, as a
runner of GitHub's runs them: those of action.yml where the page uses it, with the page's inputs.
What other actions do is left out."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]


def _steps() -> Iterator[dict[str, Any]]:
    page = (ROOT / "docs" / "checker" / "in_your_project.md").read_text()
    found = re.search(r"```yaml\n(.*?)```", page, re.DOTALL)
    assert found is not None
    for job in yaml.safe_load(found[1])["jobs"].values():
        yield from job["steps"]


def _of_the_action(inputs: dict[str, str]) -> Iterator[str]:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    values = {name: inputs.get(name, one.get("default")) for name, one in action["inputs"].items()}
    assert set(inputs) <= set(values)
    assert None not in values.values()
    yield f"export GITHUB_ACTION_PATH={shlex.quote(str(ROOT))}"
    for step in action["runs"]["steps"]:
        for name, value in step.get("env", {}).items():
            text = re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda one: values[one[1]], value)
            yield f"export {name}={shlex.quote(text)}"
        yield step["run"].rstrip()


def script() -> str:
    lines = ["set -euo pipefail"]
    for step in _steps():
        if "run" in step:
            lines.append(step["run"].rstrip())
        elif step["uses"].startswith("OWNER/fencepost@"):
            lines += _of_the_action(step["with"])
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(script(), end="")
