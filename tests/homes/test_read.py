"""A home that an earlier version left gives the answers that it gave then."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from events.formats import ARCHIVE
from tests.homes.kept import NAMES, KeptHome

MONEY = ("box", "hand", "player", "bet", "stake", "stake_returned", "winnings", "outcome")


def money_lines(answer: dict[str, Any]) -> list[list[Any]]:
    return [[line[name] for name in MONEY] for line in answer["lines"]]


def kinds(findings: list[dict[str, Any]]) -> Counter[tuple[Any, ...]]:
    """Findings without their ids, which are not promised from version to version."""
    return Counter((f["kind"], f["box"], f["hand"], f["player"], f["money"]) for f in findings)


def kinds_of_the_night(kept: KeptHome, name: str) -> Counter[tuple[Any, ...]]:
    """What the night found about a round. Version 1's `show` did not tell all of it."""
    rows = [row for row in kept.answers["findings"] if row[5] == name]
    found = Counter((kind, *row[6:9], row[10]) for row in rows for kind in row[2:3])
    assert kinds(kept.answers["show"][name]["findings"]) <= found
    return found


def test_there_is_a_home_of_the_first_formats_and_of_later_ones() -> None:
    assert {"v1", "v2"} <= set(NAMES)


def test_it_names_no_path_of_the_machine_that_made_it(kept: KeptHome) -> None:
    """Catalogue and alerts have whole paths: all of one folder, which is nobody's. A database may
    cut one short at the end of a block."""
    paths = re.compile(rb"/(?:home|root|work|Users|private|srv|tmp|var)/[\w.-]+")
    files = (f for f in kept.home.rglob("*") if f.is_file())
    found = {Path(p.decode()) for f in files for p in paths.findall(f.read_bytes())}
    assert [
        p for p in found if not ("evenhand-home".startswith(p.name) and len(p.parts) == 3)
    ] == []


def test_verify(kept: KeptHome) -> None:
    then = kept.answers["verify"]
    now = kept.asked("verify", "--json", codes=(0, 1))
    for part, key in (("days", "day"), ("tables", "table")):
        names = (key, "events", "verdicts", "problems")
        assert [{n: d[n] for n in names} for d in now[part]] == [
            {n: d[n] for n in names} for d in then[part]
        ]
    assert [t["head"] for t in now["tables"]] == [t["head"] for t in then["tables"]]
    assert (now["published"]["problems"], now["log"]["problems"]) == ([], [])
    if kept.name == "v1":
        assert "unsigned, from before" in now["published"]["notes"][0]


def test_quarantine(kept: KeptHome) -> None:
    names = "day key kind offset partition raw reason sha256 source table".split()
    now = [{n: q[n] for n in names} for q in kept.asked("quarantine", "--json")]
    assert now == [{n: q[n] for n in names} for q in kept.answers["quarantine"]]
    assert {q["source"].split(":")[0] for q in now} == {"file", "kafka"}


def test_show(kept: KeptHome) -> None:
    assert kept.answers["show"]
    for name, then in (kept.answers["show"] | kept.since["show"]).items():
        now = kept.asked("show", name, "--json")
        assert [now[n] for n in ("round", "table", "rulebook", "status", "void_clause")] == [
            then[n] for n in ("round", "table", "rulebook", "status", "void_clause")
        ]
        assert money_lines(now) == money_lines(then), name
        assert kinds(now["findings"]) == kinds_of_the_night(kept, name), name


def test_what_if(kept: KeptHome) -> None:
    then = kept.answers["what_if"] | kept.since["what_if"]
    first, last = kept.answers["days"][0], kept.answers["days"][-1]
    now = kept.asked(
        "what-if", "--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5",
        "--from", first, "--to", last, "--json",
    )  # fmt: skip
    assert (now["rounds"], now["money"]) == (then["rounds"], then["money"])
    pairs = zip(now["by_table"], then["by_table"], strict=True)
    assert [{n: new[n] for n in old} for new, old in pairs] == then["by_table"]


def test_evidence(kept: KeptHome, tmp_path: Path) -> None:
    for number, name in enumerate(kept.answers["show"]):
        file = tmp_path / f"{number}.zip"
        made = kept.run("evidence", name, "-o", str(file))
        assert made.returncode == 0, made.stderr
        checkpoints = str(kept.home / "checkpoints.jsonl")
        verified = kept.run("evidence", "--verify", str(file), "--checkpoints", checkpoints)
        assert verified.returncode == 0, verified.stdout


def test_checkpoints(kept: KeptHome) -> None:
    done = kept.run("checkpoints", "--all", "--json")
    assert done.stdout.splitlines() == kept.answers["checkpoints"]


def test_the_file_log_goes_on_where_it_stopped(copy: KeptHome) -> None:
    """Nothing of it is taken a second time."""
    found = copy.archive_format
    if found < ARCHIVE.version:
        refused = copy.run("ingest")
        assert refused.returncode == 2
        says = f"in format {ARCHIVE.version}, found {found}; evenhand upgrade moves it"
        assert says in refused.stderr
    assert copy.run("upgrade").returncode == 0
    taken = copy.run("ingest")
    assert (taken.returncode, taken.stderr[:9]) == (0, "0 events,"), taken.stderr


def answers_of_the_warehouse_hold(kept: KeptHome, anew: Collection[str] = ()) -> None:
    """Counts, money and findings are those of then; of days audited `anew` those of now."""
    more, gone = (
        [row for row in kept.since["findings"][which] if row[0] in anew]
        for which in ("more", "gone")
    )
    found = [row for row in found_then(kept) if row not in gone] + more
    then = kept.answers["counts"] | {"findings": len(found)}
    then["runs"] += len(anew)
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in then)
    assert dict(zip(then, kept.rows(f"SELECT {counts}")[0], strict=True)) == then
    assert kept.rows("SELECT sum(stake), sum(stake_returned), sum(winnings) FROM lines") == [
        kept.answers["money"]
    ]
    assert found_in(kept) == sorted(found, key=in_sql)
    assert len(kept.rows("SELECT * FROM findings WHERE waiver IS NOT NULL")) == len(
        kept.answers["waived"]
    )


def content_of(home: Path) -> dict[str, bytes]:
    """Every file but those that SQLite makes while somebody reads."""
    return {
        str(f.relative_to(home)): f.read_bytes()
        for f in home.rglob("*")
        if f.is_file() and not f.name.startswith("journal.sqlite-")
    }


def test_sql(kept: KeptHome) -> None:
    """Its catalogue is of another time and names another folder; reading changes nothing."""
    before = content_of(kept.home)
    answers_of_the_warehouse_hold(kept)
    assert content_of(kept.home) == before


def test_the_ready_questions(copy: KeptHome) -> None:
    copy.run("upgrade")
    for line in copy.run("sql", "--list").stdout.splitlines():
        asked = copy.run("sql", "--query", line.split()[0])
        assert asked.returncode == 0, (line, asked.stderr)


def test_export(kept: KeptHome, tmp_path: Path) -> None:
    first, last = kept.answers["days"][0], kept.answers["days"][-1]
    folder = tmp_path / "out"
    done = kept.run("export", "--from", first, "--to", last, "-o", str(folder))
    assert done.returncode == 0, done.stderr
    with (folder / "findings.csv").open(encoding="utf-8") as file:
        found = list(csv.DictReader(file))
    assert len(found) == len(kept.answers["findings"])


def test_waive(copy: KeptHome) -> None:
    """A finding as the old home has it, by the id that it has there."""
    ids = [row[0] for row in copy.rows("SELECT id FROM findings WHERE waiver IS NULL")]
    in_a_month = str(datetime.now(UTC).date() + timedelta(days=30))
    done = copy.run(
        "waive", ids[0], "--by", "B. Lim", "--until", in_a_month, "--reason", "as on the tape"
    )
    assert done.returncode == 0, done.stderr
    assert "B. Lim" in copy.run("waivers").stdout


def test_the_night_again(copy: KeptHome) -> None:
    """Both days audited anew, in the folder where the home lies now."""
    for day in copy.answers["days"]:
        night = copy.run("nightly", "--day", day)
        assert night.returncode == 1, night.stderr
    answers_of_the_warehouse_hold(copy, anew=copy.answers["days"])
    assert "warehouse:" not in copy.run("upgrade").stdout, "the night has moved it already"


def found_in(kept: KeptHome) -> list[list[Any]]:
    return kept.rows(
        "SELECT day, kind, severity, table_id, round, box, hand, player, bet, money "
        "FROM findings ORDER BY ALL"
    )


def found_then(kept: KeptHome) -> list[list[Any]]:
    """Without the ids."""
    return [row[:1] + row[2:] for row in kept.answers["findings"]]


def in_sql(row: list[Any]) -> list[tuple[bool, Any]]:
    """The order in which the database sorts."""
    return [(cell is None, cell) for cell in row]
