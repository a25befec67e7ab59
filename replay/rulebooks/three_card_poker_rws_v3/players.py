"""Players who walk away (5.5, 5.6), and players who look at a second hand (5.18)."""

from __future__ import annotations

from replay.facts import Note
from replay.rulebooks.three_card_poker_rws_v3.incident import Incidents, ruled
from replay.rulebooks.three_card_poker_rws_v3.table import Player, Table


def leaving(table: Table, out: Incidents) -> None:
    """Whoever leaves with a decision open has folded; else he is settled as usual."""
    for note in table.round.notes:
        if note.kind != "player_left":
            continue
        player = _leaver(table, note)
        if player is None:
            continue
        boxes = sorted(box for box, name in table.bettors if name == player)
        still = {box for box in boxes if _open(table, box, player, note.at)}
        for box in boxes:
            folded = box in still
            if not folded and still and table.readings.other("leaves-several-boxes"):
                folded = True
            table.left[box, player] = folded or table.left.get((box, player), False)
            if not folded:
                out.cite(table.bets_of(box, player), "5.6")


def _leaver(table: Table, note: Note) -> str | None:
    """Who walked away: the player whom the note names, else the one in charge of the box."""
    if note.player is not None:
        return note.player
    return None if note.box is None else table.owner.get(note.box)


def out_before(table: Table, box: int, player: str, at: int) -> bool:
    """Whether a player had folded on a box before a moment, by word or by leaving."""
    made = table.decision(box, player)
    if made is not None and made.decision == "fold" and made.at < at:
        return True
    return any(
        note.kind == "player_left"
        and note.at < at
        and _leaver(table, note) == player
        and _open(table, box, player, note.at)
        for note in table.round.notes
    )


def _open(table: Table, box: int, player: str, at: int) -> bool:
    """Whether a decision was still to be made for an ante at that moment."""
    if not table.ante(box, player):
        return False
    made = table.decided.get((box, player))
    play = table.round.bets.get((box, 1, player, "play"))
    return not ((made is not None and made.at < at) or (play is not None and play.at < at))


def extra_hands(table: Table) -> dict[Player, int]:
    """Hands that a player looked at beyond his first one, and when; noted ones too."""
    first: dict[str, int] = {}
    extra: dict[Player, int] = {}
    for look in table.round.looks:
        if look.player is None or table.owner.get(look.box) != look.player:
            continue  # not a hand of his
        if first.setdefault(look.player, look.box) != look.box:
            extra.setdefault((look.box, look.player), look.at)
    for note in table.round.notes:
        if note.kind != "extra_hand_examined" or note.box is None:
            continue
        player = note.player or table.owner.get(note.box)
        if player is not None and first.get(player) != note.box:
            extra.setdefault((note.box, player), note.at)
    return extra


def ruled_on_purpose(table: Table, box: int) -> bool | None:
    """What a supervisor or above decided about a look at a further hand; None: nothing."""
    return ruled(table, "intentional_examination", "unintentional_examination", box)


def second_looks(table: Table, out: Incidents) -> None:
    """On purpose: the further hand is off and its bets go back. The first hand stays."""
    for (box, player), at in sorted(extra_hands(table).items()):
        on_purpose = ruled_on_purpose(table, box)
        if on_purpose is None:
            table.findings.add(
                "discretion",
                ("5.18",),
                "a second hand was looked at, and nobody decided whether on purpose",
                at=at,
                box=box,
                player=player,
            )
            on_purpose = table.readings.other("examination-without-ruling")
        if on_purpose:
            for key in table.bets_of(box, player):
                out.returned[key] = ("5.18",)
            table.gone.setdefault((box, player), _off_since(table, box, at))


def _off_since(table: Table, box: int, at: int) -> int:
    """When a hand was ruled to be off; without a ruling, when it was looked at."""
    says = "intentional_examination"
    rulings = [r.at for r in table.round.rulings if r.ruling == says and r.box in {None, box}]
    return max((at, *rulings))
