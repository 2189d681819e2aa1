# SPDX-License-Identifier: MIT
"""What all tests share: where the build is, as seen from every folder that a test works in; where
what is kept from one start of the command line to the next, which is started a thousand times; and
that a failure is told when it happens, so that a run that is cut short has said what it found."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

if "FENCEPOST_BUILD_DIR" in os.environ:
    os.environ["FENCEPOST_BUILD_DIR"] = str(Path(os.environ["FENCEPOST_BUILD_DIR"]).resolve())

# In the build and not beside the sources, also where the user wants no such files.
KEPT = Path(__file__).resolve().parents[1] / "build" / "kept"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
os.environ["PYTHONPYCACHEPREFIX"] = str(KEPT / "python")


class _Failures:
    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._terminal.ensure_newline()
            self._terminal.write_line(f"FAILED in {report.when}: {report.nodeid}")
            self._terminal.write_line(report.longreprtext)


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Failures(terminal), "failures-at-once")
