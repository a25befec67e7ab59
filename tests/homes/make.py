"""Makes a home with the code of this checkout, for the tests of later code to read.

    .venv/bin/python tests/homes/make.py v2

Plays, takes in and audits two gaming days by the commands that people type, asks what the tests
will ask again, and packs home and answers beside this file. It needs Java and Maven: half of the
messages come through a real broker. The home is made where this machine keeps what is temporary,
because the catalogue of version 1 names its files by their whole path and that path should be
nobody's.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
HOME = Path(tempfile.gettempdir(), "evenhand-home")
FLOOR = HOME.with_name("evenhand-floor")
DAYS = ("2026-11-14", "2026-11-15")
SETTINGS = """\
# the settings of a house that has changed some
ingest_batch = 500
segment_messages = 600
warehouse_retention_days = 30

[people]
waiver_max_days = 3650

[jackpots.main]
reset_cents = 5_000_000
growth_cents = 150

[readings]
"split-vs-dealer-blackjack" = "other"
"""
JOURNAL = ("archive/journal.sqlite-shm", "archive/journal.sqlite-wal")
NOT_KEPT = ("kafka", "dagster", "logs", "keys", *JOURNAL)
"""Left out: the broker's data, Dagster's own records and logs (all name paths or processes),
private keys, and what SQLite makes anew."""


def evenhand(*args: str, codes: tuple[int, ...] = (0,), home: Path = HOME) -> str:
    """The command as people type it; what it printed."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("EVENHAND_")}
    env |= {"EVENHAND_HOME": str(home), "EVENHAND_KAFKA": os.environ["KEEP_KAFKA"]}
    done = subprocess.run(
        [sys.executable, "-c", "from pipelines.cli.main import main; main()", *args],
        cwd=HOME.parent,
        env=env | {"PYTHONPATH": str(HERE.parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in codes:
        raise SystemExit(f"evenhand {' '.join(args)}: {done.returncode}: {done.stderr}")
    sys.stderr.write(f"evenhand {' '.join(args)}: {done.returncode}\n")
    return done.stdout


def asked(*args: str, codes: tuple[int, ...] = (0,)) -> Any:
    return json.loads(evenhand(*args, codes=codes))


def main(name: str) -> None:
    sys.path.insert(0, str(HERE.parents[1]))
    from pipelines.broker.server import free_port

    os.environ["KEEP_KAFKA"] = f"127.0.0.1:{free_port()}"
    HOME.mkdir()
    FLOOR.mkdir()
    for home in (HOME, FLOOR):
        (home / "evenhand.toml").write_text(SETTINGS, "utf-8")
    evenhand("kafka", "start")
    try:
        play()
    finally:
        evenhand("kafka", "stop")
    audit()
    answers = ask()
    if (HOME / "archive/journal.sqlite-wal").stat().st_size:
        raise SystemExit("the journal has rows that are not in its file yet")
    for left in NOT_KEPT:
        shutil.rmtree(HOME / left) if (HOME / left).is_dir() else (HOME / left).unlink(True)
    pack(HERE / f"{name}.tar.gz")
    text = json.dumps(answers, indent=1, ensure_ascii=False, sort_keys=True)
    (HERE / f"{name}.json").write_text(text + "\n", "utf-8")
    shutil.rmtree(HOME)
    shutil.rmtree(FLOOR)


def play() -> None:
    """A house that moves from the file log to Kafka between two days; noise in both logs.

    The tables play both days elsewhere, as one chain each; then their messages are sent on.
    """
    from events.log.base import Outgoing
    from events.log.files.log import FileLog, open_file_log
    from events.log.kafka.log import open_kafka_log
    from events.settings import load_settings

    usual = ("--tables", "5", "--rounds", "14", "--faults", "0.3", "--irregularities", "0.1")
    evenhand("simulate", *usual, "--seed", "21", "--day", DAYS[0], home=FLOOR)
    first_day = FileLog(FLOOR / "log").end()
    evenhand("simulate", *usual, "--seed", "23", "--day", DAYS[1], home=FLOOR)
    sent = [Outgoing(m.key or b"", m.value) for m in FileLog(FLOOR / "log").read({})]
    for known in ("checkpoints.jsonl", "tables.toml"):  # what the gateways counted, and their keys
        shutil.copy(FLOOR / known, HOME)

    settings = load_settings({"home": str(HOME), "kafka": os.environ["KEEP_KAFKA"]}, environ={})
    log = open_file_log(settings, write=True)
    log.append(sent[: first_day[0]])
    log.append([Outgoing(b"RWS-PP-01", b"noise in the file log"), Outgoing(b"nobody", b"\xc3\x01")])
    log.close()
    evenhand("ingest")
    evenhand("checkpoints", "--now")

    topic = open_kafka_log(settings)
    topic.append(sent[first_day[0] :])
    topic.append([Outgoing(b"MBS-PO-01", b"noise on the topic"), Outgoing(b"nobody", b"")])
    topic.close()
    evenhand("ingest", "--from", "kafka")


def audit() -> None:
    """Both nights; two findings of the first day are waived and its night runs again."""
    evenhand("nightly", "--day", DAYS[0], codes=(0, 1))
    for (finding,) in rows(
        "SELECT id FROM findings WHERE severity IN ('money', 'integrity') ORDER BY id LIMIT 2"
    ):
        evenhand("waive", finding, "--by", "A. Tan", "--until", "2036-10-31",
                 "--reason", "seen on the surveillance tape, put right at the cage")  # fmt: skip
    for day in DAYS:
        evenhand("nightly", "--day", day, codes=(0, 1))


def rows(sql: str) -> list[list[Any]]:
    return [list(r.values()) for r in asked("sql", sql, "--format", "json")]


COUNTED = "events rounds lines settlements findings cards hands bets runs waivers daily_figures"


def ask() -> dict[str, Any]:
    """What today's code answers on this home."""
    rounds = rows(
        "SELECT any_value(round ORDER BY round) FROM (SELECT round, rulebook FROM rounds) "
        "GROUP BY rulebook ORDER BY rulebook"
    )
    found = rows(
        "SELECT DISTINCT ON (day, kind) round FROM findings WHERE round IS NOT NULL "
        "AND severity = 'money' ORDER BY day, kind, round"
    )
    shown = sorted({r for (r,) in [*rounds, *found]})
    day_of = dict(rows("SELECT round, day FROM rounds"))
    return {
        "days": list(DAYS),
        "verify": asked("verify", "--json", codes=(0, 1)),
        "quarantine": asked("quarantine", "--json"),
        "show": {r: asked("show", r, "--json") for r in shown if r in day_of},
        "counts": {t: rows(f"SELECT count(*) FROM {t}")[0][0] for t in COUNTED.split()},
        "money": rows("SELECT sum(stake), sum(stake_returned), sum(winnings) FROM lines")[0],
        "findings": rows(
            "SELECT day, id, kind, severity, table_id, round, box, hand, player, bet, money "
            "FROM findings ORDER BY ALL"
        ),
        "waived": rows(
            "SELECT day, who, reason, scope, expires, findings FROM waivers ORDER BY ALL"
        ),
        "what_if": asked("what-if", "--rulebook", "pontoon-mbs-v5", "--of", "pontoon-plus-rws-v5",
                         "--from", DAYS[0], "--to", DAYS[1], "--json"),
        "checkpoints": evenhand("checkpoints", "--all", "--json").splitlines(),
    }  # fmt: skip


def pack(path: Path) -> None:
    """The same files give the same bytes: names in order, no owner, one time."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for file in sorted(HOME.rglob("*")):
            one = tar.gettarinfo(file, str(file.relative_to(HOME)))
            one.uid = one.gid = one.mtime = 0
            one.uname = one.gname = ""
            if one.isreg():
                with file.open("rb") as content:
                    tar.addfile(one, content)
            else:  # a folder, or the second name of a file
                tar.addfile(one)
    path.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))


if __name__ == "__main__":
    main(sys.argv[1])
