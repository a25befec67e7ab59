"""What belongs together: one irregularity and all that was done about it (contract, section 5).

Notes, rulings, moves, discards and options are separate events, but each is about one error. They
are bound once, here, beside the fold; a rulebook then says only what an episode of a kind does.

How a rulebook reads it:

1.  `Episodes(round_, TEXT)` once per walk, only where `round_.irregular` (or the cards prove
    something). `TEXT` is the rulebook's `Text`: which kinds are one fault, what a ruling's
    paragraph can be about, and where order and decisions put a card.
2.  While it walks the steps of play, the rulebook hands every `Moved` and `Discard` to
    `of_move` / `of_discard` and gets the episode that it belongs to, or None: then it is in no
    episode at all, and an `illegal_reconstruction`. Where the text allows the move at that moment
    it says `episode.put_right(step.at)`.
3.  What the cards alone prove (a foreign card, a missing burn) it opens by `prove`.
4.  When the walk is over, `finish` binds the rulings that are left. From then on `all` has the
    episodes in their order: `of_kind`, `open_at`, `ruling`, `repairable`, `state`.
5.  `replay.episodes.answers` says what each player answered to the episodes that ask him.
"""

from __future__ import annotations

from replay.episodes.bind import Episodes
from replay.episodes.model import DEALING_ERRORS, LASTING, Episode
from replay.episodes.text import Text

__all__ = ["DEALING_ERRORS", "LASTING", "Episode", "Episodes", "Text"]
