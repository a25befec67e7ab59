"""The kinds of findings as the contract has them (section 6), written down apart from the code."""

from __future__ import annotations

KINDS: dict[str, tuple[str, ...]] = {
    "money": (
        "wrong_odds",
        "wrong_outcome",
        "wrong_stake",
        "unsettled_bet",
        "unowed_payment",
        "missed_bonus",
        "missed_void",
        "wrong_void",
    ),
    "procedure": (
        "illegal_decision",
        "illegal_bet",
        "late_bet",
        "over_limit",
        "under_limit",
        "side_bet_alone",
        "dealer_draw",
        "deal_order",
        "missing_option",
        "illegal_examination",
        "illegal_setup",
        "illegal_reconstruction",
        "round_not_concluded",
    ),
    "integrity": (
        "sequence_gap",
        "duplicate_event",
        "out_of_order",
        "broken_chain",
        "incomplete_round",
        "unknown_rulebook",
        "rulebook_not_in_force",
        "impossible_card",
        "undecodable",
        "truncated",
        "clock_backwards",
        "shoe_mismatch",
        "meter_mismatch",
        "implausible_time",
        "silent_table",
        "unknown_table",
        "unsigned",
        "wrong_signature",
        "unreconciled",
    ),
    "judgement": ("reading_conflict", "discretion"),
    "note": ("corrected", "allocation"),
}
SEVERITY_OF = {kind: severity for severity, kinds in KINDS.items() for kind in kinds}

OF_THE_COMPARISON = frozenset((*KINDS["money"], *KINDS["note"], "reading_conflict"))
"""Kinds that only a recorded settlement, or one that is missing, can show."""
