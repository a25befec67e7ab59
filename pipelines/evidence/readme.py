"""The evidence's README: what is in the file, how to check it, what it proves, in plain words."""

from __future__ import annotations

import textwrap

from events.seal import tag_of
from pipelines.evidence.covered import own_keys, signed_round
from pipelines.evidence.material import Material, listed_spans, span, spans
from pipelines.investigate.case import NOT_LOOKED_AT, Investigation
from pipelines.safe_text import for_terminal
from replay.findings import dollars

_TEXT = """\
Evidence for round {round}
at table {table}, made {made_at} by Evenhand {version}


What this is

A casino's table devices report every card, bet, decision and payment as an event. Each event
carries the SHA-256 hash of the one before it at the same table, so that the events form a chain.
From time to time a checkpoint is written: the newest event's hash, and a seal over all events since
the checkpoint before. This file holds the events of one round exactly as they came, of the table's
other events under the same seal a line with a hash each and nothing of their contents, and what the
approved rulebook gives for the round.

{result}


What is in it

  round.avro         the {own} events of the round, byte for byte as the devices sent them
  beside.avro        {beside}
  chain.txt          a line for each of {lines} events of the table: its number, the SHA-256 of its
                     body, and a tag of its round (the first 16 digits of the id's SHA-256)
  checkpoints.jsonl  the checkpoints, as they were written at the time
  schema.v*.avsc     how to read the bytes
  rulebook.json      the rulebook's fingerprint and the paragraphs that were looked at
  answer.json        what the rulebook gives, line by line, with the rules in the order asked
  findings.json      where the table did otherwise
  round.html         all of it as a page with the table drawn, to open in a browser
  manifest.json      which round, and how this file was made
{log}  SHA256SUMS         a checksum for each of these


How to check it

With Evenhand, on any machine, without the casino's systems:

  evenhand evidence --verify FILE.zip --checkpoints COPY

It says "sound" or names what is wrong. COPY is what somebody outside the casino kept of its
checkpoints (evenhand checkpoints --all --json); without it only the file itself is checked. It
reads the bytes again, computes every hash, settles the round again and compares every word of what
is here.

Without Evenhand: an event's hash is the SHA-256 of its bytes without the first ten, and must stand
in chain.txt; its field "prev" is the hash in the line before. No other line may have the round's
tag, {tag}. sha256sum -c SHA256SUMS compares the members.{by_hand}


What it proves

{proves}


What it does not prove

{not_proved}
"""


def readme(m: Material, case: Investigation) -> str:
    """The text for one piece of evidence."""
    return _TEXT.format(
        round=for_terminal(m.round),
        table=for_terminal(m.table),
        made_at=m.made_at,
        version=m.version,
        result=_result(case),
        own=len(m.messages),
        beside=_in_beside(m),
        lines=len(m.chain),
        log=_in_log(m) + _in_gateway(m),
        tag=tag_of(m.round),
        by_hand=_by_hand(m),
        proves=_filled(proves(m)),
        not_proved=_filled([*not_proved(m), *_unasked(case)]),
    )


def _in_beside(m: Material) -> str:
    told = [f"{what} (event {seq})" for seq, what in m.rests_on().items()]
    more = len(m.beside) - len(told)
    told += [f"{more} that bear the round's id and do not count"] if more else []
    return "; ".join(told) or "empty"


def _in_log(m: Material) -> str:
    if m.log is None:
        return ""
    return (
        "  checkpoint.note    a state of the casino's log that it signed, with its witnesses' "
        "signatures\n"
        "                     (C2SP tlog-checkpoint)\n"
        "  inclusion.json     for each seal its place in that log and the hashes from there to the "
        "root\n"
    )


def _in_gateway(m: Material) -> str:
    if m.gateway is None:
        return ""
    return (
        f"  gateway.avro       {len(m.gateway.messages)} events of the table between rounds: its "
        "gateway's signatures, and\n"
        "                     what leads from them to the round\n"
        "  gateway.json       the keys of the table's gateway with their days, as the casino has "
        "them\n"
    )


def _by_hand(m: Material) -> str:
    """The command that computes each seal from the chain's lines."""
    if not m.seals:
        return ""
    commands = "".join(
        f"\n  awk '$1 >= {c.first} && $1 <= {c.seq}' chain.txt | sha256sum" for c in m.seals
    )
    which = "the seal" if len(m.seals) == 1 else "the seals"
    return f"\nThis prints {which} in checkpoints.jsonl:\n{commands}"


def _filled(paragraphs: list[str]) -> str:
    return "\n\n".join(textwrap.fill(text, 98) for text in paragraphs)


def _result(case: Investigation) -> str:
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
    out = []
    for c in m.seals:
        seal = "" if c.seal is None else c.seal.hex()
        why = for_terminal(c.reason)
        out.append(
            f"{_capital(span(c.first or 1, c.seq))} of the table are the ones that a checkpoint "
            f"sealed at {c.at:%Y-%m-%d %H:%M:%S} UTC ({why}), with the seal {seal}. Whoever "
            "has kept that checkpoint outside the casino's reach knows that none of them was "
            "changed, added or cut out since: no event of the round, and none around it."
        )
    if m.log is not None:
        out.append(
            "The seals stand in the casino's log, in the state that checkpoint.note shows. Whoever "
            "knows the casino's key, or that of a witness who signed that state, holds them "
            "against it: evenhand evidence --verify FILE.zip --trust KEYS."
        )
    signed = signed_round(m, own_keys(m))
    if signed.covered:
        out.append(
            f"The key {', '.join(map(for_terminal, signed.by))} of the table's gateway signed "
            f"{spans(signed.covered)} of the round: each of them leads by its hash to a signature "
            "in gateway.avro. Whoever knows that key from elsewhere holds it against it with "
            "--trust; otherwise it is the casino's word that it is the gateway's."
        )
    if m.seals and not m.open_events():
        out.append(
            "The round is whole: by the tags no other event in these stretches belongs to it."
        )
    out.append(
        "The lines of the answer follow from these bytes and the rulebook of that fingerprint, and "
        "from nothing else: anybody who settles the round again gets the same words."
    )
    return out


def _unasked(case: Investigation) -> list[str]:
    return [f"Not looked at: {NOT_LOOKED_AT[name]}." for name in case.not_looked_at]


def _on_others(m: Material) -> list[str]:
    """Findings that the file repeats and does not prove."""
    out = []
    if m.also_known:
        kinds = ", ".join(finding.kind for finding in m.also_known)
        out.append(
            f"Findings about the table's record and shoe: {kinds}. They rest on other events than "
            "the ones in this file; whoever doubts them asks the casino for those."
        )
    if m.meter is not None:
        out.append(
            "What the tables that share the jackpot's meter say together. It is taken from the "
            f"casino's own run {m.meter.run}, and rests on other people's rounds."
        )
    return out


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def not_proved(m: Material) -> list[str]:
    """Said openly, because evidence that claims too much is worth less."""
    out = []
    left, rest = m.open_events(), m.unsealed
    if left and rest is not None and rest.newest:
        out.append(
            f"No checkpoint vouches for {spans(left)} of the round yet. The chain is given as "
            f"hashes up to event {rest.last}, the newest there was; until a checkpoint is written "
            "and kept elsewhere, the casino itself could have rewritten all of it. Make the "
            "evidence again after the gaming day has ended."
        )
    elif left and rest is not None:
        out.append(
            f"No checkpoint vouches for {spans(left)} of the round: the next one, at event "
            f"{rest.last}, did not seal them. The chain up to it is given as hashes, but that each "
            "of these events names the hash before it can be checked only with their bytes, which "
            "the casino has. Without them a forger could have made the round anew."
        )
    for seq, what in m.rests_on().items():
        if not any(c.seals(seq) for c in m.checkpoints):
            out.append(
                f"No checkpoint vouches for {what}, event {seq}: its bytes are here, its place in "
                "the chain is not proved."
            )
    if unsigned := signed_round(m, own_keys(m)).left:
        out.append(
            f"Who wrote {spans(unsigned)} of the round: no valid signature of the table's gateway "
            "in the file covers them."
        )
    if m.shoe_seq is None:
        out.append("How the round's shoe began: its start is not in the file.")
    out += _on_others(m)
    if gaps := m.missing():
        out.append(f"What stood in {listed_spans(gaps)}: the table's record lacks that.")
    out.append(
        "Anything about the time before a checkpoint was written: until then the casino could have "
        "sent other events. And what came with the round's id after the last event in chain.txt."
    )
    out.append(
        "What the other events say. They are other people's rounds; whoever needs them asks the "
        "casino, and the hashes here show whether he was given the right ones."
    )
    out.append(
        "Where in the casino's log an event lay. That stands beside its bytes for finding it again."
    )
    out.append(
        "That the devices saw what happened on the table. The chain begins where they reported it."
    )
    return out
