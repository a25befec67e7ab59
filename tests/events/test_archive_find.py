"""One round out of many is found by its index, read from the evidence, and named when unknown."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from events.archive import rounds, writer
from events.archive.errors import DamagedError, UnknownRoundError
from events.archive.finder import find_round, nearest_rounds, round_at
from events.archive.reader import Archive
from events.codec import decode
from events.gateway import Gateway
from events.model import SettlementCorrected
from tests.events.archive_kit import DAY, MORNING, ListLog, listed, mixed, play, take

LATE = SettlementCorrected(1, 1, "P1", "initial", 2500, 2500, 5000, "final", "miscounted")


@pytest.mark.parametrize("now", [MORNING, MORNING + timedelta(days=5)], ids=["open", "complete"])
def test_a_round_is_found_with_its_bytes_and_events(tmp_path: Path, now: object) -> None:
    first = play("RWS-PP-01", 40)
    take(ListLog(listed(mixed(first, play("RWS-PP-02", 40)))), tmp_path, now=now)  # type: ignore[arg-type]
    with Archive(tmp_path) as archive:
        found = find_round(archive, "RWS-PP-01-000021")
    expected = [m.value for m in first if decode(m.value).round == "RWS-PP-01-000021"]
    assert [m.value for m in found.messages] == expected
    assert [e.type for e in found.events][::7] == ["RoundOpened", "RoundClosed"]
    assert (found.day, found.table) == (DAY, "RWS-PP-01")


def test_an_id_that_two_tables_use_is_the_round_of_the_one_that_opened_it_first(
    tmp_path: Path,
) -> None:
    name, first = "RWS-PP-02-000003", play("RWS-PP-02", 5)
    other = Gateway("AAA-01")
    claims = [other.send(LATE, at=MORNING, device="console", round_=name)]
    claims += [
        other.send(e.event, at=e.at or MORNING, device="console", round_=name)
        for e in map(decode, (m.value for m in play("AAA-02", 2)))
        if e.round == "AAA-02-000001"
    ]
    take(ListLog(listed([claims[0], *first, *claims[1:]])), tmp_path)
    with Archive(tmp_path) as archive:
        found, theirs = find_round(archive, name), find_round(archive, name, "AAA-01")
    assert found.table == "RWS-PP-02"
    assert [m.value for m in found.messages] == [
        m.value for m in first if decode(m.value).round == name
    ]
    assert (theirs.table, len(theirs.events)) == ("AAA-01", len(claims))


def test_a_late_event_is_found_with_its_round(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "STRETCH_BYTES", 100)
    monkeypatch.setattr(writer, "SEGMENT_BYTES", 5_000)
    g = Gateway("RWS-PP-01")
    log = ListLog(listed(play("RWS-PP-01", 60, gateway=g)))
    take(log, tmp_path)
    for _ in range(3):
        log.append([g.send(LATE, at=MORNING + timedelta(days=2), device="console",
                           round_="RWS-PP-01-000003")])  # fmt: skip
        log.append(play("RWS-PP-02", 30))
        take(log, tmp_path)
    with Archive(tmp_path) as archive:
        found = find_round(archive, "RWS-PP-01-000003")
    assert [e.type for e in found.events][-3:] == ["SettlementCorrected"] * 3
    assert len(found.events) == 11


def test_an_unknown_round_is_named_with_those_that_look_like_it(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 20))), tmp_path)
    with Archive(tmp_path) as archive:
        with pytest.raises(UnknownRoundError, match="did you mean RWS-PP-01-0000") as caught:
            find_round(archive, "rws-pp-01-0000011")
        assert "RWS-PP-01-000011" in caught.value.nearest
        assert "RWS-PP-01-000017" in nearest_rounds(archive, "RWS-PP-10-000017")
        assert "RWS-PP-01-000017" in nearest_rounds(archive, "RWS-PP-02-000017")
        assert nearest_rounds(archive, "something else entirely") == ()


def test_the_round_that_a_table_played_at_a_moment(tmp_path: Path) -> None:
    take(ListLog(listed(mixed(play("RWS-PP-01", 20), play("RWS-PP-02", 20)))), tmp_path)
    with Archive(tmp_path) as archive:
        at = MORNING + timedelta(seconds=2 + 16 * 7 + 3)
        assert round_at(archive, "RWS-PP-02", at) == "RWS-PP-02-000008"
        assert round_at(archive, "RWS-PP-02", MORNING - timedelta(days=1)) is None


def test_a_damaged_file_is_never_an_unknown_round(tmp_path: Path) -> None:
    take(ListLog(listed(play("RWS-PP-01", 20))), tmp_path)
    (index,) = tmp_path.glob("*/rounds-*.sqlite")
    index.write_bytes(b"no database")
    with Archive(tmp_path) as archive, pytest.raises(DamagedError, match="the index can't be read"):
        find_round(archive, "RWS-PP-01-000003")
    index.unlink()
    with Archive(tmp_path) as archive, pytest.raises(DamagedError, match="the index can't be read"):
        find_round(archive, "RWS-PP-01-000003")
