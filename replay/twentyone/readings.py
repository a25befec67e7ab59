"""Readings that several of the games to 21 share. Each rulebook says at which of its clauses."""

from __future__ import annotations

from replay.readings import Reading

PRO_RATA = Reading(
    id="pro-rata",
    question="5.1.1: how the excess is shared",
    default="each bet name has its own limit; a player's stake counts as floor(amount x max / total on the box), but not below the minimum; the rest goes back; a player under the minimum keeps his whole stake (5.1.2) and counts in the total",
    other="those under the minimum are left out of the total",
)
SURRENDER_IN_A_SHARED_BOX = Reading(
    id="surrender-in-a-shared-box",
    question="Does the seated player's surrender bind standing players (Pontoon Plus 3.8)",
    default="yes",
    other="each player for himself",
)
SUPER_BONUS_AND_ODDS = Reading(
    id="super-bonus-and-odds",
    question="Is the super bonus paid on top of the 7-7-7 odds (the MBS text says so, 4.1.1.5; the RWS texts are silent)",
    default="on top",
    other="instead",
)
SUPER_BONUS_PER_PLAYER = Reading(
    id="super-bonus-per-player",
    question="Several players on the winning hand",
    default="each whose own initial bet is $10 or more, by his own bet",
    other="the seated player only",
)
SUPER_BONUS_SHARE = Reading(
    id="super-bonus-share",
    question="Who gets the $50",
    default="the seated player of every other box with an initial bet, once per box",
    other="also other players' circles",
)
SUPER_BONUS_UNDER_10 = Reading(
    id="super-bonus-under-10",
    question="7-7-7 suited against a 7, bet under $10",
    default="no super bonus, and no $50 for others",
    other="the $50 is still due",
)
SPLIT_HAND_ODDS = Reading(
    id="split-hand-odds",
    question="Do split hands get the odds for 5, 6, 7 cards, 6-7-8 and 7-7-7",
    default="yes; only the super bonus is excluded",
    other="regular odds",
)
DOUBLED_21 = Reading(
    id="doubled-21",
    question="A doubled hand of 21 against a dealer Pontoon or a dealer 21 (Plus 3.26 / 3.25.4, Pandemonium 3.15 / 3.14, MBS 3.15, 4.2.1 / 4.4.1)",
    default="paid 1 to 1 at once",
    other="against a Pontoon the initial bet is lost and the double goes back; against a 21 a stand off",
)
DOUBLED_SPLIT_VS_DEALER_PONTOON = Reading(
    id="doubled-split-vs-dealer-pontoon",
    question="A split hand that was doubled, dealer Pontoon (Plus 3.24.5 / 3.25.4)",
    default="the hand's bet is lost, its double goes back",
    other="both are lost",
)
NON_FOLLOWER_ON_A_SPLIT = Reading(
    id="non-follower-on-a-split",
    question="A standing player who does not follow a split (Plus 3.24.1 and Blackjack 3.21.1 say it)",
    default="his bet stays on the hand where it lies",
    other="he takes part in neither",
)
NON_FOLLOWER_ON_A_DOUBLE = Reading(
    id="non-follower-on-a-double",
    question="A standing player who did not follow the double (Plus 3.25.1)",
    default="the hand is doubled for him too: low aces, 1 to 1, no super bonus",
    other="a plain hand of three cards",
)
WITHDRAWAL_IN_A_SHARED_BOX = Reading(
    id="withdrawal-in-a-shared-box",
    question="Withdrawing a double (Plus 3.25.3)",
    default="each for himself (MBS 3.11.4.1 says it)",
    other="the seated player binds",
)
SEVERAL_SUPER_BONUSES = Reading(
    id="several-super-bonuses",
    question="Two winning boxes in one round",
    default="$50 once for each other box, none between winners",
    other="$50 for each super bonus, winners too",
)
SUPER_BONUS_99_TO_100 = Reading(
    id="super-bonus-99-to-100",
    question="A bet between $99 and $100",
    default="$1,000",
    other="nothing",
)
EXCESS_CARD_AS_FOREIGN = Reading(
    id="excess-card-as-foreign",
    question="More copies of a card than decks",
    default="a foreign card: void",
    other="no clause: impossible_card only",
)
DEALER_OVERDRAW = Reading(
    id="dealer-overdraw",
    question="No paragraph like RWS 5.10.2",
    default="the play as accepted",
    other="the total on which he had to stand",
)
OPTIONS_SCOPE = Reading(
    id="options-scope",
    question='5.7.3 "their Bet"',
    default="all the player's bets on that box that are not yet settled",
    other="the initial bet only",
)
RECONSTRUCTION_IN_THE_SUBSEQUENT_DEAL = Reading(
    id="reconstruction-in-the-subsequent-deal",
    question="5.9 (ii) against 5.10.1 after an interim settlement",
    default="allowed: 5.10.1 bars the deal that was settled",
    other="barred",
)
AFTER_ILLEGAL_RECONSTRUCTION = Reading(
    id="after-illegal-reconstruction",
    question="Which cards count",
    default="those as dealt",
    other="those as moved and accepted",
)
LATE_DEALING_ERROR = Reading(
    id="late-dealing-error",
    question="Not reconstructable after the subsequent deal began",
    default="discretion, play as accepted",
    other="void",
)
INTERRUPTION_WITHOUT_A_CLAUSE = Reading(
    id="interruption-without-a-clause",
    question="Technical interruption",
    default="discretion, play as accepted",
    other="as RWS 5.4",
)
INSURANCE_OUT_OF_PLACE = Reading(
    id="insurance-out-of-place",
    question="No ace, or after an additional card",
    default="goes back, with illegal_bet",
    other="as accepted",
)
DOUBLE_A_PAIR_OF_ACES = Reading(
    id="double-a-pair-of-aces",
    question='"(except for a pair of Aces)" on an unsplit pair',
    default="allowed: it belongs to split hands",
    other="forbidden",
)
DRAWING_ON_21 = Reading(
    id="drawing-on-21",
    question="A card drawn on 21",
    default="Pontoon games: 21 was paid at once and the card is nothing; Blackjack: a hard 21 may be hit (3.17)",
    other="as played",
)
SIDE_BET_WITHOUT_OWN_INITIAL = Reading(
    id="side-bet-without-own-initial",
    question="No remedy named",
    default="goes back, with side_bet_alone",
    other="as accepted",
)
HIGHEST_BET = Reading(
    id="highest-bet",
    question="1.23 / 1.26: nobody seated, equal bets",
    default="the first placed, by initial bets",
    other="side bets count",
)
INSURED_PONTOON = Reading(
    id="insured-pontoon",
    question="Insurance or surrender on a hand that is already paid",
    default="not allowed",
    other="as accepted",
)
DECIDED_BUT_UNPAID = Reading(
    id="decided-but-unpaid",
    question="5.7.3 against 5.16: a side bet, a bust or a 21 that is decided but not yet paid when a dealing error happens, and the player takes back",
    default="it stays decided",
    other="it goes back with the rest",
)
SPLIT_OF_A_PRO_RATED_BET = Reading(
    id="split-of-a-pro-rated-bet",
    question='3.24 / 3.21 "equal" where the initial bet counts only in part',
    default="equal to what was placed",
    other="equal to what counts",
)
ALONE_ON_THE_BOX = Reading(
    id="alone-on-the-box",
    question="5.3: does somebody with only a side bet make two players",
    default="yes",
    other="no: only initial bets; what either reading allows is no finding",
)
PRO_RATA_AFTER_A_TAKE_BACK = Reading(
    id="pro-rata-after-a-take-back",
    question="One of two players takes back on a box over the limit",
    default="the total stays as at the close",
    other="of those who stay",
)
STRAY_CARD_ON_A_HAND_THAT_STOOD = Reading(
    id="stray-card-on-a-hand-that-stood",
    question="A further card on a hand that stood, in no episode",
    default="it counts, as the play was accepted",
    other="it is nothing",
)
VOID_AFTER_RECONSTRUCTABLE = Reading(
    id="void-after-reconstructable",
    question="Ruled reconstructable, then declared void at once, before the cards were moved",
    default="void, with discretion",
    other="not void",
)
DOUBLE_TAKEN_BACK_WITHOUT_A_WORD = Reading(
    id="double-taken-back-without-a-word",
    question="BetWithdrawn of a double without withdraw_double, at a moment at which the text allows it",
    default="a late withdrawal",
    other="a withdrawn double",
)
LATER_BETS_ON_A_LATE_BET = Reading(
    id="later-bets-on-a-late-bet",
    question="Double, split or insurance on an initial bet that was wholly late",
    default="settled as accepted",
    other="they go back with it",
)
