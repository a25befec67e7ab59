"""Settings: four sources in rising order, every value with its origin, nothing unknown."""

from __future__ import annotations

import json
import pickle
import re
from datetime import time
from pathlib import Path

import pytest

from events.settings import Jackpot, Settings, SettingsError, declared, load_settings
from events.settings.doc import settings_markdown
from tests.command import ROOT, evenhand


def load(folder: Path, toml: str = "", env: dict[str, str] | None = None) -> Settings:
    if toml:
        (folder / "evenhand.toml").write_text(toml, "utf-8")
    return load_settings(environ=env or {}, folder=folder)


def test_the_defaults_are_the_contracts(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert found.home == tmp_path / ".evenhand"
    assert found.kafka == "127.0.0.1:9092"
    assert (found.topic, found.dead_topic) == ("table.rounds", "table.rounds.dead")
    assert (found.gaming_day_start, found.timezone.key) == (time(6), "Asia/Singapore")
    assert set(found.origins.values()) == {"default"}
    assert set(found.origins) == set(declared())


def test_each_source_goes_over_the_one_before(tmp_path: Path) -> None:
    toml = 'topic = "file"\ndead_topic = "file"\nkafka = "file:1"\n'
    (tmp_path / "evenhand.toml").write_text(toml, "utf-8")
    env = {"EVENHAND_DEAD_TOPIC": "env", "EVENHAND_KAFKA": "env:2", "PATH": "/bin"}
    flags = {"kafka": "flag:3", "topic": None}
    found = load_settings(flags, environ=env, folder=tmp_path)
    assert (found.topic, found.dead_topic, found.kafka) == ("file", "env", "flag:3")
    assert found.origins["topic"] == f"file {tmp_path / 'evenhand.toml'}"
    assert found.origins["dead_topic"] == "environment EVENHAND_DEAD_TOPIC"
    assert found.origins["kafka"] == "flag"
    assert found.origins["codec"] == "default"


def test_the_file_in_the_home_folder_goes_first(tmp_path: Path) -> None:
    home = tmp_path / "state"
    home.mkdir()
    (home / "evenhand.toml").write_text('topic = "of the house"', "utf-8")
    found = load(tmp_path, 'topic = "of the folder"', {"EVENHAND_HOME": "state"})
    assert (found.home, found.topic) == (home, "of the house")


def test_tables_come_from_the_file_or_as_json(tmp_path: Path) -> None:
    toml = '[readings]\nlate-bet = "other"\n[jackpots.main]\nreset_cents = 100\ngrowth_cents = 5\n'
    env = {"EVENHAND_READINGS": '{"doubled-21": "default"}', "EVENHAND_SEGMENT_BYTES": "8192"}
    found = load(tmp_path, toml, env)
    assert found.readings == {"doubled-21": "default"}
    assert found.jackpots == {"main": Jackpot(100, 5)}
    assert found.segment_bytes == 8192
    assert found.plain("jackpots") == {"main": {"reset_cents": 100, "growth_cents": 5}}


def test_settings_travel_to_other_processes(tmp_path: Path) -> None:
    found = load(tmp_path, 'timezone = "Europe/Vienna"')
    assert pickle.loads(pickle.dumps(found)) == found


BAD_FILES = {
    'topics = "x"': (
        "unknown setting topics (did you mean topic?); evenhand config lists the settings"
    ),
    'zzz = "x"': "unknown setting zzz; evenhand config lists the settings",
    'home = "x"': "home can't be set in the file; set EVENHAND_HOME or give a flag",
    "topic = 5": "topic: expected text that is not empty, found 5",
    'topic = " "': 'topic: expected text that is not empty, found " "',
    'segment_bytes = "9999"': (
        'segment_bytes: expected an integer 4096 to 1099511627776, found "9999"'
    ),
    "segment_bytes = 5": "segment_bytes: expected an integer 4096 to 1099511627776, found 5",
    "ingest_batch = true": "ingest_batch: expected an integer 1 to 1000000, found true",
    'kafka = "broker"': 'kafka: expected host:port, several with commas, found "broker"',
    'kafka = "a:1,b:99999"': 'kafka: expected host:port, several with commas, found "a:1,b:99999"',
    'codec = "zstd"': ('codec: expected one of deflate, null, zstandard, found "zstd"'),
    'gaming_day_start = "6am"': (
        'gaming_day_start: expected an hour and minute like 06:00, found "6am"'
    ),
    'gaming_day_start = "24:00"': (
        'gaming_day_start: expected an hour and minute like 06:00, found "24:00"'
    ),
    'timezone = "Asia/Singapur"': (
        'timezone: expected a time zone like Asia/Singapore, found "Asia/Singapur"'
    ),
    'timezone = "../x"': 'timezone: expected a time zone like Asia/Singapore, found "../x"',
    'readings = "other"': 'readings: expected a table, found "other"',
    'witnesses = "w"': 'witnesses: expected a table, found "w"',
    '[witnesses.w]\nurl = "http://h"': "witnesses: w: expected url and key, found {'url': 'http://h'}",
    '[witnesses.w]\nurl = "h"\nkey = "k"': (
        'witnesses: w, url: expected an address like https://host:8771, found "h"'
    ),
    '[witnesses.w]\nurl = "http://h"\nkey = "k"': (
        "witnesses: w, key: expected a key as name+number+key, found 'k'"
    ),
    '[readings]\nlate-bet = "othr"': (
        'readings: late-bet: expected one of default, other, found "othr" (did you mean other?)'
    ),
    "[jackpots]\nmain = 5": "jackpots: main: expected reset_cents and growth_cents, found 5",
    "[jackpots.main]\nreset = 5": (
        "jackpots: main: expected reset_cents and growth_cents, found reset"
    ),
    "[jackpots.main]\nreset_cents = 5.5\ngrowth_cents = 1": (
        "jackpots: main, reset_cents: expected an integer 0 to 9223372036854775807, found 5.5"
    ),
    "topic": (
        "expected a TOML file: Expected '=' after a key in a key/value pair (at end of document)"
    ),
}


@pytest.mark.parametrize(("toml", "sentence"), BAD_FILES.items())
def test_a_file_that_is_refused(tmp_path: Path, toml: str, sentence: str) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, toml)
    assert str(caught.value) == f"{tmp_path / 'evenhand.toml'}: {sentence}"


BAD_VARIABLES = {
    ("EVENHAND_KAFKAS", "x:1"): (
        "unknown variable EVENHAND_KAFKAS (did you mean EVENHAND_KAFKA?); "
        "evenhand config lists the settings"
    ),
    ("EVENHAND_HOME", ""): 'EVENHAND_HOME: expected a folder, found ""',
    ("EVENHAND_INGEST_BATCH", "many"): (
        'EVENHAND_INGEST_BATCH: expected an integer 1 to 1000000, found "many"'
    ),
    ("EVENHAND_READINGS", "R1=other"): 'EVENHAND_READINGS: expected a table, found "R1=other"',
}


@pytest.mark.parametrize(("variable", "sentence"), BAD_VARIABLES.items())
def test_a_variable_that_is_refused(
    tmp_path: Path, variable: tuple[str, str], sentence: str
) -> None:
    with pytest.raises(SettingsError) as caught:
        load(tmp_path, env=dict([variable]))
    assert str(caught.value) == f"environment: {sentence}"


def test_a_flag_that_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as caught:
        load_settings({"codec": "rar"}, environ={}, folder=tmp_path)
    assert str(caught.value) == (
        'flag: codec: expected one of deflate, null, zstandard, found "rar"'
    )
    with pytest.raises(SettingsError, match="flag: unknown setting codek"):
        load_settings({"codek": "null"}, environ={}, folder=tmp_path)


def test_every_setting_is_documented() -> None:
    page = (ROOT / "docs" / "settings.md").read_text("utf-8")
    assert page == settings_markdown(), "run: evenhand config --markdown > docs/settings.md"
    assert all(setting.doc.endswith(".") for setting in declared().values())


def test_config_prints_what_is_in_force(tmp_path: Path) -> None:
    (tmp_path / "evenhand.toml").write_text('topic = "elsewhere"', "utf-8")
    done = evenhand(tmp_path, "config", "--json", EVENHAND_KAFKA="k:1")
    assert (done.returncode, done.stderr) == (0, "")
    found = json.loads(done.stdout)
    assert found["file"] == str(tmp_path / "evenhand.toml")
    assert found["settings"]["kafka"] == {"value": "k:1", "from": "environment EVENHAND_KAFKA"}
    assert found["settings"]["topic"]["value"] == "elsewhere"
    shown = evenhand(tmp_path, "config").stdout
    assert re.search(r"^topic +elsewhere  \(file ", shown, re.MULTILINE)


def test_a_wrong_setting_is_one_sentence_and_exit_2(tmp_path: Path) -> None:
    done = evenhand(tmp_path, "config", EVENHAND_TOPIK="x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "evenhand: environment: unknown variable EVENHAND_TOPIK (did you mean EVENHAND_TOPIC?); "
        "evenhand config lists the settings\n"
    )
