"""What operators are given is held as far as it can be without a cluster: units by systemd itself,
manifests by the schemas of Kubernetes, rules and dashboard against the figures that there are."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from pipelines.cli.main import LazyGroup
from pipelines.desk.metrics import DeskMetrics
from pipelines.services.metrics import metrics_of
from pipelines.services.state import HouseState, ServiceState
from pipelines.services.status import ArchiveState, HouseStatus, LagState, NightState
from pipelines.services.vouched import PeopleLogState, WitnessState
from tests.command import ROOT

INFRA = ROOT / "infra"
UNITS = sorted((INFRA / "systemd").glob("evenhand*"))


def known_figures() -> set[str]:
    """Every name that /metrics can have, from a status in which everything is known."""
    at = "2026-03-11T00:00:00Z"
    status = HouseStatus("home", at)
    status.archive = ArchiveState("2026-03-10", "2026-03-10", 1, at, 10, 1, 0, None)
    status.lag = [LagState("file", 1, {"0": 1})]
    status.night = NightState(
        "2026-03-10", at, 1.0, [], {"money": 1}, "2026-03-10", 0, {"money": {"1d": 1}}
    )
    status.witnesses = [WitnessState("regulator", True, at)]
    status.people = PeopleLogState(1)
    status.last_checkpoint, status.disk_free, status.disk_total = at, 1, 2
    status.up = HouseState(1, at, (ServiceState("desk", 1, at, 0, None, "desk.log"),))
    samples = [s.name for m in metrics_of(status, datetime.now(UTC)) for s in m.samples]
    desk = [m.name for m in DeskMetrics().registry.collect()]
    return {*samples, *desk, *(f"{name}_bucket" for name in desk)}


def named_in(text: str) -> set[str]:
    return set(re.findall(r"\bevenhand_[a-z_]+", text))


def test_rules_and_dashboard_name_only_figures_that_there_are() -> None:
    known = known_figures()
    rules = yaml.safe_load((INFRA / "monitoring" / "alerts.yaml").read_text("utf-8"))
    for rule in rules["groups"][0]["rules"]:
        assert named_in(rule["expr"]) <= known, rule["alert"]
        assert {"summary", "do"} <= set(rule["annotations"])
    dashboard = json.loads((INFRA / "monitoring" / "dashboard.json").read_text("utf-8"))
    asked = {t["expr"] for panel in dashboard["panels"] for t in panel["targets"]}
    assert set().union(*map(named_in, asked)) <= known
    places = [tuple(panel["gridPos"].values()) for panel in dashboard["panels"]]
    assert len(set(places)) == len(places)


def test_systemd_takes_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd-analyze is not here")
    binary = shutil.which("true")
    for unit in UNITS:
        # the program is not installed on this machine: another one stands for it
        text = re.sub(r"/opt/evenhand/bin/\w+", str(binary), unit.read_text("utf-8"))
        (tmp_path / unit.name).write_text(text, "utf-8")
    done = subprocess.run(
        [analyze, "verify", "--man=no", *(str(p) for p in sorted(tmp_path.glob("evenhand*")))],
        capture_output=True,
        text=True,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if "evenhand" in line]
    assert (done.returncode, said) == (0, [])


@pytest.mark.parametrize("unit", [u for u in UNITS if u.suffix == ".service"], ids=lambda u: u.name)
def test_a_unit_starts_a_command_that_there_is(unit: Path) -> None:
    (line,) = re.findall(r"^ExecStart=(.*)$", unit.read_text("utf-8"), re.MULTILINE)
    words = line.split()
    if words[0].endswith("/evenhand"):
        assert words[1] in LazyGroup.lazy
    else:
        assert words[-1] == "pipelines.dagster_defs.definitions"


def manifests() -> list[dict[str, Any]]:
    text = (INFRA / "kubernetes" / "evenhand.yaml").read_text("utf-8")
    return [one for one in yaml.safe_load_all(text) if one]


def test_kubernetes_takes_the_manifests() -> None:
    validate = pytest.importorskip("kubernetes_validate")
    for manifest in manifests():
        validate.validate(manifest, "1.30", strict=True)


def test_every_container_is_locked_down() -> None:
    (pod,) = [m["spec"]["template"]["spec"] for m in manifests() if m["kind"] == "StatefulSet"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    for container in pod["containers"]:
        locked = container["securityContext"]
        assert locked["readOnlyRootFilesystem"] is True
        assert locked["allowPrivilegeEscalation"] is False
        assert locked["capabilities"] == {"drop": ["ALL"]}
        args = container.get("args")
        assert args is None or args[0] in LazyGroup.lazy


def test_compose_runs_commands_that_there_are() -> None:
    compose = yaml.safe_load((INFRA / "compose.yaml").read_text("utf-8"))
    ours = {name: s for name, s in compose["services"].items() if s.get("image") == "evenhand"}
    assert set(ours) == {"ingest", "watch", "daemon", "ui", "desk"}
    for name, service in ours.items():
        assert service["read_only"] is True
        if "command" in service:
            assert service["command"][0] in LazyGroup.lazy, name
        for port in service.get("ports", ()):
            assert port.startswith("127.0.0.1:")


def test_the_image_copies_what_is_there() -> None:
    """The steps themselves are those of infra/README.md, which the wheel's test runs."""
    text = (INFRA / "Dockerfile").read_text("utf-8")
    (named,) = re.findall(r"^COPY (infra/.*) infra/$", text, re.MULTILINE)
    assert all((ROOT / path).is_file() for path in named.split())
    assert "USER 10001" in text
    assert "HEALTHCHECK" in text
