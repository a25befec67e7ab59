"""Every kind of finding in plain words: what it means, and what one does about it.

The names are the contract's; the words are for somebody who reads them at seven in the morning.
"""

from __future__ import annotations

from typing import NamedTuple


class KindWords(NamedTuple):
    """A kind as people say it."""

    name: str
    means: str
    act: str


_PAID = "look at the round; recover or compensate, and tell the dealer's supervisor"
_PLAY = "look at the round; speak with the dealer where it repeats"
_RECORD = "have the table's devices looked at; until then its figures are not proved"

KINDS: dict[str, KindWords] = {
    "wrong_odds": KindWords("Paid at wrong odds", "the bet won, but other winnings were paid", _PAID),
    "wrong_outcome": KindWords("Wrong result paid", "a bet was settled as won, lost or pushed when the rulebook says otherwise", _PAID),
    "wrong_stake": KindWords("Settled on another stake", "the amount settled is not the amount that counts", _PAID),
    "unsettled_bet": KindWords("Bet never settled", "a bet lay on the table and the closed round has no settlement for it", _PAID),
    "unowed_payment": KindWords("Paid without being owed", "money was paid where no line is due, or a second time", _PAID),
    "missed_bonus": KindWords("Bonus not paid", "a payment without a stake was due and was not made", "compensate the player; look at the round"),
    "missed_void": KindWords("Should have been void", "the rulebook voids the round, and it was settled", _PAID),
    "wrong_void": KindWords("Voided without ground", "the pit voided a round that the rulebook settles", "look at the round; pay what the rulebook gives, or explain the ruling"),
    "illegal_decision": KindWords("Decision not allowed", "a player or the dealer did what the rules do not allow at that moment", _PLAY),
    "illegal_bet": KindWords("Bet not allowed", "chips were accepted that the rules do not allow", _PLAY),
    "late_bet": KindWords("Late bet", "chips were placed, raised or taken after the close, and let through", "look at the video; past-posting is a surveillance matter"),
    "over_limit": KindWords("Above the maximum", "a bet above the table's limit was accepted", _PLAY),
    "under_limit": KindWords("Below the minimum", "a bet below the table's limit was accepted", _PLAY),
    "side_bet_alone": KindWords("Side bet alone", "a side bet stood without the main bet it needs", _PLAY),
    "dealer_draw": KindWords("Dealer drew wrongly", "the dealer drew when he must stand, or stood when he must draw", _PLAY),
    "deal_order": KindWords("Dealt out of order", "cards were not dealt in the order of the rulebook", _PLAY),
    "missing_option": KindWords("Choice not offered", "after a dealing error the player was not asked what he chooses", _PLAY),
    "illegal_examination": KindWords("Looked where he may not", "the dealer looked at a card too early", _PLAY),
    "illegal_setup": KindWords("Table set up wrongly", "decks, boxes or limits are not those of the text", "correct the table's configuration"),
    "illegal_reconstruction": KindWords("Cards moved without ground", "cards were taken away or moved although no irregularity was noted", _PLAY),
    "round_not_concluded": KindWords("Round not concluded", "the result was settled and play did not go on", _PLAY),
    "sequence_gap": KindWords("Events missing", "numbers are missing in the table's record", _RECORD),
    "duplicate_event": KindWords("Event twice", "the record holds the same number more than once", _RECORD),
    "out_of_order": KindWords("Events out of order", "events came in another order than they were numbered", _RECORD),
    "broken_chain": KindWords("Chain broken", "an event does not join the hash of the one before: something was changed or lost", "keep the evidence; ask who could write to the log"),
    "incomplete_round": KindWords("Round without an end", "the record has no close of the round", "ask the pit how the round ended; money of it is not counted"),
    "unknown_rulebook": KindWords("Rulebook not known", "the table names a rulebook that is not among ours", "correct the table's configuration"),
    "rulebook_not_in_force": KindWords("Rulebook not in force", "the table plays by a text that was not in force that day", "correct the table's configuration"),
    "impossible_card": KindWords("Card that can't be", "a card that the shoe can't hold, or the same one too often", "count the shoe; look at the video"),
    "undecodable": KindWords("Message not readable", "a message could not be read and lies in quarantine", "evenhand quarantine lists it; have the gateway looked at"),
    "truncated": KindWords("Record cut off", "the end of the table's record is missing against what was sealed", "keep the evidence; ask who could write to the log"),
    "clock_backwards": KindWords("Clock went back", "a device's time went backwards", "have the table's clock set"),
    "shoe_mismatch": KindWords("Shoe does not add up", "the cards dealt and left are not those of the decks", "count the shoe; look at the video"),
    "meter_mismatch": KindWords("Jackpot meter off", "the meter moved otherwise than bets and wins explain", "have the jackpot's controller looked at"),
    "implausible_time": KindWords("Wrong clock", "a device's time can't be right", "have the table's clock set"),
    "unreconciled": KindWords("Audit does not come out", "sums of a round do not come out: this audit itself is in doubt there", "report it with the round's evidence"),
    "silent_table": KindWords("Table silent", "no event came although the table was not closed or is expected", "ask the pit whether it was open; have its gateway looked at"),
    "unknown_table": KindWords("Table not registered", "events came from a table that the registry does not know", "register it, or find out who sends"),
    "unsigned": KindWords("Not signed", "no valid signature covers the events although the table's keys are known", _RECORD),
    "wrong_signature": KindWords("Wrong signature", "a signature does not fit the events it covers", "keep the evidence; ask who could write to the log"),
    "reading_conflict": KindWords("Fits another reading", "the settlement fits another reading of an unclear paragraph", "decide which reading the house follows"),
    "discretion": KindWords("Left to the house", "the rulebook leaves it to the house", "decide, and note why"),
    "corrected": KindWords("Corrected at the table", "settled wrongly, then put right", "nothing; count how often"),
    "allocation": KindWords("Booked on other lines", "right in total for the player, booked on other lines", "nothing; tell the dealer where it repeats"),
}  # fmt: skip


def kind_words(kind: str) -> KindWords:
    """The words of a kind; one that a newer run made has its name only."""
    plain = kind.replace("_", " ")
    return KINDS.get(kind) or KindWords(plain[:1].upper() + plain[1:], plain, "look at the round")
