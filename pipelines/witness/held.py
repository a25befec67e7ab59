"""The house's log against what was signed: by the house, by witnesses, by keys somebody knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from events.checkpoints import Checkpoint
from events.house_log import HouseLog, growing_problems
from events.settings import Settings
from events.trust.errors import TrustError
from events.trust.house import house_keys
from events.trust.merkle import MerkleTree
from events.trust.note import COSIGNATURE, ED25519, SignedNote, VerifierKey, verifier_key
from events.trust.tlog import cosigned_at, open_state, parse_state


@dataclass(slots=True)
class LogReport:
    """What was found about the log."""

    leaves: int = 0
    problems: list[tuple[str, str]] = field(default_factory=list)  # verdict, sentence
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "leaves": self.leaves,
            "problems": [{"verdict": v, "message": m} for v, m in self.problems],
            "notes": self.notes,
        }


def check_log(
    settings: Settings, kept: Sequence[Checkpoint], trusted: Sequence[VerifierKey] | None
) -> LogReport:
    """`kept`: the checkpoints whose seals of growing files count; `trusted`: keys that somebody
    knows, else those that the house itself names."""
    home = settings.home
    report = LogReport()
    log = HouseLog(home, settings.checkpoints_file)
    report.problems += [("file_differs", says) for says in growing_problems(home, kept)]
    tree = log.tree()
    report.leaves = tree.size
    try:
        newest = log.newest()
        if newest is None:
            _never_signed(report, home, trusted)
            return report
        keys = house_keys(home) if trusted is None else trusted
        _state(report, log, tree, newest, [k for k in keys if k.kind == ED25519], trusted)
        _witnesses(report, log, tree, settings, trusted)
    except TrustError as error:
        report.problems.append(("log_unreadable", str(error)))
    return report


def _never_signed(report: LogReport, home: Path, trusted: Sequence[VerifierKey] | None) -> None:
    if trusted is not None or house_keys(home):
        says = f"{home / 'tlog' / 'checkpoint'}: expected the state of the log that was signed"
        report.problems.append(("log_missing", f"{says}, found none"))
    elif report.leaves:
        report.notes.append(f"the house's log of {report.leaves:,} leaves is not signed yet")


def _state(
    report: LogReport,
    log: HouseLog,
    tree: MerkleTree,
    newest: SignedNote,
    keys: Sequence[VerifierKey],
    trusted: Sequence[VerifierKey] | None,
) -> None:
    path = log.folder / "checkpoint"
    try:
        open_state(str(newest), keys)
    except TrustError as error:
        whose = "you trust" if trusted is not None else "the house has (house.pub)"
        report.problems.append(("wrong_signature", f"{path}: {error}; expected one that {whose}"))
    report.problems += _grown_from(log, tree, newest, "the house signed")


def _grown_from(
    log: HouseLog, tree: MerkleTree, note: SignedNote, who: str
) -> Iterator[tuple[str, str]]:
    """Whether the log as it is goes on from a state that somebody signed."""
    state = parse_state(note.text)
    if state.size > tree.size:
        says = f"{who} {state.size} sealed lines, found {tree.size}: lines were taken away"
    elif tree.root(state.size) != state.root:
        says = f"of the {state.size} sealed lines that {who} one was changed, taken out or put in"
    else:
        return
    yield "log_rewritten", f"{log.checkpoints}: {says}"


def _witnesses(
    report: LogReport,
    log: HouseLog,
    tree: MerkleTree,
    settings: Settings,
    trusted: Sequence[VerifierKey] | None,
) -> None:
    if trusted is None:
        known = [verifier_key(one.key) for one in settings.witnesses.values()]
    else:
        known = [key for key in trusted if key.kind == COSIGNATURE]
    signed = 0
    for key in known:
        note = log.signed_by(key)
        at = None if note is None else cosigned_at(note, key)
        if note is None or at is None:
            report.notes.append(f"the witness {key.name} has signed no state that is kept here")
            continue
        signed += 1
        report.problems += _grown_from(log, tree, note, f"the witness {key.name} signed")
        since = tree.size - parse_state(note.text).size
        more = f"; {since:,} sealed lines came since" if since > 0 else ""
        report.notes.append(
            f"the witness {key.name} signed the log at {at:%Y-%m-%d %H:%M} UTC{more}"
        )
    if trusted is not None and known and not signed:
        says = "no witness whose key you trust has signed a state of this log"
        report.problems.append(("not_witnessed", says))
    if not known:
        report.notes.append(
            "no witness vouches for the log: whoever can write to this home could have made all of "
            "it anew"
        )
