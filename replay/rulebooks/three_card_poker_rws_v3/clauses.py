"""The paragraphs of 3 Card Poker (RWS), version 3, in the order of the text.

The gists are ours; the official text is not copied. Letters follow their number: `2.1.1a`.
"""

from __future__ import annotations

from replay.clause import Clause

CLAUSES: tuple[Clause, ...] = (
    Clause(
        "1.1",
        "The ante is the stake that takes a player into the round against the dealer.",
        "defines",
    ),
    Clause(
        "1.2",
        "The ante bonus is an extra payment on the ante for a straight or a better hand.",
        "defines",
    ),
    Clause("1.3", "Bet and wager are one and the same word in this text.", "defines"),
    Clause(
        "1.4", "The burnt card is the top card, thrown away before anybody is dealt to.", "defines"
    ),
    Clause(
        "1.5", "The shoe holds the cards for dealing and may or may not be electronic.", "defines"
    ),
    Clause("1.6", "The dealer is whoever deals the game.", "defines"),
    Clause(
        "1.7",
        "The shuffler mixes the deck by machine and gives out the cards to be dealt.",
        "defines",
    ),
    Clause("1.8", "To fold is to leave the round instead of playing on.", "defines"),
    Clause("1.9", "A hand is what one player or the dealer was dealt in this round.", "defines"),
    Clause("1.10", "The house is the operator of the casino.", "defines"),
    Clause(
        "1.11",
        "Pair plus is a bet that the player's own three cards make a pair or more.",
        "defines",
    ),
    Clause(
        "1.12",
        "Play is the choice to go on, backed by a second stake of the same size as the ante.",
        "defines",
    ),
    Clause(
        "1.13",
        "Pit employees are the dealer, supervisor and manager of a pit, or whoever stands in.",
        "defines",
    ),
    Clause("1.14", "A player is anybody with a bet in the round.", "defines"),
    Clause(
        "1.15",
        "The progressive meter grows with every such bet taken and resets once it has been won.",
        "checks",
    ),
    Clause(
        "1.16",
        "A qualifying hand of the dealer is queen high or anything that ranks above it.",
        "defines",
    ),
    Clause(
        "1.17",
        "A reconstruction puts cards back into the order in which they should have come.",
        "defines",
    ),
    Clause(
        "1.18",
        "A round runs from the call for bets until every player has been settled with.",
        "defines",
    ),
    Clause(
        "1.19",
        "The seated player has the bet on a box and decides for it, whether or not he sits there.",
        "defines",
    ),
    Clause("1.20", "A standing player is one who bets on the box of a seated player.", "defines"),
    Clause(
        "1.21",
        "Equal ranking is a stand off on ante and play; bonus and side bets are judged apart.",
        "defines",
    ),
    Clause("1.22", "A void round is struck out and has no outcome.", "defines"),
    Clause("2.1", "Heading for the paragraphs on the table layout.", "defines"),
    Clause(
        "2.1.1",
        "Only tables with one of the two approved layouts may offer the game.",
        "not_observable",
        "Which layout is printed on the felt is not recorded.",
    ),
    Clause("2.1.1a", "There are only as many boxes to bet on as the layout has.", "checks"),
    Clause(
        "2.1.1b",
        "Each box has a lit spot for the progressive bet, which backs the player's own hand.",
        "not_observable",
        "The lit spot is part of the table; no event describes it.",
    ),
    Clause("2.2", "Heading for the paragraph on the cards.", "defines"),
    Clause("2.2.1", "One deck of 52 cards is in play.", "checks"),
    Clause("3.1", "The aim is to hold a hand that ranks above the dealer's.", "defines"),
    Clause(
        "3.1.1",
        "Suits are equal, aces are high, and an ace is low only in the straight 3-2-A.",
        "defines",
    ),
    Clause(
        "3.1.2",
        "Order of hands: straight flush, three of a kind, straight, flush, pair, three odd cards.",
        "defines",
    ),
    Clause(
        "3.1.3", "Within one kind of hand the card ranks decide, as three examples show.", "defines"
    ),
    Clause(
        "3.1.3a",
        "Example: of two straights, the one with the higher top card is better.",
        "defines",
    ),
    Clause("3.1.3b", "Example: with equal pairs the third card decides.", "defines"),
    Clause(
        "3.1.3c",
        "Example: with odd cards the first rank that differs decides, from the top down.",
        "defines",
    ),
    Clause("3.2", "Betting opens with the dealer's call for bets.", "defines"),
    Clause("3.3", "A table shows its limits and the fixed size of the progressive bet.", "checks"),
    Clause(
        "3.4",
        "Players must keep to the limits and to the fixed amount of the progressive bet.",
        "checks",
    ),
    Clause(
        "3.5",
        "One player to a box: no bets on the box of another, and no standing players at all.",
        "settles",
    ),
    Clause("3.6", "Taking part needs an ante, a pair plus or both.", "checks"),
    Clause(
        "3.6.1", "The ante backs the player's hand against the dealer's, nothing else.", "defines"
    ),
    Clause("3.6.2", "Pair plus looks at the player's hand alone.", "defines"),
    Clause(
        "3.7",
        "A player may back further free boxes, but looks at one hand and plays the others blind.",
        "checks",
    ),
    Clause("3.8", "The progressive bet is open to those with an ante on that box.", "checks"),
    Clause(
        "3.8.1",
        "A progressive bet on a further box needs his own ante there and no bet of anybody else.",
        "checks",
    ),
    Clause("3.9", "Betting ends when the dealer closes the bets.", "checks"),
    Clause(
        "3.10",
        "From a shoe: burn one, then single cards face down, clockwise, dealer last, three rounds.",
        "checks",
    ),
    Clause(
        "3.11",
        "From a shuffler: sets of three, clockwise from the dealer's left, the dealer's set last.",
        "checks",
    ),
    Clause(
        "3.12",
        "The choice between fold and play belongs to a player with an ante, once he has looked.",
        "checks",
    ),
    Clause(
        "3.12.1",
        "A fold loses ante and pair plus, and the progressive bet can no longer win.",
        "settles",
    ),
    Clause(
        "3.12.2",
        "To play, the ante is matched by a play bet; a player with pair plus alone adds no stake.",
        "settles",
    ),
    Clause(
        "3.13",
        "No qualifying hand: the ante wins, the play goes back, the jackpot is paid all the same.",
        "settles",
    ),
    Clause(
        "3.14",
        "With pair plus alone a player may not look; the dealer opens that hand after his own.",
        "checks",
    ),
    Clause("3.15", "A dealer with a qualifying hand compares it with each player's.", "defines"),
    Clause("3.15.1", "A hand above the dealer's wins on ante and play.", "settles"),
    Clause(
        "3.15.2",
        "A hand below the dealer's loses ante and play; bonus and side bets are judged apart.",
        "settles",
    ),
    Clause("3.15.3", "Equal hands are a stand off: ante and play go back.", "settles"),
    Clause(
        "3.16",
        "Pair plus and the ante bonus are paid by their own tables, whatever the dealer holds.",
        "settles",
    ),
    Clause(
        "3.17",
        "Jackpot ladder: A-K-Q spades, other suited A-K-Q, straight flush, three alike, straight.",
        "defines",
    ),
    Clause("4.1", "Ante and play each win 1 to 1.", "settles"),
    Clause(
        "4.2",
        "Pair plus: straight flush 40, three of a kind 30, straight 5, flush 4, pair 1, all to 1.",
        "settles",
    ),
    Clause(
        "4.3", "Ante bonus: straight flush 5, three of a kind 4, straight 1, all to 1.", "settles"
    ),
    Clause(
        "4.4",
        "Jackpot: whole meter, $1,250, $175, $150, $15; envy bonus $250 and $50 on the top two.",
        "settles",
    ),
    Clause(
        "4.5",
        "A player who keeps his cards hidden answers for their ranking himself.",
        "not_observable",
        "What a player says of cards that he never turned over is not recorded.",
    ),
    Clause(
        "4.6",
        "A player with a jackpot hand tells the dealer, and the cards stay open on the table.",
        "not_observable",
        "The player's notice is spoken, and how long cards lie open is not recorded.",
    ),
    Clause(
        "4.7",
        "A top-two hand with an ante earns an envy bonus for others' boxes with a progressive bet.",
        "settles",
    ),
    Clause(
        "4.8", "A top-two hand backed by pair plus alone earns nobody an envy bonus.", "settles"
    ),
    Clause("4.9", "Several winners of the whole meter are paid one after another.", "defines"),
    Clause(
        "4.9.1",
        "Across tables the earlier full hand takes the meter; the next is paid what it shows then.",
        "checks",
    ),
    Clause("5.1", "Stakes above a box's maximum that are seen in time are turned down.", "checks"),
    Clause(
        "5.1.1",
        "An excess that was let through does not count: the maximum is what wins or loses.",
        "settles",
    ),
    Clause(
        "5.2",
        "Stakes below the minimum that are seen in time are to be raised or taken back.",
        "checks",
    ),
    Clause(
        "5.2.1", "A stake below the minimum that nobody noticed is settled as it lies.", "settles"
    ),
    Clause(
        "5.3",
        "Heading for a play bet that is found at settlement to differ from the ante.",
        "defines",
    ),
    Clause(
        "5.3.1",
        "A play above the ante: the excess goes back, the rest is settled within the limit.",
        "settles",
    ),
    Clause("5.3.2", "A play below the ante is settled on what it amounts to.", "settles"),
    Clause(
        "5.4",
        "A progressive bet without an ante goes back when it is found during the round.",
        "settles",
    ),
    Clause("5.5", "A player who leaves with a decision still open has folded.", "settles"),
    Clause(
        "5.6", "A player who leaves with nothing left to decide is settled as usual.", "settles"
    ),
    Clause("5.7", "Heading for a technical interruption in the middle of a round.", "defines"),
    Clause(
        "5.7.1",
        "Interrupted after some bet was already decided: the round is played to its end.",
        "checks",
    ),
    Clause("5.7.2", "Interrupted before any bet was decided: the round is void.", "voids"),
    Clause(
        "5.8",
        "Heading for the grounds that make this round void and leave earlier rounds alone.",
        "defines",
    ),
    Clause("5.8.1", "Void: a card turns up that does not belong to the deck.", "voids"),
    Clause(
        "5.8.2",
        "Void: the dealer exposed two cards or more while nobody had looked at a hand.",
        "voids",
    ),
    Clause("5.8.3", "Void: the deck has too few or too many cards.", "voids"),
    Clause("5.8.4", "Void: the shoe or shuffler runs out before the round is finished.", "voids"),
    Clause("5.8.5", "Void: the cards were never shuffled.", "voids"),
    Clause(
        "5.8.6",
        "Void: a misdeal before anybody looked, unless moving whole hands puts it right.",
        "voids",
    ),
    Clause(
        "5.8.7",
        "Void: wrong count in the dealer's hand, seen in time and beyond reconstruction.",
        "voids",
    ),
    Clause(
        "5.9",
        "Missing burn: reconstruction with options for all, or void once seen or beyond repair.",
        "voids",
    ),
    Clause(
        "5.10",
        "After any other dealing error each affected player must be given his options.",
        "checks",
    ),
    Clause(
        "5.10.1",
        "Option: play on with the hand as it is, where no reconstruction is possible.",
        "settles",
    ),
    Clause("5.10.2", "Option: play on with the hand after its reconstruction.", "settles"),
    Clause("5.10.3", "Option: take the stake back and give up the hand.", "settles"),
    Clause(
        "5.11",
        "After the close nothing may be put down, raised or taken away; late chips are refused.",
        "settles",
    ),
    Clause(
        "5.12",
        "A card exposed after somebody had already looked does not stop the round.",
        "checks",
    ),
    Clause(
        "5.13", "A card lying face up in the shoe or shuffler is dealt as the next one.", "checks"
    ),
    Clause(
        "5.14",
        "Cards drawn together in unclear order: a pit supervisor or above says which came first.",
        "checks",
    ),
    Clause(
        "5.14.1",
        "Cards drawn together count as a dealing error, so every player has the options.",
        "checks",
    ),
    Clause(
        "5.15",
        "A player's hand with a wrong count, seen in time, past repair: invalid, its bets go back.",
        "settles",
    ),
    Clause(
        "5.16",
        "A jackpot system that fails before anybody has looked makes the round void.",
        "voids",
    ),
    Clause(
        "5.17", "Heading for a failure of the jackpot system and what follows from it.", "defines"
    ),
    Clause(
        "5.17.1",
        "Jackpot failure after a look: play goes on, paid by the last meter value before it.",
        "settles",
    ),
    Clause(
        "5.17.2",
        "In later rounds the house is free to choose among three ways to go on.",
        "defines",
    ),
    Clause(
        "5.17.2a",
        "First way: shut the tables concerned.",
        "not_observable",
        "Why a table closed is not recorded, and a closed table plays no round.",
    ),
    Clause(
        "5.17.2b",
        "Second way: take no bets on the hand or box concerned.",
        "not_observable",
        "No event says that a box was barred.",
    ),
    Clause(
        "5.17.2c",
        "Third way: play on without the jackpot; no progressive bet is taken or paid.",
        "checks",
    ),
    Clause(
        "5.18",
        "A second hand looked at on purpose is off and its bets go back; the first one stays.",
        "settles",
    ),
    Clause(
        "5.19",
        "A mistake found only after the next round began leaves the later rounds untouched.",
        "defines",
    ),
    Clause(
        "5.20",
        "What counts is where chips lay at the close; misplaced bets are the player's own risk.",
        "settles",
    ),
    Clause("5.21", "In a void round every stake goes back.", "settles"),
    Clause(
        "5.22",
        "Staff may put chips down for a player, who must see to it that they lie right.",
        "not_observable",
        "Whose hand put the chips down is not recorded.",
    ),
    Clause("5.23", "What the text leaves open is decided by the shift manager or above.", "voids"),
)
