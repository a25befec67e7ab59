"""What lay on the table: late chips and late withdrawals (5.11, 5.20), the play bet's too."""

from __future__ import annotations

from replay.answer import Key
from replay.cut import copied_bet, copied_round
from replay.facts import NEVER, Bet, Round
from replay.findings import Findings, dollars
from replay.readings import Readings
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER
from replay.stakes import Closing, Stake, stakes_of

CLOSING = Closing(late=("5.11", "3.9"), withdrawal=("5.11", "5.20"))


def on_the_table(round_: Round, readings: Readings, findings: Findings) -> dict[Key, Stake]:
    """Every bet that lay there, and how much of it was there in time."""
    if round_.withdrawn:
        round_ = _without_picked_up(round_)
    stakes = stakes_of(round_, CLOSING, readings, findings)
    if round_.withdrawn:
        for key, bet in round_.bets.items():
            if bet.bet == "play":
                _play_withdrawn(round_, key, bet, stakes, findings)
    for key, bet in round_.bets.items():
        if bet.more and bet.bet == "play" and key in stakes:
            _play_raised(round_, key, bet, stakes, readings, findings)
    return stakes


def _shown_at(round_: Round) -> int:
    """When the dealer's hand was turned over."""
    return min((look.at for look in round_.revealed if look.box == DEALER), default=NEVER)


def _play_raised(
    round_: Round,
    key: Key,
    bet: Bet,
    stakes: dict[Key, Stake],
    readings: Readings,
    findings: Findings,
) -> None:
    """Chips that are added when the dealer's hand is to be seen come too late."""
    shown_at = _shown_at(round_)
    late = sum(amount for at, amount in bet.more if at > shown_at)
    if not late or bet.at > shown_at:
        return
    amount, basis, clauses = stakes[key]
    counts = basis if readings.other("late-bet") else max(0, basis - late)
    stakes[key] = Stake(amount, counts, (*clauses, *CLOSING.late))
    findings.about(
        bet,
        "late_bet",
        CLOSING.late,
        f"{dollars(late)} added to the play bet after the dealer's hand was turned over",
        at=bet.last,
    )


def _without_picked_up(round_: Round) -> Round:
    """The round without chips that a player only picked up: they were his again by then.

    The bet had been settled, he had taken it back after a dealing error, or the round was void.
    """
    ended = min((void.at for void in round_.voids), default=NEVER)
    free: dict[Key, int] = {}
    for settled in round_.settled:
        free.setdefault(settled.key, settled.at)
    for option in round_.options:
        if option.option == "take_back":
            for key in round_.bets:
                before = round_.bets[key].at < option.at
                if before and (key[0], key[2]) == (option.box, option.player):
                    free[key] = min(option.at, free.get(key, NEVER))
    own = [
        step
        for step in round_.withdrawn
        if step[0] > max(round_.close, min(ended, free.get(step[1], NEVER)))
    ]
    if not own:
        return round_
    out = copied_round(round_)
    out.bets = dict(round_.bets)
    out.withdrawn = [step for step in round_.withdrawn if step not in own]
    for _, key, amount in own:
        if key in out.bets:
            bet = out.bets[key] = copied_bet(out.bets[key])
            if bet.bet == "play":
                bet.taken -= amount
            else:
                bet.taken_late -= amount
    return out


def _play_withdrawn(
    round_: Round, key: Key, bet: Bet, stakes: dict[Key, Stake], findings: Findings
) -> None:
    """A play bet stays once it is down; only what is above the ante may be put right in time."""
    shown_at = _shown_at(round_)
    in_time = sum(amount for at, k, amount in round_.withdrawn if k == key and at < shown_at)
    ante = stakes.get((bet.box, 1, bet.player, "ante"))
    beside = 0 if ante is None or _out_before(round_, bet) else ante.basis
    above = max(0, bet.stake - beside)
    stays = bet.stake - min(in_time, above)
    gone = min(bet.taken, bet.stake) - min(in_time, above)
    if not gone:
        return
    stakes[key] = Stake(stays, stays, CLOSING.withdrawal)
    findings.about(
        bet,
        "late_bet",
        CLOSING.withdrawal,
        f"{dollars(gone)} of the play bet withdrawn and let through",
        at=next(at for at, k, _ in reversed(round_.withdrawn) if k == key),
    )


def _out_before(round_: Round, play: Bet) -> bool:
    """Whether the player was out when the chips came.

    His last word was a fold, he had left without one, or he had taken his bets back.
    """
    mine = [d for d in round_.decisions if (d.box, d.player) == (play.box, play.player)]
    if mine and mine[-1].decision == "fold" and mine[-1].at < play.at:
        return True
    since = mine[0].at if mine else play.at
    left = any(
        note.kind == "player_left"
        and note.at < min(since, play.at)
        and (note.player == play.player or (note.player is None and note.box == play.box))
        for note in round_.notes
    )
    return left or any(
        option.option == "take_back"
        and option.at < play.at
        and (option.box, option.player) == (play.box, play.player)
        for option in round_.options
    )
