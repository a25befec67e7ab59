"""One answer for everybody: a file, the night, `show`, evidence and `what-if` agree on rounds
around the end of a gaming day, 06:00 in Singapore, which is 22:00 UTC.

Blackjack. P1's 6-7-8 of spades beats the dealer's 19 and wins 1 to 1; by Pontoon Plus it would be
paid more (4.1.1), so that `what-if` has something to say of a round that is settled, and nothing of
one that is void under both.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from events import codec, jsonl
from events.bounds import micros_of
from events.log.base import Outgoing
from events.log.files.log import FileLog
from events.model import ShoeStarted
from pipelines.evidence.derive import all_members
from pipelines.evidence.read import read_material
from pipelines.evidence.seal import pack, unpack
from pipelines.evidence.verify import verify
from pipelines.night.plain import run_day
from tests.checks.kit import PlayedRecord
from tests.checks.meter_kit import two_winners
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import ask, sent, settings_of
from tests.watch.kit import Heard

FIRST, SECOND = date(2026, 11, 14), date(2026, 11, 15)
TURN = datetime(2026, 11, 14, 22, tzinfo=UTC)
"""The second day begins."""
RESETS = {"J": {"reset_cents": 5_000_000, "growth_cents": 100}}

Answer = dict[str, Any]


class Turn:
    """One table's record around the end of the first day: round A before it, B after it."""

    def __init__(self, rulebook: str = "blackjack-rws-v5") -> None:
        self.record = PlayedRecord(rulebook=rulebook)
        self.record.at = TURN - timedelta(minutes=10)

    def play(self, name: str, *, end: bool = True) -> None:
        record = self.record
        record.open(name)
        suits = "SHDC"[: 1 + ord(name) - ord("A")][-1]
        record.play(
            name,
            "bet 1 P1 initial 10.00",
            "close",
            f"deal 1:6{suits} 0:9H 1:7{suits}",
            "hit 1 P1",
            f"deal 1:8{suits}",
            "deal 0:KD",
            "settle 1 P1 initial 10.00 10.00 10.00",
        )
        if end:
            record.add("RoundClosed", name)

    def next_day(self, minutes: int = 30) -> None:
        self.record.at = TURN + timedelta(minutes=minutes)


def not_shuffled(turn: Turn) -> list[bytes]:
    """The shoe starts at 05:50 and was not shuffled; B is played from it at 06:30."""
    turn.record.shoe(shuffled=False)
    turn.next_day()
    turn.play("B")
    return turn.record.sent


def not_shuffled_five_days_before(turn: Turn) -> list[bytes]:
    """The table stood still in between, but for the day's opening."""
    turn.record.at -= timedelta(days=5)
    turn.record.shoe(shuffled=False)
    for _ in range(4):
        turn.record.at += timedelta(days=1)
        turn.record.add("TableOpened", rulebook=turn.record.rulebook, currency="SGD")
    turn.next_day()
    turn.play("B")
    return turn.record.sent


def void_after_the_next_opened(turn: Turn) -> list[bytes]:
    turn.record.shoe()
    turn.play("A")
    turn.next_day()
    turn.record.open("C")
    turn.record.play("A", "void 5.5.2 by pit_manager a card was missing")
    turn.record.play("C", "end")
    return turn.record.sent


def ruling_after_the_next_opened(turn: Turn) -> list[bytes]:
    """Noted and ruled on too late: the round stands (5.6)."""
    turn.record.shoe()
    turn.play("A")
    turn.next_day()
    turn.record.open("C")
    turn.record.play("A", "note card_shortage by pit_supervisor")
    turn.record.play("A", "rule not_reconstructable 5.9 by pit_manager")
    turn.record.play("C", "end")
    return turn.record.sent


def note_before_the_next_opened(turn: Turn) -> list[bytes]:
    """After 06:00, but the next round has not begun: the round is void (5.5.2)."""
    turn.record.shoe()
    turn.play("A")
    turn.next_day()
    turn.record.play("A", "note card_shortage by pit_supervisor")
    turn.record.open("C")
    turn.record.play("C", "end")
    return turn.record.sent


def closed_after_the_next_opened(turn: Turn) -> list[bytes]:
    turn.record.shoe()
    turn.play("A", end=False)
    turn.next_day()
    turn.record.open("C")
    turn.record.add("RoundClosed", "A")
    turn.record.play("C", "end")
    return turn.record.sent


def late_event(turn: Turn) -> list[bytes]:
    """A's payment comes after everything else."""
    turn.record.shoe()
    turn.play("A")
    turn.next_day()
    turn.play("B")
    values = turn.record.sent
    paid = next(n for n, v in enumerate(values) if codec.decode(v).type == "BetSettled")
    return [*values[:paid], *values[paid + 1 :], values[paid]]


def last_event_late(turn: Turn) -> list[bytes]:
    """A's last event, and the day's, comes after all of the next day: B opened before it."""
    turn.record.shoe()
    turn.play("A")
    last = len(turn.record.sent) - 1
    turn.next_day()
    turn.play("B")
    values = turn.record.sent
    return [*values[:last], *values[last + 1 :], values[last]]


def last_event_twice(turn: Turn) -> list[bytes]:
    """It was there in time, and comes again after all of the next day."""
    turn.record.shoe()
    turn.play("A")
    last = turn.record.sent[-1]
    turn.next_day()
    turn.play("B")
    return [*turn.record.sent, last]


def end_late_and_corrected(turn: Turn) -> list[bytes]:
    """A's payment and end come last of all; its correction, with a later number than all of B, had
    come before them. B's opening is the nearest later one, though it is of another day."""
    turn.record.shoe()
    turn.play("A")
    last = len(turn.record.sent)
    turn.next_day()
    turn.play("B")
    turn.record.play("A", "correct 1 P1 initial 10.00 10.00 10.00 misread")
    values = turn.record.sent
    return [*values[: last - 2], *values[last:], *values[last - 2 : last]]


def correction_after_six(turn: Turn) -> list[bytes]:
    turn.record.shoe()
    turn.play("A")
    turn.next_day()
    turn.play("B")
    turn.record.play("A", "correct 1 P1 initial 10.00 10.00 5.00 misread")
    return turn.record.sent


def card_too_often_over_both_days(turn: Turn) -> list[bytes]:
    """The shoe of one deck has each card once; the dealer's two come again on the second day."""
    turn.record.shoe(decks=6)
    turn.play("A")
    turn.next_day()
    turn.record.draw += 1
    turn.play("B")
    return turn.record.sent


CASES: list[tuple[Callable[[Turn], list[bytes]], str, date, str, list[str]]] = [
    (not_shuffled, "B", SECOND, "void", ["missed_void"]),
    (not_shuffled_five_days_before, "B", SECOND, "void", ["missed_void"]),
    (void_after_the_next_opened, "A", FIRST, "settled", ["wrong_void"]),
    (ruling_after_the_next_opened, "A", FIRST, "settled", []),
    (note_before_the_next_opened, "A", FIRST, "void", ["missed_void"]),
    (closed_after_the_next_opened, "A", FIRST, "settled", ["incomplete_round"]),
    (late_event, "A", FIRST, "settled", ["out_of_order"]),
    (last_event_late, "A", FIRST, "settled", ["out_of_order"]),
    (last_event_twice, "A", FIRST, "settled", ["duplicate_event"]),
    (end_late_and_corrected, "A", FIRST, "settled", ["out_of_order"]),
    (correction_after_six, "A", FIRST, "settled", ["wrong_odds"]),
    (card_too_often_over_both_days, "B", SECOND, "settled", ["shoe_mismatch"]),
]


@pytest.mark.parametrize(("made", "name", "day", "status", "kinds"), CASES)
def test_everybody_gives_one_answer(
    tmp_path: Path,
    made: Callable[[Turn], list[bytes]],
    name: str,
    day: date,
    status: str,
    kinds: list[str],
) -> None:
    home, values = tmp_path / "home", made(Turn())
    sent(home, [Outgoing(b"T-1", value) for value in values])
    in_file = by_file(tmp_path, values, name)
    assert (in_file["status"], sorted(f["kind"] for f in in_file["findings"])) == (status, kinds)
    run_day(settings_of(home), day, with_suites=False)
    assert by_night(home, name) == whole(in_file)
    assert same_words(in_file, shown(home, name)) == in_file
    assert same_words(in_file, by_evidence(tmp_path, home, name)) == in_file
    assert by_what_if(home, name, day) == expected_of_what_if(in_file)
    assert by_watch(tmp_path / "live", values, name) == whole(in_file)["findings"]


FACTORY = datetime(2010, 1, 1, tzinfo=UTC)


def test_a_wrong_clock_loses_no_round(tmp_path: Path) -> None:
    """The clock stands at 2010. A arrives at 05:55, B at 06:30: each is a round of its day, judged
    by the rulebook in force then (a file knows no arrival, so that there is none for it)."""
    turn, home = Turn("pontoon-plus-rws-v5"), tmp_path / "home"
    turn.record.at = FACTORY
    turn.record.shoe()
    turn.play("A")
    first = len(turn.record.sent)
    turn.play("B")
    turn.record.at = TURN + timedelta(hours=1)  # somebody set it
    turn.play("C")
    values = turn.record.sent
    by_hand = [TURN - timedelta(minutes=5)] * first
    by_hand += [TURN + timedelta(minutes=30)] * (len(values) - first)
    pairs = zip(values, by_hand, strict=True)
    sent(home, [Outgoing(b"T-1", value, micros_of(at)) for value, at in pairs])
    for name, day, kinds in (
        ("A", FIRST, ["implausible_time", "wrong_odds"]),
        ("B", SECOND, ["implausible_time", "wrong_odds"]),
        ("C", SECOND, ["wrong_odds"]),
    ):
        in_file = by_file(tmp_path, values, name)
        if name != "C":
            assert [f["kind"] for f in in_file["findings"]] == ["rulebook_not_in_force"]
        run_day(settings_of(home), day, with_suites=False)
        stored, after = by_night(home, name), shown(home, name)
        assert (stored["status"], sorted(f["kind"] for f in stored["findings"])) == (
            "settled",
            kinds,
        )
        assert len(stored["lines"]) == 1
        assert whole(after) == whole(by_evidence(tmp_path, home, name)) == stored
        before = by_what_if(home, name, day, "blackjack-rws-v5")
        assert before == ("settled", after["lines"])
    (says,) = ask(home, "SELECT message FROM findings WHERE round = 'A' AND severity = 'integrity'")
    assert says[0] == (
        f"round A: a wrong clock: {first} events (events 1 to {first}) seen at 2010-01-01 00:00:01 "
        f"to 2010-01-01 00:00:{first:02d} UTC arrived at 2026-11-14 21:55:00 UTC; they count at "
        f"their arrival"
    )
    assert ask(home, "SELECT day FROM rounds ORDER BY round") == [(FIRST,), (SECOND,), (SECOND,)]
    by_evidence(tmp_path, home, "A")
    content = (tmp_path / "evidence.zip").read_bytes()
    word = {one.statement: one.says for one in verify(content).word}
    assert "count at their arrival" in word["arrived"], "nothing proves it"


def by_file(folder: Path, values: list[bytes], name: str) -> Answer:
    """What `evenhand replay FILE --json` prints."""
    path = folder / "events.jsonl"
    path.write_text("".join(jsonl.dumps(codec.decode(value)) + "\n" for value in values))
    done = evenhand_here(folder, "replay", str(path), "--json", "--round", name)
    assert done.returncode == 0, done.stderr
    answer: Answer = json.loads(done.stdout)
    return answer


def by_watch(home: Path, values: list[bytes], name: str) -> list[Any]:
    """The findings of the round that stand once `evenhand watch` has read everything."""
    with closing(FileLog(home / "log", write=True)) as log:
        log.append([Outgoing(b"T-1", value) for value in values])
    done = evenhand_here(home, "watch", "--once", "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    heard = Heard()
    heard.lines(done.stdout)
    found = (f for f in heard.stands.values() if f["round"] == name)
    return sorted(map(_told, found), key=lambda f: str(f["id"]))


def shown(home: Path, name: str) -> Answer:
    done = evenhand_here(home.parent, "show", name, "--json", EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    answer: Answer = json.loads(done.stdout)
    return answer


def by_evidence(folder: Path, home: Path, name: str) -> Answer:
    """The answer in a zip that a stranger finds sound."""
    path = folder / "evidence.zip"
    env = {"EVENHAND_HOME": str(home)}
    done = evenhand_here(folder, "evidence", name, "-o", str(path), **env)
    assert done.returncode == 0, done.stderr
    found = evenhand_here(folder, "evidence", "--verify", str(path), EVENHAND_HOME=str(folder))
    assert found.returncode == 0, found.stdout
    with zipfile.ZipFile(path) as file:
        answer: Answer = json.loads(file.read("answer.json"))
    return answer


def same_words(like: Answer, answer: Answer) -> Answer:
    """What the other prints too."""
    return {key: answer[key] for key in like}


FINDING = (
    "id kind severity table_id round seq box hand player bet expected recorded money too_much "
    "too_little clauses message"
)
LINE = "box hand player bet stake stake_returned winnings outcome odds clauses readings"


def by_night(home: Path, name: str) -> Answer:
    """The rows that the night stored, as an answer."""
    where = f"WHERE round = '{name}'"
    columns = "round, table_id, rulebook, status, void_clause"
    (row,) = ask(home, f"SELECT {columns} FROM rounds {where}")
    lines = ask(home, f"SELECT {LINE.replace(' ', ', ')} FROM lines {where}")
    found = ask(home, f"SELECT {FINDING.replace(' ', ', ')} FROM findings {where}")
    return {
        **dict(zip("round table rulebook status void_clause".split(), row, strict=True)),
        "lines": sorted((dict(zip(LINE.split(), r, strict=True)) for r in lines), key=str),
        "findings": sorted((_finding(r) for r in found), key=lambda f: f["id"]),
    }


def _finding(row: tuple[Any, ...]) -> dict[str, Any]:
    names = FINDING.replace("table_id", "table").split()
    found = dict(zip(names, row, strict=True))
    for side in ("expected", "recorded"):
        found[side] = None if found[side] is None else json.loads(found[side])
    return found


def whole(answer: Answer) -> Answer:
    """An answer as the night's rows give it: in no order of its own."""
    return {
        **{key: answer[key] for key in "round table rulebook status void_clause".split()},
        "lines": sorted(answer["lines"], key=str),
        "findings": sorted(map(_told, answer["findings"]), key=lambda f: str(f["id"])),
    }


def _told(finding: dict[str, Any]) -> dict[str, Any]:
    """A finding as all ways tell it; `show` says besides to which episode it belongs."""
    return {name: value for name, value in finding.items() if name != "episode"}


def by_what_if(
    home: Path, name: str, day: date, other: str = "pontoon-plus-rws-v5"
) -> tuple[str, list[Any]] | None:
    """What the round gives today, where another text would give something else."""
    done = evenhand_here(
        home.parent, "what-if", "--rulebook", other, "--from", str(day),
        "--to", str(day), "--json", EVENHAND_HOME=str(home),
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    changed = [c for c in json.loads(done.stdout)["changed"] if c["round"] == name]
    return (
        (changed[0]["status_before"], [c["before"] for c in changed[0]["lines"]])
        if changed
        else None
    )


def expected_of_what_if(answer: Answer) -> tuple[str, list[Any]] | None:
    return None if answer["status"] == "void" else (answer["status"], answer["lines"])


def test_what_other_tables_show_comes_from_the_published_run(tmp_path: Path) -> None:
    """B's winner was paid what the meter showed after A's (4.9.1): by itself his round is paid
    wrongly, and only both tables show why it was not. Before the night nobody has looked."""
    home, link = tmp_path / "home", two_winners()
    tables = link.tables.values()
    sent(home, [Outgoing(t.table.encode(), value) for t in tables for value in t.sent])
    before = shown(home, "B")
    assert [f["kind"] for f in before["findings"]] == ["wrong_odds"]
    assert before["not_looked_at"] == ["meter"]
    assert b"not looked at" in text_of(home, "B")
    run_day(settings_of(home, jackpots=RESETS), FIRST, with_suites=False)
    stored, after = by_night(home, "B"), shown(home, "B")
    assert [f["kind"] for f in stored["findings"]] == ["discretion"]
    assert whole(after) == whole(by_evidence(tmp_path, home, "B")) == stored
    assert "not_looked_at" not in after
    assert b"not looked at" not in text_of(home, "B")
    with zipfile.ZipFile(tmp_path / "evidence.zip") as file:
        assert "casino's own run" in file.read("README.txt").decode()
        (also,) = json.loads(file.read("findings.json"))["also_known"]
    assert also["kind"] == "discretion"


def text_of(home: Path, name: str) -> bytes:
    done = evenhand_here(home.parent, "show", name, EVENHAND_HOME=str(home))
    assert done.returncode == 0, done.stderr
    return done.stdout.encode()


def test_the_start_of_the_shoe_is_proved_on_the_day_on_which_it_lies(tmp_path: Path) -> None:
    """Both days are sealed; the file has the lines of both, and whoever leaves the start out, or
    says that it was shuffled, is found out."""
    home = tmp_path / "home"
    sent(home, [Outgoing(b"T-1", value) for value in not_shuffled(Turn())])
    sealed = evenhand_here(tmp_path, "checkpoints", "--now", EVENHAND_HOME=str(home))
    assert sealed.returncode == 0, sealed.stderr
    by_evidence(tmp_path, home, "B")
    content = (tmp_path / "evidence.zip").read_bytes()
    material = read_material(unpack(content))
    assert material.shoe_seq == 1
    assert [decode_type(m.value) for m in material.beside] == ["ShoeStarted"]
    assert {entry.seq for entry in material.chain} >= {1, *material.numbers()}
    assert any(c.seals(1) for c in material.checkpoints)
    left_out = all_members(replace(material, beside=()))
    assert {one.kind for one in verify(pack(left_out)).wrong} == {"bytes"}
    denied = all_members(replace(material, beside=(), shoe_seq=None))
    assert "How the round's shoe began" in denied["README.txt"].decode()
    shuffled = replace(codec.decode(material.beside[0].value), event=ShoeStarted("S1", 6, True))
    other = material.beside[0]._replace(value=codec.encode(shuffled))
    assert not verify(pack(all_members(replace(material, beside=(other,))))).sound


def decode_type(value: bytes) -> str:
    return codec.decode(value).type
