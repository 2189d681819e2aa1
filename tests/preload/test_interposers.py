# SPDX-License-Identifier: MIT
"""What others put before the C library stands before the locks, and calls them."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiled import compiled, run_on


@pytest.mark.parametrize("stats", [False, True])
def test_what_wraps_a_function_wraps_ours(tmp_path: Path, stats: bool) -> None:
    program = compiled(tmp_path, "locks_thrice")
    wrapper = compiled(tmp_path, "wraps.so")
    done = run_on("mutex", program, stats=stats, LD_PRELOAD=str(wrapper))
    library = "libfencepost_profiler.so" if stats else "libfencepost_preload_mutex.so"
    assert done.returncode == 0
    # Beside the program the command itself may say what it used.
    assert f"1 {library}" in done.stdout.splitlines()


@pytest.mark.parametrize("stats", [False, True])
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_the_runtime_of_a_sanitizer_is_loaded_first(
    tmp_path: Path, sanitizer: str, stats: bool
) -> None:
    program = compiled(tmp_path, "locks_thrice", f"-fsanitize={sanitizer}")
    done = run_on("mutex", program, stats=stats, ASAN_OPTIONS="detect_leaks=0")
    assert done.returncode == 0, done.stderr
    assert "runtime" not in done.stderr
