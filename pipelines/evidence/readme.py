"""The evidence's README: what is in the file, how to check it, what it proves, in plain words."""

from __future__ import annotations

import textwrap

from pipelines.evidence.material import BODY, BREAK, CHECKPOINT, HASH, HEAD, Material
from pipelines.investigate.case import Case
from replay.findings import dollars

_TEXT = """\
Evidence for round {round}
at table {table}, made {made_at} by Evenhand {version}


What this is

A casino's table devices report every card, bet, decision and payment as an event. Each event
carries the SHA-256 hash of the one before it at the same table, so that the events form a chain:
changing, adding or cutting out any of them changes every hash after it. This file holds the events
of one round exactly as they came, enough of the chain to place them, and what the approved rulebook
gives for the round.

{result}


What is in it

  round.avro         the {own} events of the round, byte for byte as the devices sent them
  beside.avro        {beside} other events of the table that the proof needs, as they came
  chain.txt          the table's chain: number of the event, SHA-256 of its body, how it is given
  checkpoints.jsonl  hashes of the chain that were written down at the time
  schema.v*.avsc     how to read the bytes
  rulebook.json      the rulebook's fingerprint and the paragraphs that were looked at
  answer.json        what the rulebook gives, line by line, with the rules in the order asked
  findings.json      where the table did otherwise
  round.html         all of it as a page with the table drawn, to open in a browser
  manifest.json      which round, and how this file was made
  SHA256SUMS         a checksum for each of these


How to check it

With Evenhand, on any machine, without the casino's systems:

  evenhand evidence --verify FILE.zip

It says "sound" or names what is wrong. It reads the bytes again, computes every hash, settles the
round again and compares every word of what is here.

Without Evenhand: sha256sum -c SHA256SUMS compares the members. An event's hash is the SHA-256 of
its bytes without the first ten; the next event's field "prev" must be that hash.


What it proves

{proves}


What it does not prove

{not_proved}
"""


def readme(m: Material, case: Case) -> str:
    """The text for one piece of evidence."""
    return _TEXT.format(
        round=m.round,
        table=m.table,
        made_at=m.made_at,
        version=m.version,
        result=_result(case),
        own=len(m.messages),
        beside=len(m.beside),
        proves=_filled(proves(m)),
        not_proved=_filled(not_proved(m)),
    )


def _filled(paragraphs: list[str]) -> str:
    return "\n\n".join(textwrap.fill(text, 98) for text in paragraphs)


def _result(case: Case) -> str:
    found = case.answer.findings
    money = sum(f.money or 0 for f in found)
    if not found:
        return f"The round is {case.answer.status}, and the table did what the rulebook gives."
    more = f", {dollars(abs(money))} too {'much' if money > 0 else 'little'}" if money else ""
    count = "1 finding" if len(found) == 1 else f"{len(found)} findings"
    what = "; ".join(f.kind.replace("_", " ") for f in found)
    return f"The round is {case.answer.status}, with {count} ({what}){more}."


def proves(m: Material) -> list[str]:
    """What follows from the file alone, or together with a checkpoint kept elsewhere."""
    first, last = m.chain_seqs()
    out = [
        f"The events {first} to {last} hang together: each names the hash of the one before it, no "
        "number is missing, and no other event of the round lies among them."
    ]
    if m.ends == CHECKPOINT and not m.sealed:
        c = m.checkpoints[-1]
        out.append(
            f"They are the events that the checkpoint at event {c.seq} knows, with hash "
            f"{c.head.hex()}. Whoever has kept that hash outside the casino's reach knows that "
            "nothing in the round was changed, added or cut out after the checkpoint was written "
            f"({c.at:%Y-%m-%d %H:%M:%S} UTC)."
        )
    out.append(
        "The answer follows from these bytes and the rulebook of that fingerprint, and from "
        "nothing else: anybody who settles the round again gets the same words."
    )
    return out


def not_proved(m: Material) -> list[str]:
    """Said openly, because evidence that claims too much is worth less."""
    out = []
    if m.ends == HEAD:
        out.append(
            "No checkpoint after the round exists yet. The chain is given up to its newest event; "
            "until a checkpoint is written and kept elsewhere, the casino itself could have "
            "rewritten all of it. Make the evidence again after the gaming day has ended."
        )
    if m.ends == BREAK:
        out.append(
            f"The table's record is broken after event {m.chain[-1].seq}, before the next "
            "checkpoint, so that the chain can't be followed to it."
        )
    if m.sealed:
        out.append(
            "The contents of later rounds were left out on request. Their hashes are here, but "
            "that each of those events names the hash before it can be checked only with their "
            "bytes, which the casino has. Without them a forger could have made the round anew."
        )
    if any(line.given == HASH for line in m.chain):
        out.append(
            "Events before the round are given as hashes only, because they are not needed to show "
            "that the round is genuine, and their contents are other people's. That they hang "
            "together can be checked with the casino's archive."
        )
    if any(line.given == BODY for line in m.chain):
        out.append(
            "beside.avro holds events of other rounds, because without their bytes nobody could "
            "compute the hashes between this round and the checkpoint. Players in it are opaque "
            "references."
        )
    if m.shoe_seq is not None:
        out.append(
            f"The start of the shoe (event {m.shoe_seq}) lies before the round: its bytes are "
            "here, its place in the chain is named by a hash only."
        )
    out.append(
        "That the devices saw what happened on the table. The chain begins where they reported it."
    )
    return out
