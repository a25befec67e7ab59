"""`evenhand replay` and `evenhand rulebooks` as their users type them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from fastavro import writer

from events.codec import current_schema
from events.jsonl import event_fields, read_lines
from replay.registry import IDS
from tests.command import ROOT, evenhand

EXAMPLES = ROOT / "examples" / "rounds"
FILES = sorted(EXAMPLES.glob("*.jsonl"))


def answers(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_the_example_rounds_are_settled_as_recorded(file: Path, tmp_path: Path) -> None:
    done = evenhand(tmp_path, "replay", str(file), "--json")
    assert (done.returncode, done.stderr) == (0, "")
    (answer,) = answers(done.stdout)
    assert answer["status"] == "settled"
    assert answer["findings"] == []
    assert answer["lines"]


def test_there_is_an_example_for_each_rulebook() -> None:
    books = {event["rulebook"] for file in FILES for event in [_opening(file)]}
    assert books == set(IDS)


def _opening(file: Path) -> dict[str, str]:
    events = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    found: dict[str, str] = next(e for e in events if e["type"] == "RoundOpened")
    return found


def test_avro_and_json_give_the_same_answer(tmp_path: Path) -> None:
    file = next(f for f in FILES if "blackjack" in _opening(f)["rulebook"])
    records = []
    for number, envelope in enumerate(read_lines(file.open("rb"), str(file)), start=1):
        records.append(
            {
                "table": envelope.table or "T1",
                "round": envelope.round,
                "seq": envelope.seq or number,
                "at": envelope.at or 1_800_000_000_000_000 + number,
                "device": envelope.device or "console",
                "prev": envelope.prev or bytes(32),
                "event": (envelope.type, event_fields(envelope.event)),
            }
        )
    path = tmp_path / "round.avro"
    with path.open("wb") as out:
        writer(out, current_schema().parsed, records)
    avro = answers(evenhand(tmp_path, "replay", str(path), "--json").stdout)
    plain = answers(evenhand(tmp_path, "replay", str(file), "--json").stdout)
    assert avro[0]["lines"] == plain[0]["lines"]


def bad_inputs(folder: Path) -> dict[str, tuple[Path, str]]:
    """File -> what the sentence must say."""

    def made(name: str, content: bytes) -> Path:
        path = folder / name
        path.write_bytes(content)
        return path

    round_ = b'{"type": "RoundClosed", "round": "R"}\n'
    avro = folder / "whole.avro"
    with avro.open("wb") as out:
        writer(out, {"type": "record", "name": "X", "fields": [{"name": "a", "type": "int"}]}, [])
    return {
        "missing": (folder / "nowhere.jsonl", "there is no such file"),
        "folder": (folder, "expected a file, found a folder"),
        "empty": (made("empty", b""), "found an empty file"),
        "blank": (made("blank", b"\n\n"), "found only empty lines"),
        "text": (made("text", b"hello\n"), "byte 0: expected an Avro object container or JSON"),
        "no event": (made("none", round_ + b'{"a": 1}\n'), "line 2: field type is missing"),
        "not json": (made("broken", round_ + b"{oops\n"), "line 2: not JSON"),
        "bad field": (
            made("field", b'{"type": "BetsClosed", "round": "R", "colour": "red"}\n'),
            "line 1: BetsClosed: field colour is not in the contract",
        ),
        "not utf-8": (made("latin", b'{"type": "\xe9"}\n'), "line 1: expected UTF-8 text"),
        "cut avro": (made("cut.avro", avro.read_bytes()[:20]), "not a whole Avro file"),
    }


@pytest.mark.parametrize(
    "name",
    "missing folder empty blank text,no event,not json,bad field,not utf-8,cut avro".replace(
        "missing folder empty blank text", "missing,folder,empty,blank,text"
    ).split(","),
)
def test_bad_input_is_one_sentence_and_no_answer(name: str, tmp_path: Path) -> None:
    path, says = bad_inputs(tmp_path)[name]
    done = evenhand(tmp_path, "replay", str(path), "--json")
    assert done.returncode == 2
    assert done.stdout == ""
    assert says in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_readable_table_and_an_explanation(tmp_path: Path) -> None:
    file = next(f for f in FILES if "plus" in _opening(f)["rulebook"])
    done = evenhand(tmp_path, "replay", str(file), "--explain")
    assert done.returncode == 0
    assert "YES" in done.stdout
    assert "clauses" in done.stdout


def test_one_round_and_an_unknown_one(tmp_path: Path) -> None:
    file = FILES[0]
    round_id = _opening(file)["round"]
    assert evenhand(tmp_path, "replay", str(file), "--round", round_id).returncode == 0
    done = evenhand(tmp_path, "replay", str(file), "--round", round_id + "x")
    assert done.returncode == 2
    assert f"did you mean {round_id}?" in done.stderr


def test_readings_are_known_by_name(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "replay", str(FILES[0]), "--reading", "doubled21=other")
    assert done.returncode == 2
    assert "there is no reading 'doubled21'; the nearest are doubled-21, " in done.stderr
    done = evenhand(tmp_path, "replay", str(FILES[0]), "--reading", "doubled-21=maybe")
    assert "expected doubled-21=other or doubled-21=default, found maybe" in done.stderr


def test_rulebooks_as_the_contract_lists_them(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "rulebooks", "--json")
    books = json.loads(done.stdout)
    assert [book["id"] for book in books] == list(IDS)
    for book in books:
        known = {"id", "title", "version", "in_force_from", "fingerprint", "clauses"}
        assert set(book) == known | {"in_force_until", "property", "notice"}
        assert (book["property"], book["notice"]) == (book["id"].split("-")[-2].upper(), None)
        assert len(book["fingerprint"]) == 64
        for clause in book["clauses"]:
            assert set(clause) - {"reason"} == {"number", "gist", "held"}
            assert ("reason" in clause) == (clause["held"] == "not_observable")
    dates = {book["id"]: book["in_force_from"] for book in books}
    assert dates == {
        "pontoon-plus-rws-v5": "2020-12-01T00:00:00Z",
        "blackjack-rws-v5": None,
        "three-card-poker-rws-v3": "2020-03-17T00:00:00Z",
        "pontoon-pandemonium-rws-v4": "2017-07-20T00:00:00Z",
        "pontoon-mbs-v5": "2016-11-03T16:00:00Z",
    }


def test_replay_imports_nothing_heavy(tmp_path: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys; from pipelines.cli.main import cli; "
        f"cli.main(['replay', {str(FILES[0])!r}, '--json'], standalone_mode=False); "
        "print([m for m in ('dagster', 'great_expectations', 'duckdb', 'kafka') "
        "if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_an_amount_that_no_table_can_mean_is_refused(tmp_path: Path) -> None:
    round_ = {"type": "BetPlaced", "round": "R-1", "box": 1, "hand": 1, "player": "P1"}
    bet = round_ | {"bet": "initial", "amount": 10**12 + 1, "seated": True}
    (tmp_path / "one.jsonl").write_text(json.dumps(bet) + "\n", "utf-8")
    done = evenhand(tmp_path, "replay", "one.jsonl", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "evenhand: one.jsonl, line 1: BetPlaced, amount: expected at most 1000000000000 cents, "
        "found 1000000000001\n"
    )
    wide = {"EVENHAND_AMOUNT_LIMIT_CENTS": str(10**13)}
    assert evenhand(tmp_path, "replay", "one.jsonl", "--json", **wide).returncode == 0
