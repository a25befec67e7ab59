"""How good is the audit? Faults of every kind planted in every rulebook, and what was found.

    uv run python -m bench.detection                 a seeded run of some minutes
    uv run python -m bench.detection --honest 200000 that many fault-free rounds, irregularities on

Prints kind x rulebook: planted, found, called by the right kind, false alarms. A false alarm is a
money, procedure or integrity finding in a round in which nothing was planted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

from bench.floor_day import Audited, an_order, audit_jobs, jobs
from checks.tables import FINDINGS
from events.devices.floor import default_floor

ALARMS = frozenset({"money", "procedure", "integrity"})


@dataclass(slots=True)
class CampaignScore:
    """The count of one campaign."""

    rounds: int = 0
    planted: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    named: Counter[tuple[str, str]] = field(default_factory=Counter)
    false: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def add(self, audited: Audited, rulebook: str) -> None:
        findings: dict[Any, list[dict[str, Any]]] = {}
        for row in audited.rows.findings:
            finding = dict(zip(FINDINGS.names, row, strict=True))
            findings.setdefault(finding["round"], []).append(finding)
        self.rounds += audited.rounds
        truths = {truth["round"]: truth for truth in audited.truths}
        for truth in audited.truths:
            self._judge(truth, findings.get(truth["round"], []), rulebook)
        for round_, some in findings.items():
            for finding in some:
                if finding["severity"] in ALARMS and not _true(truths.get(round_), finding):
                    self.false[finding["kind"], rulebook] += 1
                    self.examples.append(f"false alarm: {finding['kind']}: {finding['message']}")

    def _judge(self, truth: dict[str, Any], some: Iterable[dict[str, Any]], rulebook: str) -> None:
        key = (truth["kind"], rulebook)
        self.planted[key] += 1
        alarms = [f for f in some if f["severity"] in ALARMS]
        self.found[key] += bool(alarms)
        named = any(f["kind"] == truth["kind"] for f in alarms)
        self.named[key] += named
        if not named:
            kinds = ", ".join(sorted({f["kind"] for f in alarms})) or "nothing"
            self.examples.append(f"missed: {truth['kind']} in {truth['round']}, found {kinds}")


def _true(truth: dict[str, Any] | None, finding: dict[str, Any]) -> bool:
    return truth is not None and finding["kind"] == truth["kind"]


def table_of(score: CampaignScore) -> list[str]:
    """The printed table, one line per kind and rulebook."""
    out = [f"{'kind':<24}{'rulebook':<28}{'planted':>8}{'found':>8}{'named':>8}{'false':>8}"]
    for key in sorted({*score.planted, *score.false}):
        counts = (score.planted[key], score.found[key], score.named[key], score.false[key])
        out.append(f"{key[0]:<24}{key[1]:<28}" + "".join(f"{n:>8,}" for n in counts))
    sums = [sum(c.values()) for c in (score.planted, score.found, score.named, score.false)]
    out.append(f"{'all':<52}" + "".join(f"{n:>8,}" for n in sums))
    return out


def campaign(
    *,
    tables: int,
    rounds: int,
    faults: float,
    irregularities: float,
    seed: int = 1,
    processes: int = 1,
    rulebooks: Iterable[str] = (),
    score: CampaignScore | None = None,
) -> CampaignScore:
    """Play and audit: so many tables of each rulebook, so many rounds each."""
    score = score or CampaignScore()
    for rulebook in rulebooks or default_floor().games:
        order = an_order(
            tables, rounds, seed=seed, rulebook=rulebook, faults=faults,
            irregularities=irregularities,
        )  # fmt: skip
        for audited in audit_jobs(jobs(order), processes):
            score.add(audited, rulebook)
    return score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--tables", type=int, default=6, help="per rulebook")
    parser.add_argument("--rounds", type=int, default=1000, help="per table")
    parser.add_argument("--faults", type=float, default=0.05)
    parser.add_argument("--honest", type=int, default=0, help="fault-free rounds to play as well")
    parser.add_argument("--rulebook", action="append", choices=list(default_floor().games))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    began = perf_counter()
    score = campaign(
        tables=given.tables, rounds=given.rounds, faults=given.faults, irregularities=0.01,
        seed=given.seed, processes=given.processes, rulebooks=given.rulebook or (),
    )  # fmt: skip
    print("\n".join(table_of(score)))
    print(f"{score.rounds:,} rounds with faults, {perf_counter() - began:.0f} s")
    honest = CampaignScore()
    if given.honest:
        per_book = -(-given.honest // len(given.rulebook or default_floor().games))
        tables = max(1, per_book // 2000)
        honest = campaign(
            tables=tables, rounds=-(-per_book // tables), faults=0.0, irregularities=0.05,
            seed=given.seed + 1, processes=given.processes, rulebooks=given.rulebook or (),
        )  # fmt: skip
        print(f"\n{honest.rounds:,} fault-free rounds with irregularities: ", end="")
        print(f"{sum(honest.false.values()):,} false alarms, {perf_counter() - began:.0f} s")
    for line in [*score.examples, *honest.examples][:200]:
        print(line)
    sys.exit(1 if score.examples or honest.examples else 0)


if __name__ == "__main__":
    main()
