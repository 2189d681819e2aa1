# SPDX-License-Identifier: MIT
"""The locks that `fencepost run` can put in place of the C library's."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fencepost import ROOT
from fencepost.console.input_error import UnusableInput
from fencepost.toolchain.toolchain import build_directory

#: The name under which a program keeps the C library's own locks.
GLIBC = "glibc"

_PREFIX = "libfencepost_preload_"
_PROFILER = "libfencepost_profiler.so"

_ANNOUNCED = {
    "seq_cst": "sequentially consistent lock word and flag",
    "exchange": "the waiters' flag touched by exchange alone",
    "lock_exchange": "the lock word touched by exchange alone",
    "asymmetric": "no barrier in unlock, a membarrier before each sleep",
}
_TRIED = {
    "compare_exchange_acquire": "compare-exchange, acquire",
    "compare_exchange_seq_cst": "compare-exchange, seq_cst",
    "test_and_set": "test-and-set",
}
_OTHERS = {
    "mutex": "one word, barging, bounded overtaking: the one where nothing special is asked for",
    "futex_mutex": "one word that counts the threads inside; sleepers in the order of their coming",
    "spin_mutex": "never sleeps: for measuring what sleeping costs, not for crowded machines",
}


@dataclass(frozen=True)
class Lock:
    """One lock, and the shared object that puts it into a program's mutexes."""

    name: str
    library: Path
    #: Whether it wakes everybody who has to be woken.
    is_sound: bool = True

    @property
    def description(self) -> str:
        if self.name in _OTHERS:
            return _OTHERS[self.name]
        if not self.is_sound:
            return _titles()[self.name.removeprefix("event_mutex-")]
        _, protocol, tried = self.name.split("-")
        return f"InnoDB's mutex: {_ANNOUNCED[protocol]}; tries by {_TRIED[tried]}"

    @property
    def bears_early_destruction(self) -> bool:
        """Whether a thread may destroy a mutex while another one is still on its way out of
        unlock(), as POSIX allows and the event mutex does not."""
        return self.name in _OTHERS


def _folder() -> Path:
    installed = ROOT / "preload"
    return installed if installed.is_dir() else build_directory() / "preload"


@cache
def _titles() -> dict[str, str]:
    listed = json.loads((ROOT / "study" / "event_mutex" / "protocols.json").read_text())
    return {one["id"]: one["title"] for one in listed["protocols"]}


def unsound_locks() -> dict[str, Lock]:
    """Those that are built and lose wake-ups, by name, in the order of their invention. They are
    not installed: the study of which they come is not either."""
    found = {
        path.stem.removeprefix(_PREFIX): path
        for path in (_folder() / "unsound").glob(f"{_PREFIX}*.so")
    }
    names = [f"event_mutex-{protocol}" for protocol in (_titles() if found else ())]
    return {name: Lock(name, found[name], is_sound=False) for name in names if name in found}


def locks() -> dict[str, Lock]:
    """Those that are built, by name, the simple ones first."""
    found = sorted(_folder().glob(f"{_PREFIX}*.so"))
    all_of_them = [Lock(path.stem.removeprefix(_PREFIX), path) for path in found]
    all_of_them.sort(
        key=lambda lock: (
            list(_OTHERS).index(lock.name) if lock.name in _OTHERS else len(_OTHERS),
            lock.name,
        )
    )
    return {lock.name: lock for lock in all_of_them}


def is_ours(library: Path) -> bool:
    """Whether `fencepost run` may have put it into LD_PRELOAD."""
    return library.name == _PROFILER or (
        library.name.startswith(_PREFIX) and library.suffix == ".so"
    )


def profiler_library() -> Path:
    """What stands before a lock's own shared object and counts. Raises UnusableInput."""
    library = _folder() / _PROFILER
    if not library.exists():
        raise UnusableInput("the lock profiler is not built; run 'make build'")
    return library
