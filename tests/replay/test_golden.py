"""Every golden round: status, lines, clauses, readings and findings as the text gives them."""

from __future__ import annotations

import pytest

from tests.golden import Golden, load_all
from tests.replay.judge import differences

ROUNDS = load_all()


@pytest.mark.parametrize("golden", ROUNDS, ids=[golden.id for golden in ROUNDS])
def test_golden_round(golden: Golden) -> None:
    assert differences(golden) == []
