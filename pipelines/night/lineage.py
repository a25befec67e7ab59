"""Where a day's tables come from, as OpenLineage events, sent where its own configuration says.

Off unless the setting says otherwise. A lineage server that is away costs its events, no night.
"""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from events.archive.columns import ARROW_SCHEMA
from pipelines.night.context import Night
from pipelines.warehouse.layout import PARTS, RunFolder
from pipelines.warehouse.record import code_version, fingerprints

if TYPE_CHECKING:
    from openlineage.client.event_v2 import InputDataset, OutputDataset, RunEvent

PRODUCER = "urn:evenhand"
NAMESPACE = "evenhand"
_IDS = uuid.UUID("6f1d3f0e-3c55-5a6d-9d0b-5f6f0f6f7a11")
_SMALL = {"findings": "findings", "data_quality": "quality", "daily_figures": "figures"}
_HOW = "pip install 'evenhand[lineage]'"
_LAST_S = 30.0


def tell_start(night: Night) -> None:
    """The run has pinned its day."""
    _tell(night, "START")


def tell_complete(night: Night) -> None:
    """The run is published."""
    _tell(night, "COMPLETE")


def tell_fail(night: Night, why: str) -> None:
    """Nothing of the run was published."""
    if "pinned" in night.state():  # else nobody has heard of its start
        _tell(night, "FAIL", why)


def run_uuid(night: Night) -> str:
    """The run as others name it: Dagster's own id where there is one."""
    return night.dagster_run or str(uuid.uuid5(_IDS, f"{night.day}/{night.folder.run}"))


def _tell(night: Night, what: str, why: str | None = None) -> None:
    if night.settings.lineage != "on":
        return
    try:
        from openlineage.client import OpenLineageClient
    except ImportError:
        night.log.warning("lineage.away", text=f"openlineage-python is not installed: {_HOW}")
        return
    try:
        client = OpenLineageClient()
        client.emit(run_event(night, what, why))
        client.close(_LAST_S)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is no reason to stop a night
        night.log.warning("lineage.away", told=what, exception=type(error).__name__)
    else:
        night.log.info("lineage.told", told=what)


def run_event(night: Night, what: str, why: str | None = None) -> RunEvent:
    """One event of the run: START has what goes in, COMPLETE also what came out."""
    from openlineage.client.event_v2 import Job, Run, RunEvent, RunState
    from openlineage.client.facet_v2 import documentation_job, job_type_job, ownership_job

    job = Job(
        NAMESPACE,
        str(night.state().get("job", "nightly")),
        {
            "jobType": job_type_job.JobTypeJobFacet("BATCH", "EVENHAND", "JOB", producer=PRODUCER),
            "documentation": documentation_job.DocumentationJobFacet(
                "A gaming day replayed by the rulebooks and compared with what was paid.",
                producer=PRODUCER,
            ),
            "ownership": ownership_job.OwnershipJobFacet(
                [ownership_job.Owner("team:compliance")], producer=PRODUCER
            ),
        },
    )
    return RunEvent(
        eventTime=datetime.now(UTC).isoformat(),
        run=Run(run_uuid(night), _run_facets(night, why)),
        job=job,
        eventType=RunState[what],
        inputs=[_archive_day(night)],
        outputs=_tables(night) if what == "COMPLETE" else [],
        producer=PRODUCER,
    )


def _run_facets(night: Night, why: str | None) -> dict[str, Any]:
    from openlineage.client.facet_v2 import (
        error_message_run,
        nominal_time_run,
        parent_run,
        processing_engine_run,
        tags_run,
        test_run,
    )

    days = night.settings.gaming_day
    begins, ends = (at.isoformat() for at in (days.start_of(night.day), days.end_of(night.day)))
    told = {"run": night.folder.run, "day": night.day.isoformat()}
    told |= {f"rulebook/{book}": mark[:12] for book, mark in fingerprints().items()}
    tags = [tags_run.TagsRunFacetFields(k, v, "EVENHAND") for k, v in told.items()]
    out: dict[str, Any] = {
        "nominalTime": nominal_time_run.NominalTimeRunFacet(begins, ends, producer=PRODUCER),
        "processing_engine": processing_engine_run.ProcessingEngineRunFacet(
            code_version(), "evenhand", producer=PRODUCER
        ),
        "tags": tags_run.TagsRunFacet(tags, producer=PRODUCER),
    }
    if checks := _checks(night):
        out["test"] = test_run.TestRunFacet(
            [
                test_run.TestExecution(
                    name=check["check_name"],
                    status="pass" if check["passed"] else "fail",
                    severity="error" if check["blocking"] else "warn",
                    type=check["suite"],
                )
                for check in checks
            ],
            producer=PRODUCER,
        )
    if why is not None:
        out["errorMessage"] = error_message_run.ErrorMessageRunFacet(
            why, "PYTHON", producer=PRODUCER
        )
    if parent := night.state().get("parent"):
        out["parent"] = parent_run.ParentRunFacet(
            parent_run.Run(parent), parent_run.Job(NAMESPACE, "reaudit"), producer=PRODUCER
        )
    return out


def _archive_day(night: Night) -> InputDataset:
    """The archive's day as it was pinned, with what the suites say of its events."""
    from openlineage.client.event_v2 import InputDataset
    from openlineage.client.facet_v2 import (
        data_quality_assertions_dataset,
        dataset_version_dataset,
        input_statistics_input_dataset,
    )

    pinned = night.state()["pinned"]
    statistics = input_statistics_input_dataset.InputStatisticsInputDatasetFacet(
        rowCount=pinned["events"], fileCount=len(pinned["inputs"]), producer=PRODUCER
    )
    facets: dict[str, Any] = {"inputStatistics": statistics}
    checked = [
        data_quality_assertions_dataset.Assertion(
            assertion=check["suite"], success=check["passed"], name=check["check_name"]
        )
        for check in _checks(night)
        if check["check_name"].startswith("events: ")
    ]
    if checked:
        facets["dataQualityAssertions"] = (
            data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
                checked, producer=PRODUCER
            )
        )
    version = dataset_version_dataset.DatasetVersionDatasetFacet(
        f"revision {pinned['revision']}", producer=PRODUCER
    )
    return InputDataset(
        namespace="file",
        name=str(night.archive.absolute() / f"day={night.day}"),
        facets={"version": version, "schema": _schema(ARROW_SCHEMA)},
        inputFacets=facets,
    )


def _checks(night: Night) -> list[dict[str, Any]]:
    """What the suites and the reconciliation found, once they have been asked."""
    path = night.folder.small("quality")
    return pq.read_table(path, partitioning=None).to_pylist() if path.exists() else []


def _tables(night: Night) -> list[OutputDataset]:
    """The tables that auditors see, as this run has written them."""
    found = {name: night.folder.parts(name) for name in PARTS}
    found |= {name: [night.folder.small(file)] for name, file in _SMALL.items()}
    return [_table(night, night.folder, name, files) for name, files in found.items()]


def _table(night: Night, folder: RunFolder, name: str, files: list[Any]) -> OutputDataset:
    from openlineage.client.event_v2 import OutputDataset
    from openlineage.client.facet_v2 import (
        dataset_version_dataset,
        output_statistics_output_dataset,
    )

    statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
        rowCount=sum(pq.read_metadata(file).num_rows for file in files),
        size=sum(file.stat().st_size for file in files),
        fileCount=len(files),
        producer=PRODUCER,
    )
    version = dataset_version_dataset.DatasetVersionDatasetFacet(folder.run, producer=PRODUCER)
    return OutputDataset(
        namespace=f"duckdb://{night.warehouse.catalogue}",
        name=name,
        facets={"schema": _schema(pq.read_schema(files[0])), "version": version},
        outputFacets={"outputStatistics": statistics},
    )


def _schema(schema: pa.Schema) -> Any:
    from openlineage.client.facet_v2 import schema_dataset

    fields = [
        schema_dataset.SchemaDatasetFacetFields(
            field.name,
            str(field.type),
            (field.metadata or {}).get(b"comment", b"").decode() or None,
        )
        for field in schema
    ]
    return schema_dataset.SchemaDatasetFacet(fields, producer=PRODUCER)
