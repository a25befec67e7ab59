"""The stages of a night, in order. Each reads what the one before left in the run's folder.

pin_day -> audit_day -> find_day -> check_day -> figure_day -> report_day -> publish_day
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from checks.around import day_in_journal
from events.archive.reader import Archive
from events.checkpoints import Checkpoint, load_checkpoints
from events.errors import EvenhandError
from events.registry import load_registry
from events.runtime.digest import file_sha256
from events.runtime.modes import seal
from events.runtime.workers import Tell
from events.settings.load import settings_file
from pipelines.engines.choose import engine_of
from pipelines.night.answered import must_be_there, written_by
from pipelines.night.bearing import HouseWord
from pipelines.night.before import pin_before
from pipelines.night.context import Night
from pipelines.night.currencies import currencies_of, note_currencies
from pipelines.night.far import audit_all
from pipelines.night.figures import day_figures
from pipelines.night.findings import collect_findings, go_on_meters
from pipelines.night.groups import cut
from pipelines.night.lineage import tell_complete, tell_start
from pipelines.night.odd_rounds import with_odd_rounds
from pipelines.night.pin import Pinned, pin
from pipelines.night.quality import QualityCheck, run_checks, to_rows
from pipelines.night.waive import waive
from pipelines.night.witness import tell_witnesses
from pipelines.night.work import DERIVED, FOR_ACROSS, Done, Task, sync_files
from pipelines.warehouse.catalogue import publish, published, write_catalogue
from pipelines.warehouse.chain import files_of
from pipelines.warehouse.changes import Changes, compare_runs
from pipelines.warehouse.errors import BlockedError
from pipelines.warehouse.history import note_run
from pipelines.warehouse.layout import RunFolder
from pipelines.warehouse.record import (
    REGISTRY,
    SETTINGS_FILE,
    RunRecord,
    code_version,
    fingerprints,
)
from pipelines.warehouse.sweep import sweep
from pipelines.warehouse.tables_history import note_registry
from pipelines.warehouse.words import DATA_QUALITY, FIGURES, RUNS


def pin_day(night: Night) -> Pinned:
    """The archive's files of the day under second names; from here on late events wait."""
    with night.timed("pin"), Archive(night.archive) as archive:
        pinned = pin(archive, night.folder)
        day_before = pin_before(archive, night)
        bears = HouseWord(archive, night.settings.home, night.day).of(night.day)
    night.add(pinned=pinned.to_json(), day_before=day_before, bears=bears, files=pinned.files)
    night.log.info(
        "night.pinned",
        events=pinned.events,
        tables=len(pinned.tables),
        revision=pinned.revision,
        complete=pinned.complete,
    )
    tell_start(night)
    return pinned


def audit_day(night: Night, progress: Tell = lambda events: None) -> list[Done]:
    """Every round replayed and compared, by the engine of the settings."""
    with night.timed("audit"):
        given = [(night, task) for task in tasks_of(night)]
        done = audit_all(engine_of(night.settings.engine), given, progress)
        must_be_there(night, done)
    note_audit(night, done)
    return done


def tasks_of(night: Night) -> list[Task]:
    """The day cut into groups of tables."""
    turned = frozenset(k for k, v in night.settings.readings.items() if v == "other")
    home = night.settings.home.absolute()  # as every machine of an engine knows it
    registry = night.settings.tables_file.absolute()
    with Archive(night.archive) as archive:
        journal = day_in_journal(archive, night.day)
    tables = night.state()["pinned"]["tables"]
    windows = {table: journal.window(table, night.day) for table in tables}
    known: dict[str, list[Checkpoint]] = {table: [] for table in tables}
    for one in load_checkpoints(night.settings.checkpoints_file, tables=tables):
        if one.seq in windows[one.table]:
            known[one.table].append(one)
    tasks = []
    for group in cut(tables):
        names = [name for name, _ in group.tables]
        told = tuple(one for name in names for one in known[name])
        own = journal.of_tables(names)
        tasks.append(Task(night.folder, group, turned, home / "archive", registry, own, told))
    return tasks


def note_audit(night: Night, done: list[Done]) -> None:
    """Remember what the groups amounted to."""
    counts = {name: sum(d.counts[name] for d in done) for name in DERIVED}
    spent = {name: sum(d.seconds[name] for d in done) for name in ("read", "replay", "load")}
    last = sorted(done, key=lambda d: d.busy_s)  # a worker's last group tells its highest figures
    peaks = {str(d.process): d.peak_kb for d in last}
    busy = {str(d.process): round(d.busy_s, 3) for d in last}
    left_out = sorted(name for d in done for name in d.left_out)
    files = {name: sha256 for name, sha256 in written_by(done).items() if _stays(name)}
    night.add(
        counts=counts,
        worker_seconds=spent,
        peak_kb=peaks,
        busy_seconds=busy,
        left_out=left_out,
        files=files,
    )
    night.log.info("night.audited", groups=len(done), counts=counts)


def _stays(part: str) -> bool:
    """Whether a group's file is published as it is; others become one file first."""
    return not part.startswith(("findings", *FOR_ACROSS))


def go_on(night: Night) -> None:
    """What goes on from the day before to this one: the meters that tables share."""
    with night.timed("meters"):
        go_on_meters(night)


def find_day(night: Night) -> pa.Table:
    """All findings of the day: the tables' own, those across tables, and who waived which."""
    go_on(night)
    return collect_day(night)


def collect_day(night: Night) -> pa.Table:
    """The same, where the meters have gone on already."""
    with night.timed("findings"):
        found = collect_findings(night)
        note_currencies(night)
        found, waivers = waive(night, found)
        _write(night, "findings", found)
        _write(night, "waivers", waivers)
        _write(night, "quality", DATA_QUALITY.empty_table())
        _write(night, "figures", FIGURES.empty_table())
        drop_parts(night)
    night.add(counts={"findings": found.num_rows})
    return found


def drop_parts(night: Night) -> None:
    """Parts that have become one file."""
    for name in ("findings", *FOR_ACROSS):
        for part in night.folder.parts(name):
            part.unlink()


def check_day(night: Night, *, with_suites: bool = True) -> list[QualityCheck]:
    """The suites and the reconciliation, asked of a catalogue of this day alone."""
    with night.timed("stage"):
        stage(night)
    with night.timed("quality"):
        checks = run_checks(night, with_suites=with_suites)
        _write(night, "quality", to_rows(night.day, checks))
        found = with_odd_rounds(night, checks)
    if found is not None:
        _write(night, "findings", found)
        night.add(counts={"findings": found.num_rows})
        stage(night)
    failed = [c.name for c in checks if not c.passed]
    night.add(failed_checks=failed, counts={"checks": len(checks)})
    night.log.info("night.checked", checks=len(checks), failed=failed)
    return checks


def hold_back(checks: list[QualityCheck]) -> None:
    """A blocking check that failed keeps the day from being published, and says so."""
    failed = [c for c in checks if c.blocking and not c.passed]
    if failed:
        more = f", and {len(failed) - 1} more" if len(failed) > 1 else ""
        raise BlockedError(
            f"the day is not published: {failed[0].name}: {failed[0].observed}{more}; what was "
            f"published before stays in place"
        )


def stage(night: Night) -> None:
    """This day alone as a catalogue, for questions before it is published."""
    write_catalogue(night.folder.stage, [night.folder], RUNS.empty_table())


def figure_day(night: Night) -> pa.Table:
    """The day in figures, per table and rulebook; who dealt and who played, beside it."""
    with night.timed("figures"):
        found = day_figures(night.folder.stage, currencies_of(night))
        for name, rows in found.items():
            _write(night, name, rows)
    return found["figures"]


def before(night: Night) -> RunFolder | None:
    """The run that counts for the day until this one is published."""
    for p in published(night.warehouse):
        if p.day == night.day and p.current:
            return night.warehouse.run_folder(p.day, p.run)
    return None


def compare_day(night: Night) -> Changes:
    """What differs from the last run of the day."""
    state = night.state()
    changes = compare_runs(
        before(night),
        night.folder,
        code_version(),
        state["pinned"]["revision"],
        fingerprints(),
        state["day_before"],
        night.settings.readings,
        _registry(night),
    )
    night.add(changes=changes.to_json())
    return changes


def report_day(night: Night) -> None:
    """Page, table and summary of the day, in the run's folder."""
    with night.timed("witness"):
        tell_witnesses(night, f"gaming day {night.day} audited")
    write_report(night)


def write_report(night: Night) -> None:
    """The same, where the witnesses have been told already."""
    from pipelines.report.make import make_report

    with night.timed("report"):
        changes = compare_day(night)
        make_report(night, changes)


def publish_day(night: Night) -> RunRecord:
    """Put the day before the auditors. All that came before this can be thrown away."""
    with night.timed("publish"):
        record = finish(night)
        publish(night.warehouse, night.folder, record)
        retention = timedelta(days=night.settings.warehouse_retention_days)
        gone = sweep(night.warehouse, retention, held=night.day)
    night.log.info("night.published", counts=record.counts, complete=record.complete)
    if gone:
        night.log.info("night.swept", runs=[folder.run for folder in gone])
    tell_complete(night)
    tell_witnesses(night, f"run {night.folder.run} published")  # the report told of the one before
    return record


def finish(night: Night, files: dict[str, str] | None = None) -> RunRecord:
    """The last words of a run before it is published: its history, its files sealed and hashed.

    `files`: their SHA-256, where somebody has them already."""
    drop_stage(night)
    record = _record(night)
    note_run(night.settings.home, before(night), night.folder, compare_day(night))
    registry = load_registry(night.settings.tables_file)
    note_registry(night.settings.home, night.folder.run, registry, night.settings.tables_file)
    for file in night.folder.path.iterdir():
        if file.is_file() and file != night.state_file:  # that one still learns who was told
            seal(file)
    if files is None:
        files = files_of(night.folder, night.state().get("files", {}))
    return replace(record, files=files)


def drop_stage(night: Night) -> None:
    """The catalogue of this day alone has answered its last question."""
    for name in ("stage.duckdb", "stage.duckdb.wal"):
        (night.folder.path / name).unlink(missing_ok=True)


def alert_day(night: Night) -> list[str]:
    """Tell whom the settings name; the sentences of those who could not be reached."""
    from pipelines.alerts.alert import findings_alert
    from pipelines.alerts.keep import tell_kept
    from pipelines.watch.verdict import judge_live

    found = pq.read_table(night.folder.small("findings"), partitioning=None)
    page = str(night.folder.report("html"))
    alert = findings_alert(
        night.day.isoformat(), found, night.settings.alerts, page, currencies_of(night)
    )
    missed = [] if alert is None else tell_kept(night.settings, night.folder.run, alert)
    parts = night.folder.parts("rounds")
    live = judge_live(night.settings.home, night.folder.run, found, parts)
    night.add(alerted=alert is not None, alerts_missed=missed, live=live)
    night.log.info("night.told", alerted=alert is not None, missed=len(missed))
    return missed


def _record(night: Night) -> RunRecord:
    state = night.state()
    pinned = state["pinned"]
    return RunRecord(
        run=night.folder.run,
        day=night.day.isoformat(),
        dagster_run=night.dagster_run,
        started_at=state["started_at"],
        finished_at=datetime.now(UTC).isoformat(),
        code_version=code_version(),
        revision=pinned["revision"],
        complete=pinned["complete"],
        rulebooks=fingerprints(),
        settings=plain_settings(night),
        inputs=pinned["inputs"]
        | state["day_before"]
        | state.get("bears", {})
        | _registry(night)
        | _settings_file(night),
        counts=state["counts"] | {"events": pinned["events"]},
        seconds=state["seconds"],
        changes=state.get("changes", {}),
    )


def _registry(night: Night) -> dict[str, str]:
    """The registry of tables among the inputs, by its hash."""
    registry = load_registry(night.settings.tables_file)
    return {} if registry is None else {REGISTRY: registry.sha256}


def _settings_file(night: Night) -> dict[str, str]:
    """The file of settings among the inputs, where there is one."""
    path = settings_file(night.settings.home, Path.cwd())
    return {} if path is None else {SETTINGS_FILE: file_sha256(path).hex()}


def plain_settings(night: Night) -> dict[str, Any]:
    """The settings as the record keeps them; where things lie and secrets are left out."""
    from events.settings import declared

    hidden = {
        "home",
        "engine",
        "object_store",
        "kafka",
        "kafka_security",
        "alerts",
        "desk_address",
        "file_modes",
        "gateway_key_command",
        "house_key_command",
        "lineage",
        "log_form",
        "log_level",
        "log_house",
    }
    return {n: night.settings.plain(n) for n in declared() if n not in hidden}


def _write(night: Night, name: str, rows: pa.Table) -> None:
    path = night.folder.small(name)
    try:
        pq.write_table(rows, path, compression="zstd")
        sync_files([path])
    except OSError as error:
        raise EvenhandError(
            f"{path}: can't be written: {error.strerror or error}; nothing was published, make "
            f"room and run evenhand nightly --day {night.day} again"
        ) from None
