# SPDX-License-Identifier: MIT
"""Checkpoints where other users may write, too."""

from __future__ import annotations

from pathlib import Path

from exploring import explore


def test_a_link_beside_a_checkpoint_leads_nowhere(long: Path, tmp_path: Path) -> None:
    """Whoever may write there too can foresee what a checkpoint is called until it is whole."""
    victim = tmp_path / "victim"
    victim.write_text("kept")
    shared = tmp_path / "shared"
    shared.mkdir()
    last = int(Path("/proc/loadavg").read_text().split()[-1])
    for process in range(last + 1, last + 3000):
        (shared / f"checkpoint.{process}.part").symlink_to(victim)
    assert explore(long, "max_executions=1000 jobs=1", shared / "checkpoint").status == 2
    assert victim.read_bytes() == b"kept"
    assert not (shared / "checkpoint").is_symlink()
    assert (shared / "checkpoint").stat().st_size > 100
