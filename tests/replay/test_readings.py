"""The register: every id is asked somewhere, and turning one changes what it says it changes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import replay
from replay.readings import BY_ID, READINGS
from replay.registry import IDS
from tests.golden import load_all
from tests.replay.judge import answer_of

SOURCES = Path(replay.__file__).parent


def asked_in_the_code() -> set[str]:
    """Every id that stands as text in the rules and checks."""
    texts = [
        path.read_text("utf-8") for path in SOURCES.rglob("*.py") if path.name != "readings.py"
    ]
    return {word for text in texts for word in re.findall(r'"([a-z0-9]+(?:-[a-z0-9]+)+)"', text)}


def test_ids_are_unique_and_name_known_rulebooks() -> None:
    assert len(BY_ID) == len(READINGS)
    for reading in READINGS:
        assert set(reading.rulebooks) <= set(IDS), reading.id


def test_every_reading_is_asked_somewhere() -> None:
    assert set(BY_ID) - asked_in_the_code() == set()


ROUNDS = [golden for golden in load_all() if golden.other]


@pytest.mark.parametrize("golden", ROUNDS, ids=[golden.id for golden in ROUNDS])
def test_turning_twice_is_the_default_again(golden) -> None:  # type: ignore[no-untyped-def]
    default = answer_of(golden)
    for reading in golden.other:
        other = answer_of(golden, (reading,))
        back = {line.key: line.money for line in other.lines}
        for key, line in other.turned.get(reading, {}).items():
            if line is None:
                back.pop(key, None)
            else:
                back[key] = line.money
        assert back == {line.key: line.money for line in default.lines}
