"""The paragraphs of Pontoon (MBS), version 5, in the order of the text.

The gists are ours; the official text is not copied.
"""

from __future__ import annotations

from replay.clause import Clause

CLAUSES: tuple[Clause, ...] = (
    Clause("1.1", "Heading for the definitions.", "defines"),
    Clause(
        "1.1.1",
        "To double is to add at most the original stake and at least the table minimum.",
        "defines",
    ),
    Clause("1.1.2", "A hand is what one player or the dealer was dealt in this round.", "defines"),
    Clause("1.1.3", "A total without aces, or with every ace taken as 1, is hard.", "defines"),
    Clause(
        "1.1.4",
        "The initial deal is two cards a player and one for the dealer, with nothing done since.",
        "defines",
    ),
    Clause("1.1.5", "Insurance is a further stake that the dealer makes a Pontoon.", "defines"),
    Clause("1.1.6", "A pair is two first cards of one value, or of one court rank.", "defines"),
    Clause("1.1.7", "The pair bet is a side bet on a pair in the first two cards.", "defines"),
    Clause("1.1.8", "The point total is what the cards of a hand add up to.", "defines"),
    Clause(
        "1.1.9",
        "A Pontoon is an ace with a card that counts ten as the first two, never after a split.",
        "defines",
    ),
    Clause(
        "1.1.10",
        "A round runs from the call for bets until losers are collected and winners paid.",
        "defines",
    ),
    Clause("1.1.11", "A total of at most 21 in which some ace counts 11 is soft.", "defines"),
    Clause("1.1.12", "To split is to part two cards of equal value.", "defines"),
    Clause("1.1.13", "In a stand off a bet is neither won nor lost.", "settles"),
    Clause(
        "1.1.14",
        "The subsequent deal is every card that players ask for past their first two.",
        "defines",
    ),
    Clause(
        "1.1.15",
        "Super bonus: three sevens of one suit, against a dealer who shows a 7.",
        "defines",
    ),
    Clause(
        "1.1.16",
        "To surrender is to fold before any further card is dealt and lose half of the stake.",
        "defines",
    ),
    Clause(
        "2.1", "Four to eight decks of 48 cards with like backs, without tens and jokers.", "checks"
    ),
    Clause(
        "2.2",
        "One of three approved layouts is used.",
        "not_observable",
        "Which layout is printed on the felt is not recorded.",
    ),
    Clause(
        "2.2.1",
        "The felt has areas for the main bets.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.2.2",
        "The felt has an area for insurance.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.2.3",
        "The felt has areas for the pair bets.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause("3.1", "A round begins with the dealer's call for bets.", "defines"),
    Clause("3.2", "Bets are closed at the moment when the dealer says so.", "defines"),
    Clause("3.3", "The aim is to beat the dealer's total and stay at 21 or below.", "defines"),
    Clause(
        "3.4",
        "First the bet, then two cards, then one of the choices that this game has.",
        "checks",
    ),
    Clause("3.5", "Heading for the side bet that may be added before the deal.", "defines"),
    Clause(
        "3.5.1",
        "The pair bet wins on two first cards that pair, even against a Pontoon, or else loses.",
        "settles",
    ),
    Clause(
        "3.5.2",
        "No own main bet is needed for a pair bet, but somebody's must lie on that area.",
        "settles",
    ),
    Clause(
        "3.6",
        "Deal clockwise, face up: one card to each box and the dealer, then a second to each box.",
        "checks",
    ),
    Clause("3.7", "A player's Pontoon is paid by the pay table.", "settles"),
    Clause(
        "3.8",
        "Two first cards of equal value, aces excepted, may be split for a second, equal stake.",
        "checks",
    ),
    Clause("3.9", "Splitting may make four hands at most on one box.", "checks"),
    Clause("3.9.1", "Aces are split once only and get a single card each.", "checks"),
    Clause("3.9.2", "Split aces or ten-point cards can make 21 but no Pontoon.", "settles"),
    Clause(
        "3.10",
        "Half may be given up against an ace or court card, before any further card is dealt.",
        "settles",
    ),
    Clause(
        "3.10.1",
        "A dealer Pontoon undoes the surrender: the whole original stake is lost.",
        "settles",
    ),
    Clause("3.10.2", "No surrender once the hand has been split.", "checks"),
    Clause(
        "3.11", "A double is at most the original stake and at least the table minimum.", "checks"
    ),
    Clause("3.11.1", "A hand may be doubled on its first two cards.", "checks"),
    Clause(
        "3.11.2",
        "A split hand may be doubled on its first two cards, but not split aces.",
        "checks",
    ),
    Clause("3.11.3", "A doubled hand gets one card more and then no other.", "checks"),
    Clause(
        "3.11.4",
        "Short of 21 after a double, the added stake may come back for the loss of the original.",
        "settles",
    ),
    Clause(
        "3.11.4.1",
        "Everybody on the box withdraws his double or not, whatever the seated player does.",
        "settles",
    ),
    Clause(
        "3.12",
        "Insurance on a shown ace, at most half the stake, wins if the second card counts ten.",
        "settles",
    ),
    Clause("3.13", "A player may stand on his first two cards.", "defines"),
    Clause("3.14", "Further cards are for hands that have not reached 21.", "checks"),
    Clause(
        "3.15", "A Pontoon or any 21 takes no card and no double, and is paid at once.", "settles"
    ),
    Clause("3.16", "A hand past 21 loses at once and its cards are cleared away.", "settles"),
    Clause("3.17", "Heading for what the cards are worth.", "defines"),
    Clause("3.17.1", "An ace is 11, or 1 where 11 would take the hand past 21.", "defines"),
    Clause("3.17.2", "Aces among the first two cards of a doubled hand are worth 1.", "settles"),
    Clause("3.17.3", "Cards from 2 to 9 are worth their number.", "defines"),
    Clause("3.17.4", "Jack, queen and king are worth 10.", "defines"),
    Clause(
        "3.18",
        "Totals decide the round, player against dealer; pair bet and insurance stand apart.",
        "defines",
    ),
    Clause("3.19", "When the players are done the dealer draws on hard 16 and soft 17.", "checks"),
    Clause(
        "4.1",
        "Odds of the main, pair and insurance bets, and of 21s by card count, 6-7-8 and 7-7-7.",
        "settles",
    ),
    Clause("4.1.1", "Heading for the super bonus.", "defines"),
    Clause(
        "4.1.1.1",
        "7-7-7 of one suit against a dealer's 7 earns $1,000 from $10 and $5,000 from $100.",
        "settles",
    ),
    Clause(
        "4.1.1.2",
        "In a round with a super bonus every other original stake earns $50, won or lost.",
        "settles",
    ),
    Clause("4.1.1.3", "No super bonus on sevens that were split or doubled.", "settles"),
    Clause(
        "4.1.1.4", "A doubled hand wins 1 to 1, without special odds or super bonus.", "settles"
    ),
    Clause(
        "4.1.1.5",
        "The super bonus comes on top of the ordinary odds, once the hand is over.",
        "settles",
    ),
    Clause("4.2", "Heading for the ways to win.", "defines"),
    Clause("4.2.1", "A Pontoon or a 21 wins.", "settles"),
    Clause("4.2.2", "A total above the dealer's that is not bust wins.", "settles"),
    Clause("4.2.3", "The dealer is bust: hands neither bust nor surrendered win.", "settles"),
    Clause("4.3", "Heading for the ways to lose.", "defines"),
    Clause(
        "4.3.1",
        "A dealer's total that is above the player's and not bust wins for the house.",
        "settles",
    ),
    Clause("4.3.2", "A hand that went past 21 loses.", "settles"),
    Clause("4.3.3", "A dealer Pontoon beats everything but a Pontoon or a 21.", "settles"),
    Clause(
        "4.4", "Heading for the case in which the original stake is all that is lost.", "defines"
    ),
    Clause(
        "4.4.1",
        "A doubled hand against a dealer Pontoon loses the original stake; the double goes back.",
        "settles",
    ),
    Clause("4.5", "Heading for the stand off.", "defines"),
    Clause(
        "4.5.1",
        "Equal totals below 21 are a stand off; a 21 or Pontoon was already paid.",
        "settles",
    ),
    Clause("5.1", "Heading for a foreign card found during play.", "defines"),
    Clause("5.1.1", "Void: the round in which a card turns up that does not belong.", "voids"),
    Clause("5.1.2", "A foreign card leaves the results of earlier rounds alone.", "defines"),
    Clause(
        "5.2",
        "Void: a misdeal beyond reconstruction, before an interim settlement or a further card.",
        "voids",
    ),
    Clause(
        "5.3", "Chips put down or added after the close are turned down or do not count.", "settles"
    ),
    Clause("5.4", "Chips taken away after the close still win or lose with the round.", "settles"),
)
