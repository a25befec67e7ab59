"""Section 5 as Pontoon Plus and Blackjack have it: the two texts agree paragraph by paragraph."""

from __future__ import annotations

from replay import grounds as shared
from replay.answer import Key
from replay.cards import value
from replay.facts import NEVER, Card, Discard, Moved, Round
from replay.findings import Findings
from replay.grounds import Ground
from replay.stakes import Closing, Stake
from replay.twentyone import limits
from replay.twentyone.choices import MAY_OPT, OPTION_NOTES, choices, errors_of
from replay.twentyone.established import established
from replay.twentyone.game import Game, Incidents, Section5
from replay.twentyone.incidents import left, players_of, settled_before, went_on
from replay.twentyone.table import Table
from replay.twentyone.values import dealer_view

NOTED = {
    "foreign_card": "5.5.1",
    "card_shortage": "5.5.2",
    "card_excess": "5.5.2",
    "insufficient_cards": "5.5.3",
    "not_shuffled": "5.5.4",
}
BY_DECLARATION = frozenset({"5.5.1", "5.5.2", "5.5.3", "5.5.4"})


def incidents(table: Table, stakes: dict[Key, Stake], game: Game, findings: Findings) -> Incidents:
    """Voids, options, interruptions, players who left."""
    out = Incidents()
    round_ = table.round
    grounds = _proofs(table, game)
    if not (round_.irregular or grounds):
        return out
    shared.rulings(round_, findings)
    for note in round_.notes:
        if note.kind in NOTED:
            grounds.append(Ground(note.at, NOTED[note.kind]))
        elif note.kind == "technical_interruption":
            if established(game, table, stakes, note.at):
                out.established = "5.4.1"
                out.stopped = not went_on(round_, note.at)
            else:
                grounds.append(Ground(note.at, "5.4.2"))
    shared.declared_grounds(round_, grounds, BY_DECLARATION, "5.19", findings)
    clause = shared.choose(grounds, round_)
    if clause is not None:
        out.void_clauses = (clause, "5.17")
        return out
    if round_.voids:
        out.stopped = True  # declared void without a ground: play may have stopped there
    _options(table, stakes, findings, out)
    out.left = left(table, stakes)
    _walked_away(table, stakes, findings, out)
    _simultaneous_to_dealer(table, findings)
    shared.face_up_in_shoe(table.round, "5.11", findings)
    return out


def _proofs(table: Table, game: Game) -> list[Ground]:
    """What the cards alone prove."""
    round_ = table.round
    out = []
    card = shared.foreign_card(round_, game.deck)
    if card is not None:
        out.append(Ground(card.at, "5.5.1"))
    card = shared.excess_card(round_)
    if card is not None:
        out.append(Ground(card.at, "5.5.2"))
    if round_.shuffled is False:
        out.append(Ground(0, "5.5.4"))
    return out


def _options(table: Table, stakes: dict[Key, Stake], findings: Findings, out: Incidents) -> None:
    """After every dealing error each player goes on or has his bets back."""
    round_ = table.round
    errors = errors_of(round_)
    if not (errors or round_.options):
        return
    for seat, keys in players_of(stakes).items():
        answers, without = choices(round_, errors, seat)
        for error, option in answers:
            live = [key for key in keys if not settled_before(table, key, error.at)]
            if option is None:
                if error.clauses and live and not _may_still_come(table, error.at):
                    findings.add(
                        "missing_option",
                        error.clauses,
                        "a dealing error, but no choice between going on and taking back",
                        at=error.at,
                        box=seat[0],
                        player=seat[1],
                    )
            elif option.option == "take_back":
                _take_back(table, live, out)
            else:
                _go_on(live, "5.7.2" if error.moved else "5.7.1", out)
        for option in without:
            findings.add(
                "illegal_decision",
                ("5.7",),
                f"{option.option} without a dealing error to choose about",
                at=option.at,
                box=option.box,
                player=option.player,
            )


def _may_still_come(table: Table, at: int) -> bool:
    """The log stops before play went on: the choice may come after its end."""
    return not (table.round.closed or went_on(table.round, at))


def _go_on(live: list[Key], clause: str, out: Incidents) -> None:
    for key in live:
        cited = out.extra.get(key, ())
        if clause not in cited:
            out.extra[key] = (*cited, clause)


def _take_back(table: Table, live: list[Key], out: Incidents) -> None:
    for key in live:
        if key[3] != "initial" and table.readings.other("options-scope"):
            continue
        out.returned[key] = ("5.7.3",)


def _walked_away(
    table: Table, stakes: dict[Key, Stake], findings: Findings, out: Incidents
) -> None:
    """The house draws for a player who left, alone on his box, until he has 12 or more."""
    for key in stakes:
        if key[0] in out.left:
            out.extra[key] = (*out.extra.get(key, ()), "5.3")
    for box, at in out.left.items():
        _drawn_to_12(table, box, at, findings)


def _drawn_to_12(table: Table, box: int, left_at: int, findings: Findings) -> None:
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


def _simultaneous_to_dealer(table: Table, findings: Findings) -> None:
    """Cards that came out together for the dealer are discarded, all of them."""
    gone = {step.draw for step in table.round.steps if isinstance(step, Discard)}
    for at, cards in _together(table.round):
        unseen = [draw for draw in gone if table.find(draw) is None]  # not dealt to anybody
        if len(unseen) < 2 and not (cards and gone.issuperset(card.draw for card in cards)):
            says = "cards drawn together for the dealer were not discarded"
            findings.add("deal_order", ("5.12.1",), says, at=at, box=0, hand=0)


def may_move(table: Table, step: Moved) -> bool:
    """Whether a reconstruction counts: 5.9 and 5.10, and what follows from an illegal one."""
    return _let(table, step.at, _barred(table, step))


def may_discard(table: Table, step: Discard) -> bool:
    """Whether a card may be taken away: where the text says so, or to put an error right."""
    card = table.find(step.draw)
    if card is None or card in table.stray or _no_card_of_the_set(table, card):  # 5.10.3, 5.5.1
        return True
    if card.box == 0 and (card.draw in _past_stand(table) or _drawn_together(table, card)):
        return True  # 5.10.2, 5.12.1
    if card is shared.lay_face_up(table.round):
        return True  # judged by 5.11
    if not _was_wrong(table, card, step.at):
        clauses, says = ("5.9",), "a card was taken away, but no dealing error was noted"
        return _let(table, step.at, (clauses, says))
    return _let(table, step.at, _barred(table, Moved(step.at, ((card.draw, 0, 0),))))


def _no_card_of_the_set(table: Table, card: Card) -> bool:
    """A card that could not be read, does not belong to the decks or is there once too often."""
    if card.face not in table.game.deck:
        return True
    round_ = table.round
    noted = any(n.kind in {"foreign_card", "card_excess"} and n.at > card.at for n in round_.notes)
    return noted or card is shared.excess_card(round_)


def _was_wrong(table: Table, card: Card, at: int) -> bool:
    """Whether an error was noted, or ruled on, after the card and when it was taken away."""
    round_ = table.round
    noted = [note.at for note in round_.notes if note.kind in OPTION_NOTES or note.kind in MAY_OPT]
    ruled = [ruling.at for ruling in round_.rulings]
    until = min((c.at for c in round_.cards if c.at > at), default=NEVER)  # or noted right after
    if any(card.at < when < until for when in (*noted, *ruled)):
        return True
    together = [note.at for note in round_.notes if note.kind == "simultaneous_cards"]
    return any(card in _next_two(round_, when) for when in together)


def _next_two(round_: Round, at: int) -> list[Card]:
    return [card for card in round_.cards if card.at > at][:2]


def _drawn_together(table: Table, card: Card) -> bool:
    """Whether it was noted that cards came out together for the dealer, this one among them."""
    return any(card in cards for _, cards in _together(table.round))


def _together(round_: Round) -> list[tuple[int, list[Card]]]:
    """Each note that cards came out together for the dealer, and the two cards that it means."""
    his = [card for card in round_.cards if card.dealt_box == 0]
    gone = {step.draw for step in round_.steps if isinstance(step, Discard)}
    out = []
    for note in round_.notes:
        if note.kind == "simultaneous_cards" and note.box == 0:
            before = [card for card in his if card.at < note.at]
            after = [card for card in his if card.at > note.at]
            laid_down_after = len(before) < 2 or gone.issuperset(card.draw for card in after[:2])
            out.append((note.at, after[:2] if after and laid_down_after else before[-2:]))
    return out


def _past_stand(table: Table) -> set[int]:
    """The draws of cards that the dealer took past his stand."""
    stood = dealer_view(table.dealer, table.game.must_draw, closed=False, cut=lambda: True)
    return {card.draw for card in table.dealer[len(stood.faces) :]}


def _let(table: Table, at: int, barred: tuple[tuple[str, ...], str] | None) -> bool:
    """Whether cards count as they were put: always where nothing bars it."""
    if barred is None:
        return True
    clauses, says = barred
    table.findings.add("illegal_reconstruction", clauses, says, at=at)
    return table.readings.other("after-illegal-reconstruction")


def _barred(table: Table, step: Moved) -> tuple[tuple[str, ...], str] | None:
    round_ = table.round
    before = [settled for settled in round_.settled if settled.at < step.at]
    moved = {draw for draw, _, _ in step.moves}
    strays = {card.draw for card in table.stray}
    if before and moved & strays:
        return ("5.10.3", "5.9"), "cards to an empty box were moved after a settlement"
    if moved & _past_stand(table):
        return ("5.10.2", "5.9"), "cards that the dealer drew past his stand were moved"
    drawn = min((card.at for card in round_.cards if card.draw in moved), default=NEVER)
    hopeless = (r for r in round_.rulings if r.ruling == "not_reconstructable")
    if any(drawn < ruling.at < step.at for ruling in hopeless):  # else it was about another error
        return ("5.9",), "cards were moved although it was ruled that they cannot be put right"
    if not before:
        return None
    if table.drawing_at == NEVER or any(settled.phase == "final" for settled in before):
        return ("5.10.1", "5.9"), "cards were moved after a settlement"
    early = {card.draw for card in round_.cards if card.at < table.drawing_at}
    if moved & early:
        return ("5.10.1", "5.9"), "cards of the initial deal were moved after its settlement"
    if table.readings.other("reconstruction-in-the-subsequent-deal"):
        return ("5.10.1", "5.9"), "cards were moved after an interim settlement"
    return None


SECTION_5 = Section5(
    closing=Closing(late=("5.8", "3.10"), withdrawal=("5.14", "5.8")),
    incidents=incidents,
    overdraw_cut=lambda readings: True,  # 5.10.2
    limits=limits.by_box,
    may_move=may_move,
    may_discard=may_discard,
)
