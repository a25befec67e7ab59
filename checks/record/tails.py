"""Which events count where several claim one number, and which no valid signature covers.

Of two tails the validly signed one is the record, whichever came first. What hangs on the other
does not count. Two that are both validly signed are told loudly, because then somebody else has
the gateway's key, or the gateway itself says two things.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from events.chain import QuarantinedLink
from events.signed_chain import Coverage, Place, RefusedSignature, coverage
from events.trust.heads import NO_KEYS, SIGN_EVERY_US, HeadKeys, HeadVerdict

if TYPE_CHECKING:
    from checks.record.links import RecordLink


class Signatures(NamedTuple):
    """What is known of a table's signatures besides those among its events.

    keys: NO_KEYS where nothing is known; then nothing is asked of signatures.
    after: what the next day has of the table, up to its first signature.
    over: whether the day is; before its end nothing has to be signed yet.
    since_us: what was seen before that moment needs no signature.
    """

    keys: HeadKeys = NO_KEYS
    after: tuple[RecordLink, ...] = ()
    over: bool = True
    since_us: int = 0


NO_SIGNATURES = Signatures()


@dataclass(slots=True)
class TailChoice:
    """One event per number, what does not count because of a signature, and what is signed twice.

    dropped: by number the hashes that lost against a signed tail, or hang on one that lost.
    orphans: of those the events whose number nobody else claims.
    split: the numbers at which two events are both validly signed.
    tails: where several events claim one number, which count and why, in words.
    """

    kept: list[RecordLink] = field(default_factory=list)
    dropped: dict[int, set[bytes | None]] = field(default_factory=dict)
    orphans: list[RecordLink] = field(default_factory=list)
    split: list[RecordLink] = field(default_factory=list)
    tails: list[str] = field(default_factory=list)
    cover: Coverage = field(default_factory=Coverage)

    def left_out(self, of_number: Mapping[int, list[RecordLink]]) -> list[list[RecordLink]]:
        """The day's own events that lost against a signed one with their number, run by run."""
        alone = {link.seq for link in self.orphans}
        lost = [
            link
            for seq in sorted(self.dropped.keys() - alone)
            for link in of_number[seq]
            if link.place >= 0 and link.hash in self.dropped[seq]
        ]
        return _runs(sorted(lost, key=lambda link: (link.round or "", link.seq)), by_round=True)

    def without_dropped(self, known: Mapping[int, bytes]) -> Mapping[int, bytes]:
        """Checkpoints, without those that were made while a forged tail was the last word."""
        if not self.dropped:
            return known
        return {seq: h for seq, h in known.items() if h not in self.dropped.get(seq, ())}


def choose(
    of_number: Mapping[int, list[RecordLink]],
    signatures: Signatures = NO_SIGNATURES,
    unreadable: QuarantinedLink | None = None,
) -> TailChoice:
    """One event per number: where there are several, the one that is validly signed, else the one
    that the chain goes on from."""
    out = TailChoice()
    if signatures.keys.keys:
        there = [link for links in of_number.values() for link in links]
        out.cover = coverage([*there, *signatures.after], signatures.keys, unreadable)
    before: RecordLink | None = None
    ends = _ends(of_number)
    for seq in sorted(of_number):
        links = of_number[seq]
        left = [link for link in links if not _hangs_on_dropped(out, before, link)]
        if len(left) < len(links):
            out.dropped.setdefault(seq, set()).update(x.hash for x in links if x not in left)
        if not left:
            out.orphans.append(links[0])
            before = None
            continue
        before = left[0] if len(left) == 1 else _one_of(out, left, ends)
        out.kept.append(before)
    out.tails = _told(out, of_number)
    return out


def _ends(of_number: Mapping[int, list[RecordLink]]) -> dict[Place, int]:
    """How far the chain goes on from each event, where some number is claimed by several."""
    out: dict[Place, int] = {}
    if all(len(links) == 1 for links in of_number.values()):
        return out
    for seq in sorted(of_number, reverse=True):
        for link in of_number[seq]:
            if link.hash is not None:
                out[seq, link.hash] = max(seq, out.get((seq, link.hash), 0))
        for link in of_number[seq]:
            if link.hash is not None and link.prev is not None:
                end, before = out[seq, link.hash], (seq - 1, link.prev)
                out[before] = max(end, out.get(before, 0))
    return out


def _hangs_on_dropped(out: TailChoice, before: RecordLink | None, link: RecordLink) -> bool:
    """Whether an event goes on from one that does not count, and not from the one that does."""
    lost = out.dropped.get(link.seq - 1)
    if not lost or link.prev not in lost or _is_covered(out, link):
        return False
    return before is None or before.seq != link.seq - 1 or before.hash != link.prev


def _is_covered(out: TailChoice, link: RecordLink) -> bool:
    return link.hash is not None and (link.seq, link.hash) in out.cover.covered


def _one_of(out: TailChoice, links: Sequence[RecordLink], ends: Mapping[Place, int]) -> RecordLink:
    signed = [link for link in links if _is_covered(out, link)]
    among = signed or links
    if len({link.hash for link in signed}) > 1:
        out.split.append(signed[0])
    elif signed:
        lost = {link.hash for link in links} - {signed[0].hash}
        if lost:
            out.dropped.setdefault(links[0].seq, set()).update(lost)
    # of those that go on equally far the day's own, then the one that came first
    return max(among, key=lambda k: (ends.get((k.seq, k.hash or b""), 0), k.place >= 0))


def _told(out: TailChoice, of_number: Mapping[int, list[RecordLink]]) -> list[str]:
    """Of two tails which counts and why, run by run."""
    split = {link.seq for link in out.split}
    runs: list[tuple[str, list[RecordLink], list[RecordLink]]] = []
    for link in out.kept:
        others = [x for x in of_number[link.seq] if x.hash != link.hash]
        if not others:
            continue
        why = "because a valid signature covers them"
        if link.seq in split:
            why = "because the chain goes on from them, though both are validly signed and nobody "
            why += "here can tell which is true"
        elif not _is_covered(out, link):
            why = "because the chain goes on from them; no valid signature decides it"
        if not runs or runs[-1][0] != why or runs[-1][1][-1].seq != link.seq - 1:
            runs.append((why, [], []))
        runs[-1][1].append(link)
        runs[-1][2].extend(others)
    return [
        f"{_events(own[0].seq, own[-1].seq)} claimed twice: those{_of_rounds(own)} count, {why}; "
        f"those{_of_rounds(other)} do not"
        for why, own, other in runs
    ]


def _of_rounds(links: Iterable[RecordLink]) -> str:
    names = sorted({link.round for link in links if link.round is not None})
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    return f" of round{'s' if len(names) > 1 else ''} {shown}" if names else " between rounds"


class SignatureProblem(NamedTuple):
    """What a table's signatures show: the kind, the event that shows it, and the sentence."""

    kind: str
    link: RecordLink
    says: str


def signature_problems(
    of_number: Mapping[int, list[RecordLink]],
    choice: TailChoice,
    signatures: Signatures,
    unreadable: QuarantinedLink | None = None,
) -> Iterator[SignatureProblem]:
    """What is unsigned, wrongly signed or signed twice. Nothing where no keys are known."""
    if not signatures.keys.keys:
        return
    since = signatures.since_us
    own = [k for k in choice.kept if k.place >= 0 and (k.at is None or k.at >= since)]
    yield from _wrong(of_number, choice.cover.refused)
    for run in _runs(choice.split):
        where = f"from event {run[0].seq} to {run[-1].seq}"
        says = f"two tails of the chain are both validly signed {where}: the key is in other hands "
        says += "too, or the gateway said two things; nobody here can tell which is true"
        yield SignatureProblem("wrong_signature", run[0], says)
    for run in _runs(choice.orphans, by_round=True):
        says = f"{_events(run[0].seq, run[-1].seq)} not covered by a valid signature: they go on "
        says += "from a tail that lost against the signed one, and do not count"
        yield SignatureProblem("unsigned", run[0], says)
    if own:
        yield from _unsigned(of_number, own, choice.cover, signatures, unreadable)


def _unsigned(
    of_number: Mapping[int, list[RecordLink]],
    own: Sequence[RecordLink],
    cover: Coverage,
    signatures: Signatures,
    unreadable: QuarantinedLink | None,
) -> Iterator[SignatureProblem]:
    """Runs of the day's events that no signature covers by the end of the day."""
    in_time = _in_time(of_number, own, cover, signatures, unreadable)
    run: list[RecordLink] = []
    for link in [*own, None]:
        if link is not None and (link.seq, link.hash) not in in_time.covered:
            run.append(link)
            continue
        open_end = link is None and not signatures.over
        first = next((one for one in run if one.signed is None), None)
        if first is not None and not open_end:
            last = next(one for one in reversed(run) if one.signed is None)
            void = {one.why for one in in_time.refused if one.verdict is HeadVerdict.VOID}
            why = f": {', '.join(sorted(void))}" if void else ""
            says = f"{_events(first.seq, last.seq)} not covered by a valid signature by the end of "
            yield SignatureProblem("unsigned", first, f"{says}the day{why}")
        run = []


def _in_time(
    of_number: Mapping[int, list[RecordLink]],
    own: Sequence[RecordLink],
    cover: Coverage,
    signatures: Signatures,
    unreadable: QuarantinedLink | None,
) -> Coverage:
    """What is covered by the end of the day. A gateway signs within a minute, so that a signature
    of the next day counts where it came so soon after the day's last event."""
    end = max((link.at for link in own if link.at is not None), default=0) + SIGN_EVERY_US
    there = [link for links in of_number.values() for link in links]
    late = [
        link
        for link in [*there, *signatures.after]
        if link.signed is not None and link.place < 0 and (link.at or 0) > end
    ]
    if not late:
        return cover
    left = [link for link in [*there, *signatures.after] if link not in late]
    return coverage(left, signatures.keys, unreadable)


def _wrong(
    of_number: Mapping[int, list[RecordLink]], refused: Iterable[RefusedSignature]
) -> Iterator[SignatureProblem]:
    """Signatures that do not fit; one after the other for one reason are one thing wrong."""
    runs: list[tuple[str, list[RecordLink]]] = []
    for place, verdict, why in refused:
        link = next((x for x in of_number.get(place[0], ()) if x.hash == place[1]), None)
        if verdict is not HeadVerdict.WRONG or link is None or link.place < 0:
            continue
        if runs and runs[-1][0] == why:
            runs[-1][1].append(link)
        else:
            runs.append((why, [link]))
    for why, links in runs:
        more = f" and {len(links) - 1} more" if len(links) > 1 else ""
        says = f"the signature of event {links[0].seq}{more} is not valid: {why}"
        yield SignatureProblem("wrong_signature", links[0], says)


def _runs(links: Iterable[RecordLink], *, by_round: bool = False) -> list[list[RecordLink]]:
    """Events that follow each other, together; of one round where that is asked for."""
    out: list[list[RecordLink]] = []
    for link in links:
        last = out[-1][-1] if out else None
        joins = last is not None and last.seq + 1 == link.seq
        if joins and (not by_round or (last is not None and last.round == link.round)):
            out[-1].append(link)
        else:
            out.append([link])
    return out


def _events(first: int, last: int) -> str:
    return f"event {first} is" if first == last else f"events {first} to {last} are"
