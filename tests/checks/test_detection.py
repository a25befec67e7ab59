"""How good is the audit, in a small seeded run; bench/detection.py does the large ones."""

from __future__ import annotations

import pytest

from bench.detection import CampaignScore, campaign
from events.devices.floor import default_floor

BOOKS = tuple(default_floor().games)


@pytest.fixture(scope="module")
def crooked() -> CampaignScore:
    return campaign(tables=3, rounds=120, faults=0.35, irregularities=0.0, seed=7)


def test_every_planted_fault_is_found_and_called_by_its_name(crooked: CampaignScore) -> None:
    assert crooked.examples == []
    assert crooked.named == crooked.found == crooked.planted


def test_faults_of_many_kinds_were_planted_in_every_rulebook(crooked: CampaignScore) -> None:
    for book in BOOKS:
        assert len({kind for kind, where in crooked.planted if where == book}) >= 15, book


def test_an_honest_house_raises_no_alarm() -> None:
    honest = campaign(tables=1, rounds=250, faults=0.0, irregularities=0.2, seed=9)
    assert honest.rounds == 250 * len(BOOKS)
    assert honest.examples == []
    assert not honest.false


@pytest.mark.soak
@pytest.mark.parametrize("book", BOOKS)
def test_an_honest_house_raises_no_alarm_over_many_rounds(book: str) -> None:
    honest = campaign(
        tables=20, rounds=2000, rulebooks=[book], faults=0.0, irregularities=0.05, seed=31,
        processes=2,
    )  # fmt: skip
    assert honest.rounds == 40_000
    assert honest.examples == []
