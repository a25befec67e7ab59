"""A gaming day whose truth is known: golden rounds put on tables, and what follows from them.

The rounds, and what the text gives for them, stand in tests/replay/golden. Here they are put one
after another on tables, numbered, chained and sent as a table's gateway does it. A golden round
that was not settled is settled as its own lines say. Some messages are lost, doubled or spoilt on
the way. What is known of the day is put together from the golden rounds' lines, findings and
payments and from the plan (tests/investigate/known_plan.py); nothing is replayed to know it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from checks.golden.expected import ExpectedFinding, ExpectedLine, parse_finding
from checks.golden.load import Golden
from checks.golden.script import Script
from checks.golden.words import place as place_of
from events.chain import Head
from events.codec import body_of, decode, hash_body
from events.gateway import Gateway
from events.jsonl import from_flat
from events.log.base import Outgoing
from events.model import (
    BetSettled,
    CardBurnt,
    CardDealt,
    CardDiscarded,
    CardsMoved,
    Event,
    JackpotRead,
    RoundClosed,
    RoundOpened,
    SettlementCorrected,
    ShoeEnded,
    ShoeStarted,
    TableClosed,
    TableOpened,
)
from tests.checks.contract import SEVERITY_OF
from tests.checks.kit import CARDS_OF_A_DECK
from tests.golden import load_all
from tests.investigate.known_facts import (
    Found,
    Key,
    Known,
    KnownRound,
    KnownShoe,
    KnownTable,
    Money,
    Put,
)
from tests.pipelines.kit import MORNING

POKER = "three-card-poker-rws-v3"


def known_day(plan: Sequence[KnownTable]) -> Known:
    known = Known()
    for table in plan:
        _Sender(table, known).play()
    return known


def _golden(rulebook: str, name: str) -> Golden:
    found = [g for g in load_all() if g.rulebook == rulebook and g.name == name]
    if len(found) != 1:
        raise ValueError(f"{rulebook}: expected one golden round {name!r}, found {len(found)}")
    return found[0]


def _as_due(line: ExpectedLine) -> Event:
    stake, back, winnings, _ = line.money
    return BetSettled(*line.key, stake, back, winnings, "final")


def _steps(words: Sequence[str]) -> list[Event]:
    script = Script("R")
    for line in words:
        script.run(line)
    return [from_flat(flat).event for flat in script.out]


def settled(events: Sequence[Event]) -> dict[Key, tuple[int, int, int, bool]]:
    """Per bet: stake, returned, winnings and whether it was corrected. A second settlement adds to
    the first, a correction replaces what was there (contract, section 3)."""
    out: dict[Key, tuple[int, int, int, bool]] = {}
    for e in events:
        if isinstance(e, SettlementCorrected):
            key = (e.box, e.hand, e.player, e.bet)
            out[key] = (e.stake, e.stake_returned, e.winnings, True)
        elif isinstance(e, BetSettled):
            key = (e.box, e.hand, e.player, e.bet)
            stake, back, winnings, corrected = out.get(key, (e.stake, 0, 0, False))
            out[key] = (stake, back + e.stake_returned, winnings + e.winnings, corrected)
    return out


class _Sender:
    """One table: its gateway, its shoe, and what is known of what it sends."""

    def __init__(self, table: KnownTable, known: Known) -> None:
        self.table, self.known = table, known
        self.gateway = Gateway(table.name)
        self.at = MORNING
        self.sent: list[Outgoing] = []
        self.shoes = 0
        self.decks, self.draw, self.rounds_of_shoe, self.most = 0, 0, 0, 0
        self.seen: Counter[str] = Counter()

    def send(self, event: Event, round_: str | None = None) -> int:
        self.at += timedelta(seconds=1)
        self.sent.append(self.gateway.send(event, at=self.at, device="console", round_=round_))
        return self.gateway.head.seq

    def play(self) -> None:
        self.send(TableOpened(self.table.rulebook, "SGD"))
        minute = 0
        for number, put in enumerate(self.table.rounds, start=1):
            minute = minute + 5 if put.minute is None else put.minute
            self.at = MORNING + timedelta(minutes=minute)
            self.round(f"{self.table.name}-{number:06d}", number, put)
        self.end_shoe()
        self.send(TableClosed())
        self.known.sent += self.sent

    # shoes

    @property
    def shoe(self) -> str:
        return f"{self.table.name}-S{self.shoes:02d}"

    def start_shoe(self, decks: int, *, shuffled: bool) -> None:
        self.end_shoe()
        self.shoes += 1
        self.decks, self.draw, self.rounds_of_shoe = decks, 0, 0
        self.most = 3 if shuffled and self.table.rulebook != POKER else 1
        self.seen.clear()
        self.send(ShoeStarted(self.shoe, decks, shuffled))
        if self.table.rulebook != POKER:  # there a card is burnt in every round (3.10)
            self.draw = 1
            self.send(CardBurnt(1))

    def end_shoe(self, missing: int = 0) -> int | None:
        if not self.decks:
            return None
        left = self.decks * CARDS_OF_A_DECK[self.table.rulebook] - self.draw - missing
        told = (self.shoe, self.decks, self.rounds_of_shoe, self.draw, left)
        self.known.shoes.append(KnownShoe(self.table.name, *told))
        self.decks = 0
        return self.send(ShoeEnded(self.shoe, left))

    def shoe_for(self, events: Sequence[Event], *, shuffled: bool | None) -> None:
        """A shoe goes on while it has the cards, for three rounds at most; for one where it was not
        shuffled, and at poker."""
        (decks,) = [e.decks for e in events if isinstance(e, RoundOpened)]
        cards = Counter(e.card for e in events if isinstance(e, CardDealt | CardBurnt) and e.card)
        enough = all((self.seen + cards)[card] <= decks for card in cards)
        worn = self.rounds_of_shoe == self.most
        if shuffled is not None or decks != self.decks or worn or not enough:
            self.start_shoe(decks, shuffled=shuffled is not False)
        self.seen += cards
        self.rounds_of_shoe += 1

    # rounds

    def round(self, name: str, number: int, put: Put) -> None:
        it = _golden(self.table.rulebook, put.name)
        events = [e.event for e in it.events]
        shuffled = next((e.shuffled for e in events if isinstance(e, ShoeStarted)), None)
        events = [e for e in events if not isinstance(e, ShoeStarted)]
        if it.status != "incomplete":
            due = [] if it.settled else [_as_due(line) for line in it.lines]
            events[-1:-1] = [*due, *_steps(put.more)]
        self.shoe_for(events, shuffled=shuffled)
        dealer = self.table.dealers[number >= self.table.handover]
        events = [self.placed(event, put, dealer) for event in events]
        self.draw += sum(isinstance(e, CardDealt | CardBurnt) for e in events)
        start, opened = len(self.sent), self.at + timedelta(seconds=1)
        for event in events:
            if put.damage == "clock" and isinstance(event, RoundClosed):
                self.at -= timedelta(seconds=5)
            last = self.send(event, name)
        first = last - len(events) + 1
        book = put.rulebook or it.rulebook
        played = KnownRound(
            self.table.name, name, book, dealer, opened, it.status, first, tuple(events)
        )
        self.known.rounds.append(played)
        self.know(played, it, put)
        self.spoil(played, put.damage, start)

    def placed(self, event: Event, put: Put, dealer: str) -> Event:
        """An event with the day's own names: shoe, dealer, players, draws, meter."""
        if isinstance(event, RoundOpened):
            book = put.rulebook or event.rulebook
            return replace(event, shoe=self.shoe, dealer=dealer, rulebook=book)
        if isinstance(event, CardDealt | CardBurnt | CardDiscarded):
            return replace(event, draw=event.draw + self.draw)
        if isinstance(event, CardsMoved):
            return CardsMoved(tuple(replace(m, draw=m.draw + self.draw) for m in event.moves))
        if isinstance(event, JackpotRead) and put.meter is not None:
            return JackpotRead(put.meter)
        if getattr(event, "player", None) is not None:
            own: Any = event
            return replace(own, player=self.table.players[own.player])  # type: ignore[no-any-return]
        return event

    # what is known

    def know(self, played: KnownRound, it: Golden, put: Put) -> None:
        where = (played.table, played.id, played.rulebook)
        reads = {
            (reading, self.key(line)) for reading, lines in put.reads.items() for line in lines
        }
        lines = [] if put.rulebook else it.lines
        for line in lines:
            key = self.renamed(line.key)
            readings = {*(line.readings or ()), *(r for r, k in reads if k == key)}
            due = Money(*where, key, *line.money, readings=tuple(sorted(readings)))
            self.known.due.append(due)
        for key, (stake, back, winnings, corrected) in settled(played.events).items():
            self.known.paid.append(Money(*where, key, stake, back, winnings, corrected=corrected))
        own = [] if put.rulebook else it.findings
        for wanted in (*own, *map(parse_finding, put.found)):
            self.found(played, wanted)

    def key(self, text: str) -> Key:
        """`1.2 P1 split` as the day's own place of a line."""
        where, player, bet = text.split()
        return self.renamed((*place_of(where), player, bet))

    def renamed(self, key: Key) -> Key:
        box, hand, player, bet = key
        return box, hand, self.table.players[player], bet

    def found(self, played: KnownRound, wanted: ExpectedFinding) -> None:
        box, hand = wanted.place or (None, None)
        player = None if wanted.player is None else self.table.players[wanted.player]
        money = self.money(played, wanted.kind, (box, hand, player, wanted.bet))
        if wanted.money is not None and wanted.money != money:
            raise ValueError(f"{played.id}: {wanted.kind}: {wanted.money} or {money}?")
        seq = _shown_by(wanted.kind, played)
        found = Found(
            wanted.kind, played.table, played.id, played.dealer, box, hand, player, wanted.bet,
            money, seq,
        )  # fmt: skip
        self.known.found.append(found)

    def money(self, played: KnownRound, kind: str, key: tuple[Any, ...]) -> int | None:
        """What was paid too much or too little: on the line, or in the whole of a void."""
        if kind in {"corrected", "allocation"}:
            return 0
        if SEVERITY_OF[kind] != "money" and kind != "reading_conflict":
            return None
        whole = kind in {"missed_void", "wrong_void"}
        sums = [
            sum(m.total for m in some if m.round == played.id and (whole or m.key == key))
            for some in (self.known.paid, self.known.due)
        ]
        return sums[0] - sums[1]

    # damage

    def spoil(self, played: KnownRound, damage: str | None, start: int) -> None:
        """What happens to the round's messages, from `start` on, and what it is called."""
        if damage is None:
            return
        damage, _, named = damage.partition(" ")
        types = [type(e).__name__ for e in played.events]
        place = types.index(named or "BetsClosed")
        at, seq = start + place, played.first_seq + place
        key, value = self.sent[at].key, self.sent[at].value
        last = played.first_seq + len(played.events) - 1
        if damage == "gap":
            del self.sent[at]
        elif damage == "unreadable":  # the two bytes that say that an Avro event follows
            self.sent[at] = Outgoing(key, b"\xff\xff" + value[2:])
        elif damage == "twice":
            self.sent.insert(at + 1, self.sent[at])
        elif damage == "swapped":
            self.sent[at], self.sent[at + 1] = self.sent[at + 1], self.sent[at]
        elif damage == "changed":
            self.sent[at + 1] = self.changed(self.sent[at + 1], value)
        elif damage == "rubbish":
            self.sent.append(Outgoing(key, b"no event at all"))
        kind, shown = {
            "gap": ("sequence_gap", seq + 1),
            "unreadable": ("undecodable", seq),
            "twice": ("duplicate_event", seq),
            "swapped": ("out_of_order", seq),
            "changed": ("broken_chain", seq + 2),
            "clock": ("clock_backwards", last),
            "rubbish": ("undecodable", None),
            "shoe": ("shoe_mismatch", None),
        }[damage]
        if damage == "shoe":
            shown = self.end_shoe(missing=2)
        round_, dealer = (None, None) if damage == "rubbish" else (played.id, played.dealer)
        none = (None, None, None, None, None)
        self.known.found.append(Found(kind, played.table, round_, dealer, *none, shown))

    def changed(self, sent: Outgoing, before: bytes) -> Outgoing:
        """The card after the close in another suit, chained as it should be to what is before it;
        what comes after it still names the card that was sent."""
        was = decode(sent.value)
        if not isinstance(was.event, CardDealt) or was.seq is None or was.at is None:
            raise TypeError(f"expected a card after the close, found {was.type}")
        suit = "H" if was.event.card[1] != "H" else "C"
        other = replace(was.event, card=was.event.card[0] + suit)
        gateway = Gateway(self.table.name, Head(was.seq - 1, hash_body(body_of(before))))
        return gateway.send(other, at=was.at, device="console", round_=was.round)


def _shown_by(kind: str, played: KnownRound) -> int | None:
    """The number of the event that shows what is wrong with a record; none for what is missing."""
    wanted = {
        "impossible_card": lambda e: getattr(e, "card", None) == "??",
        "unknown_rulebook": lambda e: isinstance(e, RoundOpened),
        "meter_mismatch": lambda e: isinstance(e, JackpotRead),
    }.get(kind, lambda e: False)
    return next((played.first_seq + n for n, e in enumerate(played.events) if wanted(e)), None)
