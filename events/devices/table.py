"""A table's day: it opens, plays round after round from one shoe after another, and closes."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

from events.chain import Head
from events.devices.cards import DECK_52, Shoe
from events.devices.chips import Truth
from events.devices.coverage import count_steps
from events.devices.faults.record import send_whole
from events.devices.floor import Floor
from events.devices.keys import key_of, signing_fault, strangers_key
from events.devices.occasions import Occasions
from events.devices.people import Party
from events.devices.plan import CURRENCY, POKER, Order, TableSpec
from events.devices.script import SimulatedRound, SimulatedTable
from events.devices.sender import Sender
from events.devices.twentyone.games import GAMES

HOUR_US = 3_600_000_000
NOMINAL_ROUND_US = 62_000_000  # a generous round, for fitting a number of rounds into a day
FACTORY_CLOCK_US = 1_262_304_000_000_000  # 2010-01-01, what a new device shows until it is set
LAST_ROUND_US = 360_000_000  # no round begins in the last minutes before the table closes


class SimulatedDay:
    """Everything one table sends in one gaming day, played hour by hour."""

    def __init__(self, spec: TableSpec, order: Order, floor: Floor, head: Head) -> None:
        self.spec = spec
        self.order = order
        self.floor = floor
        self.rng = Random(f"{order.seed}/{order.day.isoformat()}/{spec.id}")
        self.sender = Sender(spec.id, head, key_of(spec.id) if order.signed else None)
        self._signing = signing_fault(order, spec.id)
        self.sent: list[bytes] = []
        self.arrivals: list[tuple[int, int]] = []  # so many of them were there by then
        self.truths: list[dict[str, Any]] = []
        self.rounds = 0
        self._shoes = 0
        self.table = self._furnish()
        self.occasions = Occasions(spec, order, self.table)
        self.now_us, self.closes_us = self._hours()
        self.closed = False
        self._opened = False
        self._shoe_in_play = False
        self._last_round = ""
        self._behind_us = 0  # how far the devices' clock is behind
        self.lost_end: Head | None = None

    def _furnish(self) -> SimulatedTable:
        """Layout, limits and guests of this table; the same on every day of the same seed."""
        game, rng = self.floor.games[self.spec.rulebook], self.rng
        fixed = Random(f"{self.order.seed}/{self.spec.id}")
        table = SimulatedTable()
        table.id = self.spec.id
        table.rulebook = self.spec.rulebook
        table.boxes = fixed.choice(game.boxes)
        table.decks = fixed.choice(game.decks)
        table.limits = fixed.choice(game.limits)
        table.dealt_from = "shuffler" if fixed.random() < game.shuffler_share else "shoe"
        table.jackpot = self.spec.meter
        table.floor = self.floor
        table.rng = rng
        table.party = Party(game, self.floor.guests, table.limits, table.boxes, rng)
        table.tally = Counter()
        table.tempo = 1.0
        table.dealer = ""
        return table

    def _hours(self) -> tuple[int, int]:
        day, order = self.floor.day, self.order
        if self.spec.number % day.part_time_every == day.part_time_every - 1:
            return (
                order.start_us + day.part_time_opens_hour * HOUR_US,
                order.start_us + day.part_time_closes_hour * HOUR_US,
            )
        return order.start_us, order.end_us

    # the day

    @property
    def over(self) -> bool:
        """No further round begins today."""
        if self.order.rounds is not None:
            return self.rounds >= self.order.rounds
        return self.now_us > self.closes_us - LAST_ROUND_US

    def until(self, moment_us: int) -> None:
        """Play all rounds that begin before this moment; close where the day is over."""
        while not self.over and self.now_us < moment_us:
            played = self.next_round()
            played.play()
            self.finish(played)
        if self.over:
            self.close()

    def next_round(self) -> SimulatedRound:
        """Everything is ready for another round: guests, dealer, shoe."""
        self._open()
        hour = (self.now_us - self.order.start_us) // HOUR_US
        occupancy = self.floor.day.occupancy[int(hour) % 24]
        self.table.party.move(occupancy)
        self._relieve_dealer()
        self._keep_pace()
        kind = self.occasions.plain if self._behind_us else self.occasions.next_kind(self.rounds)
        self._ready_shoe(kind)
        stamp = self.order.day.strftime("%Y%m%d")
        name = f"{self.spec.id}-{stamp}-{self.rounds + 1:06d}"
        return kind(self.table, name, self.now_us)

    def finish(self, played: SimulatedRound) -> None:
        """The round is over: send what it wrote down, and plant what was asked for."""
        self.rounds += 1
        self.now_us = played.now_us
        self._last_round = played.name
        count_steps(self.table.tally, played.steps)
        self._send_round(played)
        self._arrive()
        if self.spec.rulebook == POKER or played.ends_shoe or played.void_clause is not None:
            self._end_shoe()

    def _send_round(self, played: SimulatedRound) -> None:
        damage = self.occasions.damage()
        first_seq = self.sender.seq + 1
        if self._behind_us:
            played.steps = [(at - self._behind_us, k, f) for at, k, f in played.steps]
            self._behind_us = 0
            played.planted = Truth("implausible_time")
        if damage is not None:
            planted: Truth | None = damage.send(played, self.sender, self.sent)
        else:
            planted = played.planted
            send_whole(played, self.sender, self.sent)
        if planted is not None:
            self._tell(planted, played.name, first_seq)
        self.occasions.played(played, self.rounds, planted=planted is not None)

    def _tell(self, planted: Truth, round_: str | None, seq: int) -> None:
        self.truths.append(
            {
                "round": round_,
                "kind": planted.kind,
                "box": planted.box,
                "hand": planted.hand,
                "player": planted.player,
                "bet": planted.bet,
                "table": self.spec.id,
                "seq": planted.seq or seq,
            }
        )
        self.table.tally[f"fault {planted.kind}"] += 1

    # between rounds

    def _between(self, event: str, /, **fields: Any) -> None:
        least, more = self.floor.pace[event]
        self.now_us += int((least + more * self.rng.random()) * self.table.tempo)
        at_us = self.now_us - self._behind_us
        self.sent += self.sender.report(at_us, event, fields, None)
        self._arrive()

    def _arrive(self) -> None:
        """What was sent arrives now, whatever the devices' clock says, and on the day's own day."""
        self.arrivals.append((len(self.sent), min(self.now_us, self.order.end_us - 1)))

    def _open(self) -> None:
        if self._opened:
            return
        self._opened = True
        self._keep_pace()
        self._unset_clock()
        if self._signing == "revoked":
            self._tell(Truth("unsigned"), None, self.sender.seq + 1)
        self._between("TableOpened", rulebook=self.spec.rulebook, currency=CURRENCY)
        self.table.party.arrive(self.floor.day.occupancy[0])

    def close(self) -> None:
        """The last shoe ends and the table closes."""
        if self.closed:
            return
        self.closed = True
        if self._opened:
            if self._signing == "unsigned":  # from here on the gateway has no key any more
                self.sender.key = None
            if self._shoe_in_play:
                self._end_shoe()
            if self._signing == "unsigned":
                self._tell(Truth("unsigned"), None, self.sender.first_unsigned)
            elif self._signing == "forged":
                self._forge_the_end()
            self._between("TableClosed")
            self._lose_the_end()

    def _forge_the_end(self) -> None:
        """A planted fault: somebody else closes the table first, in its name, and signs that."""
        forger = self.sender.branch(strangers_key(self.spec.id))
        self.sent += forger.report(self.now_us - self._behind_us, "TableClosed", {}, None)
        self._tell(Truth("wrong_signature"), None, forger.seq)

    def _unset_clock(self) -> None:
        """A planted fault: a new table whose clock was never set, until after its first round.

        By that clock no rulebook is in force yet; by their arrival its events are of today.
        At 3 Card Poker nobody could order the readings of a meter that other tables share.
        """
        new = self.sender.seq == 0 and self.spec.rulebook != POKER
        if new and self._is_chosen("clock"):
            self._behind_us = self.now_us - FACTORY_CLOCK_US

    def _lose_the_end(self) -> None:
        """A planted fault: the last event never arrives, though somebody knows of it."""
        if self.order.ends_are_kept and self._signing is None and self._is_chosen("end"):
            del self.sent[-1]
            count, at_us = self.arrivals.pop()
            if count > 1:  # what came with it stays
                self.arrivals.append((count - 1, at_us))
            self.lost_end = Head(self.sender.seq, self.sender.hash)
            self._tell(Truth("truncated"), None, self.sender.seq)

    def _is_chosen(self, for_what: str) -> bool:
        """A fault that a table can have once falls on some tables, on more at a higher rate."""
        share = min(0.5, self.order.faults * 10)
        return Random(f"{self.order.seed}/{self.spec.id}/{for_what}").random() < share

    def _relieve_dealer(self) -> None:
        day = self.floor.day
        turn = (self.now_us - self.order.start_us) // (day.dealer_minutes * 60_000_000)
        number = Random(f"{self.order.seed}/{self.spec.id}/{turn}").randrange(day.dealers) + 1
        self.table.dealer = f"D-{number:04d}"

    def _keep_pace(self) -> None:
        """With a number of rounds to play, hurry as much as the rest of the day demands."""
        if self.order.rounds is not None:
            left_us = self.order.end_us - LAST_ROUND_US - self.now_us
            need_us = (self.order.rounds - self.rounds + 1) * NOMINAL_ROUND_US
            self.table.tempo = max(0.001, min(1.0, left_us / need_us))

    # shoes

    def _ready_shoe(self, kind: type[SimulatedRound]) -> None:
        if self._shoe_in_play and self.table.shoe.past_the_cut and not kind.overlooks_the_cut:
            self._end_shoe()
        if self._shoe_in_play and kind.wants_new_shoe:
            self._end_shoe()
        if not self._shoe_in_play:
            self._start_shoe(kind)

    def _start_shoe(self, kind: type[SimulatedRound]) -> None:
        self._shoes += 1
        name = f"{self.spec.id}-{self.order.day:%y%m%d}-S{self._shoes:04d}"
        if self.spec.rulebook == POKER:
            deck, cut = DECK_52, 0
        else:
            deck, cut = GAMES[self.spec.rulebook].deck, 60 + int(20 * self.rng.random())
        shoe = Shoe(name, deck, kind.decks or self.table.decks, self.rng, cut=cut)
        shoe.shuffled = kind.shuffles
        self.table.shoe = shoe
        self._shoe_in_play = True
        pause = self.table.tempo
        if self.spec.rulebook == POKER:  # two decks take turns: one is ready while one is played
            self.table.tempo *= 0.02
        self._between("ShoeStarted", shoe=name, decks=shoe.decks, shuffled=shoe.shuffled)
        self.table.tempo = pause

    def _end_shoe(self) -> None:
        shoe = self.table.shoe
        left = shoe.left
        wrong = self.occasions.miscount(left)
        if wrong:
            self._tell(Truth("shoe_mismatch"), self._last_round, self.sender.seq + 1)
        self._between("ShoeEnded", shoe=shoe.name, cards_left=left + wrong)
        self._shoe_in_play = False
