"""How much a file that somebody hands in may hold. Whatever has more is refused with a sentence.

Each bound is far above what honest use needs (the comment says by how much) and low enough that
reading up to it takes neither the machine's memory nor its day.
"""

from __future__ import annotations

KIB, MIB = 1 << 10, 1 << 20

FILE_BYTES = 512 * MIB
"""A file of rounds; a closed segment of the file log has 64 MiB."""

EVENTS = 1_000_000
"""Events in a file of rounds; a closed segment has 500,000, a table's day some 50,000."""

LINES = 4 * EVENTS
"""Lines of a text file, empty ones included."""

LINE_BYTES = 1 * MIB
"""One line of JSON, and one message of a log; an event has some 200 bytes."""

HEADER_BYTES = 1 * MIB
"""The header of an Avro file with its schema; ours have 30 KiB."""

HEADER_ENTRIES = 64
"""What an Avro header may name; ours have two entries."""

BLOCK_BYTES = 32 * MIB
"""A block of an Avro file, packed and unpacked; ours have up to 2 MiB."""

UNPACKED_BYTES = 1024 * MIB
"""All blocks of an Avro file together, unpacked."""

DEPTH = 32
"""Lists and objects within each other in JSON; the deepest schema of ours has 11."""

SETTINGS_BYTES = 1 * MIB
"""A file of settings."""

KEPT_BYTES = 1024 * MIB
"""A file of checkpoints or waivers, which grows for years: 53 MB a year (docs/adr/0008)."""

EVIDENCE_BYTES = 256 * MIB
"""A piece of evidence; one that rests on a busy table's day has 6 MB."""

EVIDENCE_MEMBERS = 64
"""Members of its zip; there are twelve, and one for each further version of the schema."""

MEMBER_JSON_BYTES = 8 * MIB
"""A member that is read as JSON."""

ROUND_MESSAGES = 1_000
"""Messages of a round in evidence, whose page draws each of them; a long round has 300."""

CHAIN_LINES = 1_000_000
"""Hashes of a chain in evidence; a busy table's day has 60,000."""

EVIDENCE_CHECKPOINTS = 1_000
"""Checkpoints in evidence; a round needs one or two, more only with tiny segments."""

SEALED_LINES = 4 * CHAIN_LINES
"""Lines of the chain under all checkpoints of a piece of evidence; they hardly overlap."""
