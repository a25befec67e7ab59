"""`evenhand golden`: anybody's rounds, with the differences in the words of their language."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.command import evenhand
from tests.golden import GOLDEN

ROUND = """
rulebook: pontoon-mbs-v5
by: somebody else
on: 2026-11-18
paragraphs: ["3.9.2"]
rounds:
  - name: 3.9.2 a jack and a king are split and make no Pontoon
    play:
      - bet 1 P1 initial 10.00
      - close
      - deal 1:KS 0:9H 1:JS
      - split 1 P1 -> 2
      - bet 1.2 P1 split 10.00
      - deal 1:AC
      - deal 1.2:9D
      - stand 1.2 P1
      - deal 0:AD
    lines:
      - "1 P1 initial 10.00: win 10.00 + {won} (3.9.2)"
      - "1.2 P1 split 10.00: lose 0 + 0 (4.3.1)"
    findings: [{finding}]
"""


def written(folder: Path, text: str, **values: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text.format(**{"won": "10.00", "finding": "", **values}), "utf-8")
    return str(path)


def test_rounds_that_hold(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "golden", written(tmp_path, ROUND), str(GOLDEN / "pontoon-mbs-v5"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("hold, 0 do not\n")


def test_what_differs_is_told_in_the_language_of_the_rounds(tmp_path: Path) -> None:
    path = written(tmp_path, ROUND, won="15.00", finding="illegal_bet 1 P1 split")
    done = evenhand(tmp_path, "golden", path)
    assert done.returncode == 1
    assert "expected 1 P1 initial 10.00: win 10.00 + 15.00 (3.9.2)" in done.stdout
    assert "found 1 P1 initial 10.00: win 10.00 + 10.00 (" in done.stdout
    assert "findings: expected illegal_bet 1 P1 split, found no such finding" in done.stdout
    assert "1 golden rounds: 0 hold, 1 do not" in done.stdout


def test_json_is_one_object_a_round(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "golden", written(tmp_path, ROUND, won="15.00"), "--json")
    (row,) = (json.loads(line) for line in done.stdout.splitlines())
    assert (row["rulebook"], row["holds"], len(row["differences"])) == ("pontoon-mbs-v5", False, 1)


BAD = {
    "rulebook: pontoon-mbs-v6\nrounds: []": "no rulebook pontoon-mbs-v6",
    "rulebook: pontoon-mbs-v5": "expected `rulebook:` and a list `rounds:`",
    "rounds: [": "not a file of golden rounds",
    "\x00": "not a file of golden rounds",
    "- [" * 3000: "not a file of golden rounds",
    ROUND.replace("stand 1.2", "sit 1.2"): "there is no step sit",
    ROUND.replace("deal 0:AD", "deal"): "",
    ROUND.replace("10.00\n      - close", "ten\n      - close"): "cannot read",
    ROUND.replace("close", "bet 1"): "cannot read",
    ROUND.replace("win 10.00 +", "wins 10.00"): "not an expected line",
    ROUND.replace("    play:", "    plays:"): "unknown keys ['plays']",
    ROUND.replace("    play:", "    why: [3]\n    table: 7\n    play:"): "round 1",
    ROUND.replace("rounds:", "hands: 3\nrounds:"): "unknown keys hands",
    ROUND.replace("on: 2026-11-18", "on: soon"): "`on` is a date",
}


@pytest.mark.parametrize("text", [text for text, says in BAD.items() if says])
def test_what_cannot_be_read_is_one_sentence_and_exit_2(tmp_path: Path, text: str) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace("{won}", "10.00").replace("{finding}", ""), "utf-8")
    done = evenhand(tmp_path, "golden", str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("evenhand: ")
    assert BAD[text] in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "golden", "nowhere.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "nowhere.yaml: there is no such file" in done.stderr
