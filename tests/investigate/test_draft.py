"""A draft of a rulebook in a folder outside the code: held against the approved one, and priced."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from datetime import timedelta
from pathlib import Path

import pytest

from events.model import Envelope, RoundOpened
from tests.command import ROOT, evenhand
from tests.investigate.conftest import DAY
from tests.investigate.here import evenhand_here

V5, V6 = "pontoon_mbs_v5", "pontoon_mbs_v6"


@pytest.fixture(scope="module")
def draft(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """MBS with a pair at 12 to 1 instead of 11, and one paragraph less."""
    folder = tmp_path_factory.mktemp("drafts") / V6
    shutil.copytree(ROOT / "replay" / "rulebooks" / V5, folder)
    for path in folder.glob("*.py"):
        text = path.read_text("utf-8").replace(V5, V6).replace("pontoon-mbs-v5", "pontoon-mbs-v6")
        text = text.replace("is_pair, win(11)", "is_pair, win(12)")
        gist = "The point total is what the cards of a hand add up to."
        path.write_text(text.replace(f'    Clause("1.1.8", "{gist}", "defines"),\n', ""), "utf-8")
    return folder


def test_two_versions_clause_by_clause(draft: Path) -> None:
    done = evenhand(ROOT, "rulebooks", "diff", "pontoon-mbs-v5", str(draft), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["from"], found["to"]) == ("pontoon-mbs-v5", "pontoon-mbs-v6")
    assert [(c["what"], c["after"]) for c in found["clauses"]] == [("1.1.8", None)]
    (rule,) = found["rules"]
    assert rule["what"] == "player_pair: the first two cards are a pair"
    assert "win 11 to 1" in rule["before"]
    assert "win 12 to 1" in rule["after"]
    assert found["readings"] == []


def test_any_two_and_for_a_person() -> None:
    done = evenhand_here(ROOT, "rulebooks", "diff", "blackjack-rws-v5", "pontoon-plus-rws-v5")
    assert done.returncode == 0
    assert "player_pair: the initial two cards are a pair" in done.stdout
    same = evenhand_here(ROOT, "rulebooks", "diff", "pontoon-mbs-v5", "pontoon-mbs-v5").stdout
    assert [line.split(" ─")[0] for line in same.splitlines()] == [
        "clauses: 0 differ", "rules: 0 differ", "readings: 0 differ",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["diff", "pontoon-mbs-v5"], "give two rulebooks, each an id or a folder"),
        (["diff", "pontoon-mbs-v5", "pontoon-mbs-v9"], "did you mean pontoon-mbs-v5?"),
        (["diff", "pontoon-mbs-v5", "/nowhere/at_all"], "with an __init__.py, found none"),
    ],
)
def test_what_is_no_rulebook_is_one_sentence(args: list[str], says: str) -> None:
    done = evenhand_here(ROOT, "rulebooks", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr


def test_a_draft_is_priced_on_past_play_as_a_page(draft: Path, tmp_path: Path) -> None:
    """Each pair that won pays its stake once more."""
    play = ["simulate", "--tables", "1", "--rounds", "300", "--seed", "3", "--day", DAY]
    assert evenhand(tmp_path, *play, "--rulebook", "pontoon-mbs-v5").returncode == 0
    assert evenhand(tmp_path, "ingest").returncode == 0
    page = tmp_path / "draft.html"
    args = ["what-if", "--rulebook", str(draft), "--of", "pontoon-mbs-v5", "--from", DAY]
    done = evenhand(tmp_path, *args, "--to", DAY, "--json", "--html", str(page))
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    lines = [line for changed in report["changed"] for line in changed["lines"]]
    assert lines
    for line in lines:
        assert (line["before"]["bet"], line["before"]["odds"]) == ("player_pair", "11:1")
        assert line["money"] == line["before"]["stake"]
    assert report["money"] == sum(line["money"] for line in lines)
    text = page.read_text("utf-8")
    assert "(draft, not approved)" in text
    assert "win 12 to 1" in text
    assert "<script" not in text


def _rulebook(events: Iterable[Envelope]) -> str | None:
    return next((e.event.rulebook for e in events if isinstance(e.event, RoundOpened)), None)


def test_a_rulebook_that_has_ended_is_not_in_force(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from replay import engine
    from replay.fold import EPOCH, fold_round
    from replay.registry import rulebook
    from tests.golden import load_all

    golden = next(g for g in load_all() if _rulebook(g.events) == "pontoon-mbs-v5")
    facts = fold_round(golden.events, round_id=golden.events[-1].round)
    book = rulebook("pontoon-mbs-v5")
    assert book is not None
    facts.opened_at = 1_790_000_000_000_000  # in 2026; golden rounds have no clock
    opened = EPOCH + timedelta(microseconds=facts.opened_at)
    for ends, kinds in ((opened, ["rulebook_not_in_force"]), (opened + timedelta(1), [])):
        ended = replace(book, in_force_until=ends)
        monkeypatch.setattr(engine, "rulebook", lambda name, ended=ended: ended)
        found = [f.kind for f in engine.replay_round(facts).findings]
        assert [kind for kind in found if kind == "rulebook_not_in_force"] == kinds
