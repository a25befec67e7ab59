"""Section 5 as Pontoon Plus and Blackjack have it: the two texts agree paragraph by paragraph.

Only 5.15, between the two parts, names each game's own side bets.
"""

from __future__ import annotations

from replay.clause import Clause

FROM_5_1_TO_5_14: tuple[Clause, ...] = (
    Clause(
        "5.1",
        "Chips over a box's maximum are turned down before the close; seated players go first.",
        "checks",
    ),
    Clause(
        "5.1.1",
        "Excess that stayed: stakes shrink in proportion to the maximum, not below the minimum.",
        "settles",
    ),
    Clause(
        "5.1.2",
        "A stake under the minimum in an over-full box is not scaled down and counts whole.",
        "settles",
    ),
    Clause(
        "5.2",
        "A box short of its minimum is pointed out before the close: top up or take back.",
        "checks",
    ),
    Clause(
        "5.2.1",
        "A stake under the minimum that nobody noticed is settled as it lies.",
        "settles",
    ),
    Clause(
        "5.3",
        "Sole player of a box gone: the house draws for him to at least 12 and settles the hand.",
        "settles",
    ),
    Clause(
        "5.4",
        "Frame for a technical interruption: what follows depends on whether a bet was decided.",
        "defines",
    ),
    Clause(
        "5.4.1",
        "Interrupted with at least one bet decided: the round must be played to its end.",
        "checks",
    ),
    Clause("5.4.2", "Interrupted with no bet decided yet: the round is void.", "voids"),
    Clause("5.5", "Frame for the four card faults that make a round void.", "defines"),
    Clause("5.5.1", "A card turns up that does not belong to the game's decks: void.", "voids"),
    Clause("5.5.2", "The decks hold too few or too many cards: void.", "voids"),
    Clause(
        "5.5.3",
        "The shoe or shuffler runs out before the round can be finished: void.",
        "voids",
    ),
    Clause("5.5.4", "Cards came into play unshuffled: void.", "voids"),
    Clause(
        "5.6",
        "With the start of the next round the results and payments of earlier ones become final.",
        "defines",
    ),
    Clause(
        "5.7",
        "Any other dealing error: every player at the table chooses to go on or to take back.",
        "checks",
    ),
    Clause(
        "5.7.1",
        "Going on without a reconstruction: the hand counts with its cards as they lie.",
        "settles",
    ),
    Clause(
        "5.7.2",
        "Going on after a reconstruction: the hand counts with its cards as put right.",
        "settles",
    ),
    Clause("5.7.3", "Taking back: the hand no longer counts and the stake goes back.", "settles"),
    Clause(
        "5.8",
        "Nothing is placed, raised or taken off after the close; late chips are turned down.",
        "settles",
    ),
    Clause(
        "5.9",
        "Reconstruction comes before that deal's settlement; the house judges if it can be done.",
        "checks",
    ),
    Clause("5.10", "Frame for the three cases in which a reconstruction is barred.", "defines"),
    Clause(
        "5.10.1",
        "No reconstruction once an interim or final settlement has been made.",
        "checks",
    ),
    Clause(
        "5.10.2",
        "Dealer drew past his stand: surplus cards are discarded and his earlier total counts.",
        "settles",
    ),
    Clause(
        "5.10.3",
        "Interim settlement made, cards on a box with no bet: discarded, never moved.",
        "checks",
    ),
    Clause(
        "5.11",
        "A card lying face up in the shoe or shuffler is dealt as the next card all the same.",
        "checks",
    ),
    Clause(
        "5.12",
        "Cards drawn together, order unknown: the player picks his, the other is dealt next.",
        "checks",
    ),
    Clause(
        "5.12.1",
        "Cards drawn together for the dealer: a supervisor discards them, a fresh one is drawn.",
        "checks",
    ),
    Clause(
        "5.12.2",
        "Drawing cards together is a dealing error, so the choice of 5.7 is due to everyone.",
        "checks",
    ),
    Clause(
        "5.13",
        "An error noticed only in a later round does not touch that later round's result.",
        "defines",
    ),
    Clause(
        "5.14",
        "Chips count where they lie at the close; the house does not answer for misplaced ones.",
        "settles",
    ),
)

FROM_5_16_TO_5_19: tuple[Clause, ...] = (
    Clause(
        "5.16",
        "Side bets passed over when play went on are settled at the next chance.",
        "defines",
    ),
    Clause("5.17", "In a void round every stake goes back.", "settles"),
    Clause(
        "5.18",
        "Staff may put chips down for a player who asks; he answers for their place.",
        "not_observable",
        "A bet is logged for its player; whose hand put the chips down is not recorded.",
    ),
    Clause(
        "5.19",
        "What the rules leave open is decided by the shift manager or someone above him.",
        "voids",
    ),
)
