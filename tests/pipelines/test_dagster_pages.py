"""What Dagster's pages show of the night: days, owners, what is stale, money to be drawn."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import dagster as dg
import pytest

from events.gateway import Gateway
from pipelines.dagster_defs.assets import ASSETS, RULES, WITHOUT_ARCHIVE, first_day
from pipelines.dagster_defs.definitions import defs
from pipelines.dagster_defs.home import dagster_home, open_instance
from pipelines.dagster_defs.reaudit import reaudited_days
from tests.command import evenhand
from tests.pipelines.kit import DAY, MORNING, TABLE, ask, played, sent, settings_of, won_round


def test_the_days_begin_with_the_archive(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert first_day(settings_of(home)) == WITHOUT_ARCHIVE
    sent(home, played([won_round()]))
    assert first_day(settings_of(home)) == DAY
    (home / "archive" / "journal.sqlite").write_bytes(b"no database at all")
    assert first_day(settings_of(home)) == WITHOUT_ARCHIVE


def test_every_asset_has_an_owner_and_what_rests_on_rules_their_version() -> None:
    specs = [spec for asset in ASSETS for spec in asset.specs]
    assert {owner for spec in specs for owner in spec.owners} == {"team:compliance"}
    assert all(spec.owners for spec in specs)
    versions = {spec.key.to_user_string(): spec.code_version for spec in specs}
    for name in ("rounds", "lines", "settlements", "findings"):
        assert versions[name] == RULES


def test_a_run_leaves_money_as_numbers_and_checks_of_its_day(tmp_path: Path) -> None:
    home = tmp_path / "home"
    sent(home, played([won_round(0, winnings=3000)]))
    done = evenhand(tmp_path, "nightly", "--day", DAY.isoformat(), EVENHAND_HOME=str(home))
    assert done.returncode == 1, done.stderr
    assert "PreviewWarning" not in done.stderr
    assert "nux:\n  enabled: false" in (dagster_home(home) / "dagster.yaml").read_text("utf-8")
    with open_instance(home) as instance:
        told = instance.get_latest_materialization_event(dg.AssetKey("findings"))
        assert told is not None
        assert told.asset_materialization is not None
        known = told.asset_materialization.metadata
        assert known["cents too much"].value == 500
        assert known["cents too little"].value == 0
        assert told.asset_materialization.partition == DAY.isoformat()
        (run,) = instance.get_runs()
        checks = [
            e.dagster_event.asset_check_evaluation_data
            for e in instance.all_logs(run.run_id)
            if e.dagster_event and e.dagster_event.event_type_value == "ASSET_CHECK_EVALUATION"
        ]
    assert {c.partition for c in checks} == {DAY.isoformat()}
    assert json.dumps(sorted(c.check_name for c in checks)) == json.dumps(
        ["nothing_open", "reconciliation", "suites"]
    )


def test_a_period_is_audited_again_in_one_run_of_a_job_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two days asked for as a backfill asks for them: one run, published at one moment."""
    home = tmp_path / "home"
    one, gateway = timedelta(days=1), Gateway(TABLE)
    sent(home, played([won_round(0, winnings=3000)], gateway))
    sent(home, played([won_round(1)], gateway, MORNING + one))
    monkeypatch.setenv("EVENHAND_HOME", str(home))
    job = defs.resolve_job_def("reaudit")
    period = {
        "dagster/asset_partition_range_start": str(DAY),
        "dagster/asset_partition_range_end": str(DAY + 2 * one),
    }
    with dg.DagsterInstance.ephemeral() as instance:
        done = job.execute_in_process(instance=instance, tags=period)
        (first, *_) = told = done.asset_materializations_for_node("reaudited_days")
        assert [m.partition for m in told] == [str(DAY + n * one) for n in range(3)]
        assert first.metadata["days"].value == first.metadata["rounds"].value == 2
        assert first.metadata["open"].value == 1
        assert first.metadata["period"].value["days_without_activity"] == [str(DAY + 2 * one)]
        assert first.metadata["period"].value["money"]["SGD"]["overpaid"] == 500
        unknown = {"ops": {"reaudited_days": {"config": {"rulebook": "pontoon"}}}}
        refused = job.execute_in_process(
            instance=instance, tags=period, run_config=unknown, raise_on_error=False
        )
        (failure,) = [e for e in refused.all_events if e.is_step_failure]
        assert failure.step_failure_data.user_failure_data is not None
        said = failure.step_failure_data.user_failure_data.description or ""
        assert said.startswith("no rulebook pontoon")
    assert ask(home, "SELECT day, current FROM runs") == [(DAY, True), (DAY + one, True)]
    assert len(ask(home, "SELECT DISTINCT published_at FROM runs")) == 1
    assert reaudited_days.backfill_policy == dg.BackfillPolicy.single_run()
