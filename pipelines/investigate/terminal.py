"""A case on a terminal: the findings and the disputed lines on top, then the round, its play, its
other lines one row each, and reasons as far as they were asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.text import Text

from pipelines.house_time import on_house_clock
from pipelines.investigate.allowed import Allowed
from pipelines.investigate.case import NOT_LOOKED_AT, Difference, Investigation, LineStory, PlayStep
from pipelines.investigate.lines_view import finding_text, print_lines
from pipelines.investigate.scene import Scene, SceneHand, counts
from pipelines.investigate.why import Reasons, gives, whose
from pipelines.investigate.words import bet_name, cards, decks, place
from pipelines.safe_text import for_terminal
from pipelines.tables import Column, heading, print_table
from replay.findings import dollars, signed_dollars


@dataclass(frozen=True, slots=True)
class WantedLines:
    """Which lines' reasons somebody wants, beside those of the disputed ones."""

    boxes: frozenset[int] = frozenset()
    everything: bool = False

    def wants(self, story: LineStory) -> bool:
        return self.everything or story.key[0] in self.boxes


def show_case(case: Investigation, zone: ZoneInfo, out: Console, asked: WantedLines) -> None:
    """The whole case."""
    reasons = Reasons(out)
    shown = [s for s in case.lines if s.derived is not None or s.recorded is not None]
    disputed = [s for s in case.lines if s.findings]
    _findings(case, out)
    if disputed:
        heading(out, "disputed")
        _lines(case, [s for s in shown if s.findings], out)
        for story in disputed:
            reasons.tell(story, passed_over=asked.wants(story))
    _head(case, zone, out)
    _play(case, case.steps, zone, out)
    heading(out, "the other lines" if disputed else "derived and recorded")
    _lines(case, [s for s in shown if not s.findings], out)
    wanted = [s for s in case.lines if asked.wants(s) and not s.findings]
    if wanted:
        heading(out, "why")
    for story in wanted:
        reasons.tell(story, passed_over=True)
    if case.lines and not asked.everything and not asked.boxes:
        out.print(Text("--why BOX tells why a box is settled so, --all every line", style="dim"))


def _findings(case: Investigation, out: Console) -> None:
    found = case.answer.findings
    if not found:
        out.print(Text("no findings: the record is what the rulebook gives", style="green"))
        return
    for number, finding in enumerate(found, start=1):
        out.print(finding_text(finding, number))
        episode = case.episode_words(finding)
        if episode is not None:
            out.print(Text(f"     {episode}", style="dim"))


def _head(case: Investigation, zone: ZoneInfo, out: Console) -> None:
    answer, opened = case.answer, case.opened
    heading(out, f"round {answer.round}")
    rows: list[tuple[str, str]] = []
    void = f", void under {answer.void_clause}" if answer.void_clause else ""
    rows.append(("table", for_terminal(answer.table or "not named")))
    rows.append(("status", f"{answer.status}{void}"))
    if case.book is not None:
        book = f"{case.book.title}, version {case.book.version} ({case.book.id})"
        if case.book_id is not None:
            book += f" instead of its own, {answer.rulebook}"
        rows.append(("rulebook", for_terminal(book)))
        rows.append(("fingerprint", case.fingerprint or ""))
    elif answer.rulebook:
        rows.append(("rulebook", for_terminal(answer.rulebook)))
    times = [step.at for step in case.steps if step.at is not None]
    if times:
        rows.append(
            ("time", f"{clock(times[0], zone)} to {on_house_clock(times[-1], zone):%H:%M:%S}")
        )
    if opened is not None:
        limits = ", ".join(
            f"{bet_name(bet)} {dollars(limit.min)} to {dollars(limit.max)}"
            for bet, limit in sorted(opened.limits.items())
        )
        shoe = f"{opened.shoe}, {decks(opened.decks)}, {opened.boxes} boxes"
        rows.append(("limits", for_terminal(limits)))
        rows.append(("shoe", for_terminal(shoe)))
        rows.append(("dealer", for_terminal(opened.dealer or "not named")))
    if case.turned:
        rows.append(("read otherwise", ", ".join(sorted(case.turned))))
    rows.append(("found in", for_terminal(case.located.where)))
    rows += [("not looked at", NOT_LOOKED_AT[name]) for name in case.not_looked_at]
    print_table(out, [Column("what"), Column("is", folds=1)], rows, header=False)


def clock(at: datetime, zone: ZoneInfo) -> str:
    """A moment on the house's clock."""
    local = on_house_clock(at, zone)
    return f"{local:%Y-%m-%d %H:%M:%S} {local.tzinfo}"


def _play(case: Investigation, steps: Sequence[PlayStep], zone: ZoneInfo, out: Console) -> None:
    heading(out, "course of play")
    rows = []
    for step in steps:
        number = step.index if step.seq is None else step.seq
        at = "" if step.at is None else f"{on_house_clock(step.at, zone):%H:%M:%S}"
        text = Text(for_terminal(step.text))
        for n in step.findings:
            text.append(f"  <- finding {n}", style="bold red")
        rows.append((str(number), at, text, _after(step, case)))
    print_table(out, _PLAY, rows, header=False)


_PLAY = (
    Column("event", right=True, style="dim"),
    Column("time", style="dim"),
    Column("what", folds=24),
    Column("hand", folds=1),
)


def _after(step: PlayStep, case: Investigation) -> Text:
    """The hand that an event changed, as it lies after it."""
    event = step.envelope.event
    if step.envelope.type not in {"CardDealt", "CardsMoved", "HandRevealed"}:
        return Text("")
    hands = [(getattr(event, "box", None), getattr(event, "hand", None))]
    if step.envelope.type == "CardsMoved":
        hands = sorted({(m.box, m.hand) for m in event.moves})  # type: ignore[attr-defined]
    text = Text()
    for box, no in hands:
        hand = step.scene.hand(box or 0, no or 0)
        if hand is not None and hand.cards:
            text.append(hand_text(hand, case.answer.rulebook)).append(" ")
    return text


def hand_text(hand: SceneHand, rulebook: str | None) -> Text:
    """Cards with their suits in red and black, and what they amount to."""
    text = Text()
    for card in hand.cards:
        red = card.face[-1:] in {"H", "D"}
        text.append(for_terminal(cards([card.face])), style="red" if red else "default").append(" ")
    return text.append(f"= {counts(hand, rulebook)}", style="bold")


def _lines(case: Investigation, stories: Sequence[LineStory], out: Console) -> None:
    if not stories:
        out.print("no lines")
        return
    recorded = {s.key: s.recorded for s in stories if s.recorded is not None}
    due = any(s.due for s in case.lines)
    print_lines(out, [(s.key, s.derived) for s in stories], recorded, due=due)


def show_differences(
    case: Investigation, found: Sequence[Difference], status: str, out: Console
) -> None:
    """What another rulebook or reading changes."""
    under = case.book_id or ", ".join(sorted(case.turned))
    heading(out, f"differences under {under}")
    if status != case.answer.status:
        out.print(f"the round is {case.answer.status} instead of {status}")
    if not found:
        out.print("no line changes")
    for difference in found:
        before, after = gives(difference.before), gives(difference.after)
        money = difference.money
        more = f"  {signed_dollars(money)} for the player" if money else ""
        out.print(f"{whose(difference.key)}: {before} -> {after}{more}")


def show_moment(
    case: Investigation, step: PlayStep, allowed: Sequence[Allowed], zone: ZoneInfo, out: Console
) -> None:
    """The state of a round at one event, and what the rules then allowed."""
    _head(case, zone, out)
    _play(case, case.steps[: step.index + 1], zone, out)
    heading(out, f"the table after event {step.seq or step.index}")
    _state(step.scene, case.answer.rulebook, out)
    heading(out, "what the rules then allowed")
    if step.scene.closed or step.scene.void:
        out.print("nothing more: the round is over")
    elif step.scene.open:
        out.print("bets, within the limits above")
    for (box, no), words in _by_hand(allowed).items():
        out.print(Text(place(box, no), style="bold"))
        for one in words:
            mark = Text(
                "  yes  " if one.allowed else "  no   ", style="green" if one.allowed else "dim"
            )
            why = "" if one.allowed else f": {one.why_not} ({', '.join(one.clauses)})"
            out.print(mark.append(f"{one.what}{why}", style="default" if one.allowed else "dim"))


def _by_hand(allowed: Sequence[Allowed]) -> dict[tuple[int, int], list[Allowed]]:
    out: dict[tuple[int, int], list[Allowed]] = {}
    for one in allowed:
        out.setdefault((one.box, one.hand), []).append(one)
    return out


def _state(scene: Scene, rulebook: str | None, out: Console) -> None:
    for hand in scene.hands:
        text = Text(f"{place(hand.box, hand.no)}: ", style="bold")
        if hand.cards:
            text.append(hand_text(hand, rulebook))
        for chips in hand.chips:
            settled = "" if chips.settled is None else " (settled)"
            who = for_terminal(f"{chips.player} {bet_name(chips.bet)}")
            text.append(f"  {who} {dollars(chips.amount)}{settled}")
        if hand.said:
            text.append(f"  [{for_terminal(', '.join(hand.said))}]", style="cyan")
        out.print(text)
