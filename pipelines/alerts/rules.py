"""Which findings are told at once: the rules of the setting `alerts`, and what an alert says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from events.settings.alerts import AlertRule, Alerts
from pipelines.alerts.alert import Alert
from pipelines.alerts.outbox import AlertOutbox

HOUR_S = 3600.0
Finding = dict[str, Any]


def fits(rule: AlertRule, finding: Finding) -> bool:
    """Whether a finding is one of those that a rule names."""
    money = (finding["too_much"] or 0) + (finding["too_little"] or 0)
    return (
        (not rule.severity or finding["severity"] in rule.severity)
        and (not rule.kind or finding["kind"] in rule.kind)
        and (not rule.table or finding["table"] in rule.table)
        and (rule.money_cents is None or money >= rule.money_cents)
    )


class AlertsAtOnce:
    """Holds what was found against the rules, and puts alerts into the outbox."""

    def __init__(self, alerts: Alerts, outbox: AlertOutbox, addresses: Sequence[str]) -> None:
        self._alerts, self._outbox, self._addresses = alerts, outbox, list(addresses)

    def found(self, text: str, dealer: str | None, played_at: float, now: float) -> None:
        """A finding was told: `text` is its JSON, `played_at` when its round was opened."""
        finding: Finding = json.loads(text)
        for rule in self._fitting(finding):
            if rule.several is None:
                key, says = f"{finding['id']}/{rule.name}", finding["message"]
            elif dealer is None:
                continue
            else:
                of_dealer = self._outbox.of_dealer
                many = of_dealer(rule.name, dealer, finding["id"], played_at, HOUR_S)
                if many < rule.several:
                    continue
                key = f"{dealer}/{rule.name}/{int(played_at // HOUR_S)}"
                says = f"dealer {dealer}: {many} findings within an hour, the last: "
                says += finding["message"]
            self._put(key, says, finding, rule, now)

    def withdrawn(self, text: str, now: float) -> None:
        """A finding does not stand any more: whoever was told of it is told so."""
        finding: Finding = json.loads(text)
        self._outbox.not_of_dealer(finding["id"])
        if self._outbox.over(finding["id"], "withdrawn"):
            says = f"withdrawn, a later event has put it right: {finding['message']}"
            alert = Alert("withdrawn", None, says, self._facts(finding))
            self._outbox.put(f"{finding['id']}/withdrawn/{now:.0f}", alert, self._addresses, now)

    def _fitting(self, finding: Finding) -> Iterable[AlertRule]:
        return [rule for rule in self._alerts.rules if fits(rule, finding)]

    def _put(self, key: str, says: str, finding: Finding, rule: AlertRule, now: float) -> None:
        facts = self._facts(finding) | {"rule": rule.name, "key": key}
        alert = Alert("finding", None, f"{says}; {facts['link']}", facts)
        self._outbox.put(
            key,
            alert,
            self._addresses,
            now,
            finding=finding["id"],
            rule=rule.name,
            repeat_s=rule.repeat_s,
        )

    def _facts(self, finding: Finding) -> dict[str, Any]:
        link = f"{self._alerts.desk.rstrip('/')}/finding/{finding['id']}"
        names = ("id", "kind", "severity", "table", "round", "money")
        return {name: finding[name] for name in names} | {"link": link}
