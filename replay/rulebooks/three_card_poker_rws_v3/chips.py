"""What lay on the table: late chips and late withdrawals (5.11, 5.20), the play bet's too."""

from __future__ import annotations

from replay.answer import Key
from replay.facts import NEVER, Bet, Round
from replay.findings import Findings, dollars
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3.table import DEALER
from replay.stakes import Closing, Stake, stakes_of

CLOSING = Closing(late=("5.11", "3.9"), withdrawal=("5.11", "5.20"))


def on_the_table(round_: Round, readings: Readings, findings: Findings) -> dict[Key, Stake]:
    """Every bet that lay there, and how much of it was there in time."""
    stakes = stakes_of(round_, CLOSING, readings, findings)
    if round_.withdrawn:
        for key, bet in round_.bets.items():
            if bet.bet == "play":
                _play_withdrawn(round_, key, bet, stakes, findings)
    return stakes


def _play_withdrawn(
    round_: Round, key: Key, bet: Bet, stakes: dict[Key, Stake], findings: Findings
) -> None:
    """A play bet stays once it is down; only what is above the ante may be put right in time."""
    shown_at = min((look.at for look in round_.revealed if look.box == DEALER), default=NEVER)
    in_time = sum(amount for at, k, amount in round_.withdrawn if k == key and at < shown_at)
    ante = stakes.get((bet.box, 1, bet.player, "ante"))
    beside = 0 if ante is None or _folded_before(round_, bet) else ante.basis
    above = max(0, bet.stake - beside)
    stays = bet.stake - min(in_time, above)
    gone = min(bet.taken, bet.stake) - min(in_time, above)
    if not gone:
        return
    stakes[key] = Stake(stays, stays, CLOSING.withdrawal)
    findings.add(
        "late_bet",
        CLOSING.withdrawal,
        f"{dollars(gone)} of the play bet withdrawn and let through",
        at=next(at for at, k, _ in reversed(round_.withdrawn) if k == key),
        box=bet.box,
        hand=bet.hand,
        player=bet.player,
        bet=bet.bet,
    )


def _folded_before(round_: Round, play: Bet) -> bool:
    """Whether the player's last word was a fold, and the chips came after it."""
    mine = [d for d in round_.decisions if (d.box, d.player) == (play.box, play.player)]
    return bool(mine) and mine[-1].decision == "fold" and mine[-1].at < play.at
