"""The choice after a dealing error (5.10): go on, or take the bets back."""

from __future__ import annotations

from replay.answer import Key
from replay.facts import NEVER, Option
from replay.rulebooks.three_card_poker_rws_v3.incident import Cause, Incidents
from replay.rulebooks.three_card_poker_rws_v3.players import out_before
from replay.rulebooks.three_card_poker_rws_v3.table import DEALER, Player, Table


def look_at(table: Table, out: Incidents) -> None:
    """Who had the choice, what he took, and who was not asked."""
    taken: dict[Player, list[Option]] = {}
    for option in table.round.options:
        taken.setdefault((option.box, option.player), []).append(option)
    causes = sorted(out.causes, key=lambda cause: cause.at)
    for who in sorted(table.bettors):
        _ask(table, who, causes, taken.pop(who, []), out)
    for options in taken.values():
        for option in options:
            _not_due(table, option)


def _ask(
    table: Table, who: Player, causes: list[Cause], options: list[Option], out: Incidents
) -> None:
    """Each error asks anew, and one answer is for all errors before it."""
    due = [cause for cause in causes if _live(table, who, cause)]
    for option in options:
        before = [cause for cause in due if cause.at < option.at]
        if not before:
            _not_due(table, option)
            continue
        due = [cause for cause in due if cause.at > option.at]
        if option.option == "take_back":
            for key in _live(table, who, before[0]):
                out.returned[key] = ("5.10.3",)
            table.gone.setdefault(who, option.at)
            due = []
        else:
            out.cite(table.bets_of(*who), "5.10.2" if table.rearranged else "5.10.1")
    if due and (table.round.closed or _went_on(table, who, due[0].at)):
        _missing(table, who, due[0])


def _live(table: Table, who: Player, cause: Cause) -> list[Key]:
    """The bets about which an error gives a player the choice.

    None where he is out or his bets go back; what had been settled stays so.
    """
    box, player = who
    if cause.boxes is not None and box not in cause.boxes:
        return []
    if table.gone.get(who, NEVER) < cause.at:
        return []
    if table.ante(box, player) and out_before(table, box, player, cause.at):
        return []
    settled = {settled.key for settled in table.round.settled if settled.at < cause.at}
    live = [key for key in table.bets_of(box, player) if key not in settled]
    return live if any(key not in table.off and table.stakes[key].basis for key in live) else []


def _went_on(table: Table, who: Player, at: int) -> bool:
    """Whether it is too late to ask: he decided, or the dealer's hand was turned over."""
    round_ = table.round
    decided = any(made.at > at and (made.box, made.player) == who for made in round_.decisions)
    return decided or any(look.at > at and look.box == DEALER for look in round_.revealed)


def _missing(table: Table, who: Player, cause: Cause) -> None:
    table.findings.add(
        "missing_option",
        cause.clauses,
        "a dealing error, but no choice between going on and taking back",
        at=cause.at,
        box=who[0],
        player=who[1],
    )


def _not_due(table: Table, option: Option) -> None:
    """Without an error nothing can be taken back after the close of bets."""
    table.findings.add(
        "illegal_decision",
        ("5.10", "5.11"),
        f"{option.option.replace('_', ' ')}, but no dealing error gives him that choice",
        at=option.at,
        box=option.box,
        player=option.player,
    )
