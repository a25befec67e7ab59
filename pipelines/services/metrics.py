"""The state of the house as Prometheus reads it: the same look that `evenhand status` takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from datetime import UTC, date, datetime

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from events.settings import Settings
from pipelines.people.log import PeopleLog, decisions_file
from pipelines.services.status import HouseStatus, look_at_house

FRESH_S = 15.0
"""How long a look counts: scraping more often asks nobody twice."""


class HouseCollector(Collector):
    """Figures of one home, asked for when somebody scrapes."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._people = PeopleLog(decisions_file(settings.home))
        self._seen: tuple[float, HouseStatus] | None = None

    def collect(self) -> Iterable[Metric]:
        now = time.monotonic()
        if self._seen is None or now - self._seen[0] > FRESH_S:
            self._seen = (now, look_at_house(self._settings, people=self._people))
        yield from metrics_of(self._seen[1], datetime.now(UTC))

    def describe(self) -> Iterable[Metric]:
        """Nothing is asked when the desk starts."""
        return ()


def metrics_of(status: HouseStatus, now: datetime) -> Iterable[Metric]:
    """A look in figures; what could not be asked is left out, so that an alert on absence fires."""
    yield from _intake(status)
    yield from _night(status, now)
    yield from _vouched(status)
    yield from _machine(status)


def _intake(status: HouseStatus) -> Iterable[Metric]:
    lag = GaugeMetricFamily(
        "evenhand_lag_messages",
        "Messages of a log that the archive does not have yet.",
        labels=["source", "partition"],
    )
    for one in status.lag:
        for partition, behind in one.partitions.items():
            lag.add_metric([one.source, partition], behind)
    yield lag
    if status.archive is None:
        return
    archive = status.archive
    yield CounterMetricFamily("evenhand_events", "Events in the archive.", archive.events)
    yield CounterMetricFamily("evenhand_rounds", "Rounds closed in the archive.", archive.rounds)
    yield GaugeMetricFamily(
        "evenhand_quarantined_messages", "Messages in quarantine.", archive.quarantined
    )
    if archive.last_event_at is not None:
        yield GaugeMetricFamily(
            "evenhand_last_event_timestamp_seconds",
            "When the latest event was seen, by its device.",
            _seconds(archive.last_event_at),
        )


def _night(status: HouseStatus, now: datetime) -> Iterable[Metric]:
    night = status.night
    if night is None:
        return
    yield GaugeMetricFamily("evenhand_days_due", "Days not audited as they stand.", len(night.due))
    if night.published_at is None:
        return
    yield GaugeMetricFamily(
        "evenhand_last_night_timestamp_seconds",
        "When the last day was published.",
        _seconds(night.published_at),
    )
    if night.seconds is not None:
        yield GaugeMetricFamily(
            "evenhand_last_night_seconds", "How long that run took.", night.seconds
        )
    found = GaugeMetricFamily(
        "evenhand_open_findings", "Findings that nobody waived.", labels=["severity"]
    )
    for severity, count in night.open_findings.items():
        found.add_metric([severity], count)
    yield found
    aged = GaugeMetricFamily(
        "evenhand_open_findings_by_age",
        "Findings that nobody waived, by days since their gaming day: at most 1, 7, 30, older.",
        labels=["severity", "age"],
    )
    for severity, ages in night.open_by_age.items():
        for age_name, count in ages.items():
            aged.add_metric([severity, age_name], count)
    yield aged
    if night.oldest_open is not None:
        age = (now.date() - date.fromisoformat(night.oldest_open)).days
        yield GaugeMetricFamily(
            "evenhand_oldest_open_finding_days",
            "Age of the oldest open finding of money or integrity.",
            age,
        )


def _vouched(status: HouseStatus) -> Iterable[Metric]:
    signed = GaugeMetricFamily(
        "evenhand_witness_signed_newest",
        "Whether a witness has signed the newest state of the house's log.",
        labels=["witness"],
    )
    last = GaugeMetricFamily(
        "evenhand_witness_last_signed_timestamp_seconds",
        "When a witness last signed a state of the house's log.",
        labels=["witness"],
    )
    for one in status.witnesses:
        signed.add_metric([one.name], 1 if one.signed_newest else 0)
        if one.last_signed is not None:
            last.add_metric([one.name], _seconds(one.last_signed))
    yield signed
    yield last
    if status.people is None:
        return
    yield GaugeMetricFamily(
        "evenhand_people_log_entries", "Entries of what people did.", status.people.entries
    )
    yield GaugeMetricFamily(
        "evenhand_people_log_holds",
        "Whether the chain of what people did fits, also against what was sealed of it.",
        0 if status.people.problem else 1,
    )


def _machine(status: HouseStatus) -> Iterable[Metric]:
    if status.last_checkpoint is not None:
        yield GaugeMetricFamily(
            "evenhand_last_checkpoint_timestamp_seconds",
            "When the last checkpoint was written.",
            _seconds(status.last_checkpoint),
        )
    if status.disk_total:
        yield GaugeMetricFamily("evenhand_disk_free_bytes", "Room left.", status.disk_free)
        yield GaugeMetricFamily("evenhand_disk_bytes", "Room in all.", status.disk_total)
    yield GaugeMetricFamily("evenhand_needs_a_person", "Things to look at.", len(status.needs))
    if status.up is None:
        return
    runs = GaugeMetricFamily("evenhand_service_up", "Whether it runs.", labels=["service"])
    again = CounterMetricFamily(
        "evenhand_service_restarts", "How often it was started again.", labels=["service"]
    )
    for one in status.up.services:
        runs.add_metric([one.name], 1 if one.pid is not None else 0)
        again.add_metric([one.name], one.restarts)
    yield runs
    yield again


def _seconds(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()
