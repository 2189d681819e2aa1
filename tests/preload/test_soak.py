# SPDX-License-Identifier: MIT
"""All kinds of locks mixed in one program, on each lock: seconds of it, ten minutes with
FENCEPOST_SLOW set. `make soak` does an hour."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
import samples
from soak import PROGRAM, words_for
from test_locks import LOCKS

HERE = Path(__file__).resolve().parent

pytestmark = pytest.mark.crowd

SECONDS = (600 if samples.is_long else 10) / len(LOCKS)


@pytest.mark.sampled
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("lock", LOCKS)
def test_every_lock_keeps_its_promises(lock: str) -> None:
    words = words_for(lock, SECONDS, 1)
    done = subprocess.run(words, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stderr
    found = re.fullmatch(r"(\d+) pieces of work by 8 threads, seed 1\n", done.stdout)
    assert found and int(found[1]) > 0


def _on_a_broken_lock(folder: Path, source: str, *words: str) -> subprocess.CompletedProcess[str]:
    (folder / "broken.c").write_text(source)
    library = folder / "broken.so"
    subprocess.run(["gcc", "-shared", "-fPIC", folder / "broken.c", "-o", library], check=True)
    return subprocess.run(
        [PROGRAM, "--seconds", "600", *words],
        env={**os.environ, "LD_PRELOAD": str(library)},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )


#: Calls no initialiser of the program's, and those of libraries: libgcc's unwinder has one, without
#: which a cancelled thread aborts.
_NEVER_CALLED = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
int pthread_once(void* once, void (*initialiser)(void)) {
  Dl_info caller;
  if (dladdr(__builtin_return_address(0), &caller) && strstr(caller.dli_fname, "preload_soak")) {
    return 0;
  }
  int (*real)(void*, void (*)(void)) = dlsym(RTLD_NEXT, "pthread_once");
  return real(once, initialiser);
}
"""


def test_it_finds_what_does_not_do_its_work(tmp_path: Path) -> None:
    """An initialiser that is never called is missed by the first who needs it."""
    done = _on_a_broken_lock(tmp_path, _NEVER_CALLED)
    assert done.returncode == 1
    assert "this is not so" in done.stderr
    assert "run again with --seed" in done.stderr


def test_it_says_who_hangs_and_where(tmp_path: Path) -> None:
    source = (
        "int pause(void);\nint pthread_spin_lock(void* l) { for (;;) pause(); return l == 0; }\n"
    )
    done = _on_a_broken_lock(tmp_path, source, "--patience", "5")
    assert done.returncode == -signal.SIGABRT
    assert "somebody does not get on" in done.stderr
    assert "is at a spin lock" in done.stderr
    assert "system call" in done.stderr
    assert "run again with --seed" in done.stderr
