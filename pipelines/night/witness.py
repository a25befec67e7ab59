"""The night's checkpoint: signed, sent to the witnesses, and told of in the report."""

from __future__ import annotations

from events.errors import EvenhandError
from pipelines.night.context import Night
from pipelines.witness.ask_all import witness_now


def tell_witnesses(night: Night, reason: str) -> None:
    """Whatever comes of it, the night goes on; what is not as it should be is told on top."""
    try:
        told = witness_now(night.settings, reason).to_json()
    except EvenhandError as error:
        says = f"The house's log could not be signed: {error}."
        told = {"leaves": None, "witnesses": 0, "signed": 0, "sentences": [says], "missing": [says]}
    night.add(witnessed=told)
