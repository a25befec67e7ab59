"""Damage to the record itself: what was played is honest, what arrives is not as it was.

Where an event has to get lost, it is one that changes no money, a bet turned down, so that the
damage is the only thing wrong with the round.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from events.codec import hash_body
from events.devices.chips import Truth
from events.devices.script import SimulatedRound, SimulatedTable, Step
from events.devices.sender import Sender


@dataclass(frozen=True, slots=True)
class Miscount:
    """The cards of a shoe do not add up: the count at its end is off."""

    kind: str = "shoe_mismatch"

    def fits(self, table: SimulatedTable) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class RecordFault(ABC):
    """One kind of damage to a round's messages."""

    kind: str

    def fits(self, table: SimulatedTable) -> bool:
        """Whether this damage can be done at this table."""
        return True

    @abstractmethod
    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        """Send the round, damaged. None where there was no opportunity: then it is whole."""


class SentStep(NamedTuple):
    """Where a step's message lies among those sent, and its number: signatures stand between."""

    place: int
    seq: int


def send_whole(
    played: SimulatedRound,
    sender: Sender,
    sent: list[bytes],
    spoil: Callable[[int], None] = lambda step: None,
) -> list[SentStep]:
    """The round as it was played. `spoil` is called before each step is sent."""
    out = []
    for n, (at_us, kind, fields) in enumerate(played.steps):
        sent += sender.due(at_us)
        spoil(n)
        out.append(SentStep(len(sent), sender.seq + 1))
        sent.append(sender.send(at_us, kind, fields, played.name))
        sent += sender.signed_after(at_us, kind)
    return out


def send_changed(
    played: SimulatedRound, sender: Sender, sent: list[bytes], index: int, changed: Step
) -> int:
    """The round with one step changed. Answers its number."""
    played.steps[index] = changed
    return send_whole(played, sender, sent)[index].seq


def _with_refusal(played: SimulatedRound) -> int | None:
    """Let a bet be turned down right after the close, and say at which step."""
    for n, (at_us, kind, _) in enumerate(played.steps):
        if kind == "BetsClosed" and played.chips:
            chips = played.chips[0]
            fields = {
                "box": chips.box,
                "hand": 1,
                "player": chips.guest.ref,
                "bet": played.main_bet,
                "amount": chips.placed_cents,
            }
            played.steps.insert(n + 1, (at_us + 1, "BetRefused", fields))
            return n + 1
    return None


class LostEvents(RecordFault):
    """An event is numbered and chained, and never arrives."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index = _with_refusal(played)
        steps = send_whole(played, sender, sent)
        if index is None:
            return None
        del sent[steps[index].place]
        return Truth(self.kind, seq=steps[index].seq)


class Twice(RecordFault):
    """An event arrives a second time."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        step = send_whole(played, sender, sent)[_somewhere(played)]
        sent.insert(step.place + 1, sent[step.place])
        return Truth(self.kind, seq=step.seq)


class Swapped(RecordFault):
    """Two events arrive in the wrong order."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        steps, index = send_whole(played, sender, sent), _somewhere(played)
        one, other = steps[index].place, steps[index + 1].place
        sent[one], sent[other] = sent[other], sent[one]
        return Truth(self.kind, seq=steps[index].seq)


class Unchained(RecordFault):
    """An event names another hash than that of the event before it."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index = _somewhere(played)

        def spoil(step: int) -> None:
            if step == index:
                sender.hash = hash_body(sender.hash)

        return Truth(self.kind, seq=send_whole(played, sender, sent, spoil)[index].seq)


class Unreadable(RecordFault):
    """An event's first bytes are spoilt on the way; nobody can read it."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index = _with_refusal(played)
        steps = send_whole(played, sender, sent)
        if index is None:
            return None
        place, seq = steps[index]
        sent[place] = b"\xff\xff" + sent[place][2:]
        return Truth(self.kind, seq=seq)


class CutShort(RecordFault):
    """The gateway sends an event without its end, and goes on from what it sent.

    The message can't be read; `truncated` is the contract's word for a record that lost its end.
    """

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index, seq = _with_refusal(played), sender.seq + 1
        for n, (at_us, kind, fields) in enumerate(played.steps):
            sent += sender.due(at_us)
            body = sender.encode(at_us, kind, fields, played.name)
            if n == index:
                body, seq = body[:-6], sender.seq
            sender.hash = hash_body(body)
            sent.append(sender.header + body)
            sent += sender.signed_after(at_us, kind)
        return None if index is None else Truth(self.kind, seq=seq)


class NeverClosed(RecordFault):
    """The end of the round is never written."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        del played.steps[-1]
        return Truth(self.kind, seq=send_whole(played, sender, sent)[-1].seq)


class UnknownRulebook(RecordFault):
    """The round says that it is played by a rulebook that nobody has."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        at_us, kind, fields = played.steps[0]
        renamed = fields | {"rulebook": fields["rulebook"][:-1] + "99"}
        seq = send_changed(played, sender, sent, 0, (at_us, kind, renamed))
        return Truth(self.kind, seq=seq)


class UnreadCard(RecordFault):
    """The shoe could not read a card that was played."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index = _card_at(played)
        if index is None or any(kind == "CardDiscarded" for _, kind, _ in played.steps):
            send_whole(played, sender, sent)
            return None
        at_us, kind, fields = played.steps[index]
        seq = send_changed(played, sender, sent, index, (at_us, kind, fields | {"card": "??"}))
        return Truth(self.kind, fields["box"], fields["hand"], seq=seq)


class ClockBack(RecordFault):
    """A device's clock jumps back for one event."""

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        index = _card_at(played)
        start_us = played.steps[0][0]
        if index is None or played.steps[index - 1][0] - start_us < 2:
            send_whole(played, sender, sent)
            return None
        _, kind, fields = played.steps[index]
        back_us = (start_us + played.steps[index - 1][0]) // 2
        seq = send_changed(played, sender, sent, index, (back_us, kind, fields))
        return Truth(self.kind, seq=seq)


class WrongMeter(RecordFault):
    """The meter shows too little, in a round that does not win it."""

    def fits(self, table: SimulatedTable) -> bool:
        return table.jackpot is not None

    def send(self, played: SimulatedRound, sender: Sender, sent: list[bytes]) -> Truth | None:
        top = any(k == "BetSettled" and f["winnings"] > 10_000_00 for _, k, f in played.steps)
        index = next((n for n, s in enumerate(played.steps) if s[1] == "JackpotRead"), None)
        early = int(played.name[-6:]) <= 10  # without readings before it nobody could tell
        if index is None or top or early:
            send_whole(played, sender, sent)
            return None
        at_us, kind, fields = played.steps[index]
        wrong = fields | {"amount": fields["amount"] - 500_00}
        seq = send_changed(played, sender, sent, index, (at_us, kind, wrong))
        return Truth(self.kind, seq=seq)


def _somewhere(played: SimulatedRound) -> int:
    """A step that is neither the first nor one of the last two; the same for the same round."""
    return Random(played.name).randrange(1, len(played.steps) - 2)


def _card_at(played: SimulatedRound) -> int | None:
    """The last card that was dealt to anybody."""
    cards = [n for n, (_, kind, _) in enumerate(played.steps) if kind == "CardDealt"]
    return cards[-1] if cards else None


DAMAGE: tuple[RecordFault, ...] = (
    LostEvents("sequence_gap"),
    Twice("duplicate_event"),
    Swapped("out_of_order"),
    Unchained("broken_chain"),
    NeverClosed("incomplete_round"),
    UnknownRulebook("unknown_rulebook"),
    UnreadCard("impossible_card"),
    Unreadable("undecodable"),
    CutShort("undecodable"),
    ClockBack("clock_backwards"),
    WrongMeter("meter_mismatch"),
)
