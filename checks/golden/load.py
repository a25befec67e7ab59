"""Reading golden rounds from files that anybody may have written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

from checks.golden.expected import ExpectedFinding, ExpectedLine, parse_finding, parse_line
from checks.golden.opening import opening
from checks.golden.script import Script
from checks.golden.words import clause_list
from events.contract import did_you_mean
from events.errors import ContractError, InputError
from events.handed import bounds
from events.handed.text import read_whole
from events.jsonl import from_flat
from events.model import Envelope

LARGEST_FILE = 16 << 20
_KEYS = frozenset(
    "name table play lines findings other other_findings status void why near".split()
)
_FILE_KEYS = frozenset("rulebook rounds by on paragraphs".split())

# The same language either way; libyaml reads it ten times faster, where it is there.
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True)
class Golden:
    """One golden round: the events, and what the text gives."""

    name: str
    file: str
    rulebook: str
    events: list[Envelope]
    status: str
    void_clause: str | None
    lines: list[ExpectedLine]
    findings: list[ExpectedFinding]
    other: dict[str, list[ExpectedLine]]
    other_findings: dict[str, list[ExpectedFinding]]
    settled: bool
    steps: dict[str, range]  # a line of play -> the places of its events in the round
    near: tuple[str, ...] = ()  # kinds of finding that it only just does not raise

    @property
    def id(self) -> str:
        return f"{self.rulebook} {self.name}"


@dataclass(frozen=True, slots=True)
class GoldenFile:
    """The rounds of one file, and who worked them out, when, and from which paragraphs."""

    rounds: tuple[Golden, ...]
    by: str | None
    on: date | None
    paragraphs: tuple[str, ...]


def read_golden(path: Path) -> GoldenFile:
    """A file of golden rounds, or an InputError that names the file, the round and the line."""
    document = _document(path)
    name = path.name
    if not isinstance(document, dict) or not isinstance(document.get("rounds"), list):
        raise InputError(f"{path}: expected `rulebook:` and a list `rounds:`, found neither")
    # to YAML the bare word `on` is a truth value
    document = {"on" if key is True else key: value for key, value in document.items()}
    unknown = set(document) - _FILE_KEYS
    if unknown:
        raise InputError(f"{path}: unknown keys {', '.join(sorted(map(str, unknown)))}")
    book = document.get("rulebook")
    from replay.registry import IDS

    if book not in IDS:
        hint = did_you_mean(str(book), IDS)
        raise InputError(f"{path}: there is no rulebook {book}{hint}; evenhand rulebooks lists all")
    rounds = []
    for number, case in enumerate(document["rounds"], start=1):
        if not isinstance(case, dict):
            raise InputError(f"{path}, round {number}: expected a table of name, play, lines ...")
        try:
            rounds.append(load(case, str(book), name))
        except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
            missing = isinstance(error, KeyError)
            says = f"`{error.args[0]}` is missing" if missing else str(error)
            raise InputError(f"{path}, round {number}: {says.removeprefix(f'{name}, ')}") from None
    by, on = document.get("by"), document.get("on")
    if on is not None and not isinstance(on, date):
        raise InputError(f"{path}: `on` is a date such as 2026-11-18, found {on!r}")
    paragraphs = tuple(str(number) for number in document.get("paragraphs") or ())
    return GoldenFile(tuple(rounds), None if by is None else str(by), on, paragraphs)


def _document(path: Path) -> Any:
    try:
        content = read_whole(path, LARGEST_FILE)
        _refuse_nested(path, content)
        return yaml.load(content, _LOADER)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f", line {mark.line + 1}"
        says = getattr(error, "problem", None) or "not YAML"
        raise InputError(f"{path}{where}: not a file of golden rounds: {says}") from None
    except (ValueError, RecursionError, UnicodeError) as error:
        raise InputError(f"{path}: not a file of golden rounds: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _refuse_nested(path: Path, content: bytes) -> None:
    """Before anything is built: a deep file would exhaust the stack, and words that stand for
    others, which stand for others, the memory. Rounds need neither."""
    depth = 0
    events: Any = yaml.parse(content, _LOADER)
    for event in events:
        where = f"{path}, line {event.start_mark.line + 1}"
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        if depth > bounds.DEPTH:
            says = f"expected at most {bounds.DEPTH} levels within each other, found more"
            raise InputError(f"{where}: {says}")
        if isinstance(event, yaml.AliasEvent):
            says = f"*{event.anchor}: expected the words themselves, found an alias"
            raise InputError(f"{where}: {says}")


def load(case: Mapping[str, Any], rulebook: str, file: str) -> Golden:
    """One round of a file; a ValueError says what cannot be read in it."""
    unknown = set(case) - _KEYS
    if unknown:
        raise ValueError(f"{file}, {case.get('name')}: unknown keys {sorted(unknown)}")
    name, table = str(case["name"]), case.get("table", {})
    play = [str(line) for line in case["play"]]
    void = case.get("void")
    status = case.get("status", "void" if void else "settled")
    closes = status != "incomplete" and play[-1:] != ["end"]
    script, steps = _played(rulebook, f"{file}, {name}", table, play)
    if closes:
        script.add("RoundClosed")
    findings = [parse_finding(t) for t in case.get("findings") or []]
    turned = {
        k: [parse_finding(t) for t in v or []] for k, v in case.get("other_findings", {}).items()
    }
    for finding in (*findings, *(f for some in turned.values() for f in some)):
        if finding.step is not None and play.count(finding.step) != 1:
            raise ValueError(f"{file}, {name}: {finding.step!r} is not one line of the play")
    settled = any(line.split()[0] in {"settle", "correct"} for line in play)
    near = clause_list(case.get("near"))
    if problem := _not_near(near, findings, settled=settled):
        raise ValueError(f"{file}, {name}: {problem}")
    try:
        events = [from_flat(e) for e in script.out]
    except ContractError as error:
        raise ValueError(f"{file}, {name}: {error}") from None
    return Golden(
        name=name,
        file=file,
        rulebook=rulebook,
        events=events,
        status=status,
        void_clause=None if void is None else str(void),
        lines=[parse_line(t) for t in case.get("lines") or []],
        findings=findings,
        other={k: [parse_line(t) for t in v or []] for k, v in case.get("other", {}).items()},
        other_findings=turned,
        settled=settled,
        steps=steps,
        near=near,
    )


def _played(
    rulebook: str, where: str, table: dict[str, Any], play: list[str]
) -> tuple[Script, dict[str, range]]:
    """The events of the play, and which of them each of its lines made."""
    name = where.partition(", ")[2]
    script = Script(round=re.sub(r"[^\w.]+", "-", name)[:60])
    opened = opening(rulebook, table)
    if "shuffled" in table:
        shoe = {"shoe": "S1", "decks": opened["decks"], "shuffled": table["shuffled"]}
        script.out.append({"type": "ShoeStarted", **shoe})
    script.add("RoundOpened", **opened)
    first = len(script.out) - 1
    steps: dict[str, range] = {}
    for line in play:
        begins = len(script.out) - first
        try:
            script.run(line)
        except (ValueError, IndexError) as error:
            raise ValueError(f"{where}: cannot read {line!r}: {error}") from error
        steps[line] = range(begins, len(script.out) - first)
    return script, steps


def _not_near(
    near: tuple[str, ...], findings: list[ExpectedFinding], *, settled: bool
) -> str | None:
    """Why a round is no near miss of a kind of finding."""
    from replay.answer import SEVERITY

    for kind in near:
        if kind not in SEVERITY:
            return f"near: there is no kind {kind}"
        if kind in {finding.kind for finding in findings}:
            return f"near: {kind} is among the findings, so it is no miss"
        compared = SEVERITY[kind] in {"money", "note"} or kind == "reading_conflict"
        if compared and not settled:
            return f"near: {kind} can only be missed by a round that was settled"
    return None
