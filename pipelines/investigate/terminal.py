"""A case on a terminal: findings on top, then the round, its play, its lines and why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from pipelines.investigate.allowed import Allowed
from pipelines.investigate.case import NOT_LOOKED_AT, Difference, Investigation, LineStory, PlayStep
from pipelines.investigate.lines_view import (
    facts_text,
    finding_text,
    lines_table,
    outcome_of,
    place_of,
)
from pipelines.investigate.scene import Scene, SceneHand, counts
from pipelines.investigate.words import bet_name, cards, decks, place
from pipelines.safe_text import for_terminal
from replay.findings import dollars, signed_dollars


def show_case(case: Investigation, zone: ZoneInfo, out: Console) -> None:
    """The whole case."""
    _findings(case, out)
    _head(case, zone, out)
    _play(case, case.steps, zone, out)
    _lines(case, out)
    for story in case.lines:
        _why(story, out)


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
    out.print(Rule(f"round {for_terminal(answer.round)}", align="left", style="dim"))
    table = Table.grid(padding=(0, 2))
    void = f", void under {answer.void_clause}" if answer.void_clause else ""
    table.add_row("table", for_terminal(answer.table or "not named"))
    table.add_row("status", f"{answer.status}{void}")
    if case.book is not None:
        book = f"{case.book.title}, version {case.book.version} ({case.book.id})"
        if case.book_id is not None:
            book += f" instead of its own, {answer.rulebook}"
        table.add_row("rulebook", for_terminal(book))
        table.add_row("fingerprint", case.fingerprint or "")
    elif answer.rulebook:
        table.add_row("rulebook", for_terminal(answer.rulebook))
    times = [step.at for step in case.steps if step.at is not None]
    if times:
        table.add_row("time", f"{clock(times[0], zone)} to {times[-1].astimezone(zone):%H:%M:%S}")
    if opened is not None:
        limits = ", ".join(
            f"{bet_name(bet)} {dollars(limit.min)} to {dollars(limit.max)}"
            for bet, limit in sorted(opened.limits.items())
        )
        shoe = f"{opened.shoe}, {decks(opened.decks)}, {opened.boxes} boxes"
        table.add_row("limits", for_terminal(limits))
        table.add_row("shoe", for_terminal(shoe))
        table.add_row("dealer", for_terminal(opened.dealer or "not named"))
    if case.turned:
        table.add_row("read otherwise", ", ".join(sorted(case.turned)))
    table.add_row("found in", for_terminal(case.located.where))
    for name in case.not_looked_at:
        table.add_row("not looked at", NOT_LOOKED_AT[name])
    out.print(table)


def clock(at: datetime, zone: ZoneInfo) -> str:
    """A moment on the house's clock."""
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M:%S} {zone}"


def _play(case: Investigation, steps: Sequence[PlayStep], zone: ZoneInfo, out: Console) -> None:
    out.print(Rule("course of play", align="left", style="dim"))
    table = Table(box=None, pad_edge=False, padding=(0, 1), show_header=False)
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column()
    table.add_column(no_wrap=True)
    for step in steps:
        number = step.index if step.seq is None else step.seq
        at = "" if step.at is None else f"{step.at.astimezone(zone):%H:%M:%S}"
        text = Text(for_terminal(step.text))
        for n in step.findings:
            text.append(f"  <- finding {n}", style="bold red")
        table.add_row(str(number), at, text, _after(step, case))
    out.print(table)


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


def _lines(case: Investigation, out: Console) -> None:
    out.print(Rule("derived and recorded", align="left", style="dim"))
    if not case.lines:
        out.print("no lines")
        return
    recorded = {s.key: s.recorded for s in case.lines if s.recorded is not None}
    due = any(s.due for s in case.lines)
    shown = [s for s in case.lines if s.derived is not None or s.recorded is not None]
    out.print(lines_table([(s.key, s.derived) for s in shown], recorded, due=due))


def _why(story: LineStory, out: Console) -> None:
    """One line: the clause that decides, what was passed over, and what else it could be."""
    _, _, player, bet = story.key
    who = for_terminal(f"{player} {bet_name(bet)}")
    title = Text(f"\nbox {place_of(story.key)}, {who}: ", style="bold")
    out.print(title.append(outcome_of(story.derived), style="bold green"))
    rule = story.settled_by
    if rule is not None:
        out.print(f"  because {rule['when']}")
    for number, gist in story.clauses:
        out.print(Text(f"  {number}  ", style="cyan").append(gist, style="default"))
    if rule is not None and rule.get("facts"):
        out.print(Text(f"  with {facts_text(rule['facts'])}", style="dim"))
    if story.passed_over:
        words = "; ".join(
            f"{step['when']} ({', '.join(step['clauses'])})" for step in story.passed_over
        )
        out.print(Text(f"  asked first and not so: {words}", style="dim"))
    for other in story.others:
        r = other.reading
        out.print(Text(f"  depends on the reading {r.id}: {r.question}", style="cyan"))
        followed, turned = (r.other, r.default) if other.is_other else (r.default, r.other)
        gives = "no line" if other.line is None else _gives(other.line)
        out.print(Text(f"    followed: {followed}"))
        out.print(Text(f"    other: {turned}; that would give {gives}"))


def _gives(line: object) -> str:
    from replay.answer import Line

    if not isinstance(line, Line):
        return "no line"
    back, won = dollars(line.stake_returned), dollars(line.winnings)
    return f"{back} + {won} ({outcome_of(line)})"


def show_differences(
    case: Investigation, found: Sequence[Difference], status: str, out: Console
) -> None:
    """What another rulebook or reading changes."""
    under = case.book_id or ", ".join(sorted(case.turned))
    out.print(Rule(f"differences under {under}", align="left", style="dim"))
    if status != case.answer.status:
        out.print(f"the round is {case.answer.status} instead of {status}")
    if not found:
        out.print("no line changes")
    for difference in found:
        _, _, player, bet = difference.key
        before = "no line" if difference.before is None else _gives(difference.before)
        after = "no line" if difference.after is None else _gives(difference.after)
        money = difference.money
        more = f"  {signed_dollars(money)} for the player" if money else ""
        who = for_terminal(f"{player} {bet_name(bet)}")
        out.print(f"box {place_of(difference.key)}, {who}: {before} -> {after}{more}")


def show_moment(
    case: Investigation, step: PlayStep, allowed: Sequence[Allowed], zone: ZoneInfo, out: Console
) -> None:
    """The state of a round at one event, and what the rules then allowed."""
    _head(case, zone, out)
    _play(case, case.steps[: step.index + 1], zone, out)
    out.print(Rule(f"the table after event {step.seq or step.index}", align="left", style="dim"))
    _state(step.scene, case.answer.rulebook, out)
    out.print(Rule("what the rules then allowed", align="left", style="dim"))
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
