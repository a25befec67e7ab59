"""The paragraphs of Pontoon Pandemonium (RWS), version 4, in the order of the text.

The gists are ours; the official text is not copied. Its definitions have no numbers and stand
here as `1` and the term; letters and roman items follow their number: `2.1.1b.i`.
"""

from __future__ import annotations

from replay.clause import Clause

CLAUSES: tuple[Clause, ...] = (
    Clause("1 Bust", "A hand of either side that went past 21.", "defines"),
    Clause(
        "1 Games Multiplier",
        "The odds that the jackpot meter shows once the button was pressed, per unit staked.",
        "defines",
    ),
    Clause("1 Hard Total", "A total without aces, or with every ace taken as 1.", "defines"),
    Clause("1 House", "The house is the operator of the casino.", "defines"),
    Clause("1 Picture card", "King, queen and jack of every suit.", "defines"),
    Clause(
        "1 Pontoon",
        "An ace with a picture card as the first two cards, though never after a split.",
        "defines",
    ),
    Clause(
        "1 Pontoon Pandemonium Jackpot Button",
        "The button handed to a player whose box has both a Pontoon and the side bet.",
        "defines",
    ),
    Clause("1 Point count/point count", "What the cards of a hand add up to.", "defines"),
    Clause(
        "1 Round of play",
        "A round runs from the call for bets until losers are collected and winners paid.",
        "defines",
    ),
    Clause("1 Soft Total", "A total in which some ace counts 11.", "defines"),
    Clause(
        "1 Soft 21",
        "Every 21 that is no Pontoon, and also a 21 made after splitting aces or picture cards.",
        "defines",
    ),
    Clause(
        "1 Stand Off", "Both sides have the same total and nothing is paid on the bet.", "settles"
    ),
    Clause(
        "1 Super Bonus",
        "Two suited sevens joined by a third of that suit, against a dealer who shows a 7.",
        "defines",
    ),
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
        "The felt must carry five texts.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1b.i",
        "Printed on the felt: the odds for a Pontoon.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1b.ii",
        "Printed on the felt: when the dealer draws.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1b.iii",
        "Printed on the felt: the odds for insurance.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1b.iv",
        "Printed on the felt: where the pair bet goes.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause(
        "2.1.1b.v",
        "Printed on the felt: where the Pontoon Pandemonium bet goes.",
        "not_observable",
        "What is printed on the felt is not recorded.",
    ),
    Clause("2.2", "Heading for the paragraph on the cards.", "defines"),
    Clause("2.2.1", "Four to eight decks of 48 cards, without the tens.", "checks"),
    Clause("3.1", "A round begins with the dealer's call for bets.", "defines"),
    Clause("3.2", "Bets are closed at the moment when the dealer says so.", "defines"),
    Clause(
        "3.3",
        "An initial bet comes first; only with it may the two side bets follow, before the deal.",
        "settles",
    ),
    Clause("3.4", "The aim is 21, or as near below it as can be, hard or soft.", "defines"),
    Clause("3.5", "Heading for what the cards are worth.", "defines"),
    Clause(
        "3.5.1",
        "An ace is 1 or 11 as the player likes, but 1 where 11 would take him past 21.",
        "defines",
    ),
    Clause("3.5.2", "Aces among the first two cards of a doubled hand are worth 1.", "defines"),
    Clause("3.5.3", "Cards from 2 to 9 are worth their number.", "defines"),
    Clause("3.5.4", "King, queen and jack are worth 10.", "defines"),
    Clause(
        "3.6",
        "Deal clockwise, face up: one card to each box and the dealer, then a second to each box.",
        "checks",
    ),
    Clause("3.7", "Pair bets are dealt with before play goes on.", "defines"),
    Clause(
        "3.7.1",
        "The pair bet wins on two first cards of one number or court rank, apart from the hand.",
        "settles",
    ),
    Clause(
        "3.8",
        "A Pontoon is paid at once by the pay table; its side bet is settled before play goes on.",
        "settles",
    ),
    Clause(
        "3.8.1",
        "The side bet wins on a Pontoon; one press by the seated player counts for the whole box.",
        "settles",
    ),
    Clause(
        "3.8.2",
        "A winner may let somebody without a winning side bet press for him; that figure is paid.",
        "settles",
    ),
    Clause(
        "3.9",
        "Insurance on a shown ace, up to half the bet; a dealer Pontoon pays it, beats the rest.",
        "settles",
    ),
    Clause(
        "3.10",
        "Surrender is open against an ace or a court card, before anybody takes a further card.",
        "checks",
    ),
    Clause(
        "3.10.1", "A dealer Pontoon undoes the surrender: the whole initial bet is lost.", "settles"
    ),
    Clause("3.10.2", "No dealer Pontoon: half of the surrendered bet is collected.", "settles"),
    Clause(
        "3.11",
        "A player may draw as long as he is not bust, but not on a Pontoon or a 21.",
        "checks",
    ),
    Clause("3.12", "A player who stands takes no more cards and plays with what he has.", "checks"),
    Clause(
        "3.13",
        "Splits: equal stakes, four hands at most, aces once; a dealer Pontoon takes every stake.",
        "settles",
    ),
    Clause(
        "3.14",
        "Doubles: up to the initial bet, one card, early aces low; can be withdrawn; win 1 to 1.",
        "settles",
    ),
    Clause(
        "3.15",
        "A 21 draws no more and is paid at once by the pay table, a doubled hand apart.",
        "settles",
    ),
    Clause("3.16", "A player who draws past 21 loses there and then.", "settles"),
    Clause(
        "3.17", "Below 12 a player must draw until he has 12 or more, unless he doubled.", "checks"
    ),
    Clause(
        "3.18",
        "When the players are done the dealer draws on hard 16 and soft 17, then compares.",
        "checks",
    ),
    Clause("3.18.1", "The dealer is bust: the hands still in play win.", "settles"),
    Clause("3.18.2", "A total above the dealer's wins.", "settles"),
    Clause("3.18.3", "A total below the dealer's loses.", "settles"),
    Clause("3.18.4", "Equal totals are a stand off.", "settles"),
    Clause(
        "4.1",
        "Odds of the main, pair and insurance bets, and of 21s by card count, 6-7-8 and 7-7-7.",
        "settles",
    ),
    Clause(
        "4.2",
        "Super bonus $1,000 from $10, $5,000 from $100; $50 to the seated player of other boxes.",
        "settles",
    ),
    Clause(
        "4.3",
        "The multipliers that a Pontoon Pandemonium bet can win, from 2 to 1 up to 100 to 1.",
        "settles",
    ),
    Clause("5.1", "Heading for the grounds that make the round void.", "defines"),
    Clause(
        "5.1.1",
        "Void: a card turns up that does not belong; earlier rounds are left alone.",
        "voids",
    ),
    Clause(
        "5.1.2",
        "Void: a misdeal beyond reconstruction, before an interim settlement or a further card.",
        "voids",
    ),
    Clause(
        "5.2",
        "After the close nothing may be put down, raised or taken away; late chips are refused.",
        "settles",
    ),
)
