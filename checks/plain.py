"""Findings as JSON keeps them where they have to be read back: with the place that gives the id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from checks.context import MeterWord
from replay.answer import Finding


def plain_finding(finding: Finding) -> dict[str, Any]:
    """What is printed of a finding, and its place in the round."""
    return {**finding.to_json(), "at": finding.at}


def finding_of(plain: Mapping[str, Any]) -> Finding:
    """The finding again; a KeyError, TypeError or ValueError for something else."""
    if set(plain) - set(Finding._fields) != {"id", "severity"}:
        raise ValueError("expected the fields of a finding")
    known = {name: plain[name] for name in Finding._fields}
    out = Finding(**{**known, "clauses": tuple(known["clauses"])})
    if plain != plain_finding(out):
        raise ValueError("expected a finding with the id that its place gives")
    return out


def plain_word(word: MeterWord) -> dict[str, Any]:
    """What a run says of a round's meter, as JSON."""
    return {
        "run": word.run,
        "findings": [plain_finding(finding) for finding in word.findings],
        "explained": sorted(word.explained),
    }


def word_of(plain: Mapping[str, Any]) -> MeterWord:
    """The same again; a KeyError, TypeError or ValueError for something else."""
    found = tuple(finding_of(one) for one in plain["findings"])
    word = MeterWord(plain["run"], found, frozenset(plain["explained"]))
    if type(word.run) is not str or any(type(box) is not int for box in word.explained):
        raise ValueError("expected the words of a run")
    return word
