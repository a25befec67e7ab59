"""The choice after a dealing error (5.10): go on, or take the bets back."""

from __future__ import annotations

from replay.facts import Option
from replay.rulebooks.three_card_poker_rws_v3.incident import Cause, Incidents
from replay.rulebooks.three_card_poker_rws_v3.table import Player, Table


def look_at(table: Table, out: Incidents) -> None:
    """Who had the choice, what he took, and who was not asked."""
    taken = {(option.box, option.player): option for option in table.round.options}
    for box, player in sorted(table.bettors):
        cause = _cause(table, (box, player), out)
        option = taken.pop((box, player), None)
        if option is None:
            if cause is not None:
                _missing(table, (box, player), cause)
        elif cause is None:
            _not_due(table, option)
        else:
            _take(table, option, out)
    for option in taken.values():
        _not_due(table, option)


def _cause(table: Table, who: Player, out: Incidents) -> Cause | None:
    """The first error that gives a player the choice; none where he is out or his bets go back."""
    box, player = who
    live = [
        key
        for key in table.bets_of(box, player)
        if key not in table.off and key not in out.returned and table.stakes[key].basis
    ]
    made = table.decided.get(who)
    for cause in sorted(out.causes, key=lambda cause: cause.at):
        if cause.boxes is not None and box not in cause.boxes:
            continue
        folded = made is not None and made.decision == "fold" and made.at < cause.at
        if live and not folded:
            return cause
    return None


def _take(table: Table, option: Option, out: Incidents) -> None:
    keys = table.bets_of(option.box, option.player)
    if option.option == "take_back":
        for key in keys:
            out.returned.setdefault(key, ("5.10.3",))
    else:
        out.cite(keys, "5.10.2" if table.rearranged else "5.10.1")


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
