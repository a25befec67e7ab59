"""What a piece of evidence says and nothing in it proves: its maker's word, statement by statement.

A verdict that stays silent about these would lend them the strength of what it did prove.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from events.contract import show
from pipelines.evidence.material import Material


class MakersWord(NamedTuple):
    """One statement: the field of the manifest that makes it, and what it says."""

    statement: str
    says: str


def makers_word(m: Material, *, other_software: bool) -> Iterator[MakersWord]:
    """Every statement of the file that its bytes, its chain and its seals do not prove."""
    if other_software:
        yield MakersWord(
            "software",
            f"that Evenhand {show(m.version)} with the code {show(m.software[:16])} made it: it is "
            "not the code that checks it here, so page, README and explanations were not compared",
        )
    yield _next_round(m)
    known = len(m.also_known)
    yield MakersWord(
        "also_known",
        f"that {known} more is known of the round from other events"
        if known
        else "that nothing more is known of the round from other events",
    )
    turned = ", ".join(sorted(m.turned))
    yield MakersWord(
        "turned",
        f"that the house reads these paragraphs in the other way: {show(turned)}"
        if turned
        else "that the house keeps to the default reading of every paragraph",
    )
    yield MakersWord("made_at", f"that it was made at {show(m.made_at)}, in the zone {m.zone}")
    if m.meter is not None:
        yield MakersWord("meter", "what the progressive meter stood at, from other tables' events")
    if m.shoe_seq is None:
        yield MakersWord("shoe_seq", "that no start of the round's shoe is known")
    else:
        yield MakersWord("shoe_seq", f"that no other shoe began between event {m.shoe_seq} and it")
    if m.unsealed is not None and m.unsealed.newest:
        yield MakersWord("unsealed", f"that event {m.unsealed.last} was the table's newest then")
    if m.gateway is not None and m.gateway.keys:
        keys = ", ".join(key.id for key in m.gateway.keys)
        yield MakersWord("gateway_keys", f"that the table's gateway has the keys {show(keys)}")
    yield _arrival(m)
    yield MakersWord("source", "where in the casino's log each message lay")


def _arrival(m: Material) -> MakersWord:
    """It stands beside the bytes and not in them, so that no chain and no seal covers it."""
    wrong = sum(message.wrong_clock for message in m.messages)
    if not wrong:
        return MakersWord("arrived", "when each message arrived; the answer does not rest on it")
    says = f"when each message arrived: {wrong} of {len(m.messages)} have a wrong clock and count "
    return MakersWord("arrived", says + "at their arrival, and so does the rulebook in force")


def _next_round(m: Material) -> MakersWord:
    """Where one is given, its opening stands in beside.avro and in the chain: that is proved."""
    if m.next_round is None:
        says = "that no other round opened before this one's last event"
    else:
        says = f"that no other round opened before event {m.next_round.seq}, since this one did"
    return MakersWord("next_round", says)
