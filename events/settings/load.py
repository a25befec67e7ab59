"""The settings: one typed object, and where each value in it comes from.

Four sources, each over the one before: the defaults below, a file `evenhand.toml`, variables
`EVENHAND_*`, and the flags of a command. The declarations are the documentation too:
`evenhand config` and docs/settings.md are made from them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import time, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from events.bounds import AMOUNT_CENTS, CLOCK_AHEAD_DAYS, CLOCK_BEHIND_DAYS, Bounds
from events.contract import did_you_mean
from events.days import SINGAPORE, GamingDay
from events.errors import ContractError, EvenhandError, InputError
from events.formats import SETTINGS
from events.handed import bounds
from events.handed.text import parse_toml, read_whole
from events.runtime import modes
from events.runtime.modes import FileModes
from events.settings import kinds
from events.settings.alerts import ALERTS, Alerts
from events.settings.alerts import DEFAULT as DEFAULT_ALERTS
from events.settings.kafka import KAFKA_SECURITY, PLAINTEXT, KafkaSecurity
from events.settings.kinds import Jackpot, Kind, RefusedError
from events.settings.modes import FILE_MODES
from events.settings.people import DEFAULT as DEFAULT_PEOPLE
from events.settings.people import PEOPLE_RULES, PeopleRules
from events.settings.witnesses import WITNESS_TABLE, NamedWitness

FILE_NAME = "evenhand.toml"
PREFIX = "EVENHAND_"
_DOC = "evenhand config lists the settings"
TEN_YEARS = 3653
"""In days: what the regulators ask."""


class SettingsError(EvenhandError):
    """A setting that does not exist or holds the wrong kind of value."""


def _is(kind: Kind, doc: str) -> dict[str, Any]:
    return {"kind": kind, "doc": doc}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is in force. `origins` says for each setting where its value comes from."""

    home: Path = field(
        default=Path(".evenhand"),
        metadata=_is(
            kinds.FOLDER,
            "The folder that holds all state. A relative path counts from the current folder. "
            "It can't stand in the file, because the file is looked for there.",
        ),
    )
    kafka: str = field(
        default="127.0.0.1:9092",
        metadata=_is(kinds.SERVERS, "Kafka's bootstrap servers; several with commas."),
    )
    kafka_security: KafkaSecurity = field(
        default=PLAINTEXT,
        metadata=_is(
            KAFKA_SECURITY,
            "How clients prove to Kafka who they are: protocol PLAINTEXT, SSL, SASL_PLAINTEXT or "
            "SASL_SSL; with SASL a mechanism, a username and a file that holds the password; with "
            "SSL the authority's certificate and, where brokers ask for one, the client's.",
        ),
    )
    topic: str = field(
        default="table.rounds",
        metadata=_is(kinds.TEXT, "The topic that tables send their events to."),
    )
    dead_topic: str = field(
        default="table.rounds.dead",
        metadata=_is(kinds.TEXT, "The topic for what could not be read as an event."),
    )
    gaming_day_start: time = field(
        default=time(6),
        metadata=_is(kinds.CLOCK, "The local time at which one gaming day turns into the next."),
    )
    timezone: ZoneInfo = field(
        default=SINGAPORE, metadata=_is(kinds.ZONE, "The time zone of the house.")
    )
    segment_bytes: int = field(
        default=64 * 2**20,
        metadata=_is(
            kinds.whole(4096, 2**40),
            "A segment of the file log is closed when it has grown to this many bytes.",
        ),
    )
    segment_messages: int = field(
        default=500_000,
        metadata=_is(
            kinds.whole(1, 10**9),
            "A segment of the file log is closed when it has this many messages.",
        ),
    )
    codec: str = field(
        default="zstandard",
        metadata=_is(kinds.CODEC, "How blocks of the file log and of the archive are compressed."),
    )
    ingest_batch: int = field(
        default=20_000,
        metadata=_is(
            kinds.whole(1, 10**6), "How many messages ingest takes into the archive at a time."
        ),
    )
    amount_limit_cents: int = field(
        default=AMOUNT_CENTS,
        metadata=_is(
            kinds.whole(1, 2**63 - 1),
            "An amount above this many cents is no event of play: the message goes to quarantine.",
        ),
    )
    clock_behind_days: int = field(
        default=CLOCK_BEHIND_DAYS,
        metadata=_is(
            kinds.whole(1, 36_500),
            "An event whose time lies more than so many days before its arrival has a wrong clock: "
            "it counts at its arrival.",
        ),
    )
    clock_ahead_days: int = field(
        default=CLOCK_AHEAD_DAYS,
        metadata=_is(
            kinds.whole(1, 36_500),
            "An event whose time lies more than so many days after its arrival has a wrong clock: "
            "it counts at its arrival.",
        ),
    )
    readings: Mapping[str, str] = field(
        default_factory=dict,
        metadata=_is(
            kinds.READING_TABLE,
            "Which reading of an unclear paragraph the house follows, by the reading's id; those "
            "that are not named keep their default.",
        ),
    )
    jackpots: Mapping[str, Jackpot] = field(
        default_factory=dict,
        metadata=_is(
            kinds.JACKPOT_TABLE,
            "Progressive jackpots by name: the cents at which the meter starts again after a win, "
            "and the cents that each bet adds.",
        ),
    )
    tables: str = field(
        default="tables.toml",
        metadata=_is(
            kinds.TEXT,
            "The file with the registry of tables; a relative path counts from the home folder.",
        ),
    )
    gateway_key_command: str = field(
        default="",
        metadata=_is(
            kinds.COMMAND,
            "A command that prints a gateway's private key, for evenhand keys, where keys lie in a "
            "vault; {name} in it is the key's id. Empty: they are files of mode 0600 in the folder "
            "keys of the home folder.",
        ),
    )
    house_key_command: str = field(
        default="",
        metadata=_is(
            kinds.COMMAND,
            "A command that prints the house's private key, where that lies in a vault: runs, "
            "states of the log and exports are signed with it. Empty: it is the file "
            "keys/house.key of the home folder, which the first night makes.",
        ),
    )
    warehouse_retention_days: int = field(
        default=TEN_YEARS,
        metadata=_is(
            kinds.whole(0, 36_500),
            "How many days the files of a run stay after a later run of the same day took its "
            "place; an auditor who has the old catalogue open reads them for so long. Ten years is "
            "what regulators ask; less saves room, because the archive can make them again.",
        ),
    )
    told_retention_days: int = field(
        default=TEN_YEARS,
        metadata=_is(
            kinds.whole(1, 36_500),
            "How many days what evenhand watch told is kept at least; findings that stand are kept "
            "for ever. evenhand retention deletes what is older.",
        ),
    )
    log_retention_days: int = field(
        default=400,
        metadata=_is(
            kinds.whole(1, 36_500),
            "How many days logs are kept at least: what processes say of themselves, no record of "
            "play. evenhand retention deletes what is older.",
        ),
    )
    dagster_retention_days: int = field(
        default=400,
        metadata=_is(
            kinds.whole(1, 36_500),
            "How many days Dagster keeps its records of runs at least; those of the warehouse are "
            "no part of it. evenhand retention deletes what is older.",
        ),
    )
    backup_retention_days: int = field(
        default=TEN_YEARS,
        metadata=_is(
            kinds.whole(1, 36_500),
            "How many days a backup is kept at least; the newest one is always kept. evenhand "
            "retention --backups DIR deletes what is older.",
        ),
    )
    engine: str = field(
        default="local",
        metadata=_is(
            kinds.ENGINE,
            "Where the audit runs: local (processes of this machine), or Apache Spark at "
            "spark://HOST:PORT, sc://HOST:PORT (Connect) or "
            "local-cluster[WORKERS,CORES,MEGABYTES].",
        ),
    )
    object_store: str = field(
        default="",
        metadata=_is(
            kinds.OBJECT_STORE,
            "Where the machines of an engine read columns and write their parts, if they do not "
            "see the home folder: s3://BUCKET/PREFIX, with options of pyarrow's after a ?. "
            "Credentials are those of each machine (docs/scale.md).",
        ),
    )
    night_at: time = field(
        default=time(6, 30),
        metadata=_is(
            kinds.CLOCK,
            "The local time at which the nightly run of the gaming day that is over begins.",
        ),
    )
    desk_address: str = field(
        default="http://127.0.0.1:8765",
        metadata=_is(
            kinds.TEXT,
            "Where people find the desk: what reports and alerts link to. The desk itself listens "
            "where evenhand desk is told to.",
        ),
    )
    alerts: Alerts = field(
        default=DEFAULT_ALERTS,
        metadata=_is(
            ALERTS,
            "Who is told of a failed run and of findings that nobody waived: a file (relative to "
            "the home folder), a webhook, and addresses in the form of Apprise (to); money_cents "
            "and integrity_findings say from how much on; attempts and timeout_s (seconds) bound "
            "how long a webhook is tried at once. rules say which findings evenhand watch tells "
            "the moment they are found, by severity, kind, table, money_cents, several of one "
            "dealer within an hour, and repeat_s until somebody has acknowledged it; desk is the "
            "address for links.",
        ),
    )
    witnesses: Mapping[str, NamedWitness] = field(
        default_factory=dict,
        metadata=_is(
            WITNESS_TABLE,
            "Witnesses of the house's log by name: the address of each, and the key that "
            "`evenhand witness show` prints there. The night sends them its checkpoint.",
        ),
    )
    people: PeopleRules = field(
        default=DEFAULT_PEOPLE,
        metadata=_is(
            PEOPLE_RULES,
            "What the house asks of people: after how many days a waiver ends at the latest; when "
            "a session on the desk ends (minutes without a page, hours in all); after how many "
            "wrong passwords an account has to wait; the header and the addresses of a proxy that "
            "signs people in; roles that see no player's reference.",
        ),
    )
    lineage: str = field(
        default="off",
        metadata=_is(
            kinds.ON_OFF,
            "Whether a night tells where its tables come from, as OpenLineage, to the transport "
            "that OpenLineage's own configuration names (openlineage.yml, OPENLINEAGE_URL); the "
            "extra lineage has the library.",
        ),
    )
    log_form: str = field(
        default="auto",
        metadata=_is(
            kinds.LOG_FORM,
            "How the log is told on stderr. auto: services tell it, as text on a terminal and as "
            "JSON lines elsewhere; a night tells it in its run's log alone. text or json: services "
            "and nights tell it so.",
        ),
    )
    log_level: str = field(
        default="info",
        metadata=_is(
            kinds.LOG_LEVEL, "What is told in logs: this and worse. Nothing in them names a player."
        ),
    )
    log_house: str = field(
        default="",
        metadata=_is(
            kinds.MARK,
            "An id that stands in every line of a log, so that those of one house are told apart; "
            "evenhand up gives its services one.",
        ),
    )
    file_modes: FileModes = field(
        default=modes.DEFAULT,
        metadata=_is(
            FILE_MODES,
            "The rights, as chmod counts them, of what is sealed in the archive and in published "
            "runs, of other files, and of folders that are made from now on.",
        ),
    )
    origins: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def gaming_day(self) -> GamingDay:
        """The house's days, for day_of(), start_of() and end_of()."""
        return GamingDay(self.gaming_day_start, self.timezone)

    @property
    def bounds(self) -> Bounds:
        """What no table can mean."""
        behind, ahead = self.clock_behind_days, self.clock_ahead_days
        return Bounds(self.amount_limit_cents, timedelta(days=behind), timedelta(days=ahead))

    @property
    def log_folder(self) -> Path:
        """Where the file log lies."""
        return self.home / "log"

    @property
    def tables_file(self) -> Path:
        """Where the registry of tables lies."""
        return self.home / self.tables

    @property
    def checkpoints_file(self) -> Path:
        """Where chain heads are written down."""
        return self.home / "checkpoints.jsonl"

    def plain(self, name: str) -> Any:
        """One value as JSON can hold it."""
        return declared()[name].kind.to_plain(getattr(self, name))


@dataclass(frozen=True, slots=True)
class DeclaredSetting:
    """What is known about a setting before any value is read."""

    name: str
    kind: Kind
    doc: str
    default: Any

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return PREFIX + self.name.upper()


def declared() -> dict[str, DeclaredSetting]:
    """Every setting by name, in the order in which it is documented."""
    blank = Settings()
    return {
        f.name: DeclaredSetting(
            f.name, f.metadata["kind"], f.metadata["doc"], getattr(blank, f.name)
        )
        for f in fields(Settings)
        if f.metadata
    }


def load_settings(
    overrides: Mapping[str, Any] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The settings in force. `overrides` are a command's flags; those that are None do not count.

    `environ` and `folder` stand in for the process's environment and current folder.
    """
    environ = os.environ if environ is None else environ
    folder = Path.cwd() if folder is None else folder
    known = declared()
    values: dict[str, Any] = {}
    origins = dict.fromkeys(known, "default")

    upper = _from_environment(environ, known) | _from_flags(overrides or {}, known)
    home = folder / upper.get("home", (known["home"].default, ""))[0]
    for name, (value, origin) in (_from_file(home, folder, known) | upper).items():
        values[name], origins[name] = value, origin
    values["home"] = home
    settings = Settings(**values, origins=origins)
    modes.use(settings.file_modes)
    return settings


def settings_of_home(home: Path) -> Settings:
    """Those of a home, looked up in the midst of work: the rights in force stay as they are."""
    before = modes.in_force()
    try:
        return load_settings({"home": str(home)})
    finally:
        modes.use(before)


def home_in_force() -> Path:
    """The home folder alone, which no settings file can say, so that none has to be read."""
    known = declared()
    found = _from_environment(os.environ, known).get("home", (known["home"].default, ""))
    return Path.cwd() / Path(found[0])


def settings_file(home: Path, folder: Path) -> Path | None:
    """The file that counts: the one in the home folder, else the one in the current folder."""
    for place in (home, folder):
        if (place / FILE_NAME).exists():
            return place / FILE_NAME
    return None


_Found = dict[str, tuple[Any, str]]  # name -> value and origin


def _from_file(home: Path, folder: Path, known: Mapping[str, DeclaredSetting]) -> _Found:
    path = settings_file(home, folder)
    if path is None:
        return {}
    try:
        content = parse_toml(read_whole(path, bounds.SETTINGS_BYTES))
    except ContractError as error:
        raise SettingsError(f"{path}: expected a TOML file: {error}") from None
    except InputError as error:
        raise SettingsError(str(error)) from None
    SETTINGS.check(content.pop("format", 1), path)
    found: _Found = {}
    for name, value in content.items():
        if name == "home":
            raise SettingsError(
                f"{path}: home can't be set in the file; set EVENHAND_HOME or give a flag"
            )
        if name not in known:
            hint = did_you_mean(name, known)
            raise SettingsError(f"{path}: unknown setting {name}{hint}; {_DOC}")
        found[name] = (_read(f"{path}: {name}", known[name].kind, value), f"file {path}")
    return found


def _from_environment(environ: Mapping[str, str], known: Mapping[str, DeclaredSetting]) -> _Found:
    by_variable = {d.variable: d for d in known.values()}
    found: _Found = {}
    for variable in sorted(v for v in environ if v.startswith(PREFIX)):
        setting = by_variable.get(variable)
        if setting is None:
            hint = did_you_mean(variable, by_variable)
            raise SettingsError(f"environment: unknown variable {variable}{hint}; {_DOC}")
        value = setting.kind.from_text(environ[variable])
        value = _read(f"environment: {variable}", setting.kind, value)
        found[setting.name] = (value, f"environment {variable}")
    return found


def _from_flags(overrides: Mapping[str, Any], known: Mapping[str, DeclaredSetting]) -> _Found:
    found: _Found = {}
    for name, given in overrides.items():
        if name not in known:
            raise SettingsError(f"flag: unknown setting {name}{did_you_mean(name, known)}; {_DOC}")
        if given is None:
            continue
        kind = known[name].kind
        value = kind.from_text(given) if isinstance(given, str) else given
        found[name] = (_read(f"flag: {name}", kind, value), "flag")
    return found


def _read(where: str, kind: Kind, value: Any) -> Any:
    try:
        return kind.read(value)
    except RefusedError as error:
        raise SettingsError(f"{where}: {error}") from None
