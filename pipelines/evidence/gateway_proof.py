"""The gateway's signatures in a piece of evidence, checked: by its own keys or by known ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from events.trust.note import VerifierKey
from pipelines.evidence.covered import not_valid, own_keys, signed_round, trusted_keys
from pipelines.evidence.gateway import EVENTS
from pipelines.evidence.material import Material, read_event, spans
from pipelines.evidence.proof import WrongProof


def prove_gateway(
    m: Material, trusted: Sequence[VerifierKey] | None = None
) -> Iterator[WrongProof]:
    """What is wrong with the gateway's signatures. `trusted`: keys that somebody knows; where some
    are of the table's gateway, the round must be signed by one of them."""
    yield from _belong(m)
    keys = None if trusted is None else trusted_keys(m, trusted)
    if keys is None:
        if own_keys(m):
            for says in not_valid(signed_round(m, own_keys(m))):
                yield WrongProof("gateway", EVENTS, says)
        return
    found = signed_round(m, keys)
    for says in not_valid(found):
        yield WrongProof("gateway", EVENTS, f"{says}, by the keys that you trust")
    if found.left:
        says = f"no key of the table's gateway that you trust has signed {spans(found.left)}"
        yield WrongProof("gateway", None if m.gateway is None else EVENTS, f"{says} of the round")


def _belong(m: Material) -> Iterator[WrongProof]:
    """Only events of this table between rounds, after the round began."""
    first = min(m.numbers(), default=0)
    for message in () if m.gateway is None else m.gateway.messages:
        event = read_event(message.value)
        fits = event is not None and event.table == m.table and event.round is None
        if not fits or event is None or (event.seq or 0) <= first:
            says = f"{EVENTS} holds an event that does not belong there"
            yield WrongProof("bytes", EVENTS, says)
            return


def gateway_notes(m: Material, trusted: Sequence[VerifierKey] | None = None) -> Iterator[str]:
    """Who wrote the round, where nothing is wrong."""
    keys = None if trusted is None else trusted_keys(m, trusted)
    found = signed_round(m, own_keys(m) if keys is None else keys)
    if not found.covered:
        if m.gateway is None and trusted is None:  # a house whose gateways do not sign
            return
        yield "no signature of the table's gateway in the file covers the round"
        return
    by = ", ".join(found.by)
    if keys is not None:
        yield f"the gateway's key {by}, which you trust, signed {spans(found.covered)} of the round"
        return
    yield (
        f"the gateway's key {by} signed {spans(found.covered)} of the round, by the house's word "
        "that it is the gateway's: --trust FILE with that key holds it against what you know"
    )
    if found.left:
        yield f"no signature of the gateway in the file covers {spans(found.left)} of the round"
