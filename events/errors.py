"""What can go wrong with what came in, each as one sentence a person can act on."""

from __future__ import annotations


class EvenhandError(Exception):
    """A failure whose text is meant for the user: shown as it is, without a traceback."""


class ContractError(EvenhandError):
    """An event that breaks the contract. The text says what, where, expected and found."""


class DecodeError(EvenhandError):
    """Bytes that are not an event: no Avro, an unknown schema, or cut short."""


class InputError(EvenhandError):
    """A file that cannot be read as rounds. The text names the line or the byte."""
