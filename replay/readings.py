"""The register of readings: places where a text allows more than one reading.

The replay follows the default and asks `Readings.other(id)` exactly where the question arises; the
engine notes which ids were asked, turns each in turn, and marks the lines that change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

PLUS, BLACKJACK = "pontoon-plus-rws-v5", "blackjack-rws-v5"
PANDEMONIUM, MBS = "pontoon-pandemonium-rws-v4", "pontoon-mbs-v5"
POKER = "three-card-poker-rws-v3"
PONTOONS = (PLUS, PANDEMONIUM, MBS)
TWENTY_ONE = (PLUS, BLACKJACK, PANDEMONIUM, MBS)
LONG_SECTION_5 = (PLUS, BLACKJACK)


class Reading(NamedTuple):
    """One question that a text leaves open, and the two answers."""

    id: str
    rulebooks: tuple[str, ...]
    question: str
    default: str
    other: str


READINGS: tuple[Reading, ...] = (
    Reading(
        "21-vs-dealer-blackjack",
        (BLACKJACK,),
        "Dealer Blackjack against a plain 21 of three or more cards, not split, not doubled (3.23.4, 1.31)",
        "stand off: the point totals are the same",
        "the Blackjack beats it",
    ),
    Reading(
        "split-vs-dealer-blackjack",
        (BLACKJACK,),
        "3.21.3: what is lost on split hands that did not bust",
        "once per player and box an amount equal to the initial bet, booked on the first hand that did not bust; the other live bets go back",
        "the initial bet on each hand",
    ),
    Reading(
        "surrender-vs-dealer-blackjack",
        (BLACKJACK,),
        "Surrender, then the dealer makes Blackjack (3.16, 1.17)",
        "half is lost; the interim settlement stands",
        "the whole bet is lost",
    ),
    Reading(
        "pro-rata",
        LONG_SECTION_5,
        "5.1.1: how the excess is shared",
        "each bet name has its own limit; a player's stake counts as floor(amount x max / total on the box), but not below the minimum; the rest goes back; a player under the minimum keeps his whole stake (5.1.2) and counts in the total",
        "those under the minimum are left out of the total",
    ),
    Reading(
        "surrender-in-a-shared-box",
        TWENTY_ONE,
        "Does the seated player's surrender bind standing players (Pontoon Plus 3.8)",
        "yes",
        "each player for himself",
    ),
    Reading(
        "super-bonus-and-odds",
        (PLUS, PANDEMONIUM),
        "Is the super bonus paid on top of the 7-7-7 odds (the MBS text says so, 4.1.1.5; the RWS texts are silent)",
        "on top",
        "instead",
    ),
    Reading(
        "super-bonus-per-player",
        PONTOONS,
        "Several players on the winning hand",
        "each whose own initial bet is $10 or more, by his own bet",
        "the seated player only",
    ),
    Reading(
        "super-bonus-share",
        (PLUS, PANDEMONIUM),
        "Who gets the $50",
        "the seated player of every other box with an initial bet, once per box",
        "also other players' circles",
    ),
    Reading(
        "super-bonus-under-10",
        PONTOONS,
        "7-7-7 suited against a 7, bet under $10",
        "no super bonus, and no $50 for others",
        "the $50 is still due",
    ),
    Reading(
        "split-hand-odds",
        PONTOONS,
        "Do split hands get the odds for 5, 6, 7 cards, 6-7-8 and 7-7-7",
        "yes; only the super bonus is excluded",
        "regular odds",
    ),
    Reading(
        "doubled-21",
        PONTOONS,
        "A doubled hand of 21 against a dealer Pontoon or a dealer 21 (Plus 3.26 / 3.25.4, Pandemonium 3.15 / 3.14, MBS 3.15, 4.2.1 / 4.4.1)",
        "paid 1 to 1 at once",
        "against a Pontoon the initial bet is lost and the double goes back; against a 21 a stand off",
    ),
    Reading(
        "doubled-split-vs-dealer-pontoon",
        PONTOONS,
        "A split hand that was doubled, dealer Pontoon (Plus 3.24.5 / 3.25.4)",
        "the hand's bet is lost, its double goes back",
        "both are lost",
    ),
    Reading(
        "ace-split-mbs",
        (MBS,),
        "3.8 excludes aces, 3.9.1 provides for splitting them",
        "aces may be split once",
        "a split of aces is illegal",
    ),
    Reading(
        "court-pair-mbs",
        (MBS,),
        "Is J-Q a pair (1.1.6: same point value or same court cards)",
        "no: court cards must be of one kind",
        "yes: the value is the same",
    ),
    Reading(
        "pandemonium-dealer-pontoon",
        (PANDEMONIUM,),
        '3.9 "all wagers placed shall lose"',
        "bets already paid or settled stay so; 3.14 keeps the double",
        "everything still on the table is lost, but a Pontoon or 21 (3.8, 3.15) is not still on the table in either reading",
    ),
    Reading(
        "play-above-ante",
        (POKER,),
        "5.3.1: the basis after the excess goes back",
        "the Ante amount",
        "the Play as placed, up to the maximum of ante",
    ),
    Reading(
        "play-below-ante",
        (POKER,),
        "5.3.2: basis",
        "Play on its own amount, Ante on its own amount",
        "both on the Play amount",
    ),
    Reading(
        "jackpot-stake",
        (POKER,),
        "Does a winning progressive bet come back",
        "no: it is collected, and the table's amount is paid",
        "it comes back",
    ),
    Reading(
        "envy-when-folded",
        (POKER,),
        "Does a folded box with a progressive bet get the envy bonus (3.12.1, 4.7)",
        "no",
        "yes",
    ),
    Reading(
        "envy-from-folded",
        (POKER,),
        "Does a folded A-K-Q suited hand earn others the envy bonus",
        "no",
        "yes",
    ),
    Reading(
        "envy-own-other-box",
        (POKER,),
        "A player's own other boxes (4.7)",
        "no envy for any hand of his own",
        "each box counts",
    ),
    Reading(
        "envy-several-hands",
        (POKER,),
        "Two top hands of others in one round (4.7)",
        "one envy bonus for each, summed in one line",
        "one only, the higher",
    ),
    Reading(
        "play-on-over-limit-ante",
        (POKER,),
        "The Ante was over the limit and the Play equals it (5.1.1, 5.3)",
        "the Play counts on the maximum too",
        "on its own amount",
    ),
    Reading(
        "outcome-established",
        (POKER, PLUS, BLACKJACK),
        "5.7 while cards lie face down; 5.4 after a surrender, or with one card that decides Under 13",
        "only what has been turned over or folded counts; neither a surrender nor a single card establishes an outcome",
        "cards dealt are enough; they do",
    ),
    Reading(
        "wrong-count-before-seen",
        (POKER,),
        "A player's hand has a wrong count, nobody has looked (5.15, 5.8.6)",
        "5.15: that hand only",
        "5.8.6: void",
    ),
    Reading(
        "unnoticed-wrong-count",
        (POKER,),
        '5.8.7, 5.15 "provided that this is noticed": the cards prove it, nobody noted it',
        "no effect on the money, a finding",
        "as if noticed",
    ),
    Reading(
        "burn-with-shuffler",
        (POKER,),
        "Must a card be burnt when the shuffler deals sets of three (3.11, 5.9)",
        "no",
        "yes",
    ),
    Reading(
        "burn-without-ruling",
        (POKER,),
        "Missing burn noted, nobody has looked, no ruling (5.9)",
        "void",
        "play as accepted",
    ),
    Reading(
        "single-exposed-card",
        (POKER,),
        "One card exposed, nobody has looked (5.8.2, 5.12)",
        "a dealing error, 5.10",
        "no consequence",
    ),
    Reading(
        "affected-players",
        (POKER,),
        '5.10 "all affected players"',
        "the noted box; all where none or the dealer is noted",
        "all players",
    ),
    Reading(
        "options-after-moved-hands",
        (POKER,),
        "5.8.6, whole hands moved: are the options of 5.10 due",
        "no",
        "yes",
    ),
    Reading(
        "ante-bonus-when-folded",
        (POKER,),
        "A folded straight or better (1.2, 3.12.1, 3.16)",
        "no bonus",
        'bonus, "irrespective"',
    ),
    Reading(
        "late-bet",
        (*TWENTY_ONE, POKER),
        "Late chips that were let through",
        "they go back",
        "settled as accepted",
    ),
    Reading(
        "late-withdrawal",
        (*TWENTY_ONE, POKER),
        "Chips withdrawn after the close (Plus and Blackjack 5.8, 5.14, MBS 5.4, 3 Card Poker 5.11, 5.20, Pandemonium 5.2)",
        "the bet counts as it lay at the close",
        "at Pandemonium, whose text names no consequence: as accepted",
    ),
    Reading(
        "non-follower-on-a-split",
        (PANDEMONIUM, MBS),
        "A standing player who does not follow a split (Plus 3.24.1 and Blackjack 3.21.1 say it)",
        "his bet stays on the hand where it lies",
        "he takes part in neither",
    ),
    Reading(
        "over-limit-excess",
        (POKER,),
        "The excess over the limit after a loss (5.1.1)",
        "goes back",
        "is kept",
    ),
    Reading(
        "play-without-ante",
        (POKER,),
        "A Pair Plus player puts down a Play (3.12.2)",
        "it goes back",
        "settled as accepted",
    ),
    Reading(
        "fold-by-pair-plus",
        (POKER,),
        'A player with Pair Plus alone "folds" (3.12)',
        "no effect",
        "Pair Plus is lost",
    ),
    Reading(
        "undecided-ante",
        (POKER,),
        "An Ante neither folded nor played when the round closes",
        "counts as folded, with illegal_decision",
        "as if played without a bet",
    ),
    Reading(
        "leaves-several-boxes",
        (POKER,),
        "A player leaves with one decision open and none on another box (5.5, 5.6)",
        "each box for itself",
        "all folded",
    ),
    Reading(
        "second-player-on-a-box",
        (POKER,),
        "3.5 forbids it and names no remedy",
        "it goes back",
        "settled",
    ),
    Reading(
        "progressive-amount",
        (POKER,),
        "Another amount than the prescribed one (3.4)",
        "settled as accepted, illegal_bet",
        "goes back",
    ),
    Reading(
        "envy-of-returned-bets",
        (POKER,),
        "A progressive bet that goes back, or a top hand that is invalidated (4.7)",
        "no envy to it or from it",
        "as long as it lay there",
    ),
    Reading(
        "examination-without-ruling",
        (POKER,),
        "Two hands examined, nobody ruled (5.18)",
        "the hand stays, discretion",
        "invalid",
    ),
    Reading(
        "blackjack-vs-dealer-21",
        (BLACKJACK,),
        "Player Blackjack, the dealer shows an ace or a ten and makes 21 of three or more cards (3.14.1, 3.15)",
        "wins 3 to 2: only a dealer Blackjack is a stand off",
        "stand off: the point totals are the same",
    ),
    Reading(
        "non-follower-on-a-double",
        TWENTY_ONE,
        "A standing player who did not follow the double (Plus 3.25.1)",
        "the hand is doubled for him too: low aces, 1 to 1, no super bonus",
        "a plain hand of three cards",
    ),
    Reading(
        "even-money-in-a-shared-box",
        (BLACKJACK,),
        "1.8, 3.14.1 against 3.8",
        "each player for himself",
        "the seated player binds",
    ),
    Reading(
        "withdrawal-in-a-shared-box",
        (PLUS, PANDEMONIUM),
        "Withdrawing a double (Plus 3.25.3)",
        "each for himself (MBS 3.11.4.1 says it)",
        "the seated player binds",
    ),
    Reading(
        "several-super-bonuses",
        PONTOONS,
        "Two winning boxes in one round",
        "$50 once for each other box, none between winners",
        "$50 for each super bonus, winners too",
    ),
    Reading(
        "super-bonus-99-to-100",
        PONTOONS,
        "A bet between $99 and $100",
        "$1,000",
        "nothing",
    ),
    Reading(
        "super-bonus-share-mbs",
        (MBS,),
        '4.1.1.2 "all other original wagers"',
        "every wager, standing players too; also a bet under $10 on the winning hand",
        "once per box",
    ),
    Reading(
        "super-bonus-share-of-a-double",
        (MBS,),
        "4.1.1.4 against 4.1.1.2: does a winning double get the $50",
        "no: 4.1.1.4 names 4.1.1.2",
        "yes: the $50 is no odds",
    ),
    Reading(
        "excess-card-as-foreign",
        (PANDEMONIUM, MBS),
        "More copies of a card than decks",
        "a foreign card: void",
        "no clause: impossible_card only",
    ),
    Reading(
        "dealer-overdraw",
        (PANDEMONIUM, MBS),
        "No paragraph like RWS 5.10.2",
        "the play as accepted",
        "the total on which he had to stand",
    ),
    Reading(
        "options-scope",
        LONG_SECTION_5,
        '5.7.3 "their Bet"',
        "all the player's bets on that box that are not yet settled",
        "the initial bet only",
    ),
    Reading(
        "reconstruction-in-the-subsequent-deal",
        LONG_SECTION_5,
        "5.9 (ii) against 5.10.1 after an interim settlement",
        "allowed: 5.10.1 bars the deal that was settled",
        "barred",
    ),
    Reading(
        "after-illegal-reconstruction",
        LONG_SECTION_5,
        "Which cards count",
        "those as dealt",
        "those as moved and accepted",
    ),
    Reading(
        "late-dealing-error",
        (PANDEMONIUM, MBS),
        "Not reconstructable after the subsequent deal began",
        "discretion, play as accepted",
        "void",
    ),
    Reading(
        "interruption-without-a-clause",
        (PANDEMONIUM, MBS),
        "Technical interruption",
        "discretion, play as accepted",
        "as RWS 5.4",
    ),
    Reading(
        "over-limit-and-later-bets",
        (PLUS, BLACKJACK, POKER),
        "Double, split, insurance, super bonus row and Ante Bonus on a bet that counts only in part",
        "by the amount that counts",
        "by the amount placed",
    ),
    Reading(
        "insurance-out-of-place",
        TWENTY_ONE,
        "No ace, or after an additional card",
        "goes back, with illegal_bet",
        "as accepted",
    ),
    Reading(
        "double-a-pair-of-aces",
        TWENTY_ONE,
        '"(except for a pair of Aces)" on an unsplit pair',
        "allowed: it belongs to split hands",
        "forbidden",
    ),
    Reading(
        "drawing-on-21",
        TWENTY_ONE,
        "A card drawn on 21",
        "Pontoon games: 21 was paid at once and the card is nothing; Blackjack: a hard 21 may be hit (3.17)",
        "as played",
    ),
    Reading(
        "button-for-a-standing-bet",
        (PANDEMONIUM,),
        "Only a standing player has the Pandemonium bet (3.8.1)",
        "he presses",
        "nobody does; not paid",
    ),
    Reading(
        "side-bet-without-own-initial",
        (PANDEMONIUM, MBS),
        "No remedy named",
        "goes back, with side_bet_alone",
        "as accepted",
    ),
    Reading(
        "under-over-basis",
        (BLACKJACK,),
        "3.13.2d",
        "against the box's initial bets, each alone",
        "added up; not allowed without an own initial bet",
    ),
    Reading(
        "highest-bet",
        LONG_SECTION_5,
        "1.23 / 1.26: nobody seated, equal bets",
        "the first placed, by initial bets",
        "side bets count",
    ),
    Reading(
        "insured-pontoon",
        PONTOONS,
        "Insurance or surrender on a hand that is already paid",
        "not allowed",
        "as accepted",
    ),
)

BY_ID: Mapping[str, Reading] = {reading.id: reading for reading in READINGS}


class Readings:
    """Which readings are turned to the other one, and which were asked while settling."""

    __slots__ = ("asked", "turned")

    def __init__(self, turned: Iterable[str] = ()) -> None:
        self.turned = frozenset(turned)
        self.asked: set[str] = set()

    def other(self, reading: str) -> bool:
        """True where the other reading is to be followed. Asked only where the question arises."""
        self.asked.add(reading)
        return reading in self.turned
