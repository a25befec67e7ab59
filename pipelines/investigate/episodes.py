"""The episodes of a round in words, and to which of them a finding belongs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replay.answer import Finding
from replay.episodes import Episode
from replay.facts import Round
from replay.findings import box_name


def episode_of(episodes: Sequence[Episode], finding: Finding, facts: Round) -> Episode | None:
    """The episode to which a finding belongs: an event of it shows the finding."""
    at = finding.at
    if at is None and finding.seq is not None and facts.seqs is not None:
        at = facts.seqs.index(finding.seq) if finding.seq in facts.seqs else None
    if at is None:
        return None
    return next((episode for episode in episodes if at in episode.events()), None)


def in_words(episode: Episode) -> str:
    """What happened in an episode, in one sentence."""
    what = episode.kind.replace("_", " ")
    place = "" if episode.box is None else f" at {box_name(episode.box)}"
    parts = [f"{what}{place}"]
    parts.append(_noted(episode))
    parts += [
        f"ruled {ruling.ruling.replace('_', ' ')} by the {_person(ruling.by)} ({ruling.clause})"
        for ruling in episode.rulings
    ]
    parts += [f"cards {_draws(step.moves)} moved" for step in episode.moves]
    parts += [f"card {step.draw} taken away" for step in episode.discards]
    parts += [
        f"{option.player} on box {option.box}: {option.option.replace('_', ' ')}"
        for option in episode.options
    ]
    return f"episode {episode.number}, {episode.state()}: " + "; ".join(parts)


def _noted(episode: Episode) -> str:
    if not episode.notes:
        return "proved by the cards"
    by = dict.fromkeys(_person(note.by) for note in episode.notes)
    return f"noted by the {' and the '.join(by)}"


def _person(by: str) -> str:
    return by.replace("_", " ")


def _draws(moves: Sequence[tuple[int, int, int]]) -> str:
    return ", ".join(str(draw) for draw, _, _ in moves)


def to_json(
    episodes: Sequence[Episode], findings: Sequence[Finding], facts: Round
) -> list[dict[str, Any]]:
    """The episodes for who reads the explanation as JSON."""
    out = []
    for episode in episodes:
        own = [f.id for f in findings if episode_of(episodes, f, facts) is episode]
        out.append(
            {
                "number": episode.number,
                "kind": episode.kind,
                "box": episode.box,
                "hand": episode.hand,
                "player": episode.player,
                "state": episode.state(),
                "events": sorted(episode.events()),
                "cards": sorted(episode.cards),
                "findings": own,
                "words": in_words(episode),
            }
        )
    return out
