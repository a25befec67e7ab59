"""What an alert says, and when a day calls for one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from events.settings.alerts import Alerts
from pipelines.night.currencies import Currencies
from replay.findings import dollars

_ONE = Currencies()


@dataclass(frozen=True, slots=True)
class Alert:
    """One message. `reason` is `findings`, `failed_run`, `finding` or `withdrawn`; `facts` are for
    machines."""

    reason: str
    day: str | None
    text: str
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """A few words, where a message has a subject."""
        about = self.facts.get("kind") or self.reason
        at = self.facts.get("table") or self.day
        return f"Evenhand: {about.replace('_', ' ')}{f', {at}' if at else ''}"

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def findings_alert(
    day: str, found: pa.Table, limits: Alerts, report: str, currencies: Currencies = _ONE
) -> Alert | None:
    """An alert where open money or integrity findings reach the limit of the settings; the limit of
    money holds for each currency by itself."""
    names = ("severity", "money", "waiver", "table_id")
    rows = zip(*(found[n].to_pylist() for n in names), strict=True)
    unwaived = [(s, m, currencies.of(table)) for s, m, waiver, table in rows if waiver is None]
    money = [(c, abs(m or 0)) for s, m, c in unwaived if s == "money"]
    sums = {name: sum(m for c, m in money if c == name) for name in sorted({c for c, _ in money})}
    integrity = sum(s == "integrity" for s, _, _ in unwaived)
    too_much_money = any(cents >= limits.money_cents for cents in sums.values())
    too_little_trust = integrity > 0 and integrity >= limits.integrity_findings
    if not (too_much_money or too_little_trust):
        return None
    one = None if currencies.several else sum(sums.values())
    told = " and ".join(f"{name} {dollars(cents)}" for name, cents in sums.items())
    over = dollars(one) if one is not None else told or "0.00"
    text = (
        f"gaming day {day}: {len(money)} open money findings over {over}, "
        f"{integrity} open integrity findings; report: {report}"
    )
    facts = {"money_findings": len(money), "money_cents": one, "integrity": integrity}
    facts["by_currency"] = sums
    return Alert("findings", day, text, facts | {"report": report})


def failure_alert(day: str | None, run: str, why: str) -> Alert:
    """An alert for a run that did not come to its end."""
    of_day = f"gaming day {day}" if day else "a run"
    return Alert("failed_run", day, f"{of_day}: the nightly run failed: {why}", {"run": run})
