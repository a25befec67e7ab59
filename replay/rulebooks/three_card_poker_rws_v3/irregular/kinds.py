"""The kinds of error of section 5, and what was said about an episode."""

from __future__ import annotations

from replay.episodes import Episode
from replay.facts import NEVER

SUPERVISORS = frozenset({"pit_supervisor", "pit_manager", "shift_manager"})
MISDEALT = frozenset({"dealing_error", "cards_to_empty_box"})
WRONG_COUNT, NO_BURN, TOGETHER = "wrong_card_count", "missing_burn", "simultaneous_cards"
EXPOSED, IN_THE_SHOE, LOOKED = "card_exposed", "card_face_up_in_shoe", "extra_hand_examined"
EXAMINATIONS = ("intentional_examination", "unintentional_examination")


def on_purpose(episode: Episode) -> bool | None:
    """What was ruled on a look at a further hand; None where nobody did."""
    said = [ruling.ruling for ruling in episode.rulings if ruling.ruling in EXAMINATIONS]
    return said[-1] == EXAMINATIONS[0] if said else None


def said_about(episode: Episode) -> bool:
    """Whether anybody noticed it: he noted it, ruled on it or took cards in his hand."""
    return bool(episode.notes or episode.rulings or episode.moves or episode.discards)


def noticed_at(episode: Episode) -> int:
    """When somebody first said or did something about an episode; else when it began."""
    said = [note.at for note in episode.notes] + [ruling.at for ruling in episode.rulings]
    return min(*said, episode.moved_at, NEVER) if said_about(episode) else episode.at
