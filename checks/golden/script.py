"""The play of a golden round: each line of it becomes events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from checks.golden.words import cents, place
from events.contract import DECISIONS, RULINGS


@dataclass(slots=True)
class Script:
    """Turns the lines of `play` into events; counts draws and remembers who is seated."""

    round: str
    out: list[dict[str, Any]] = field(default_factory=list)
    draw: int = 0
    seated: dict[int, str] = field(default_factory=dict)

    def add(self, kind: str, /, **own: Any) -> None:
        self.out.append({"type": kind, "round": self.round, **own})

    def run(self, line: str) -> None:
        verb, *rest = line.split()
        if verb in DECISIONS:
            self.decide(verb, rest)
            return
        does = getattr(self, "do_" + verb, None)
        if does is None:
            raise ValueError(f"there is no step {verb}")
        does(rest)

    def decide(self, verb: str, rest: list[str]) -> None:
        """`hit 1 P1`, `split 1 P1 -> 2`."""
        box, hand = place(rest[0])
        new = int(rest[3]) if len(rest) > 2 and rest[2] == "->" else None
        self.add("DecisionMade", box=box, hand=hand, player=rest[1], decision=verb, new_hand=new)

    def do_bet(self, rest: list[str]) -> None:
        """`bet 1 P1 initial 20.00 [standing|seated]`; the first player on a box is seated."""
        box, hand = place(rest[0])
        player, bet, amount = rest[1:4]
        if "standing" not in rest:
            self.seated.setdefault(box, player)
        seated = self.seated.get(box) == player if "seated" not in rest else True
        self.add(
            "BetPlaced",
            box=box,
            hand=hand,
            player=player,
            bet=bet,
            amount=cents(amount),
            seated=seated,
        )

    def _chips(self, kind: str, rest: list[str]) -> None:
        box, hand = place(rest[0])
        self.add(kind, box=box, hand=hand, player=rest[1], bet=rest[2], amount=cents(rest[3]))

    def do_takeback(self, rest: list[str]) -> None:
        self._chips("BetWithdrawn", rest)

    def do_refuse(self, rest: list[str]) -> None:
        self._chips("BetRefused", rest)

    def do_close(self, rest: list[str]) -> None:
        self.add("BetsClosed")

    def do_deal(self, rest: list[str]) -> None:
        """`deal 1:7S 2:9H 0:AD 1:7D 2:KC-`: place:card in order; a last `-` is face down."""
        for item in rest:
            where, _, card = item.partition(":")
            box, hand = place(where)
            self.draw += 1
            down = card.endswith("-")
            self.add(
                "CardDealt",
                draw=self.draw,
                box=box,
                hand=hand,
                card=card.removesuffix("-"),
                face_up=not down,
            )

    def do_burn(self, rest: list[str]) -> None:
        self.draw += 1
        self.add("CardBurnt", draw=self.draw, card=rest[0] if rest else None)

    def do_discard(self, rest: list[str]) -> None:
        """`discard 7 why`: 7 is the draw number (the first card dealt or burnt is 1).

        A number that nothing has yet is a card that came out of the shoe and was thrown away.
        """
        self.draw = max(self.draw, int(rest[0]))
        self.add("CardDiscarded", draw=int(rest[0]), reason=" ".join(rest[1:]))

    def do_move(self, rest: list[str]) -> None:
        """`move 3:2 4:0`: draw:place."""
        moves = []
        for item in rest:
            number, _, where = item.partition(":")
            box, hand = place(where)
            moves.append({"draw": int(number), "box": box, "hand": hand})
        self.add("CardsMoved", moves=moves)

    def do_examine(self, rest: list[str]) -> None:
        self.add("HandExamined", box=int(rest[0]), player=rest[1])

    def do_reveal(self, rest: list[str]) -> None:
        box, hand = place(rest[0])
        self.add("HandRevealed", box=box, hand=hand)

    def do_button(self, rest: list[str]) -> None:
        self.add("ButtonPressed", box=int(rest[0]), player=rest[1], multiplier=int(rest[2]))

    def do_meter(self, rest: list[str]) -> None:
        self.add("JackpotRead", amount=cents(rest[0]))

    def do_note(self, rest: list[str]) -> None:
        """`note dealing_error [box 1] [hand 1] [player P1] [by dealer] [detail words ...]`."""
        own: dict[str, Any] = {"kind": rest[0], "by": "dealer"}
        own.update(_named(rest[1:]))
        self.add("IrregularityNoted", **own)

    def do_rule(self, rest: list[str]) -> None:
        """`rule not_reconstructable 5.9 [by pit_manager] [box 1] [hand 1] [detail ...]`."""
        if rest[0] not in RULINGS:
            raise ValueError(f"unknown ruling {rest[0]}")
        own: dict[str, Any] = {"ruling": rest[0], "clause": rest[1], "by": "pit_supervisor"}
        own.update(_named(rest[2:]))
        self.add("RulingMade", **own)

    def do_option(self, rest: list[str]) -> None:
        self.add("OptionTaken", box=int(rest[0]), player=rest[1], option=rest[2])

    def do_void(self, rest: list[str]) -> None:
        """`void 5.5.1 by pit_manager reason words`."""
        by, reason = "pit_supervisor", rest[1:]
        if reason[:1] == ["by"]:
            by, reason = reason[1], reason[2:]
        self.add("RoundVoided", by=by, clause=rest[0], reason=" ".join(reason) or "void")

    def _settlement(self, kind: str, rest: list[str], **more: Any) -> None:
        box, hand = place(rest[0])
        phase = "interim" if "interim" in rest[6:] else "final"
        self.add(
            kind,
            box=box,
            hand=hand,
            player=rest[1],
            bet=rest[2],
            stake=cents(rest[3]),
            stake_returned=cents(rest[4]),
            winnings=cents(rest[5]),
            phase=phase,
            **more,
        )

    def do_settle(self, rest: list[str]) -> None:
        """`settle 1 P1 initial 20.00 20.00 30.00 [interim]`: stake, returned, winnings."""
        self._settlement("BetSettled", rest)

    def do_correct(self, rest: list[str]) -> None:
        self._settlement("SettlementCorrected", rest[:6], reason=" ".join(rest[6:]) or "error")

    def do_end(self, rest: list[str]) -> None:
        self.add("RoundClosed")


def _named(rest: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    while rest:
        name, rest = rest[0], rest[1:]
        if name == "detail":
            out["detail"] = " ".join(rest)
            break
        if name not in {"box", "hand", "player", "by"}:
            raise ValueError(f"expected box, hand, player, by or detail, found {name}")
        out[name] = int(rest[0]) if name in {"box", "hand"} else rest[0]
        rest = rest[1:]
    return out
