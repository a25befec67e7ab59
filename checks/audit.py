"""The audit of a round: settled by the rulebook and compared with what the table recorded.

This is the one place where a round is judged. Whoever asks brings the round and its context.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from checks.compare import Recorded, compare, recorded_lines
from checks.context import ALONE, MeterWord, RoundContext
from checks.in_file import FileContexts
from checks.late import late_from, overlap_findings
from checks.unreconciled import difference, given_up, unreconciled
from events.model import Envelope
from events.trust.heads import GatewayKeys
from replay.answer import Answer, Finding, Key
from replay.cut import as_judged
from replay.engine import order_of, replay_round
from replay.facts import Round


def audit(
    round_: Round,
    context: RoundContext = ALONE,
    turned: Iterable[str] = (),
    *,
    trace: bool = False,
    book_id: str | None = None,
    recorded: Mapping[Key, Recorded] | None = None,
) -> Answer:
    """The answer of a round with all its findings. Pure: the round stays as it is.

    turned: ids of the readings that are set to the other one.
    trace: with the rules in the order in which they were asked.
    book_id: another rulebook than the round's own.
    recorded: checks.compare.recorded_lines(round_), where the caller has it already.

    Whatever fails in the rules costs this round alone: checks/unreconciled.py.
    """
    try:
        answer = _judged(round_, context, turned, trace, book_id, recorded)
        differs = difference(round_, answer, recorded or recorded_lines(round_))
    except Exception as error:  # noqa: BLE001 - the rules may fail on a round in any way
        return given_up(round_, error, context.beside)
    if differs is not None:
        found = [*answer.findings, unreconciled(round_, differs)]
        answer.findings = sorted(found, key=order_of)
    if context.meter is not None:
        answer.findings = _with_meter(answer.findings, context.meter)
    return answer


def _judged(
    round_: Round,
    context: RoundContext,
    turned: Iterable[str],
    trace: bool,
    book_id: str | None,
    recorded: Mapping[Key, Recorded] | None,
) -> Answer:
    late = late_from(round_, context.next_round)
    shuffled = round_.shuffled if context.shoe is None else context.shoe.shuffled
    judged = round_
    opened = round_.opened_at if context.opened_us is None else context.opened_us
    if late is not None or shuffled is not round_.shuffled or opened != round_.opened_at:
        judged = as_judged(round_, late_from=late, shuffled=shuffled, opened_at=opened)
    answer = replay_round(judged, turned, trace=trace, book_id=book_id)
    # a void that came too late is no ground any more, but it was declared
    found = compare(round_, answer, recorded)
    if context is not ALONE:
        found += context.beside
        if late is not None and context.next_round is not None:
            found += overlap_findings(round_, late, context.next_round)
    if found or len(answer.findings) > 1:
        answer.findings = _told_once(sorted([*answer.findings, *found], key=order_of))
    return answer


def _told_once(findings: list[Finding]) -> list[Finding]:
    """Two that say the same of the same place share their id, and are one."""
    first: dict[str, Finding] = {}
    for finding in findings:
        first.setdefault(finding.id, finding)
    return list(first.values())


def _with_meter(own: list[Finding], meter: MeterWord) -> list[Finding]:
    """A round's own findings, and what other tables show of it."""
    left = [f for f in own if not explained_away(f.severity, f.bet, f.box, meter.explained)]
    return sorted([*left, *meter.findings], key=order_of)


def explained_away(
    severity: str, bet: str | None, box: int | None, explained: Collection[int | None]
) -> bool:
    """Whether a round's finding says that a winner got the wrong amount of the meter, where other
    tables show why it was right. `explained`: the boxes of the round for which they do."""
    return severity in {"money", "judgement"} and bet == "progressive" and box in explained


def audit_file(
    envelopes: Iterable[Envelope],
    turned: Iterable[str] = (),
    *,
    trace: bool = False,
    keys: GatewayKeys | None = None,
) -> list[Answer]:
    """Every round of a stream of events, in the order in which they opened.

    keys: of the house's gateways; without them nothing is asked of signatures.
    """
    chosen = frozenset(turned)
    file = FileContexts(envelopes, keys)
    return [audit(round_, file.of(round_), chosen, trace=trace) for round_ in file.rounds]
