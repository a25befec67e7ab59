"""The numbered paragraphs of Blackjack (RWS), version 5, each with its gist in our words."""

from __future__ import annotations

from replay.clause import Clause
from replay.twentyone.clauses import FROM_5_1_TO_5_14, FROM_5_16_TO_5_19

CLAUSES: tuple[Clause, ...] = (
    Clause("1.1", "Bet and wager are one and the same.", "defines"),
    Clause(
        "1.2",
        "Blackjack: ace and a card worth 10 as first two cards; never out of a split.",
        "defines",
    ),
    Clause(
        "1.3",
        "A hand, the player's or the dealer's, is bust (too many) once it is over 21.",
        "defines",
    ),
    Clause("1.4", "The shoe the cards come out of, with or without electronics.", "defines"),
    Clause("1.5", "The dealer is whoever deals the game.", "defines"),
    Clause(
        "1.6",
        "Double: up to the initial bet more, on two cards, also of a split hand other than aces.",
        "defines",
    ),
    Clause(
        "1.7",
        "A shuffler is a machine that mixes the decks by itself and serves the cards.",
        "defines",
    ),
    Clause(
        "1.8",
        "Even money: a Blackjack paid 1 to 1 at the player's wish against a dealer's ace.",
        "defines",
    ),
    Clause(
        "1.9",
        "Final settlement: paying and collecting in the subsequent deal, with busts and insurance.",
        "defines",
    ),
    Clause(
        "1.10", "A hand is what one player, or the dealer, has been dealt in the round.", "defines"
    ),
    Clause("1.11", "A hard total has no ace, or only aces that count 1.", "defines"),
    Clause("1.12", "Hit: the player asks for another card.", "defines"),
    Clause("1.13", "The house is the casino operator.", "defines"),
    Clause(
        "1.14",
        "The initial bet is the main bet made ahead of the cards; side bets are none.",
        "defines",
    ),
    Clause(
        "1.15", "Initial deal: two cards to each player's hand and one to the dealer's.", "defines"
    ),
    Clause("1.16", "Insurance: a bet that a dealer showing an ace will make Blackjack.", "defines"),
    Clause(
        "1.17",
        "Interim settlement, between the deals: side bets, Blackjacks and the half of a surrender.",
        "defines",
    ),
    Clause("1.18", "Over 13: the first two cards add up to 14 or above.", "defines"),
    Clause("1.19", "Kings, queens and jacks are the picture cards, worth 10 each.", "defines"),
    Clause(
        "1.20",
        "Pit staff are dealer, supervisor and manager, or whoever stands in for them.",
        "defines",
    ),
    Clause("1.21", "Player Pair: two first cards of one rank, whatever their suits.", "defines"),
    Clause("1.22", "A player is anyone with a bet in the round.", "defines"),
    Clause("1.23", "The point total adds up the values of a hand's cards.", "defines"),
    Clause(
        "1.24",
        "Reconstruction puts cards back into the order in which they should have come.",
        "defines",
    ),
    Clause(
        "1.25",
        "A round runs from the call for bets to the last player's final settlement.",
        "defines",
    ),
    Clause(
        "1.26",
        "The seated player decides for the box; with nobody seated, the highest bet there does.",
        "defines",
    ),
    Clause(
        "1.27",
        "Soft 21: a 21 with an ace as 11 that is no Blackjack, split aces and tens included.",
        "defines",
    ),
    Clause("1.28", "A soft total counts at least one ace as 11.", "defines"),
    Clause("1.29", "Split: first two cards of equal value become two hands.", "defines"),
    Clause("1.30", "Stand: the player wants no more cards.", "defines"),
    Clause("1.31", "Stand off: equal totals; the stake goes back with nothing added.", "settles"),
    Clause(
        "1.32", "A standing player bets on a box that another player is in charge of.", "defines"
    ),
    Clause("1.33", "The subsequent deal is every card that follows the initial deal.", "defines"),
    Clause(
        "1.34",
        "Surrender: half the initial bet is given up, unless the dealer shows an ace.",
        "defines",
    ),
    Clause("1.35", "Under 13: the first two cards add up to 12 or below.", "defines"),
    Clause("1.36", "A void round is undone and leaves no result.", "defines"),
    Clause("2.1", "Heading: the table layout.", "defines"),
    Clause(
        "2.1.1",
        "Only tables with one of the approved layouts, appendices A to C, may be used.",
        "not_observable",
        "Which layout is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1a",
        "Each player has a marked box, and there are no more boxes than the layout shows.",
        "checks",
    ),
    Clause("2.2", "Heading: the cards.", "defines"),
    Clause("2.2.1", "At least four and at most eight full decks, each of 52 cards.", "checks"),
    Clause(
        "3.1", "Aim: come as near to 21 as possible, hard or soft, without going over.", "defines"
    ),
    Clause("3.2", "Frame for the values of the cards.", "defines"),
    Clause(
        "3.2.1", "A player's ace is 1 or 11 as he likes, but 1 where 11 would pass 21.", "defines"
    ),
    Clause("3.2.2", "Cards from 2 to 10 count what they show.", "defines"),
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
        "3.9",
        "Player Pair, Under 13 and Over 13 are open to anyone once the box has an initial bet.",
        "checks",
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
    Clause(
        "3.13",
        "Player Pair, Under 13 and Over 13 are due before the subsequent deal starts.",
        "defines",
    ),
    Clause(
        "3.13.1",
        "Player Pair wins on two first cards of one rank, apart from how the hand itself fares.",
        "settles",
    ),
    Clause(
        "3.13.2",
        "Under and Over 13 go by the first two cards, ace as 1; a Blackjack is under.",
        "settles",
    ),
    Clause("3.13.2a", "Under 13 wins on 12 or below.", "settles"),
    Clause("3.13.2b", "Over 13 wins on 14 or above.", "settles"),
    Clause("3.13.2c", "On 13 exactly, Under and Over both lose.", "settles"),
    Clause(
        "3.13.2d",
        "An Under or Over bet may not be larger than the initial bet; the player sees to it.",
        "checks",
    ),
    Clause(
        "3.13.2e",
        "Under and Over bets and the hand of their box do not influence each other.",
        "defines",
    ),
    Clause("3.14", "Frame for what players may do against a dealer's ace.", "defines"),
    Clause(
        "3.14.1",
        "Blackjack against an ace: 1 to 1 on request, else a stand off if the dealer has one too.",
        "settles",
    ),
    Clause(
        "3.14.2",
        "Insurance is open only against a dealer's ace, each player for himself.",
        "settles",
    ),
    Clause(
        "3.14.2a",
        "Insurance: after the second cards, before any further one, at most half the initial bet.",
        "settles",
    ),
    Clause(
        "3.14.2b", "Insurance pays if the dealer makes Blackjack and loses otherwise.", "settles"
    ),
    Clause(
        "3.15",
        "Blackjack wins outright against 2 to 9; against a ten, a dealer Blackjack is a stand off.",
        "settles",
    ),
    Clause(
        "3.16",
        "Surrender costs half the initial bet: not against an ace, nor after any further card.",
        "settles",
    ),
    Clause(
        "3.17",
        "Cards may be drawn as long as the hand is not bust; none on a Blackjack or a soft 21.",
        "checks",
    ),
    Clause("3.18", "A hand that draws itself over 21 loses.", "settles"),
    Clause("3.19", "Under 12 another card must be taken, unless the hand was doubled.", "checks"),
    Clause("3.20", "From 12 on a player who wants no more cards stands.", "checks"),
    Clause(
        "3.21",
        "Two first cards of equal value may be split for an equal bet; no surrender afterwards.",
        "checks",
    ),
    Clause(
        "3.21.1",
        "A standing player who does not follow a split has his bet on the first split hand only.",
        "settles",
    ),
    Clause(
        "3.21.2",
        "Three splits, four hands at most; aces once, one card each; no Blackjack out of a split.",
        "settles",
    ),
    Clause(
        "3.21.3",
        "Split hands that bust lose; to a dealer Blackjack the initial bet's amount is lost.",
        "settles",
    ),
    Clause(
        "3.22",
        "Double on two cards, no Blackjack or soft 21, up to the initial bet; one card, final.",
        "checks",
    ),
    Clause(
        "3.22.1",
        "A standing player need not follow a double, but gets one card only; no double comes off.",
        "settles",
    ),
    Clause(
        "3.22.2",
        "Doubled hand: all is lost on a bust, only the initial bet's amount to a dealer Blackjack.",
        "settles",
    ),
    Clause(
        "3.23",
        "After the players the dealer draws up to 16 and stands from 17, then hands are compared.",
        "checks",
    ),
    Clause("3.23.1", "Dealer bust: the player wins.", "settles"),
    Clause("3.23.2", "The player's total beats the dealer's: the player wins.", "settles"),
    Clause("3.23.3", "The dealer's total beats the player's: the player loses.", "settles"),
    Clause("3.23.4", "Equal totals are a stand off.", "settles"),
    Clause("4.1", "Heading: the odds of winning bets.", "defines"),
    Clause(
        "4.1.1",
        "Odds: Blackjack 3:2, insurance 2:1, Player Pair 11:1; regular, Under and Over 13 1:1.",
        "settles",
    ),
    *FROM_5_1_TO_5_14,
    Clause(
        "5.15",
        "Player Pair, Under or Over 13 on a box without an initial bet is removed and goes back.",
        "settles",
    ),
    *FROM_5_16_TO_5_19,
)
