"""Rules marked for a hand of 21 are asked of no other hand, so none of them may apply there."""

from __future__ import annotations

from checks.audit import audit
from replay.registry import rulebook
from replay.rounds import facts_of
from tests.golden import load_all


def test_a_rule_marked_for_21_applies_to_a_hand_of_21_alone() -> None:
    applied = 0
    for golden in load_all():
        book = rulebook(golden.rulebook)
        assert book is not None
        marked = {
            (bet, rule.name) for bet, some in book.rules.items() for rule in some if rule.on_21
        }
        (round_,) = facts_of(golden.events)
        for (_, _, _, bet), asked in (audit(round_, trace=True).traces or {}).items():
            for step in asked:  # the explanation asks every rule, also those that bulk runs skip
                if (bet, step["rule"]) in marked and step["applies"]:
                    applied += 1
                    assert step["facts"]["total"] == 21, (golden.id, bet, step["rule"])
    assert applied > 20
