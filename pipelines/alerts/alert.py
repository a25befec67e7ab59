"""What an alert says, and when a day calls for one."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import pyarrow as pa

from events.setting_alerts import Alerts
from pipelines.night.summary import cents


@dataclass(frozen=True, slots=True)
class Alert:
    """One message. `reason` is `findings` or `failed_run`; `facts` are for machines."""

    reason: str
    day: str | None
    text: str
    facts: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def findings_alert(day: str, found: pa.Table, limits: Alerts, report: str) -> Alert | None:
    """An alert where open money or integrity findings reach the limit of the settings."""
    rows = zip(*(found[n].to_pylist() for n in ("severity", "money", "waiver")), strict=True)
    unwaived = [(s, m) for s, m, waiver in rows if waiver is None]
    money = [abs(m or 0) for s, m in unwaived if s == "money"]
    integrity = sum(s == "integrity" for s, _ in unwaived)
    too_much_money = bool(money) and sum(money) >= limits.money_cents
    too_little_trust = integrity > 0 and integrity >= limits.integrity_findings
    if not (too_much_money or too_little_trust):
        return None
    text = (
        f"gaming day {day}: {len(money)} open money findings over {cents(sum(money))}, "
        f"{integrity} open integrity findings; report: {report}"
    )
    facts = {"money_findings": len(money), "money_cents": sum(money), "integrity": integrity}
    return Alert("findings", day, text, facts | {"report": report})


def failure_alert(day: str | None, run: str, why: str) -> Alert:
    """An alert for a run that did not come to its end."""
    of_day = f"gaming day {day}" if day else "a run"
    return Alert("failed_run", day, f"{of_day}: the nightly run failed: {why}", {"run": run})
