"""The numbered paragraphs of Pontoon Plus (RWS), version 5, each with its gist in our words."""

from __future__ import annotations

from replay.clause import Clause
from replay.twentyone.clauses import FROM_5_1_TO_5_14, FROM_5_16_TO_5_19

CLAUSES: tuple[Clause, ...] = (
    Clause("1.1", "Bet and wager are one and the same.", "defines"),
    Clause(
        "1.2",
        "A hand, the player's or the dealer's, is bust (too many) once it is over 21.",
        "defines",
    ),
    Clause("1.3", "The shoe the cards come out of, with or without electronics.", "defines"),
    Clause("1.4", "The dealer is whoever deals the game.", "defines"),
    Clause(
        "1.5",
        "Double: up to the initial bet more, on two cards, also of a split hand other than aces.",
        "defines",
    ),
    Clause(
        "1.6",
        "A shuffler is a machine that mixes the decks by itself and serves the cards.",
        "defines",
    ),
    Clause(
        "1.7",
        "Final settlement: paying and collecting in the subsequent deal, with busts and insurance.",
        "defines",
    ),
    Clause(
        "1.8", "A hand is what one player, or the dealer, has been dealt in the round.", "defines"
    ),
    Clause("1.9", "A hard total has no ace, or only aces that count 1.", "defines"),
    Clause("1.10", "Hit: the player asks for another card.", "defines"),
    Clause("1.11", "The house is the casino operator.", "defines"),
    Clause(
        "1.12",
        "The initial bet is the main bet made ahead of the cards; side bets are none.",
        "defines",
    ),
    Clause(
        "1.13", "Initial deal: two cards to each player's hand and one to the dealer's.", "defines"
    ),
    Clause("1.14", "Insurance: a bet that a dealer showing an ace will make Pontoon.", "defines"),
    Clause(
        "1.15",
        "Interim settlement, between the deals: side bets, Pontoons and the half of a surrender.",
        "defines",
    ),
    Clause("1.16", "Kings, queens and jacks are the picture cards, worth 10 each.", "defines"),
    Clause(
        "1.17",
        "Pit staff are dealer, supervisor and manager, or whoever stands in for them.",
        "defines",
    ),
    Clause("1.18", "A player is anyone with a bet in the round.", "defines"),
    Clause("1.19", "The point total adds up the values of a hand's cards.", "defines"),
    Clause(
        "1.20", "Pontoon: ace and picture card as first two cards; never out of a split.", "defines"
    ),
    Clause(
        "1.21",
        "Reconstruction puts cards back into the order in which they should have come.",
        "defines",
    ),
    Clause(
        "1.22",
        "A round runs from the call for bets to the last player's final settlement.",
        "defines",
    ),
    Clause(
        "1.23",
        "The seated player decides for the box; with nobody seated, the highest bet there does.",
        "defines",
    ),
    Clause(
        "1.24",
        "Soft 21: a 21 with an ace as 11 that is no Pontoon, split aces or pictures included.",
        "defines",
    ),
    Clause("1.25", "A soft total counts at least one ace as 11.", "defines"),
    Clause("1.26", "Split: first two cards of equal value become two hands.", "defines"),
    Clause("1.27", "Stand: the player wants no more cards.", "defines"),
    Clause("1.28", "Stand off: equal totals; the stake goes back with nothing added.", "settles"),
    Clause(
        "1.29", "A standing player bets on a box that another player is in charge of.", "defines"
    ),
    Clause("1.30", "The subsequent deal is every card that follows the initial deal.", "defines"),
    Clause(
        "1.31",
        "Super bonus: two 7s of one suit, a third of it drawn, and the dealer opens with any 7.",
        "defines",
    ),
    Clause(
        "1.32",
        "Surrender: half the initial bet is given up to a dealer's ace or picture card.",
        "defines",
    ),
    Clause("1.33", "A void round is undone and leaves no result.", "defines"),
    Clause("2.1", "Heading: the table layout.", "defines"),
    Clause(
        "2.1.1",
        "Only tables with one of the approved layouts, appendices A to G, may be used.",
        "not_observable",
        "Which layout is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1a",
        "Each player has a marked box, and there are no more boxes than the layout shows.",
        "checks",
    ),
    Clause("2.2", "Heading: the cards.", "defines"),
    Clause(
        "2.2.1",
        "At least four and at most eight decks, each of 48 cards: the 10s are out.",
        "checks",
    ),
    Clause(
        "3.1", "Aim: come as near to 21 as possible, hard or soft, without going over.", "defines"
    ),
    Clause("3.2", "Frame for the values of the cards.", "defines"),
    Clause(
        "3.2.1",
        "Ace is 1 or 11, but 1 where 11 would pass 21 or where the hand doubled with it.",
        "defines",
    ),
    Clause("3.2.2", "Cards from 2 to 9 count what they show.", "defines"),
    Clause("3.2.3", "Picture cards count 10.", "defines"),
    Clause("3.3", "Betting starts with the dealer's call for bets.", "defines"),
    Clause("3.4", "The table shows its minimum and maximum.", "checks"),
    Clause("3.5", "Keeping a bet between minimum and maximum is up to the player.", "checks"),
    Clause(
        "3.6",
        "Who bets below the maximum cannot stop others from filling up the box.",
        "not_observable",
        "One player's objection to another's chips is spoken; only the dealer's refusal is logged.",
    ),
    Clause("3.7", "One player may bet on several boxes.", "defines"),
    Clause("3.8", "The seated player's word decides how the box is played.", "checks"),
    Clause(
        "3.9", "Player Pair and Bonus are open to anyone once the box has an initial bet.", "checks"
    ),
    Clause("3.10", "Betting ends with the dealer's call that bets are closed.", "checks"),
    Clause(
        "3.11",
        "Clockwise, face up: one card per box with a bet, one to the dealer, a second per box.",
        "checks",
    ),
    Clause(
        "3.12",
        "With leave to squeeze, cards come face down; one shown by mistake changes nothing.",
        "not_observable",
        "The request and the leave given are spoken, and a card shown by mistake has no effect.",
    ),
    Clause("3.13", "Player Pair and Bonus are due before the subsequent deal starts.", "defines"),
    Clause(
        "3.14",
        "Player Pair wins on two first cards of one rank, apart from how the hand itself fares.",
        "settles",
    ),
    Clause(
        "3.15",
        "Bonus wins on the first two cards listed in 4.1.3, apart from how the hand itself fares.",
        "settles",
    ),
    Clause(
        "3.16",
        "A player's Pontoon is paid at once by 4.1.1, or at settlement if it was overlooked.",
        "settles",
    ),
    Clause(
        "3.17", "Insurance is open only against a dealer's ace, each player for himself.", "settles"
    ),
    Clause(
        "3.17.1",
        "Insurance: after the second cards, before any further one, at most half the initial bet.",
        "settles",
    ),
    Clause("3.17.2", "Insurance pays if the dealer makes Pontoon and loses otherwise.", "settles"),
    Clause(
        "3.18",
        "Surrender only against an ace or picture card, before any further card is dealt.",
        "checks",
    ),
    Clause("3.19", "A surrendered hand gets no more cards.", "checks"),
    Clause(
        "3.19.1",
        "Surrendered, but the dealer makes Pontoon: the whole initial bet is lost.",
        "settles",
    ),
    Clause(
        "3.19.2",
        "Surrendered and no dealer Pontoon: half of the initial bet is lost, half goes back.",
        "settles",
    ),
    Clause(
        "3.20",
        "Cards may be drawn as long as the hand is not bust; none on a Pontoon or a soft 21.",
        "checks",
    ),
    Clause("3.21", "A hand that draws itself over 21 loses.", "settles"),
    Clause("3.22", "Under 12 another card must be taken, unless the hand was doubled.", "checks"),
    Clause("3.23", "From 12 on a player who wants no more cards stands.", "checks"),
    Clause(
        "3.24",
        "Two first cards of equal value may be split for an equal bet; no surrender afterwards.",
        "checks",
    ),
    Clause(
        "3.24.1",
        "A standing player who does not follow a split has his bet on the first split hand only.",
        "settles",
    ),
    Clause(
        "3.24.2",
        "Three splits, four hands at most, played in order; aces split once, one card each.",
        "checks",
    ),
    Clause(
        "3.24.3",
        "Split aces or pictures make no Pontoon; 21 after a split is paid at once.",
        "settles",
    ),
    Clause("3.24.4", "No super bonus for a third 7 that falls on a split pair of 7s.", "settles"),
    Clause(
        "3.24.5",
        "Split hands that bust lose; a dealer Pontoon takes every bet on the others too.",
        "settles",
    ),
    Clause(
        "3.25",
        "Double on two cards, no Pontoon or soft 21, up to the initial bet; just one more card.",
        "checks",
    ),
    Clause(
        "3.25.1",
        "A standing player need not follow a double, but his hand too gets one card only.",
        "settles",
    ),
    Clause(
        "3.25.2",
        "Aces held when doubling count 1; an ace drawn to the double may count 1 or 11.",
        "settles",
    ),
    Clause(
        "3.25.3",
        "A doubled hand that did not bust may take its double back and forfeit the initial bet.",
        "settles",
    ),
    Clause(
        "3.25.4",
        "Doubled hand: all is lost on a bust, only the initial bet's amount to a dealer Pontoon.",
        "settles",
    ),
    Clause(
        "3.25.5", "Doubled hands win 1 to 1, with neither special odds nor super bonus.", "settles"
    ),
    Clause(
        "3.26", "A 21 takes no more cards and is paid at once, a doubled one at 1 to 1.", "settles"
    ),
    Clause(
        "3.27",
        "After the players the dealer draws on hard 16 and soft 17, then hands are compared.",
        "checks",
    ),
    Clause("3.27.1", "Dealer bust: the player wins.", "settles"),
    Clause("3.27.2", "The player's total beats the dealer's: the player wins.", "settles"),
    Clause("3.27.3", "The dealer's total beats the player's: the player loses.", "settles"),
    Clause("3.27.4", "Equal totals are a stand off.", "settles"),
    Clause("4.1", "Heading: the odds of winning bets.", "defines"),
    Clause(
        "4.1.1",
        "Odds: Pontoon 3:2, insurance 2:1, Player Pair 11:1, special 21s 3:2 to 3:1, else 1:1.",
        "settles",
    ),
    Clause(
        "4.1.2",
        "Super bonus: $1,000 from a $10 bet, $5,000 from $100; $50 to other boxes' seated players.",
        "settles",
    ),
    Clause(
        "4.1.3", "Bonus odds: 40:1 for suited aces down to 1:1 for an ace with a 2 to 9.", "settles"
    ),
    *FROM_5_1_TO_5_14,
    Clause(
        "5.15",
        "Player Pair or Bonus on a box without an initial bet is removed and goes back.",
        "settles",
    ),
    *FROM_5_16_TO_5_19,
)
