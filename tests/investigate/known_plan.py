"""Which golden rounds make up the known day, and which readings their lines depend on.

The readings are worked out from the register of readings (replay/readings.py): of each line of a
round, would the other reading give other money?
"""

from __future__ import annotations

from tests.investigate.known_facts import KnownTable, Put

PP, BJ, PA, MB = "RWS-PP-01", "RWS-BJ-01", "RWS-PA-01", "MBS-PO-01"
TC, TD = "RWS-TC-01", "RWS-TC-02"

_ON_TOP = {"super-bonus-and-odds": ("1 P1 initial",)}
_COLLECTED = {"jackpot-stake": ("1 P1 progressive",)}

PLAN = (
    KnownTable(
        PP,
        "pontoon-plus-rws-v5",
        ("D-1", "D-2"),
        16,
        {"P1": "P-01", "P2": "P-02", "P3": "P-03", "P4": "P-04"},
        (
            Put("4.1.2 three 7s of hearts against a dealer's 7, bet of 20", _ON_TOP),
            Put("4.1.2 from 100 on the super bonus is 5,000, and spades still pay 3 to 1", _ON_TOP),
            Put(
                "4.1.2 fifty for the seated player of every other box, whatever becomes of his "
                "hand",
                _ON_TOP,
            ),
            Put(
                "4.1.2 a bet between 99 and 100 and the house pays no super bonus",
                _ON_TOP | {"super-bonus-99-to-100": ("1 P1 super_bonus",)},
            ),
            Put("4.1.2 the fifty of the other box is forgotten", _ON_TOP),
            Put("4.1.2 super bonus and fifty both paid", _ON_TOP),
            Put("4.1.2 fifty paid without a super bonus"),
            Put("4.1.2 the super bonus itself is forgotten", _ON_TOP),
            Put("3.18 a surrender to a 9"),
            Put("3.18 a surrender after another player has drawn"),
            Put("3.18 a surrender before another player draws"),
            Put("5.1.1 the whole of an over-limit bet is paid"),
            Put("5.1.1 an over-limit bet is paid on the maximum"),
            Put("5.8 chips added after the close, hand lost"),
            Put("5.2.1 a cent under the minimum that nobody noticed"),
            # the second dealer
            Put("5.5.1 a 10 is found and noted, every bet goes back"),
            Put("5.5.4 the shoe came into play unshuffled and the round was settled"),
            Put("5.19 a pit supervisor may not void a round for such a reason"),
            Put("5.19 the shift manager voids a round for a reason that the rules do not have"),
            Put("5.17 a void round is put back rightly"),
            Put("5.7 one player was not asked"),
            Put("3.16 a Pontoon paid even money and put right"),
            Put("3.16 a Pontoon paid rightly and then corrected to even money"),
            Put(
                "5.5.1 a face that the device could not read",
                more=("settle 1 P1 initial 20.00 20.00 20.00",),
            ),
            Put("1.22 the log ends while the second box is undecided"),
            Put(
                "5.10.1 the initial deal is rearranged after the pair was settled",
                {"after-illegal-reconstruction": ("1 P1 initial", "2 P2 initial")},
            ),
            Put("5.4.2 interrupted after the initial deal with nothing decided"),
            Put("5.5.2 five 2s of spades out of four decks"),
            Put("5.5.2 a shortage is noted after a Pontoon"),
            Put("5.12.2 two cards come out together and the other box is not asked"),
        ),
    ),
    KnownTable(
        BJ,
        "blackjack-rws-v5",
        ("D-2", "D-1"),
        14,
        {"P1": "P-01", "P2": "P-12", "P3": "P-13"},
        (
            Put("4.1.1 everything settled as the text wants it"),
            Put("4.1.1 a Blackjack paid 6 to 5"),
            Put("4.1.1 Player Pair paid 12 to 1"),
            Put("3.23.3 a lost bet paid"),
            Put("5.10.2 paid on the dealer's overdrawn total"),
            Put("3.23.2 a win never settled beside one that was"),
            Put("3.18 a lost bet has to be settled too"),
            Put(
                "3.21.3 each split hand collected by a dealer Blackjack",
                {"split-vs-dealer-blackjack": ("1.2 P1 split",)},
            ),
            Put(
                "5.8 late chips settled as if they had been in time",
                {"late-bet": ("1 P1 initial",)},
            ),
            Put("5.4.2 interrupted after the first cards"),
            Put("5.5.2 a shortage noted after a surrender"),
            Put("5.4.2 declared void without any interruption"),
            Put("3.16 surrender against an ace is not open"),
            # the second dealer
            Put("3.16 surrender after another box was given a card"),
            Put("3.16 surrender after another box stood without a card"),
            Put("5.12 two cards drawn together, the player picks one and the other comes next"),
            Put(
                "5.9 a card of the subsequent deal is moved after an interim settlement",
                {"reconstruction-in-the-subsequent-deal": ("1 P1 initial", "2 P2 initial")},
                damage="twice RulingMade",
            ),
            Put("3.19 standing on eleven is not open", damage="twice DecisionMade"),
            Put("5.15 Over 13 on a box without an initial bet goes back"),
            Put("3.15 Blackjack against a nine wins at once", damage="gap"),
            Put("3.20 standing on twelve is open", damage="swapped"),
            Put("3.18 bust loses though the dealer busts too", damage="changed"),
            Put("3.18 a bust hand loses and the dealer need not draw", damage="unreadable"),
            Put("3.23 the dealer stands on ace and six", damage="shoe"),
            Put("3.23 the dealer draws on a soft 16", damage="clock"),
            Put(
                "3.23 dealer 18 against 19, 18 and 17 on three boxes",
                found=("unknown_rulebook",),
                rulebook="blackjack-rws-v9",
            ),
        ),
    ),
    KnownTable(
        PA,
        "pontoon-pandemonium-rws-v4",
        ("D-3", "D-3"),
        1,
        {"P1": "P-21", "P2": "P-22", "P3": "P-33"},
        (
            Put(
                "4.2 super bonus of 1,000 from 10, and 50 for the seated player of the other box",
                _ON_TOP,
            ),
            Put("4.2 unowed_payment, a super bonus for doubled sevens"),
            Put("4.2 missed_bonus, the other box did not get its 50", _ON_TOP),
            Put("4.2 reading_conflict, a standing player of the other box got 50 as well", _ON_TOP),
            Put("5.1.1 missed_void, a ten lay on the table and the bet was collected"),
            Put("5.1.1 declared void and every bet given back"),
            Put("5.1.2 a misdeal that cannot be put right before the first further card"),
            Put("3.10 no surrender against a nine"),
            Put(
                "4.3 wrong_odds, the Pandemonium bet was paid by another figure than the button's"
            ),
            Put("5.2 chips withdrawn after the close still count"),
            Put(
                "3.3 a Pandemonium bet without an initial bet of one's own goes back",
                {"side-bet-without-own-initial": ("1 P2 pandemonium",)},
            ),
            Put(
                "5 a technical interruption has no paragraph in this text",
                {"interruption-without-a-clause": ("1 P1 initial",)},
            ),
            Put("4.1 a correction that is wrong itself is no correction"),
        ),
    ),
    KnownTable(
        MB,
        "pontoon-mbs-v5",
        ("D-4", "D-4"),
        1,
        {"P1": "P-31", "P2": "P-32", "P3": "P-33", "P4": "P-34"},
        (
            Put(
                "4.1.1.1 super bonus of 1,000 on top of the odds, and 50 for every other original "
                "bet"
            ),
            Put("4.1.1.2 missed_bonus, the other box did not get its 50"),
            Put(
                "4.1.1.3 unowed_payment, a super bonus for split sevens",
                {"split-hand-odds": ("1 P1 initial",)},
            ),
            Put("4.1 wrong_stake, settled on twice the bet"),
            Put("3.5.2 unsettled_bet, the pair of a player without a main bet was forgotten"),
            Put("3.8 allocation, the win was booked on the other hand"),
            Put("5.2 a misdeal that cannot be put right before the first further card"),
            Put("3.10 no surrender once another player has drawn"),
            Put("3.11 the double may equal the table minimum but not fall a cent short of it"),
            Put("3.5.2 a pair bet on an area without any main bet goes back"),
            Put("5.3 chips added after the close go back from a winning bet"),
            Put("4.1 corrected, first even money and then the right odds"),
            Put("5.3 wrong_void, late chips are no ground for it", damage="rubbish"),
        ),
    ),
    # Two tables share a meter. It is won at the second one after 40 and 45 minutes, and falls once
    # more, after an hour, without a win.
    KnownTable(
        TC,
        "three-card-poker-rws-v3",
        ("D-5", "D-5"),
        1,
        {"P1": "P-41", "P2": "P-42"},
        (
            Put("4.1 everything settled as it should be", _COLLECTED),
            Put("4.2 a straight on pair plus is paid 6 to 1", _COLLECTED),
            Put("4.3 the bonus is forgotten", _COLLECTED),
            Put("4.2 the pair plus is settled on half of its stake", _COLLECTED),
            Put("4.2 the pair plus is never settled", _COLLECTED),
            Put("4.2 paid wrongly and then put right", _COLLECTED),
            Put("3.12.1 a folded straight is paid a bonus", minute=50),
            Put(
                "5.1.1 an ante above the maximum is paid in full",
                {"play-on-over-limit-ante": ("1 P1 play",)},
            ),
            Put("5.8.1 a joker was dealt and the bet collected", meter=4_000_000,
                found=("meter_mismatch",)),
            Put("5.16 void for a jackpot failure that came after a look"),
            Put("3.12 an ante that was neither folded nor played"),
            Put("3.12 a player with pair plus alone declares a fold"),
            Put("5.18 the second hand is looked at on purpose"),
            Put("5.3.2 a play below the ante wins on its own amount"),
            Put("5.9 no burnt card, ruled beyond reconstruction before anybody has looked"),
            Put("3.12.1 the log ends after a fold"),
        ),
    ),
    KnownTable(
        TD,
        "three-card-poker-rws-v3",
        ("D-6", "D-6"),
        1,
        {"P1": "P-41", "P2": "P-52", "P3": "P-53", "P4": "P-54"},
        (
            Put("4.4 A-K-Q of hearts pays $1,250", minute=12),
            Put("4.4 A-K-Q of spades takes the whole meter", minute=40),
            Put("4.7 A-K-Q of spades brings $250 to every other box with a progressive bet"),
        ),
    ),
)  # fmt: skip
