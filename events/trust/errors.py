"""What can be wrong with a signature, a proof or a key."""

from __future__ import annotations

from events.errors import EvenhandError


class TrustError(EvenhandError):
    """Something that should prove who said what does not. The text says what, and never a key."""
