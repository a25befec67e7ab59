"""`evenhand readings`, and settings that name a reading which is not in the register."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.investigate.here import evenhand_here

TURNED = json.dumps({"late-bet": "other"})


def test_the_register_says_which_reading_is_in_force(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "readings", "--json", EVENHAND_READINGS=TURNED)
    rows = {row["id"]: row for row in json.loads(done.stdout)}
    names = ["id", "rulebooks", "clauses", "question", "default", "other", "in_force"]
    assert all(list(row) == names for row in rows.values())
    assert {name for name, row in rows.items() if row["in_force"] == "other"} == {"late-bet"}
    shared = rows["surrender-in-a-shared-box"]  # the card has it for the four games to 21
    assert len(shared["rulebooks"]) == 4
    assert shared["clauses"]["pontoon-mbs-v5"] == ["3.10", "3.11.4.1"]  # its 3.8 is the split
    assert list(shared["clauses"]) == shared["rulebooks"]
    assert all(numbers for row in rows.values() for numbers in row["clauses"].values())


def test_one_reading_for_a_person(tmp_path: Path) -> None:
    done = evenhand_here(tmp_path, "readings", "late-bet", EVENHAND_READINGS=TURNED)
    lines = done.stdout.splitlines()
    assert lines[0] == "late-bet"
    assert [line[2] for line in lines if ": " in line and line[4:9] in {"defau", "other"}] == [
        " ",
        "*",
    ]


@pytest.mark.parametrize(
    "args",
    [("config",), ("nightly",), ("replay", "x.jsonl"), ("readings",), ("show", "R"), ("verify",)],
    ids=lambda args: args[0],
)
def test_an_unknown_reading_is_refused_by_every_command(
    tmp_path: Path, args: tuple[str, ...]
) -> None:
    (tmp_path / "x.jsonl").write_text(
        '{"type": "TableOpened", "rulebook": "blackjack-rws-v5", "currency": "SGD"}\n', "utf-8"
    )
    done = evenhand_here(tmp_path, *args, EVENHAND_READINGS='{"R07": "other"}')
    assert done.returncode == 2
    assert done.stdout == ""
    assert "EVENHAND_READINGS: there is no reading 'R07'; the nearest are " in done.stderr


def test_the_nearest_ids_are_named(tmp_path: Path) -> None:
    (tmp_path / "evenhand.toml").write_text('[readings]\nlate-bets = "other"\n', "utf-8")
    done = evenhand_here(tmp_path, "config")
    assert done.returncode == 2
    assert "there is no reading 'late-bets'; the nearest are late-bet, " in done.stderr
    asked = evenhand_here(tmp_path.parent, "readings", "late-bets")
    assert (asked.returncode, asked.stdout) == (2, "")
