"""The figures of who vouches for the house, as Prometheus reads them from a small home."""

from __future__ import annotations

import threading
from pathlib import Path

from prometheus_client import CollectorRegistry

from events.house_log import HouseLog
from events.settings import Settings
from events.trust.house import house_signer
from events.trust.note import SignerKey
from events.trust.tlog import cosigned_at
from events.trust.witness import Witness, new_witness
from pipelines.people.entry import Deed
from pipelines.people.log import PeopleLog, decisions_file
from pipelines.services.metrics import HouseCollector
from pipelines.services.status import look_at_house
from pipelines.witness.ask_all import witness_now
from pipelines.witness.server import WitnessServer
from tests.pipelines.kit import settings_of

AWAY = SignerKey.from_seed("away.example/w2", bytes(32)).cosigner
SIGNED, LAST = (
    "evenhand_witness_signed_newest",
    "evenhand_witness_last_signed_timestamp_seconds",
)


def figure(settings: Settings, name: str, **labels: str) -> float | None:
    registry = CollectorRegistry()
    registry.register(HouseCollector(settings))
    return registry.get_sample_value(name, labels)


def decide(home: Path, text: str) -> None:
    with PeopleLog(decisions_file(home)).writing() as writing:
        writing.append(Deed("Alice", "comment", "desk", "R-1", ("F1",), {"text": text}))


def witnessed(tmp_path: Path) -> Settings:
    """A home whose log one of its two witnesses has signed."""
    home = tmp_path / "home"
    home.mkdir()
    decide(home, "seen")
    new_witness(tmp_path / "w", "regulator.example/w1", [house_signer(home).verifier])
    witness = Witness.open(tmp_path / "w")
    with WitnessServer(witness, "127.0.0.1", 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        named = {
            "regulator": {"url": server.address, "key": str(witness.key.cosigner)},
            "away": {"url": "http://127.0.0.1:9", "key": str(AWAY)},
        }
        settings = settings_of(home, witnesses=named)
        witness_now(settings, "a night")
        server.shutdown()
    return settings


def test_which_witness_has_signed_the_newest_state_and_when_each_last_did(tmp_path: Path) -> None:
    assert figure(settings_of(tmp_path), SIGNED, witness="regulator") is None
    settings = witnessed(tmp_path)
    log = HouseLog(settings.home, settings.checkpoints_file)
    key = Witness.open(tmp_path / "w").key.cosigner
    kept = log.signed_by(key)
    assert kept is not None
    at = cosigned_at(kept, key)
    assert at is not None
    assert figure(settings, SIGNED, witness="regulator") == 1
    assert figure(settings, LAST, witness="regulator") == at.timestamp()
    assert figure(settings, SIGNED, witness="away") == 0
    assert figure(settings, LAST, witness="away") is None, "it never has"

    decide(settings.home, "seen again")
    log.advance(house_signer(settings.home), "a night whose witnesses are all away")
    assert figure(settings, SIGNED, witness="regulator") == 0
    assert figure(settings, LAST, witness="regulator") == at.timestamp()
    away, regulator = look_at_house(settings).needs
    says = "has not signed the newest state of the house's log,"
    assert away.startswith(f"the witness away {says} and has never signed")
    assert regulator.startswith(f"the witness regulator {says} since {at:%Y-%m-%dT%H:%M:%SZ}")

    (note,) = (settings.home / "tlog").glob("*.note")
    note.write_text("no note", "utf-8")
    assert figure(settings, SIGNED, witness="regulator") == 0
    assert figure(settings, SIGNED, witness="away") == 0, "a damaged one costs only itself"


def test_the_log_of_what_people_did_is_counted_and_its_chain_held(tmp_path: Path) -> None:
    entries, holds = "evenhand_people_log_entries", "evenhand_people_log_holds"
    settings = witnessed(tmp_path)
    assert (figure(settings, entries), figure(settings, holds)) == (1, 1)
    decide(settings.home, "seen again")
    whole = decisions_file(settings.home).read_bytes()
    assert (figure(settings, entries), figure(settings, holds)) == (2, 1)

    decisions_file(settings.home).write_bytes(whole.replace(b"Alice", b"Allie", 1))
    assert figure(settings, holds) == 0, "entry 2 holds the hash of another entry 1"
    assert any("entry 1: it was changed" in need for need in look_at_house(settings).needs)

    decisions_file(settings.home).write_bytes(b"")
    assert (figure(settings, entries), figure(settings, holds)) == (0, 0), "a seal knows of one"
