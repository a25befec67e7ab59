"""Who wrote an event: what valid signatures cover, and which of two tails is the record."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from checks.around import Around
from checks.audit import audit_file
from checks.record.tails import Signatures
from events.chain import Head
from events.codec import body_of, decode, hash_body
from events.model import Envelope, HeadSigned
from events.registry import RegisteredTable, TableKey, TableRegistry
from events.trust.heads import GatewayKeys, HeadKeys, sign_head
from events.trust.note import SignerKey
from tests.checks.kit import DAY, PlayedRecord, audit, findings, kinds

KEY = SignerKey.from_seed("T-1-1", bytes(range(32)))
STRANGER = SignerKey.from_seed("T-1-1", bytes(32))


def keys(**days: date) -> Around:
    key = TableKey("T-1-1", KEY.verifier.public, **days)
    return Around(signatures=Signatures(HeadKeys("T-1", (key,))))


class Signed(PlayedRecord):
    """A table whose gateway signs when it is told to."""

    def sign(self, key: SignerKey = KEY) -> int:
        head = self.gateway.head
        signature = sign_head(key, self.table, head.seq + 1, head.hash)
        event = HeadSigned(key.name, signature)
        self.sent.append(self.gateway.send(event, at=self.at, device="gateway").value)
        return len(self.sent)

    def branch(self) -> Signed:
        """Another tail that goes on from here."""
        other = Signed(self.table, self.rulebook)
        other.gateway.head = Head(self.gateway.head.seq, self.gateway.head.hash)
        other.at, other.draw = self.at, self.draw
        return other


def table(rounds: int = 3) -> Signed:
    record = Signed()
    record.shoe()
    for n in range(rounds):
        record.round(f"R{n}")
        record.sign()
    return record


def told(record: list[bytes], around: Around) -> list[tuple[str, str | None, int | None]]:
    return sorted(kinds(audit(record, around)), key=str)


def test_a_day_whose_last_signature_is_valid_is_covered_whatever_the_others_are() -> None:
    record = table(1)
    record.sign(STRANGER)
    record.round("R9")
    record.sign()
    assert told(record.sent, keys()) == []


def test_without_keys_nothing_is_asked_of_signatures() -> None:
    record = table()
    record.sign(STRANGER)
    assert told(record.sent, Around()) == []
    later = keys(since=DAY + timedelta(days=1))
    assert told(record.sent, later) != []  # Surroundings hands no keys over before the first counts


def test_what_comes_after_the_last_signature_is_unsigned_once_the_day_is_over() -> None:
    record = table()
    record.round("R9")
    first = len(record.sent) - 9
    [(kind, round_, seq)] = told(record.sent, keys())
    assert (kind, round_) == ("unsigned", "R9")
    assert decode(record.sent[(seq or 0) - 1]).type == "RoundOpened"
    assert seq is not None
    assert seq >= first
    running = Around(signatures=Signatures(keys().signatures.keys, over=False))
    assert told(record.sent, running) == []


def test_a_wrong_signature_is_told_and_covers_nothing() -> None:
    record = table()
    record.round("R9")
    record.sign(STRANGER)
    assert [k for k, _, _ in told(record.sent, keys())] == ["unsigned", "wrong_signature"]
    alone = table()
    alone.sign(STRANGER)
    assert [k for k, _, _ in told(alone.sent, keys())] == ["wrong_signature"]


def test_what_a_revoked_key_signed_counts_as_unsigned() -> None:
    record = table()
    [found] = findings(audit(record.sent, keys(revoked=DAY)))
    assert (found["kind"], found["seq"]) == ("unsigned", 1)
    assert "the key T-1-1 is revoked from 2026-11-14 on" in found["message"]
    assert told(record.sent, keys(revoked=DAY + timedelta(days=1))) == []
    assert told(record.sent, keys(until=DAY)) == []
    assert [k for k, _, _ in told(record.sent, keys(until=DAY - timedelta(days=1)))] == ["unsigned"]


def test_a_signature_covers_back_to_a_gap_and_no_further() -> None:
    record = table()
    closes = [n for n, value in enumerate(record.sent) if decode(value).type == "BetsClosed"]
    lost = closes[1]
    whole = list(record.sent)
    del whole[lost]
    found = {kind: (round_, seq) for kind, round_, seq in told(whole, keys())}
    assert found["unsigned"][0] == "R1"
    assert found["sequence_gap"] == ("R1", lost + 2)
    assert (found["unsigned"][1] or 0) < lost


def forged(rounds: int, *, signed: SignerKey | None = None) -> tuple[Signed, Signed, list[bytes]]:
    """A table, and a tail in its name that somebody else made: it pays 6,000.00 too much."""
    record = table(2)
    forger = record.branch()
    for n in range(rounds):
        forger.open(f"F{n}")
        steps = ["bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QS", "stand 1 P1"]
        paid = "settle 1 P1 initial 10.00 10.00 6010.00"
        forger.play(f"F{n}", *steps, "deal 0:KD", paid)
        forger.add("RoundClosed", f"F{n}")
        if signed is not None:
            forger.sign(signed)
    before = list(record.sent)
    record.round("R8")
    record.sign()
    record.round("R9")
    record.sign()
    return record, forger, before


def money(rows: Any) -> list[str]:
    return [f["kind"] for f in findings(rows) if f["money"]]


def test_a_forged_tail_that_came_first_is_not_the_record() -> None:
    for rounds in (1, 2, 5):  # shorter than the honest tail, as long, and longer
        for signed in (None, STRANGER):
            record, forger, before = forged(rounds, signed=signed)
            honest = record.sent[len(before) :]
            for arrived in (
                [*before, *forger.sent, *honest],
                [*before, *honest, *forger.sent],
            ):
                rows = audit(arrived, keys())
                assert money(rows) == []
                assert [row[2] for row in rows.rounds] == ["R0", "R1", "R8", "R9"]
                found = {f["kind"] for f in findings(rows)}
                assert "duplicate_event" in found
                assert found <= {"duplicate_event", "unsigned", "wrong_signature", "out_of_order"}
                assert ("wrong_signature" in found) == (signed is not None)
                assert ("unsigned" in found) == (rounds == 5)


def test_the_words_of_a_checkpoint_about_a_forged_end_are_left_out() -> None:
    record, forger, before = forged(5)
    end = Head(forger.gateway.head.seq, forger.gateway.head.hash)
    around = Around(known={end.seq: end.hash}, signatures=keys().signatures)
    rows = audit([*before, *forger.sent, *record.sent[len(before) :]], around)
    assert {f["kind"] for f in findings(rows)} == {"duplicate_event", "unsigned"}


def test_two_tails_that_are_both_validly_signed_are_told_loudly() -> None:
    record, forger, before = forged(2, signed=KEY)
    for tails in (
        (forger.sent, record.sent[len(before) :]),
        (record.sent[len(before) :], forger.sent),
    ):
        rows = audit([*before, *tails[0], *tails[1]], keys())
        says = [f["message"] for f in findings(rows) if f["kind"] == "wrong_signature"]
        assert len(says) == 1
        assert "both validly signed" in says[0]


def test_a_body_that_nobody_can_read_is_no_gap() -> None:
    from events.archive.quarantine import Quarantined

    record = table(2)
    at = next(n for n, v in enumerate(record.sent) if decode(v).type == "BetsClosed")
    raw = b"\xff\xff" + record.sent[at][2:]
    bad = Quarantined(
        source="file:test", partition=0, offset=999, key=b"T-1", raw=raw, reason="x",
        kind="undecodable", day=DAY, table="T-1", round=None, seq=None,
    )  # fmt: skip
    left = [v for n, v in enumerate(record.sent) if n != at]
    around = Around(quarantined=(bad,), signatures=keys().signatures)
    assert [k for k, _, _ in told(left, around)] == ["undecodable"]


def test_the_next_days_signature_counts_where_it_came_within_a_minute() -> None:
    from checks.record.links import RecordLink
    from events.trust.heads import SignedHead
    from replay.fold import micros

    for seconds, expected in ((60, []), (61, ["unsigned"])):
        record = table()
        record.round("R9")
        last = decode(record.sent[-1])
        at = record.sign()
        signed = decode(record.sent.pop())
        assert isinstance(signed.event, HeadSigned)
        head = SignedHead(signed.event.key, signed.event.signature, DAY + timedelta(days=1))
        when = (micros(last.at) or 0) + seconds * 1_000_000
        link = RecordLink(at, when, None, signed.prev, b"x" * 32, signed=head)
        around = Around(signatures=Signatures(keys().signatures.keys, (link,)))
        assert [k for k, _, _ in told(record.sent, around)] == expected
        assert hash_body(body_of(record.sent[-1])) == signed.prev


def envelopes(sent: list[bytes]) -> list[Envelope]:
    return [decode(value) for value in sent]


def in_file(sent: list[bytes], **days: date) -> list[tuple[str, str | None, int | None]]:
    """What a file of these events tells, as `told` gives it for the archive."""
    known = TableRegistry({"T-1": RegisteredTable(keys=keys(**days).signatures.keys.keys)})
    answers = audit_file(envelopes(sent), keys=GatewayKeys(known))
    return sorted(((f.kind, f.round, f.seq) for a in answers for f in a.findings), key=str)


def test_a_file_tells_the_same_of_signatures_as_the_night() -> None:
    signed, open_end, wrong = table(), table(), table()
    open_end.round("R9")
    wrong.round("R9")
    wrong.sign(STRANGER)
    for sent in (signed.sent, open_end.sent, wrong.sent, wrong.sent[:9] + wrong.sent[10:]):
        assert in_file(sent) == told(sent, keys())
    assert [k for k, _, _ in in_file(wrong.sent)] == ["unsigned", "wrong_signature"]
    assert in_file(signed.sent, revoked=DAY) == told(signed.sent, keys(revoked=DAY)) != []
    assert in_file(open_end.sent, since=DAY + timedelta(days=1)) == []
    assert not any(a.findings for a in audit_file(envelopes(wrong.sent)))


def test_of_two_tails_of_a_file_the_signed_one_counts() -> None:
    for rounds, signed in ((1, None), (5, None), (2, STRANGER), (2, KEY)):
        record, forger, before = forged(rounds, signed=signed)
        honest = record.sent[len(before) :]
        for sent in ([*before, *forger.sent, *honest], [*before, *honest, *forger.sent]):
            assert in_file(sent) == told(sent, keys())
            if signed is not KEY:
                assert not {"wrong_odds", "wrong_stake"} & {k for k, _, _ in in_file(sent)}


def test_a_round_written_by_hand_is_not_asked_for_signatures() -> None:
    record = table(1)
    bare = [replace(e, prev=None) for e in envelopes(record.sent) if e.type != "HeadSigned"]
    known = TableRegistry({"T-1": RegisteredTable(keys=keys().signatures.keys.keys)})
    without = [f.kind for a in audit_file(bare) for f in a.findings]
    assert [f.kind for a in audit_file(bare, keys=GatewayKeys(known)) for f in a.findings] == (
        without
    )


def test_signatures_change_no_answer_and_no_id() -> None:
    """Of rounds that nobody numbered the bytes are the same; an event that has a number keeps it,
    and its finding is known by that number, whether signatures stand among the others or not."""
    record = Signed()
    record.shoe()
    for n, name in enumerate(("A", "B")):
        record.open(name)
        record.sign()
        steps = ["bet 1 P1 initial 10.00", "close", "deal 1:KS 0:9H 1:QS", "stand 1 P1"]
        record.play(name, *steps, "deal 0:KD", "settle 1 P1 initial 10.00 10.00 15.00")
        record.at -= timedelta(seconds=5 * n)  # the gateway's clock may be behind
        record.sign()
        record.at += timedelta(seconds=5 * n)
        record.add("RoundClosed", name)
        record.sign()
    bare = [
        replace(e, seq=None, prev=None, at=None, table=None, device=None)
        for e in envelopes(record.sent)
    ]
    without = [e for e in bare if not isinstance(e.event, HeadSigned)]
    told = [a.to_json() for a in audit_file(without)]
    assert [f["kind"] for a in told for f in a["findings"]] == ["wrong_odds", "wrong_odds"]
    assert [a.to_json() for a in audit_file(bare)] == told
    numbered = [f for a in audit_file(envelopes(record.sent)) for f in a.findings]
    archived = findings(audit(record.sent, keys()))
    assert [(f.kind, f.id) for f in numbered] == [(f["kind"], f["id"]) for f in archived]
    assert [f.kind for f in numbered] == ["wrong_odds", "wrong_odds"]
