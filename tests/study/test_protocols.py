# SPDX-License-Identifier: MIT
"""The lists of protocols are complete, and what they say of claims is drawn from verdicts."""

from pathlib import Path

import pytest
from fencepost import ROOT
from fencepost.asm.protocols import FALLS, OPEN, STANDS, SUBJECTS, Claim, Subject

SHARED = {"watchdog.hpp", "words.hpp"}
subjects = pytest.mark.parametrize("subject", SUBJECTS.values(), ids=list(SUBJECTS))


@subjects
def test_every_name_is_used_once(subject: Subject) -> None:
    ids = [protocol.id for protocol in subject.protocols()]
    assert len(set(ids)) == len(ids)


@subjects
def test_every_protocol_has_its_header_and_its_class(subject: Subject) -> None:
    for protocol in subject.protocols():
        name = protocol.type.rpartition("::")[2]
        assert any(
            f"{kind} {name} " in protocol.source().read_text()
            for kind in ("class", "struct", "using")
        )


@subjects
def test_every_header_is_in_the_list(subject: Subject) -> None:
    listed = {protocol.source() for protocol in subject.protocols()}
    there = {path for path in subject.directory.glob("*.hpp") if path.name not in SHARED}
    assert there <= listed


def test_every_protocol_of_the_library_is_in_the_list() -> None:
    listed = {protocol.source() for protocol in SUBJECTS["event-mutex"].protocols()}
    assert set(Path(ROOT / "include" / "fencepost" / "protocol").glob("*.hpp")) <= listed


@subjects
def test_every_claim_says_something_that_can_be_decided_or_nothing(subject: Subject) -> None:
    for protocol in subject.protocols():
        for claim in protocol.claims:
            assert claim.says in ("correct", "buggy", "unproven")
            assert claim.by and claim.date and claim.words
            assert set(claim.models) <= {"sc", "c++20", "x86", "c++14"}


@pytest.mark.parametrize(
    ("says", "verdicts", "standing"),
    [
        ("correct", {"sc": "holds", "x86": "holds"}, STANDS),
        ("correct", {"sc": "holds", "x86": "violated"}, FALLS),
        ("correct", {"sc": "violated", "x86": "inconclusive"}, FALLS),
        ("correct", {"sc": "holds", "x86": "inconclusive"}, OPEN),
        ("correct", {"sc": "holds"}, OPEN),
        ("buggy", {"sc": "violated", "x86": "violated"}, STANDS),
        ("buggy", {"sc": "holds", "x86": "violated"}, FALLS),
        ("buggy", {"sc": "inconclusive", "x86": "violated"}, OPEN),
        ("unproven", {"sc": "violated", "x86": "violated"}, OPEN),
    ],
)
def test_a_claim_stands_or_falls_by_the_models_it_is_about(
    says: str, verdicts: dict[str, str], standing: str
) -> None:
    claim = Claim("somebody", "1 Jul", says, ("sc", "x86"), "...")
    assert claim.standing(verdicts) == standing
