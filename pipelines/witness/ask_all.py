"""The night's checkpoint for all witnesses that the settings name: who signed, and who has not
since when. One that is away or refuses costs only itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from events.house_log import HouseLog
from events.settings import Settings
from events.trust.errors import TrustError
from events.trust.house import house_signer
from events.trust.merkle import MerkleTree
from events.trust.note import SignedNote, verifier_key
from events.trust.tlog import cosigned_at
from pipelines.witness.submit import WitnessAddress, WitnessAwayError, ask_witness


@dataclass(frozen=True, slots=True)
class WitnessWord:
    """What came of one witness: signed now, or why not and when it last did."""

    name: str
    signed: bool
    last: datetime | None
    why: str = ""
    refuses: bool = False  # it answered, and does not sign

    def text(self) -> str:
        when = "has never signed" if self.last is None else f"has not signed since {self.last} UTC"
        return f"{self.name} {when.replace('+00:00', '')}: {self.why}"


@dataclass(frozen=True, slots=True)
class Witnessed:
    """The state of the house's log, and who has signed it."""

    leaves: int
    words: tuple[WitnessWord, ...] = ()

    def sentences(self) -> list[str]:
        """First how many have signed, then one for each that has not."""
        signed = sum(word.signed for word in self.words)
        log = f"the house's log of {self.leaves:,} leaves"
        if not self.words:
            return [f"No witness is named in the settings: nobody outside vouches for {log}."]
        first = f"{signed} of {len(self.words)} witnesses have signed {log}."
        return [first, *(f"The witness {w.text()}." for w in self.words if not w.signed)]

    def to_json(self) -> dict[str, Any]:
        return {
            "leaves": self.leaves,
            "witnesses": len(self.words),
            "signed": sum(word.signed for word in self.words),
            "sentences": self.sentences(),
            "missing": [f"The witness {w.text()}." for w in self.words if not w.signed],
        }


def witness_now(settings: Settings, reason: str) -> Witnessed:
    """Seal what has grown, sign the state of the log, and ask every witness for its signature."""
    log = HouseLog(settings.home, settings.checkpoints_file)
    tree, note = log.advance(house_signer(settings.home), reason)
    words = tuple(
        _ask(log, name, WitnessAddress(one.url, verifier_key(one.key)), tree, note)
        for name, one in sorted(settings.witnesses.items())
    )
    return Witnessed(tree.size, words)


def _ask(
    log: HouseLog, name: str, where: WitnessAddress, tree: MerkleTree, note: SignedNote
) -> WitnessWord:
    try:
        signature = ask_witness(where, tree, note)
    except TrustError as error:
        away = isinstance(error, WitnessAwayError)
        return WitnessWord(name, False, _last(log, where), str(error), not away)
    signed = log.keep(note, where.key, signature)
    return WitnessWord(name, True, cosigned_at(signed, where.key))


def _last(log: HouseLog, where: WitnessAddress) -> datetime | None:
    try:
        note = log.signed_by(where.key)
        return None if note is None else cosigned_at(note, where.key)
    except TrustError:
        return None
