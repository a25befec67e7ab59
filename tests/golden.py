"""Golden rounds: a round of play and what the text gives for it, in words that people can check.

docs/golden-rounds.md describes the language. Every expected value in such a file comes from
reading the rulebook, never from running the code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from events.contract import DECISIONS, RULINGS
from events.jsonl import from_flat
from events.model import Envelope
from tests.checks.contract import OF_THE_COMPARISON, SEVERITY_OF

GOLDEN = Path(__file__).parent / "replay" / "golden"

LINE = re.compile(
    r"(?P<place>\d+(\.\d+)?) (?P<player>\S+) (?P<bet>\w+) (?P<stake>[\d.]+): "
    r"(?P<outcome>\w+) (?P<returned>[\d.]+) \+ (?P<winnings>[\d.]+)"
    r"( \((?P<clauses>[^)]*)\))?( \{(?P<readings>[^}]*)\})?"
)
FINDING = re.compile(
    r"(?P<kind>\w+)( (?P<place>\d+(\.\d+)?))?( (?P<player>P\w+))?( (?P<bet>[a-z_0-9]+))?"
    r"( (?P<money>[+-][\d.]+))?( \((?P<clauses>[^)]*)\))?( @ (?P<step>.+))?"
)


def cents(text: str) -> int:
    """`12.50` or `12` as cents."""
    whole, _, part = text.partition(".")
    if part and len(part) != 2:
        raise ValueError(f"{text}: an amount is written 12 or 12.50")
    return int(whole) * 100 + int(part or 0)


def place(text: str) -> tuple[int, int]:
    """`3` is box 3, hand 1; `3.2` its second hand; `0` the dealer."""
    box, _, hand = text.partition(".")
    return int(box), (int(hand) if hand else (0 if box == "0" else 1))


def clause_list(text: str | None) -> tuple[str, ...]:
    return tuple(c.strip() for c in text.split(",")) if text else ()


@dataclass(frozen=True)
class Cited:
    """Clauses that must be cited; with `only` no other may be."""

    clauses: tuple[str, ...]
    only: bool

    def unlike(self, found: tuple[str, ...]) -> bool:
        if self.only:
            return set(self.clauses) != set(found)
        return not set(self.clauses) <= set(found)


def cited(text: str | None) -> Cited:
    """`3.16, 4.1.1`, or `only 3.16` where nothing else may be cited."""
    only = text is not None and text.startswith("only ")
    return Cited(clause_list(text.removeprefix("only ") if text else None), only)


@dataclass(frozen=True)
class ExpectedLine:
    key: tuple[int, int, str, str]
    money: tuple[int, int, int, str]  # stake, stake returned, winnings, outcome
    cited: Cited
    readings: tuple[str, ...] | None


@dataclass(frozen=True)
class ExpectedFinding:
    kind: str
    place: tuple[int, int] | None
    player: str | None
    bet: str | None
    money: int | None
    cited: Cited
    step: str | None  # the line of play that shows it


def parse_line(text: str) -> ExpectedLine:
    m = LINE.fullmatch(text.strip())
    if m is None:
        raise ValueError(f"not an expected line: {text}")
    box, hand = place(m["place"])
    readings = clause_list(m["readings"]) if m["readings"] is not None else None
    return ExpectedLine(
        (box, hand, m["player"], m["bet"]),
        (cents(m["stake"]), cents(m["returned"]), cents(m["winnings"]), m["outcome"]),
        cited(m["clauses"]),
        readings,
    )


def parse_finding(text: str) -> ExpectedFinding:
    m = FINDING.fullmatch(text.strip())
    if m is None:
        raise ValueError(f"not an expected finding: {text}")
    money = None
    if m["money"]:
        money = cents(m["money"][1:]) * (-1 if m["money"][0] == "-" else 1)
    where = place(m["place"]) if m["place"] else None
    return ExpectedFinding(
        m["kind"], where, m["player"], m["bet"], money, cited(m["clauses"]), m["step"]
    )


@dataclass
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
        else:
            getattr(self, "do_" + verb)(rest)

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
        """`discard 7 why`: 7 is the draw number (the first card dealt or burnt is 1)."""
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


DEFAULT_LIMITS = {
    "initial": (5, 5000),
    "ante": (5, 5000),
    "pair_plus": (5, 1000),
    "player_pair": (1, 1000),
    "bonus": (1, 1000),
    "under_13": (1, 1000),
    "over_13": (1, 1000),
    "pandemonium": (1, 1000),
}
BETS_OF = {
    "pontoon-plus-rws-v5": ("initial", "player_pair", "bonus"),
    "blackjack-rws-v5": ("initial", "player_pair", "under_13", "over_13"),
    "pontoon-pandemonium-rws-v4": ("initial", "player_pair", "pandemonium"),
    "pontoon-mbs-v5": ("initial", "player_pair"),
    "three-card-poker-rws-v3": ("ante", "pair_plus"),
}


@dataclass(frozen=True)
class Golden:
    """One golden round: the events, and what the text gives."""

    name: str
    file: str
    rulebook: str
    events: list[Envelope]
    status: str
    void_clause: str | None
    lines: list[ExpectedLine]
    findings: list[ExpectedFinding]
    other: dict[str, list[ExpectedLine]]
    other_findings: dict[str, list[ExpectedFinding]]
    settled: bool
    steps: dict[str, range]  # a line of play -> the places of its events in the round
    near: tuple[str, ...] = ()  # kinds of finding that it only just does not raise

    @property
    def id(self) -> str:
        return f"{self.rulebook} {self.name}"


def _opening(rulebook: str, table: dict[str, Any]) -> dict[str, Any]:
    limits = {}
    for bet in BETS_OF[rulebook]:
        low, high = table.get("limits", {}).get(bet, DEFAULT_LIMITS[bet])
        limits[bet] = {"min": cents(str(low)), "max": cents(str(high))}
    single = rulebook.startswith("three")
    out: dict[str, Any] = {
        "rulebook": rulebook,
        "shoe": "S1",
        "decks": table.get("decks", 1 if single else 6),
        "boxes": table.get("boxes", 7),
        "limits": limits,
    }
    if single:
        out["jackpot_bet"] = cents(str(table.get("jackpot_bet", 5)))
    if "dealt_from" in table:
        out["dealt_from"] = table["dealt_from"]
    return out


def load(case: dict[str, Any], rulebook: str, file: str) -> Golden:
    unknown = set(case) - {
        "name",
        "table",
        "play",
        "lines",
        "findings",
        "other",
        "other_findings",
        "status",
        "void",
        "why",
        "near",
    }
    if unknown:
        raise ValueError(f"{file}, {case.get('name')}: unknown keys {sorted(unknown)}")
    name, table = str(case["name"]), case.get("table", {})
    script = Script(round=re.sub(r"[^\w.]+", "-", name)[:60])
    if "shuffled" in table:
        script.out.append(
            {
                "type": "ShoeStarted",
                "shoe": "S1",
                "decks": table.get("decks", 1 if rulebook.startswith("three") else 6),
                "shuffled": table["shuffled"],
            }
        )
    script.add("RoundOpened", **_opening(rulebook, table))
    play = [str(line) for line in case["play"]]
    first = len(script.out) - 1
    steps: dict[str, range] = {}
    for line in play:
        begins = len(script.out) - first
        try:
            script.run(line)
        except (ValueError, IndexError, AttributeError) as error:
            raise ValueError(f"{file}, {name}: cannot read {line!r}: {error}") from error
        steps[line] = range(begins, len(script.out) - first)
    void = case.get("void")
    status = case.get("status", "void" if void else "settled")
    if play[-1] != "end" and status != "incomplete":
        script.add("RoundClosed")
    other = {k: [parse_line(t) for t in v or []] for k, v in case.get("other", {}).items()}
    turned = {
        k: [parse_finding(t) for t in v or []] for k, v in case.get("other_findings", {}).items()
    }
    findings = [parse_finding(t) for t in case.get("findings") or []]
    for finding in (*findings, *(f for some in turned.values() for f in some)):
        if finding.step is not None and play.count(finding.step) != 1:
            raise ValueError(f"{file}, {name}: {finding.step!r} is not one line of the play")
    settled = any(line.split()[0] in {"settle", "correct"} for line in play)
    near = clause_list(case.get("near"))
    if problem := _not_near(near, findings, settled=settled):
        raise ValueError(f"{file}, {name}: {problem}")
    return Golden(
        name,
        file,
        rulebook,
        [from_flat(e) for e in script.out],
        status,
        None if void is None else str(void),
        [parse_line(t) for t in case.get("lines") or []],
        findings,
        other,
        turned,
        settled,
        steps,
        near,
    )


def _not_near(
    near: tuple[str, ...], findings: list[ExpectedFinding], *, settled: bool
) -> str | None:
    """Why a round is no near miss of a kind of finding."""
    for kind in near:
        if kind not in SEVERITY_OF:
            return f"near: there is no kind {kind}"
        if kind in {finding.kind for finding in findings}:
            return f"near: {kind} is among the findings, so it is no miss"
        if kind in OF_THE_COMPARISON and not settled:
            return f"near: {kind} can only be missed by a round that was settled"
    return None


# The same language either way; libyaml reads it ten times faster, where it is there.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@cache
def _all(folder: Path) -> tuple[Golden, ...]:
    out: list[Golden] = []
    for path in sorted(folder.rglob("*.yaml")):
        document = yaml.load(path.read_text("utf-8"), _LOADER)
        out += [load(case, document["rulebook"], path.name) for case in document["rounds"]]
    return tuple(out)


def load_all(folder: Path = GOLDEN) -> list[Golden]:
    """Every golden round under the folder, in the order of files and cases; read once."""
    return list(_all(folder))
