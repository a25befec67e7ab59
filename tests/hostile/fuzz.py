"""Mutated files through the real commands, in a process with little memory and a processor clock.

Run as `python -m tests.hostile.fuzz SEED COUNT`: prints one JSON object, what came out how often
and what must not come out. The command runs by its entry point in this process.
"""

from __future__ import annotations

import gc
import io
import json
import os
import random
import resource
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from events.archive.evidence import StoredMessage
from events.archive.evidence import encode_block as archive_block
from events.archive.evidence import encode_header as archive_header
from events.codec import GENESIS, body_of, encode
from events.errors import EvenhandError
from events.handed.text import parse_json
from events.jsonl import from_flat
from events.log.container import CODECS
from events.model import Envelope
from pipelines.cli.main import main
from pipelines.evidence.material import to_json
from pipelines.evidence.seal import unpack
from tests.hostile import bombs, forge
from tests.hostile.mutate import mutate_bytes, mutate_lines, mutate_value, to_lines
from tests.hostile.seeds import Seeds, make_seeds

MEMORY = 1 << 30
"""More than the process has when it begins: the libraries alone map some hundred megabytes."""

SECONDS_EACH = 20
"""Of processor time: a mutated file of some kilobytes needs milliseconds."""

FORBIDDEN = ("Traceback", "an error of ours", "out of memory", "did not come to its end")


class HangError(BaseException):
    """An input took longer than any may."""


def _hang(*_: object) -> None:
    raise HangError


class Fuzz:
    """One campaign: draws an input, runs the command on it, notes what came out."""

    def __init__(self, seeds: Seeds, folder: Path) -> None:
        self.seeds, self.folder = seeds, folder
        self.came: Counter[str] = Counter()
        self.wrong: list[dict[str, Any]] = []
        self._lines = [to_lines(events) for events in seeds.rounds]
        self._zips = [content for _, content in seeds.pieces]
        self._kinds: list[tuple[int, str, Callable[[random.Random], None]]] = [
            (34, "lines", self.lines),
            (12, "text", self.text),
            (10, "events", self.events),
            (8, "messages", self.messages),
            (6, "container", self.container),
            (4, "zip", self.zip),
            (5, "members", self.members),
            (4, "forged", self.forged),
            (4, "checkpoints", self.checkpoints),
            (3, "waivers", self.waivers),
            (4, "settings", self.settings),
        ]

    def one(self, seed: str) -> None:
        rng = random.Random(seed)
        weights = [weight for weight, _, _ in self._kinds]
        _, kind, run = rng.choices(self._kinds, weights)[0]
        self._seed, self._kind = seed, kind
        run(rng)

    # replay FILE: 0 or 2

    def lines(self, rng: random.Random) -> None:
        events = mutate_lines(rng, rng.choice(self.seeds.rounds), self.seeds.rounds)
        self._replay(to_lines(events))

    def text(self, rng: random.Random) -> None:
        self._replay(mutate_bytes(rng, rng.choice(self._lines), self._lines))

    def events(self, rng: random.Random) -> None:
        """A container of our own schema, its block changed before it is packed."""
        sent = self._sent(rng)
        body = b"".join(body_of(encode(e)) for e in sent)
        if rng.random() < 0.6:
            body = mutate_bytes(rng, body, [body])
        codec = rng.choice(("null", "deflate", "zstandard"))
        count = len(sent) if rng.random() < 0.9 else rng.choice((0, -1, 1, 2**62))
        self._replay(bombs.container(bombs.EVENTS, codec, (count, CODECS[codec].pack(body))))

    def messages(self, rng: random.Random) -> None:
        """The same as an archive keeps messages; some of the messages are changed."""
        values = [encode(e) for e in self._sent(rng)]
        for _ in range(rng.choice((0, 1, 1, 3))):
            if values:
                at = rng.randrange(len(values))
                values[at] = mutate_bytes(rng, values[at], values)
        stored = [StoredMessage("log", 0, n, b"T", value) for n, value in enumerate(values)]
        codec = CODECS[rng.choice(("null", "deflate", "zstandard"))]
        block = archive_block(stored, codec, bombs.SYNC) if stored else b""
        self._replay(archive_header(codec.name, bombs.SYNC) + block)

    def container(self, rng: random.Random) -> None:
        whole = rng.choice(self.seeds.containers)
        self._replay(mutate_bytes(rng, whole, self.seeds.containers))

    def _sent(self, rng: random.Random) -> list[Envelope]:
        """Mutated lines as far as they are events, with whole envelopes."""
        out: list[Envelope] = []
        for flat in mutate_lines(rng, rng.choice(self.seeds.rounds), self.seeds.rounds):
            try:
                # through text, as a file's lines come: what is no JSON or no text is no event
                found = from_flat(parse_json(json.dumps(flat)))
                number = found.seq or len(out) + 1
                made = _whole(found, number, found.prev or GENESIS)
                encode(made)
            except (EvenhandError, ValueError, OverflowError):
                continue
            out.append(made)
        return out

    # evidence --verify FILE: 0 or 1

    def zip(self, rng: random.Random) -> None:
        self._evidence(mutate_bytes(rng, rng.choice(self._zips), self._zips))

    def members(self, rng: random.Random) -> None:
        """A member changed and the checksums put right."""
        members = unpack(rng.choice(self._zips))
        name = rng.choice([name for name in members if name != "SHA256SUMS"])
        if name.endswith(".json") and rng.random() < 0.7:
            members[name] = to_json_loosely(mutate_value(rng, json.loads(members[name])))
        else:
            members[name] = mutate_bytes(rng, members[name], [members[name]])
        self._evidence(forge.resealed(members))

    def forged(self, rng: random.Random) -> None:
        """Other events with everything put right, or another manifest in an honest file."""
        material, _ = rng.choice(self.seeds.pieces)
        sent = self._sent(rng)
        if not sent:
            return self.members(rng)
        m = forge.forged_round(material, sent)
        members = unpack(self._zips[0])
        given = forge.given(m)
        if rng.random() < 0.3:
            manifest = mutate_value(rng, json.loads(given["manifest.json"]))
            given["manifest.json"] = to_json_loosely(manifest)
        return self._evidence(forge.resealed({**members, **given}))

    # files that are kept beside

    def checkpoints(self, rng: random.Random) -> None:
        path, kept = self.folder / "piece.zip", self.folder / "kept.jsonl"
        path.write_bytes(rng.choice(self._zips))
        kept.write_bytes(self._mutated_lines(rng, self.seeds.checkpoints))
        self._run((0, 1, 2), "evidence", "--verify", str(path), "--checkpoints", str(kept))

    def waivers(self, rng: random.Random) -> None:
        content = self._mutated_lines(rng, self.seeds.waivers)
        (self.folder / ".evenhand" / "waivers.jsonl").write_bytes(content)
        self._run((0, 2), "waivers", "--json")

    def settings(self, rng: random.Random) -> None:
        path = self.folder / ".evenhand" / "evenhand.toml"
        path.write_bytes(mutate_bytes(rng, self.seeds.settings, [self.seeds.settings]))
        try:
            self._run((0, 2), "config")
        finally:
            path.unlink()

    def _mutated_lines(self, rng: random.Random, content: bytes) -> bytes:
        if rng.random() < 0.5:
            return mutate_bytes(rng, content, [content])
        found = [json.loads(line) for line in content.splitlines()]
        return to_lines(mutate_lines(rng, found, [found]))

    def _replay(self, content: bytes) -> None:
        path = self.folder / "input"
        path.write_bytes(content)
        self._run((0, 2), "replay", str(path), "--json")

    def _evidence(self, content: bytes) -> None:
        path = self.folder / "piece.zip"
        path.write_bytes(content)
        self._run((0, 1), "evidence", "--verify", str(path))

    def _run(self, allowed: tuple[int, ...], *args: str) -> None:
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        sys.argv = ["evenhand", *args]
        signal.setitimer(signal.ITIMER_PROF, SECONDS_EACH)
        code: Any = 0
        try:
            with redirect_stdout(out), redirect_stderr(err):
                main()
        except SystemExit as done:
            code = done.code or 0
        except HangError:
            code = "hang"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        out.flush(), err.flush()
        said = (out.buffer.getvalue() + err.buffer.getvalue()).decode("utf-8", "replace")  # type: ignore[attr-defined]
        self.came[f"{args[0]} {code}"] += 1
        self.came[self._kind] += 1
        bad = next((word for word in FORBIDDEN if word in said), None)
        if code not in allowed or bad is not None:
            self.wrong.append({"seed": self._seed, "kind": self._kind, "code": code,
                               "said": said[-300:]})  # fmt: skip


def _whole(found: Envelope, seq: int, prev: bytes) -> Envelope:
    from dataclasses import replace
    from datetime import UTC, datetime

    at = found.at or datetime(2026, 11, 15, tzinfo=UTC)
    device = found.device or "console"
    return replace(found, table=found.table or "T", seq=seq, at=at, device=device, prev=prev)


def to_json_loosely(value: Any) -> bytes:
    """As evidence writes JSON, where that is possible; half characters as escapes."""
    try:
        return to_json(value)
    except UnicodeEncodeError:
        return (json.dumps(value, indent=1) + "\n").encode()


def confine() -> None:
    """Little memory, and a clock of processor time that wakes whatever hangs."""
    with Path("/proc/self/statm").open() as file:
        mapped = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (mapped + MEMORY, mapped + MEMORY))
    signal.signal(signal.SIGPROF, _hang)


def campaign(seed: str, count: int) -> dict[str, Any]:
    """So many inputs drawn from one seed."""
    for name in [name for name in os.environ if name.startswith("EVENHAND_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory(prefix="evenhand-fuzz-") as name:
        folder = Path(name)
        os.chdir(folder)
        fuzz = Fuzz(make_seeds(folder), folder)
        confine()
        gc.freeze()
        for number in range(count):
            fuzz.one(f"{seed}-{number}")
        os.chdir("/")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    return {"inputs": count, "came": dict(sorted(fuzz.came.items())), "peak_mib": peak,
            "wrong": fuzz.wrong[:20], "wrong_count": len(fuzz.wrong)}  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(campaign(sys.argv[1], int(sys.argv[2])), indent=1))  # noqa: T201
