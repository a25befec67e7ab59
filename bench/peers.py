"""Evenhand beside others, in one run on the same rounds, on one core.

    uv sync --group peers && uv run --no-sync python -m bench.peers [--rounds N]

Simulated rounds of Pontoon Plus. Nobody else settles a round as the rulebook has it, so each peer
does a part of the work, and the table says what it leaves out. What they are given is made before
the clock starts: messages for fastavro and eventsourcing, the archive's columns for Evenhand,
DuckDB and pandas, the totals of the hands for zen-engine. What counts is processor time of the best
of three passes. Evenhand runs by its pure rules, and by the compiled ones where they are built.

The plain initial bet: one hand in the box, nothing doubled, surrendered or withdrawn. Whether the
peers call its outcome as Evenhand does is counted: what they get wrong is what a rulebook is for.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow as pa

from bench.replay import DAY, simulate, table_days
from bench.yardstick import best, d_of, interpreter
from checks.table_day import Rows, audit_table_day
from events.codec import encode_body
from events.jsonl import read_lines
from events.model import Envelope
from replay.columns import rounds_of

GAME = "pontoon-plus-rws-v5"
Outcomes = dict[tuple[str, int], str]
"""By round and box: win, lose or stand_off."""

HANDS = """
SELECT round, box, sum(CASE WHEN card[1] = 'A' THEN 1 WHEN card[1] IN ('T', 'J', 'Q', 'K') THEN 10
           ELSE card[1]::INT END) AS hard, bool_or(card[1] = 'A') AS ace
FROM events WHERE type = 'CardDealt' AND hand <= 1 GROUP BY round, box
"""
SETTLED = f"""
WITH hands AS ({HANDS}),
totals AS (SELECT round, box, hard + CASE WHEN ace AND hard <= 11 THEN 10 ELSE 0 END AS total
           FROM hands)
SELECT p.round, p.box, p.total, d.total AS dealer,
       CASE WHEN p.total > 21 THEN 'lose' WHEN d.total > 21 OR p.total > d.total THEN 'win'
            WHEN p.total = d.total THEN 'stand_off' ELSE 'lose' END AS outcome
FROM totals AS p JOIN totals AS d ON p.round = d.round AND d.box = 0
WHERE p.box > 0 AND (p.round, p.box) IN
    (SELECT (round, box) FROM events WHERE type = 'BetPlaced' AND bet = 'initial')
"""


class Peer(NamedTuple):
    """Who, how long it took, and what it leaves out."""

    name: str
    seconds: float
    leaves_out: str
    outcomes: Outcomes | None = None


def sql(columns: pa.Table) -> Callable[[], list[Any]]:
    db = duckdb.connect(config={"threads": 1})
    db.register("events", columns)
    return lambda: db.execute(SETTLED).fetchall()


def by_pandas(columns: pa.Table) -> Callable[[], Any]:
    """The same sums on a data frame, which is made before the clock starts."""
    import numpy as np

    kept = columns.select(["round", "type", "box", "hand", "bet", "card"])
    frame = kept.cast(pa.schema([(f.name, _plain(f.type)) for f in kept.schema])).to_pandas()
    points = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(n): n for n in range(2, 10)}

    def settle() -> Any:
        dealt = frame[(frame["type"] == "CardDealt") & (frame["hand"] <= 1)]
        rank = dealt["card"].str[0]
        dealt = dealt.assign(points=rank.map(points), ace=rank == "A")
        hands = dealt.groupby(["round", "box"])[["points", "ace"]].agg(
            {"points": "sum", "ace": "any"}
        )
        soft = hands["ace"] & (hands["points"] <= 11)
        hands["total"] = hands["points"] + np.where(soft, 10, 0)
        hands = hands.reset_index()
        dealer = hands[hands["box"] == 0][["round", "total"]]
        bets = frame[(frame["type"] == "BetPlaced") & (frame["bet"] == "initial")]
        bets = bets[["round", "box"]].drop_duplicates()
        both = hands.merge(bets, on=["round", "box"]).merge(
            dealer, on="round", suffixes=("", "_dealer")
        )
        won = (both["total_dealer"] > 21) | (both["total"] > both["total_dealer"])
        even = both["total"] == both["total_dealer"]
        said = np.where(won, "win", np.where(even, "stand_off", "lose"))
        both["outcome"] = np.where(both["total"] > 21, "lose", said)
        return both[["round", "box", "outcome"]]

    return settle


def _plain(kind: pa.DataType) -> pa.DataType:
    return pa.string() if pa.types.is_dictionary(kind) else kind


def by_zen(hands: list[Any]) -> Callable[[], list[str]]:
    """One decision table for the bet, asked once per bet."""
    import zen

    decision = zen.ZenEngine().create_decision(json.dumps(_graph()))
    asked = [{"player": int(total), "dealer": int(dealer)} for _, _, total, dealer, _ in hands]
    return lambda: [decision.evaluate(one)["result"]["outcome"] for one in asked]


def _graph() -> dict[str, Any]:
    rules = [
        ("> 21", "", "", "lose"),
        ("", "> 21", "", "win"),
        ("", "", "player > dealer", "win"),
        ("", "", "player == dealer", "stand_off"),
        ("", "", "", "lose"),
    ]
    table = {
        "hitPolicy": "first",
        "inputs": [
            {"id": "i1", "name": "player", "field": "player"},
            {"id": "i2", "name": "dealer", "field": "dealer"},
            {"id": "i3", "name": "both", "field": ""},
        ],
        "outputs": [{"id": "o1", "name": "outcome", "field": "outcome"}],
        "rules": [
            {"_id": f"r{n}", "i1": one, "i2": two, "i3": both, "o1": f'"{outcome}"'}
            for n, (one, two, both, outcome) in enumerate(rules)
        ],
    }
    names = ("inputNode", "decisionTableNode", "outputNode")
    place = {"position": {"x": 0, "y": 0}}
    nodes: list[dict[str, Any]] = [{"id": n, "name": n, "type": n, **place} for n in names]
    nodes[1]["content"] = table
    edges = [
        {"id": f"{one}-{other}", "type": "edge", "sourceId": one, "targetId": other}
        for one, other in pairwise(names)
    ]
    return {"contentType": "application/vnd.gorules.decision", "nodes": nodes, "edges": edges}


def by_eventsourcing(events: list[Envelope]) -> Callable[[], int]:
    """Each round an aggregate with its events, saved once and rehydrated out of memory."""
    from eventsourcing.application import Application
    from eventsourcing.domain import Aggregate, event

    class TableRound(Aggregate):  # type: ignore[misc, unused-ignore] # may be absent here
        @event("Opened")
        def __init__(self, name: str) -> None:
            self.name = name
            self.happened: list[tuple[str, dict[str, Any]]] = []

        @event("Happened")
        def happen(self, kind: str, fields: dict[str, Any]) -> None:
            self.happened.append((kind, fields))

    application: Any = Application(env={"PERSISTENCE_MODULE": "eventsourcing.popo"})
    ids = []
    for name, own in _by_round(events):
        round_ = TableRound(name)
        for one in own:
            fields = {k: _json(getattr(one.event, k)) for k in one.event.__slots__}
            round_.happen(one.type, fields)
        application.save(round_)
        ids.append(round_.id)
    return lambda: sum(len(application.repository.get(i).happened) for i in ids)


def _json(value: Any) -> Any:
    """What that library can keep by itself."""
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def _by_round(events: list[Envelope]) -> Iterator[tuple[str, list[Envelope]]]:
    rounds: dict[str, list[Envelope]] = {}
    for one in events:
        if one.round is not None:
            rounds.setdefault(one.round, []).append(one)
    yield from rounds.items()


def plain_bets(rows: Rows) -> Outcomes:
    """What Evenhand says of the boxes whose only lines are initial bets that were decided."""
    found: dict[tuple[str, int], list[Any]] = {}
    for _, _, round_, _, box, _, _, bet, _, _, _, outcome, *_ in rows.lines:
        found.setdefault((round_, box), []).append((bet, outcome))
    decided = {"win", "lose", "stand_off"}
    return {
        key: lines[0][1]
        for key, lines in found.items()
        if all(bet == "initial" for bet, _ in lines) and {o for _, o in lines} <= decided
    }


def measured(path: Path) -> Iterator[Peer]:
    events, bodies, days = rounds_in(path)
    yield Peer("fastavro (D)", d_of(bodies), "everything: it only decodes")
    rows = Rows()
    for day in days:
        audit_table_day(DAY, day, rows=rows)
    for name, switch in (("pure Python", "0"), ("compiled", "1")):
        seconds = apart(path, switch)
        if seconds is not None:
            yield Peer(f"Evenhand, {name}", seconds, "nothing", plain_bets(rows))
    if importlib.util.find_spec("eventsourcing"):
        seconds = best(by_eventsourcing(events))
        yield Peer("eventsourcing", seconds, "every rule: it brings the rounds' events back")
    columns = pa.concat_tables(days).unify_dictionaries()
    ask = sql(columns)
    hands = ask()
    only = (
        "all but plain initial bets: odds, side bets, doubles, splits, irregularities, the record"
    )
    if importlib.util.find_spec("zen"):
        asked = by_zen(hands)
        answers = asked()
        said = {(r, b): o for (r, b, *_), o in zip(hands, answers, strict=True)}
        yield Peer("zen-engine", best(asked), f"{only}, and the hands' totals", said)
    yield Peer("DuckDB", best(ask), only, {(r, b): o for r, b, _, _, o in hands})
    if importlib.util.find_spec("pandas"):
        settle = by_pandas(columns)
        frame = settle()
        said = {(r, int(b)): o for r, b, o in frame.itertuples(index=False)}
        yield Peer("pandas", best(settle), only, said)


def apart(path: Path, switch: str) -> float | None:
    """Seconds of one build in a process of its own; None where there is no such build."""
    command = [sys.executable, "-m", "bench.peers", "--evenhand", str(path)]
    env = os.environ | {"REPLAY_COMPILED": switch}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return float(done.stdout)
    print(f"REPLAY_COMPILED={switch}: {done.stderr.splitlines()[-1]}", file=sys.stderr)
    return None


def rounds_in(path: Path) -> tuple[list[Envelope], list[bytes], list[pa.Table]]:
    """The events of the game, as they are, as messages and as columns."""
    with path.open("rb") as file:
        floor = list(read_lines(file, str(path)))
    played = {e.table for e in floor if getattr(e.event, "rulebook", None) == GAME}
    events = [e for e in floor if e.table in played]
    bodies = [encode_body(event) for event in events]
    return events, bodies, table_days(bodies)


def show(peers: list[Peer], rounds: int, events: int) -> None:
    """One table; the first of the peers is the yardstick."""
    d = peers[0].seconds
    known = next(p.outcomes for p in peers if p.name.startswith("Evenhand")) or {}
    print(f"{interpreter()}; {rounds:,} rounds of {GAME}, {events:,} events, one core")
    print(f"{len(known):,} plain initial bets\n")
    print("| | D | rounds/s | outcomes as Evenhand's | leaves out |\n|---|---|---|---|---|")
    for p in peers:
        same = ""
        if p.outcomes is not None and not p.name.startswith("Evenhand"):
            agreed = sum(p.outcomes.get(key) == outcome for key, outcome in known.items())
            same = f"{agreed / len(known):.1%}"
        print(
            f"| {p.name} | {p.seconds / d:.2f} | {rounds / p.seconds:,.0f} | {same} "
            f"| {p.leaves_out} |"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=2_000)
    parser.add_argument("--evenhand", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pa.set_cpu_count(1)
    if given.evenhand is not None:
        days = rounds_in(given.evenhand)[2]
        print(best(lambda: [audit_table_day(DAY, day) for day in days]))
        return
    for name in ("eventsourcing", "zen", "pandas"):
        if importlib.util.find_spec(name) is None:
            print(f"{name} is not installed: uv sync --group peers", file=sys.stderr)
    with tempfile.TemporaryDirectory() as folder:  # one table in five plays this game
        path = simulate(5, given.rounds, Path(folder))
        peers = list(measured(path))
        events, _, days = rounds_in(path)
    show(peers, sum(len(rounds_of(day)) for day in days), len(events))


if __name__ == "__main__":
    main()
