"""The command line, the nightly run and the warehouse."""

from collections.abc import Collection

from events.vocabulary import come_from


def _readings() -> Collection[str]:
    from replay.registry import readings

    return readings()


def _rulebooks() -> Collection[str]:
    from replay.registry import IDS

    return IDS


come_from("reading", _readings)
come_from("rulebook", _rulebooks)
