# SPDX-License-Identifier: MIT
"""Checkpoints where other users may write, too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from exploring import explore


@pytest.mark.parametrize("make", [Path.symlink_to, lambda name, _: name.mkdir()])
def test_a_name_beside_a_checkpoint_neither_leads_elsewhere_nor_keeps_it_from_being_written(
    long: Path, tmp_path: Path, make: Callable[[Path, Path], None]
) -> None:
    """Whoever may write there, too, can foresee its own name and the number of the process."""
    victim = tmp_path / "victim"
    victim.write_text("kept")
    shared = tmp_path / "shared"
    shared.mkdir()
    last = int(Path("/proc/loadavg").read_text().split()[-1])
    made = [shared / f"checkpoint.{last + n}.part" for n in range(1, 3000)]
    for name in made:
        make(name, victim)
    assert explore(long, "max_executions=1000 jobs=1", shared / "checkpoint").status == 2
    assert victim.read_bytes() == b"kept"
    assert not (shared / "checkpoint").is_symlink()
    assert (shared / "checkpoint").stat().st_size > 100
    assert set(shared.iterdir()) - set(made) == {shared / "checkpoint"}
