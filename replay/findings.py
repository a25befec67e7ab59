"""Collecting findings while a round is replayed: values in a list, never an exception midway."""

from __future__ import annotations

from replay.answer import Finding, Line
from replay.facts import Bet, Round


def dollars(cents: int) -> str:
    """Cents as people write them: 1,037.50."""
    sign = "-" if cents < 0 else ""
    return f"{sign}{abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def signed_dollars(cents: int) -> str:
    """A difference: +37.50, -5.00, 0.00."""
    return f"{'+' if cents > 0 else ''}{dollars(cents)}"


def box_name(box: int | None) -> str:
    """A box as a sentence has it."""
    return "nothing" if box is None else "the dealer" if box == 0 else f"box {box}"


def where(
    round_id: str | None, box: int | None, hand: int | None, player: str | None, bet: str | None
) -> str:
    """The place of a finding as a sentence begins with it."""
    parts = [f"round {round_id}"]
    if box == 0:
        parts.append("dealer")
    elif box is not None:
        parts.append(f"box {box}" if hand in {None, 1} else f"box {box} hand {hand}")
    who = " ".join(part for part in (player, bet) if part)
    if who:
        parts.append(who)
    return ", ".join(parts)


class Findings:
    """The findings of one round. `quiet` is for a second look under another reading."""

    __slots__ = ("_places", "items", "quiet", "round")

    def __init__(self, round_: Round, *, quiet: bool = False) -> None:
        self.round = round_
        self.items: list[Finding] = []
        self._places: set[tuple[str, int | None, int | None, int | None, str | None, str | None]]
        self._places = set()
        self.quiet = quiet

    def about(
        self, bet: Bet, kind: str, clauses: tuple[str, ...], says: str, *, at: int | None = None
    ) -> None:
        """Note a finding about a bet, shown by its first chips unless another event shows it."""
        self.add(
            kind,
            clauses,
            says,
            at=bet.at if at is None else at,
            box=bet.box,
            hand=bet.hand,
            player=bet.player,
            bet=bet.bet,
        )

    def add(
        self,
        kind: str,
        clauses: tuple[str, ...],
        says: str,
        *,
        at: int | None = None,
        box: int | None = None,
        hand: int | None = None,
        player: str | None = None,
        bet: str | None = None,
        expected: Line | None = None,
        money: int | None = None,
    ) -> None:
        """Note a finding; `says` is the sentence after the place."""
        if self.quiet:
            return
        place = (kind, at, box, hand, player, bet)
        if place in self._places:
            return  # one event is one finding of a kind; the first reason is the one that is said
        self._places.add(place)
        r = self.round
        cited = f" ({', '.join(clauses)})" if clauses else ""
        self.items.append(
            Finding(
                kind=kind,
                table=r.table,
                round=r.id,
                seq=r.seq(at),
                box=box,
                hand=hand,
                player=player,
                bet=bet,
                expected=None if expected is None else expected.to_json(),
                recorded=None,
                money=money,
                clauses=clauses,
                message=f"{where(r.id, box, hand, player, bet)}: {says}{cited}",
                at=at,
            )
        )

    def has(self, finding: Finding) -> bool:
        """Whether the same kind was noted of the same place, whichever event shows it."""
        place = (finding.kind, *finding[4:8])
        return any((kind, *rest) == place for kind, _, *rest in self._places)
