# SPDX-License-Identifier: MIT
"""What of the library or of the study a measured variant is: where its proofs lie, and how its
operations are compiled to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from fencepost import ROOT
from fencepost.report.content import OURS, Subject

#: Of a subject whose variants are the protocols of the study themselves.
_STUDIED = "event_mutexes"
_STUDY = "event-mutex"
PROOFS = ROOT / "tests" / "library" / "proofs"


@dataclass(frozen=True)
class Part:
    """One protocol of the study, or one primitive of the library."""

    name: str
    #: Of the study, where it is one.
    protocol: str = ""
    #: The folder of proofs, where it is a primitive.
    proofs: str = ""
    #: What to compile, by the name of a function in it.
    source: str = ""
    functions: tuple[str, ...] = ()

    @property
    def command(self) -> str:
        """What checks it."""
        if self.protocol:
            return f"fencepost study {_STUDY} --protocol {self.protocol}"
        if self.proofs and (PROOFS / self.proofs).is_dir():
            return f".venv/bin/python tests/library/test_proofs.py {self.proofs}."
        return ""


def _lock(header: str, type_: str) -> tuple[str, tuple[str, ...]]:
    source = (
        f'#include "fencepost/{header}.hpp"\n'
        f'extern "C" void lock(fencepost::{type_}& one) {{ one.lock(); }}\n'
        f'extern "C" void unlock(fencepost::{type_}& one) {{ one.unlock(); }}\n'
    )
    return source, ("lock", "unlock")


def _increment(type_: str) -> tuple[str, tuple[str, ...]]:
    source = (
        '#include "fencepost/event_count.hpp"\n'
        f'extern "C" void increment(fencepost::{type_}& one) {{ one.increment(); }}\n'
    )
    return source, ("increment",)


def _ring() -> tuple[str, tuple[str, ...]]:
    source = (
        '#include "fencepost/ring.hpp"\n'
        'extern "C" bool try_push(fencepost::spsc_ring<long>& one, long value) '
        "{ return one.try_push(value); }\n"
        'extern "C" long try_pop(fencepost::spsc_ring<long>& one) '
        "{ return one.try_pop().value_or(0); }\n"
    )
    return source, ("try_push", "try_pop")


#: By the variant's name less `fencepost_`: the longest that it begins with counts.
_PRIMITIVES = {
    "mutex": Part("mutex", "", "mutex", *_lock("mutex", "mutex")),
    "futex_mutex": Part("futex_mutex", "", "futex_mutex", *_lock("futex_mutex", "futex_mutex")),
    "spin_mutex": Part("spin_mutex", "", "spin_mutex", *_lock("spin_mutex", "spin_mutex")),
    "event_count": Part("event_count", "", "event_count", *_increment("event_count")),
    "single_producer_event_count": Part(
        "single_producer_event_count",
        "",
        "event_count",
        *_increment("single_producer_event_count"),
    ),
    "two_word_event_count": Part(
        "two_word_event_count", "", "event_count", *_increment("two_word_event_count")
    ),
    "condition_variable": Part("condition_variable", "", "condition_variable"),
    "spsc_ring": Part("spsc_ring", "", "ring", *_ring()),
    "hazard_pointer": Part("hazard_pointer", "", "hazard_pointer"),
    "rcu": Part("rcu", "", "rcu"),
    "srcu": Part("srcu", "", "srcu"),
    "concurrent_hash_map": Part("concurrent_hash_map", "", "concurrent_hash_map"),
}
_EVENT_MUTEX = "event_mutex_"


def part_of(subject: str, variant: str) -> Part | None:
    """None for what is not ours."""
    if subject == _STUDIED:
        protocol = variant.removesuffix("_unsound")
        return Part(protocol, protocol=protocol) if _is_protocol(protocol) else None
    if not variant.startswith(OURS):
        return None
    name = variant.removeprefix(OURS)
    if name.startswith(_EVENT_MUTEX):
        protocol = name.removeprefix(_EVENT_MUTEX)
        if _is_protocol(protocol):
            return Part(f"event_mutex, {protocol}", protocol=protocol)
        return None
    fitting = [
        one
        for one in _PRIMITIVES
        if name == one or name.startswith(f"{one}_") or name.removeprefix(one).isdigit()
    ]
    return _PRIMITIVES[max(fitting, key=len)] if fitting else None


@cache
def _is_protocol(name: str) -> bool:
    from fencepost.asm.subjects import protocol_subjects

    return f"{_STUDY}/{name}" in protocol_subjects()


def parts_of(subject: Subject) -> dict[Part, list[str]]:
    """Parts of all variants of a subject, with the variants that each part stands for."""
    found: dict[Part, list[str]] = {}
    names = dict.fromkeys(v.name for work in subject.works for v in work.variants)
    for name in sorted(names):
        part = part_of(subject.name, name)
        if part is not None:
            found.setdefault(part, []).append(name)
    return found
