"""Section 5 as Pontoon Plus and Blackjack have it: the two texts agree paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Iterable

from replay import grounds as shared
from replay.answer import Key
from replay.cards import value
from replay.episodes import DEALING_ERRORS, Episode, Text
from replay.episodes.question import undealt_after
from replay.facts import NEVER, Discard, Option
from replay.findings import Findings
from replay.grounds import Ground
from replay.stakes import Closing, Stake
from replay.twentyone import limits, reconstruction
from replay.twentyone.choices import ERRORS, Choice, answers_of, choices
from replay.twentyone.established import established
from replay.twentyone.game import Game, Incidents, Section5
from replay.twentyone.incidents import left, players_of, settled_before, went_on
from replay.twentyone.table import TwentyOneTable

NOTED = {
    "foreign_card": "5.5.1",
    "card_shortage": "5.5.2",
    "card_excess": "5.5.2",
    "insufficient_cards": "5.5.3",
    "not_shuffled": "5.5.4",
}
BY_DECLARATION = frozenset({"5.5.1", "5.5.2", "5.5.3", "5.5.4"})
TOGETHER = frozenset({"simultaneous_cards"})
TEXT = Text(
    families=(ERRORS,),
    clauses={
        "5.9": DEALING_ERRORS,
        "5.10.3": frozenset({"cards_to_empty_box", "dealing_error"}),
        "5.12": TOGETHER,
        "5.12.1": TOGETHER,
        "5.12.2": TOGETHER,
    },
)


def incidents(
    table: TwentyOneTable, stakes: dict[Key, Stake], game: Game, findings: Findings
) -> Incidents:
    """Voids, options, interruptions, players who left."""
    out = Incidents()
    round_ = table.round
    grounds = _proofs(table, game)
    if not (round_.irregular or grounds):
        return out
    shared.rulings(round_, findings)
    for episode in table.known_episodes().all:
        for kind in sorted(episode.kinds.intersection(NOTED)):
            grounds.append(Ground(episode.at, NOTED[kind]))
        if episode.kind == "technical_interruption":
            if established(game, table, stakes, episode.at):
                out.established = "5.4.1"
                out.stopped = not went_on(round_, episode.at)
            else:
                grounds.append(Ground(episode.at, "5.4.2"))
    shared.declared_grounds(round_, grounds, BY_DECLARATION, "5.19", findings)
    clause = shared.choose(grounds, round_)
    if clause is not None:
        out.void_clauses = (clause, "5.17")
    elif round_.voids:
        out.stopped = True  # declared void without a ground: play may have stopped there
    _options(table, stakes, findings, out)
    if clause is not None:
        return out
    out.left, out.perhaps_left = left(table, stakes)
    _walked_away(table, stakes, findings, out)
    _simultaneous_to_dealer(table, findings)
    _face_up_in_shoe(table, findings)
    return out


def _proofs(table: TwentyOneTable, game: Game) -> list[Ground]:
    """What the cards alone prove."""
    round_ = table.round
    proved = []
    card = shared.foreign_card(round_, game.deck)
    if card is not None:
        proved.append(("foreign_card", card))
    card = shared.excess_card(round_)
    if card is not None:
        proved.append(("card_excess", card))
    for kind, card in proved:
        where = None if card.box < 0 else card.box
        table.known_episodes().prove(kind, card.at, box=where, hand=None, cards=[card.draw])
    out = [Ground(card.at, NOTED[kind]) for kind, card in proved]
    if round_.shuffled is False:
        table.known_episodes().prove("not_shuffled", 0)
        out.append(Ground(0, "5.5.4"))
    return out


def _options(
    table: TwentyOneTable, stakes: dict[Key, Stake], findings: Findings, out: Incidents
) -> None:
    """After every dealing error each player goes on or has his bets back."""
    round_ = table.round
    given = choices(table.known_episodes().all)
    if not (given or round_.options):
        return
    for seat, keys in players_of(stakes).items():
        found = answers_of(round_, given, seat)
        passed: Choice | None = None  # the last error about which he was not asked
        for choice, (_, option) in zip(given, found.to, strict=False):
            live = [key for key in keys if not settled_before(table, key, choice)]
            if option is not None:
                choice.episode.options.append(option)
            if option is None:
                due = bool(choice.clauses and live) and _is_there(table, stakes, seat, choice.at)
                if due and not _same_pause(table, passed, choice):
                    _not_asked(table, choice, seat, findings, out)
                    passed = choice
            elif option.option == "take_back":
                _take_back(table, live, out)
            else:
                _go_on(live, "5.7.2" if choice.episode.moves else "5.7.1", out)
        if found.back is not None and found.back in found.needless:
            _take_back(table, [k for k in keys if not _recorded(table, k, found.back.at)], out)
        _without_need(found.needless, "without a dealing error to choose about", findings)
    seats = {(key[0], key[2]) for key in round_.bets}
    others = [option for option in round_.options if (option.box, option.player) not in seats]
    _without_need(others, "by somebody who has no bet on the box", findings)


def _without_need(options: Iterable[Option], says: str, findings: Findings) -> None:
    """Who goes on without need harms nobody; who takes back has no right to it."""
    for option in options:
        if option.option == "take_back":
            findings.add(
                "illegal_decision",
                ("5.7",),
                f"take_back {says}",
                at=option.at,
                box=option.box,
                player=option.player,
            )


def _is_there(
    table: TwentyOneTable, stakes: dict[Key, Stake], seat: tuple[int, str], at: int
) -> bool:
    """Whether a player has a hand to go on with and did not walk away: else nobody can ask him."""
    no, player = seat
    box = table.boxes[no]
    if not box.initials:
        return False  # what lies there goes back in any case (5.15)
    if not any(note.kind == "player_left" and note.at < at for note in table.round.notes):
        return True
    alone, _ = left(table, stakes)
    return player not in table.gone(box, at) and alone.get(no, NEVER) >= at


def _recorded(table: TwentyOneTable, key: Key, at: int) -> bool:
    return any(settled.key == key and settled.at < at for settled in table.round.settled)


def _same_pause(table: TwentyOneTable, before: Choice | None, choice: Choice) -> bool:
    """Whether no card lies between two errors: one question would have been for both."""
    if before is None:
        return False
    return not any(before.at < card.at < choice.at for card in table.round.cards)


def _not_asked(
    table: TwentyOneTable,
    choice: Choice,
    seat: tuple[int, str],
    findings: Findings,
    out: Incidents,
) -> None:
    """The choice was due and not given; it may still come where the log or the round stops."""
    round_ = table.round
    over = round_.closed and out.void_clause is None and not out.stopped
    if not (over or went_on(round_, choice.at)):
        return
    findings.add(
        "missing_option",
        choice.clauses,
        "a dealing error, but no choice between going on and taking back",
        at=choice.at,
        box=seat[0],
        player=seat[1],
    )


def _go_on(live: list[Key], clause: str, out: Incidents) -> None:
    for key in live:
        cited = out.extra.get(key, ())
        if clause not in cited:
            out.extra[key] = (*cited, clause)


def _take_back(table: TwentyOneTable, live: list[Key], out: Incidents) -> None:
    for key in live:
        if key[3] != "initial" and table.readings.other("options-scope"):
            continue
        out.returned[key] = ("5.7.3",)


def _walked_away(
    table: TwentyOneTable, stakes: dict[Key, Stake], findings: Findings, out: Incidents
) -> None:
    """The house draws for a player who left, alone on his box, until he has 12 or more."""
    for key in stakes:
        if key[0] in out.left:
            out.extra[key] = (*out.extra.get(key, ()), "5.3")
    for box, at in out.left.items():
        _drawn_to_12(table, box, at, findings)


def _drawn_to_12(table: TwentyOneTable, box: int, left_at: int, findings: Findings) -> None:
    for hand in table.boxes[box].hands.values():
        if hand.doubled_at != NEVER or hand.surrendered or not hand.cards:
            continue
        for count, card in enumerate(hand.cards):
            total, _ = value(hand.faces[:count])
            if card in table.unasked and card.at > left_at and total >= 12:
                says = f"the house drew {card.face} on {total}; it stops at 12 or more"
                findings.add("deal_order", ("5.3",), says, at=card.at, box=box, hand=hand.no)
                break
        total, _ = value(hand.faces)
        over = table.round.closed or table.dealer_second_at != NEVER
        if total < 12 and hand.stood_at == NEVER and over:
            says = f"the house stopped at {total}; it draws to 12 or more"
            findings.add("deal_order", ("5.3",), says, at=left_at, box=box, hand=hand.no)


def _simultaneous_to_dealer(table: TwentyOneTable, findings: Findings) -> None:
    """Cards that came out together for the dealer are discarded, all of them."""
    gone = {step.draw for step in table.round.steps if isinstance(step, Discard)}
    for episode in table.known_episodes().of_kind("simultaneous_cards"):
        if episode.box != 0:
            continue
        unseen = _undealt_beside(table, episode)
        if len(unseen) < 2 and not (episode.cards and gone.issuperset(episode.cards)):
            says = "cards drawn together for the dealer were not discarded"
            findings.add("deal_order", ("5.12.1",), says, at=episode.at, box=0, hand=0)


def _undealt_beside(table: TwentyOneTable, episode: Episode) -> list[Discard]:
    """The cards thrown away straight out of the shoe in the pause in which an error was noted."""
    pause = max((card.at for card in table.round.cards if card.at < episode.at), default=-1)
    face_up = table.known_episodes().of_kind("card_face_up_in_shoe")
    used = {draw for other in face_up for draw in other.cards}
    return [step for step in undealt_after(table.round, pause) if step.draw not in used]


def _face_up_in_shoe(table: TwentyOneTable, findings: Findings) -> None:
    """A card that lay face up in the shoe is the next card; it is not thrown away."""
    episodes = table.known_episodes()
    gone = [step for step in table.round.steps if isinstance(step, Discard)]
    told: set[int] = set()
    for episode in episodes.of_kind("card_face_up_in_shoe"):
        for step in gone:
            if step.at < episode.at or episodes.of_event(step.at) not in {None, episode}:
                continue
            if step.draw in episode.cards and step.at not in told:
                told.add(step.at)
                says = "the card that lay face up was discarded; it is used as the next card"
                findings.add("deal_order", ("5.11",), says, at=step.at)


SECTION_5 = Section5(
    closing=Closing(late=("5.8", "3.10"), withdrawal=("5.14", "5.8")),
    incidents=incidents,
    overdraw_cut=lambda readings: True,  # 5.10.2
    text=TEXT,
    may_move=reconstruction.may_move,
    may_discard=reconstruction.may_discard,
    no_reconstruction=reconstruction.no_reconstruction,
    limits=limits.by_box,
    gives_choice=True,
)
