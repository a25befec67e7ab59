"""The choice after a dealing error (5.10): go on, or take the bets back."""

from __future__ import annotations

from replay.answer import Key
from replay.episodes import Episode
from replay.episodes.answers import Asked, answered
from replay.facts import NEVER, Option
from replay.rulebooks.three_card_poker_rws_v3.irregular.incident import Cause, PokerIncidents
from replay.rulebooks.three_card_poker_rws_v3.irregular.kinds import NO_BURN, WRONG_COUNT
from replay.rulebooks.three_card_poker_rws_v3.play.players import left_at, left_before, out_before
from replay.rulebooks.three_card_poker_rws_v3.play.table import DEALER, HAND, Player, PokerTable


def look_at(table: PokerTable, out: PokerIncidents) -> None:
    """Who had the choice, what he took, and who was not asked."""
    seats = {(option.box, option.player) for option in table.round.options}
    for who in sorted(table.bettors | seats):
        _ask(table, who, out)


def _ask(table: PokerTable, who: Player, out: PokerIncidents) -> None:
    causes = {cause.episode: cause for cause in out.causes if _live(table, who, cause)}
    asked = [Asked(cause.at, episode) for episode, cause in causes.items()]
    got = answered(table.round, asked, who, firm=True)
    for needless in got.needless:
        _not_due(table, needless)
    for one, option in got.to:
        if option is None:
            out.missing.append((who, causes[one.episode]))
            continue
        out.answers[who, one.episode] = option.at
        one.episode.options.append(option)
        if option.option == "take_back":
            first = option.at < table.gone.get(who, NEVER)  # else the hand was off already
            for key in _live(table, who, causes[one.episode]):
                if first or key not in out.returned:
                    out.returned[key] = ("5.10.3",)
            table.gone[who] = min(option.at, table.gone.get(who, NEVER))
        else:
            out.cite(table.bets_of(*who), "5.10.2" if _in_order(table, one.episode) else "5.10.1")


def _in_order(table: PokerTable, episode: Episode) -> bool:
    """Whether the cards were put right: by moving them, or by the card that was missing."""
    if episode.moves or episode.discards:
        return True
    ruled = episode.ruling()
    if ruled is None or not episode.repairable():
        return False
    if NO_BURN in episode.kinds:
        return any(card.at > ruled.at for card in table.round.burnt)
    if WRONG_COUNT not in episode.kinds or episode.box is None:
        return False
    hand = table.hands.get(episode.box, [])
    return len(hand) == HAND and hand[-1].at > ruled.at


def not_asked(table: PokerTable, out: PokerIncidents) -> None:
    """The first error for which a player was not asked, once it is too late to ask him. Who has no
    hand left, or walked away, is not asked any more."""
    said: set[Player] = set()
    for who, cause in out.missing:
        until = min(table.gone.get(who, NEVER), left_at(table, who[1], cause.at))
        over = table.round.closed and not out.void and until == NEVER
        if who not in said and (over or _went_on(table, who, cause.at, until)):
            said.add(who)
            _missing(table, who, cause)


def _live(table: PokerTable, who: Player, cause: Cause) -> list[Key]:
    """The bets about which an error gives a player the choice.

    None where he is out or his bets go back; what had been settled stays so.
    """
    box, player = who
    if who not in table.bettors or not cause.concerns(box):
        return []
    if table.gone.get(who, NEVER) < cause.at:
        return []
    folded = table.ante(box, player) and out_before(table, box, player, cause.at)
    if folded and not _wants_back(table, who, cause):
        return []
    settled = {settled.key for settled in table.round.settled if settled.at < cause.at}
    live = [key for key in table.bets_of(box, player) if key not in settled]
    return live if any(key not in table.off and table.stakes[key].basis for key in live) else []


def _wants_back(table: PokerTable, who: Player, cause: Cause) -> bool:
    """Whether a player who folded, and did not leave, takes his bets back, and may."""
    if left_before(table, *who, cause.at):
        return False
    return any(
        option.option == "take_back" and option.at > cause.at and (option.box, option.player) == who
        for option in table.round.options
    ) and table.readings.other("folded-before-the-error")


def _went_on(table: PokerTable, who: Player, at: int, until: int) -> bool:
    """Whether it is too late to ask: he decided, or the dealer's hand was turned over."""
    round_ = table.round
    decided = [made.at for made in round_.decisions if (made.box, made.player) == who]
    shown = [look.at for look in round_.revealed if look.box == DEALER]
    return any(at < act < until for act in (*decided, *shown))


def _missing(table: PokerTable, who: Player, cause: Cause) -> None:
    table.findings.add(
        "missing_option",
        cause.clauses,
        "a dealing error, but no choice between going on and taking back",
        at=cause.at,
        box=who[0],
        player=who[1],
    )


def _not_due(table: PokerTable, option: Option) -> None:
    """Without an error nothing can be taken back after the close of bets; to go on harms nobody."""
    if option.option != "take_back":
        return
    table.findings.add(
        "illegal_decision",
        ("5.10", "5.11"),
        f"{option.option.replace('_', ' ')}, but no dealing error gives him that choice",
        at=option.at,
        box=option.box,
        player=option.player,
    )
