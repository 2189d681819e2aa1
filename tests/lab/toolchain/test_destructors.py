# SPDX-License-Identifier: MIT
"""Which functions are destructors, by the names that clang gives them."""

from __future__ import annotations

import pytest
from fencepost.toolchain.early_scopes import is_destructor


@pytest.mark.parametrize(
    "name",
    [
        "_ZN1AD2Ev",
        "_ZN3fD2D2Ev",
        "_ZN2fDD2Ev",
        "_ZN3ab3D2Ev",
        "_ZNSt6vectorIiSaIiEED2Ev",
        "_ZN12_GLOBAL__N_11AD2Ev",
        "_ZZ4mainEN1AD2Ev",
    ],
)
def test_a_destructor_without_virtual_bases_is_one(name: str) -> None:
    assert is_destructor(name)


@pytest.mark.parametrize(
    "name",
    ["_ZN1AD1Ev", "_ZN1AD0Ev", "_ZN1A3fD2Ev", "_ZN3fD2Ev", "_ZN1A13abcdefghijkD2Ev", "fD2Ev", ""],
)
def test_another_function_is_none(name: str) -> None:
    assert not is_destructor(name)
