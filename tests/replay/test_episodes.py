"""What belongs together: notes, rulings, moves, discards and options bound into episodes."""

from __future__ import annotations

from checks.golden.load import load
from replay.episodes import Episode, Episodes, Text
from replay.episodes.answers import Answered, Asked, answered
from replay.episodes.question import face_up, in_question
from replay.facts import Discard, Moved, Round
from replay.rounds import facts_of

DEAL = frozenset({"dealing_error", "simultaneous_cards", "cards_to_empty_box", "wrong_card_count"})
TEXT = Text(
    families=(DEAL,),
    clauses={"5.9": DEAL, "5.15": frozenset({"wrong_card_count"})},
    belongs=lambda step: all(box == 0 for _, box, _ in step.moves),
)


def played(*play: str) -> Round:
    case = {"name": "1 a round", "play": ["bet 1 P1 initial 20.00", "close", *play]}
    (round_,) = facts_of(load(case, "pontoon-plus-rws-v5", "test").events)
    return round_


def walked(*play: str, text: Text = TEXT, allowed: bool = True) -> Episodes:
    """Bound as a rulebook does it, which allows every move or none."""
    round_ = played(*play)
    episodes = Episodes(round_, text)
    places = {card.draw: (card.dealt_box, card.dealt_hand) for card in round_.cards}
    for step in round_.steps:
        if isinstance(step, Moved):
            episode = episodes.of_move(step, places.get)
            if episode is not None and allowed:
                episode.put_right(step.at)
                places.update({draw: (box, hand) for draw, box, hand in step.moves})
        elif isinstance(step, Discard):
            found = episodes.of_discard(step, places.get)
            if found is not None and allowed:
                found.put_right(step.at)
    episodes.finish()
    return episodes


def told(episodes: Episodes) -> list[tuple[str, int | None, str]]:
    return [(episode.kind, episode.box, episode.state()) for episode in episodes.all]


def test_notes_of_the_same_fault_are_one_episode() -> None:
    episodes = walked(
        "deal 1:9S 0:8H",
        "note dealing_error box 1",
        "note wrong_card_count box 1 by pit_supervisor",
        "note dealing_error by pit_manager",
    )
    assert told(episodes) == [("dealing_error", 1, "open")]
    assert len(episodes.all[0].notes) == 3


def test_a_note_after_another_card_is_another_episode() -> None:
    episodes = walked(
        "deal 1:9S", "note dealing_error box 1", "deal 0:8H", "note dealing_error box 1"
    )
    assert told(episodes) == [("dealing_error", 1, "open"), ("dealing_error", 1, "open")]


def test_notes_of_two_boxes_are_two_episodes() -> None:
    episodes = walked("deal 1:9S 2:8H", "note dealing_error box 1", "note dealing_error box 2")
    assert [(episode.number, episode.box) for episode in episodes.all] == [(1, 1), (2, 2)]


def test_one_person_who_notes_two_exposed_cards_means_two() -> None:
    episodes = walked(
        "deal 1:9S 1:8H",
        "note card_exposed box 1",
        "note card_exposed box 1",
        "note card_exposed box 1 by pit_supervisor",
    )
    assert [len(episode.notes) for episode in episodes.all] == [1, 2]


def test_a_ruling_that_names_a_box_is_about_that_box() -> None:
    episodes = walked(
        "deal 1:9S 2:8H",
        "note dealing_error box 1",
        "note dealing_error box 2",
        "rule not_reconstructable 5.9 box 1",
        "rule reconstructable 5.9 box 2",
    )
    assert [episode.repairable() for episode in episodes.all] == [False, True]


def test_rulings_without_a_box_go_to_the_last_open_episode_and_then_to_the_one_before() -> None:
    episodes = walked(
        "deal 1:9S 2:8H",
        "note dealing_error box 1",
        "note dealing_error box 2",
        "rule reconstructable 5.9",
        "rule not_reconstructable 5.9",
    )
    assert [episode.repairable() for episode in episodes.all] == [False, True]


def test_a_ruling_goes_by_what_its_paragraph_is_about() -> None:
    text = TEXT._replace(families=())
    episodes = walked(
        "deal 1:9S 2:8H",
        "note wrong_card_count box 1",
        "note dealing_error box 2",
        "rule not_reconstructable 5.15",
        text=text,
    )
    assert [episode.repairable() for episode in episodes.all] == [False, None]


def test_a_ruling_without_any_error_is_bound_to_none() -> None:
    episodes = walked("deal 1:9S 0:8H", "rule card_order 5.12")
    assert episodes.all == []
    assert [ruling.ruling for ruling in episodes.unbound] == ["card_order"]


def test_a_move_belongs_to_the_error_of_its_box() -> None:
    episodes = walked(
        "deal 1:9S 2:8H",
        "note dealing_error box 1",
        "note dealing_error box 2",
        "move 1:3",
    )
    assert [episode.state() for episode in episodes.all] == ["put right", "open"]


def test_a_repaired_error_excuses_nothing_later() -> None:
    episodes = walked(
        "deal 1:9S 2:8H",
        "note dealing_error box 1",
        "move 1:3",
        "deal 0:7C",
        "move 1:4",
        "discard 1 again",
    )
    assert len(episodes.all[0].moves) == 1
    assert [step.__class__ for step in episodes.outside] == [Moved, Discard]


def test_one_reconstruction_may_take_two_moves() -> None:
    play = ("deal 1:9S 2:8H", "note dealing_error box 1", "move 1:3", "move 1:4")
    episodes = walked(*play, text=TEXT._replace(moved_once=False))
    assert len(episodes.all[0].moves) == 2
    assert episodes.outside == []


def test_a_card_that_was_put_where_it_belongs_stays_there() -> None:
    episodes = walked("deal 1:9S 2:8H", "note dealing_error box 1", "move 1:3", "move 1:4")
    assert len(episodes.all[0].moves) == 1
    assert [step.__class__ for step in episodes.outside] == [Moved]


def test_an_error_that_was_answered_covers_only_its_own_cards() -> None:
    episodes = walked(
        "deal 1:9S 0:8H",
        "note dealing_error",
        "option 1 P1 continue",
        "deal 1:7C",
        "discard 1 it was about the other",
        "discard 2 this one",
    )
    assert [step.draw for step in episodes.outside if isinstance(step, Discard)] == [1]
    assert [step.draw for step in episodes.all[0].discards] == [2]


def test_cards_that_came_after_the_note_are_not_its_own() -> None:
    episodes = walked("deal 1:9S 0:8H", "note dealing_error box 1", "deal 1:7C", "discard 3 why")
    assert [step.at for step in episodes.outside] == [7]


def test_a_note_right_after_the_card_was_taken_away_explains_it() -> None:
    episodes = walked("deal 1:9S 0:8H", "discard 1 why", "note dealing_error box 1", "deal 1:7C")
    assert told(episodes) == [("dealing_error", 1, "put right")]


def test_a_move_to_where_cards_belong_proves_an_error_that_nobody_noted() -> None:
    episodes = walked("deal 1:9S 1:8H", "move 2:0")
    assert told(episodes) == [("dealing_error", 0, "put right")]
    assert not episodes.all[0].noted


def test_a_move_of_rightful_cards_is_in_no_episode() -> None:
    episodes = walked("deal 1:9S 1:8H", "move 2:1")
    assert episodes.all == []
    assert len(episodes.outside) == 1


def test_a_move_that_the_text_does_not_allow_puts_nothing_right() -> None:
    episodes = walked("deal 1:9S 2:8H", "note dealing_error box 1", "move 1:3", allowed=False)
    assert told(episodes) == [("dealing_error", 1, "open")]


def test_a_foreign_card_cannot_be_put_right_and_its_proof_joins_the_note() -> None:
    episodes = walked("deal 1:9S 0:TH", "note foreign_card box 0")
    found = episodes.prove("foreign_card", 4, box=0, cards=[2])
    found.put_right(9)
    assert told(episodes) == [("foreign_card", 0, "lasting")]


def test_an_event_is_found_in_its_episode() -> None:
    episodes = walked(
        "deal 1:9S 0:8H", "note dealing_error box 1", "rule reconstructable 5.9", "move 1:2"
    )
    (episode,) = episodes.all
    assert [episodes.of_event(at) for at in (5, 6, 7)] == [episode] * 3
    assert episodes.of_event(4) is None


def note_of(round_: Round, kind: str) -> tuple[int, ...]:
    return in_question(round_, next(note for note in round_.notes if note.kind == kind))


def test_a_card_face_up_in_the_shoe_is_the_next_one_drawn() -> None:
    round_ = played("deal 1:9S 0:8H", "note card_face_up_in_shoe", "deal 1:7C")
    assert note_of(round_, "card_face_up_in_shoe") == (3,)


def test_a_card_face_up_in_the_shoe_is_the_last_one_where_the_next_lies_face_down() -> None:
    round_ = played("deal 1:9S- 2:8H", "note card_face_up_in_shoe", "deal 1:7C-")
    assert note_of(round_, "card_face_up_in_shoe") == (2,)


def test_a_card_with_another_note_was_not_face_up_in_the_shoe() -> None:
    round_ = played(
        "deal 1:9S- 2:8H", "note card_exposed box 2", "note card_face_up_in_shoe", "deal 1:7C-"
    )
    shoe = next(note for note in round_.notes if note.kind == "card_face_up_in_shoe")
    assert face_up(round_, shoe) is None


def test_cards_drawn_together_are_the_next_ones_where_they_were_noted_first() -> None:
    asked = played("deal 1:9S 0:8H 1:4D", "hit 1 P1", "note simultaneous_cards", "deal 1:6H 0:7D")
    assert note_of(asked, "simultaneous_cards") == (4, 5)
    lying = played("deal 1:9S 0:8H 1:4D", "hit 1 P1", "deal 1:6H 1:7D", "note simultaneous_cards")
    assert note_of(lying, "simultaneous_cards") == (4, 5)


def asked_of(round_: Round) -> Answered:
    episodes = Episodes(round_, TEXT)
    episodes.finish()
    return answered(round_, [Asked(e.at, e) for e in episodes.all], (1, "P1"))


def answers(found: Answered) -> list[tuple[Episode, str | None]]:
    return [(one.episode, None if o is None else o.option) for one, o in found.to]


def test_one_answer_is_for_every_error_before_it_and_a_later_one_asks_anew() -> None:
    found = asked_of(
        played(
            "deal 1:9S",
            "note dealing_error box 1",
            "deal 0:8H",
            "note dealing_error box 0",
            "option 1 P1 continue",
            "deal 1:7C",
            "note dealing_error box 1",
        )
    )
    assert [option for _, option in answers(found)] == ["continue", "continue", None]
    assert found.needless == []


def test_until_the_next_card_a_player_may_think_again() -> None:
    found = asked_of(
        played(
            "deal 1:9S",
            "note dealing_error box 1",
            "option 1 P1 continue",
            "option 1 P1 take_back",
        )
    )
    assert [option for _, option in answers(found)] == ["take_back"]
    assert found.back is not None


def test_who_went_on_accepts_the_cards_that_follow() -> None:
    found = asked_of(
        played(
            "deal 1:9S",
            "note dealing_error box 1",
            "option 1 P1 continue",
            "deal 0:8H",
            "option 1 P1 take_back",
        )
    )
    assert [option for _, option in answers(found)] == ["continue"]
    assert [option.option for option in found.needless] == ["take_back"]
    assert found.back is None


def test_an_answer_without_any_error_is_needless() -> None:
    found = asked_of(played("deal 1:9S", "option 1 P1 take_back", "deal 0:8H"))
    assert found.to == []
    assert [option.option for option in found.needless] == ["take_back"]
    assert found.back is not None, "it was accepted"


def test_an_answer_just_before_the_note_is_one_to_it() -> None:
    found = asked_of(played("deal 1:9S", "option 1 P1 continue", "note dealing_error box 1"))
    assert [option for _, option in answers(found)] == ["continue"]


def test_who_is_out_is_not_asked_again() -> None:
    found = asked_of(
        played(
            "deal 1:9S",
            "note dealing_error box 1",
            "option 1 P1 take_back",
            "deal 0:8H",
            "note dealing_error box 0",
        )
    )
    assert [option for _, option in answers(found)] == ["take_back"]
