# SPDX-License-Identifier: MIT
"""Calls of all exported functions that touch memory, with every order that each takes."""

from __future__ import annotations

from collections.abc import Iterator

from traced_calls import Call

SIZES = (1, 2, 4, 8, 16)
#: By instructions, within a word that is wider, under locks within a line: the generic functions.
GENERIC_SIZES = (*SIZES, 3, 5, 24)
LOADS = ("relaxed", "consume", "acquire", "seq_cst")
STORES = ("relaxed", "release", "seq_cst")
CHANGES = ("relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst")
ARITHMETIC = ("add", "sub", "and", "or", "xor", "nand")


def joined(success: str, failure: str) -> str:
    """The weakest order that is as strong as both."""
    if "seq_cst" in (success, failure):
        return "seq_cst"
    releases = success in ("release", "acq_rel")
    acquires = {success, failure} & {"consume", "acquire", "acq_rel"}
    return {
        (True, True): "acq_rel",
        (True, False): "release",
        (False, True): "acquire",
        (False, False): "relaxed",
    }[releases, bool(acquires)]


def _compare_exchanges(function: str, size: int) -> Iterator[Call]:
    for success in CHANGES:
        for failure in LOADS:
            for fails in (False, True):
                yield Call(function, "compare_exchange", success, size, fails, failure)


def _of_size(size: int) -> Iterator[Call]:
    for order in LOADS:
        yield Call(f"__atomic_load_{size}", "load", order, size)
    for order in STORES:
        yield Call(f"__atomic_store_{size}", "store", order, size)
    for order in CHANGES:
        yield Call(f"__atomic_exchange_{size}", "exchange", order, size)
        yield Call(f"__atomic_test_and_set_{size}", "exchange", order, size)
        for name in ARITHMETIC:
            yield Call(f"__atomic_fetch_{name}_{size}", "fetch", order, size)
            yield Call(f"__atomic_{name}_fetch_{size}", "fetch", order, size)
    yield from _compare_exchanges(f"__atomic_compare_exchange_{size}", size)


def _older(size: int) -> Iterator[Call]:
    for name in ARITHMETIC:
        yield Call(f"__sync_fetch_and_{name}_{size}", "barrier", "", size)
        yield Call(f"__sync_{name}_and_fetch_{size}", "barrier", "", size)
    for kind in ("bool", "val"):
        for fails in (False, True):
            yield Call(f"__sync_{kind}_compare_and_swap_{size}", "barrier", "", size, fails)
    yield Call(f"__sync_lock_test_and_set_{size}", "take", "", size)
    yield Call(f"__sync_lock_release_{size}", "give", "", size)


def all_calls() -> Iterator[Call]:
    for size in SIZES:
        yield from _of_size(size)
        yield from _older(size)
    for size in GENERIC_SIZES:
        for order in LOADS:
            yield Call("__atomic_load", "load", order, size)
        for order in STORES:
            yield Call("__atomic_store", "store", order, size)
        for order in CHANGES:
            yield Call("__atomic_exchange", "exchange", order, size)
        yield from _compare_exchanges("__atomic_compare_exchange", size)
    yield Call("atomic_flag_test_and_set", "exchange", "", 1)
    yield Call("atomic_flag_clear", "store", "", 1)
    for order in CHANGES:
        yield Call("atomic_flag_test_and_set_explicit", "exchange", order, 1)
        yield Call("atomic_thread_fence", "fence", order, 0)
    for order in STORES:
        yield Call("atomic_flag_clear_explicit", "store", order, 1)
    yield Call("__sync_synchronize", "barrier", "", 0)
