"""What README and docs tell people to type works, and what they show is what comes out.

One real demo, as the README shows it; every command of the pages in this process, in a house that
has played a small day. A command that is new in a page is run by itself; where that can't be, it
stands in one of the lists below with its reason.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from pipelines.night.plain import run_day
from tests.command import ROOT, evenhand
from tests.infra.docs import PAGES, VARIABLE, DocsCommand, shown_on
from tests.investigate.here import evenhand_here
from tests.pipelines.kit import ask, settings_of

UNTIL_STOPPED = {
    "evenhand desk": "tests/desk/test_browser.py",
    "evenhand demo --desk": "the demo below, then the desk",
    "evenhand up": "tests/pipelines/test_up.py",
    "evenhand ingest --follow": "tests/events/test_archive_commands.py",
    "evenhand watch": "tests/watch/test_follow.py",
    "evenhand watch --json --rounds": "tests/watch/test_follow.py",
    "evenhand witness run DIR --host ADDRESS --port 8771": "tests/trust/test_witness.py",
}
NEEDS_A_BROKER = {
    "evenhand kafka start": "tests/kafka/test_broker.py",
    "evenhand kafka stop": "tests/kafka/test_broker.py",
    "evenhand kafka status": "tests/kafka/test_cli.py",
    "evenhand kafka status --json": "tests/kafka/test_cli.py",
    "evenhand demo --kafka": "tests/kafka/test_cli.py",
    "evenhand ingest --from kafka --follow": "tests/kafka/test_cli.py",
    "evenhand watch --from kafka": "tests/watch/test_follow.py",
    "evenhand watch --from kafka --json": "tests/watch/test_follow.py",
}
TRIED_ELSEWHERE = {
    "pip install uv && uv run evenhand demo": "the demo below",
    "evenhand demo --day 2026-11-17": "the demo below",
    "pip install uv && uv run pytest": "these tests",
    "evenhand nightly": "the demo runs the same job; tests/pipelines/test_nightly.py",
    "evenhand lake sqlite:///catalogue.db lakehouse --day DAY": "tests/lake/test_register.py",
    "evenhand nightly --engine local-cluster[2,1,1024]": "tests/pipelines/test_engines.py",
    "evenhand rulebooks --coverage DAY..DAY": "all golden rounds; test_clause_coverage.py",
    "evenhand simulate --tables 500 --rounds 1728 --day 2026-11-14": "an hour; bench/",
    "evenhand sql --ui": "opens somebody else's program; tests/investigate/test_sql.py",
    "pip install --require-hashes --no-deps -r infra/requirements-build.txt": "test_wheel.py",
    "pip install --require-hashes --no-deps -r infra/requirements.txt": "test_wheel.py",
    "python -m bench.engine --folder DIR": "half an hour; tests/pipelines/test_engine_bench.py",
    "python -m hatchling build -t wheel": "test_wheel.py",
    "pip install --no-deps --no-index dist/evenhand-*.whl": "test_wheel.py",
}
NOT_OURS = ("kafka-topics.sh", "acls")
"""Kafka's own tools, on a cluster; tests/kafka/test_rights.py holds the rights on a real broker."""
ON_A_CLUSTER = ("spark://spark.example", "sc://spark.example")
NAMES = {
    "evenhand export",
    "evenhand keys",
    "evenhand keys new|rotate|retire|revoke TABLE",
    "evenhand repair",
    "evenhand show",
    "evenhand simulate",
    "evenhand simulate --faults",
    "evenhand users list | role | password | lock | unlock | remove",
    "evenhand witness",
    "evenhand witness new",
    "evenhand witness show",
}
"""The text names a command without what it needs: its help is asked for."""
CODES = {"evenhand verify": 1, "evenhand verify --checkpoints COPY": 1}
"""How a command ends where that is not 0: faults of the record are planted in the demo."""
WITHOUT_ACCOUNTS = "evenhand waive FINDING --reason TEXT --until DAY"
"""Is said of a house without any account, on a page that makes some before."""
HANDED_IN = {"evenhand sql": "SELECT 1"}
"""On standard input, where that is not a password."""


def is_run(shown: DocsCommand) -> bool:
    excused = UNTIL_STOPPED | NEEDS_A_BROKER | TRIED_ELSEWHERE
    return not (
        shown.plain in excused
        or shown.words[0].startswith(NOT_OURS)
        or any(address in shown.text for address in ON_A_CLUSTER)
    )


README = (ROOT / "README.md").read_text("utf-8")


def test_the_readme_shows_what_the_demo_prints(tmp_path: Path) -> None:
    """Line by line from the top; where the README leaves some out it says `...`, as for paths."""
    (day,) = re.findall(r"evenhand demo --day (\S+)", README)
    done = evenhand(tmp_path, "demo", "--day", day)
    assert done.returncode == 0, done.stderr
    (block,) = re.findall(
        r"^\$ uv run evenhand demo.*?\n(.*?)^```$", README, re.MULTILINE | re.DOTALL
    )
    pattern = "".join(
        r"(?:.*\n)*?" if line == "..." else re.escape(line).replace(r"\.\.\.", ".*") + "\n"
        for line in block.splitlines()
    )
    assert re.match(pattern, done.stdout), done.stdout
    assert "where to look next:" in done.stdout

    home = str(tmp_path / "evenhand-demo")
    taken = evenhand_here(tmp_path, "demo", EVENHAND_HOME=home)
    assert taken.returncode == 2
    assert "which is not empty" in taken.stderr


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A house that has played a day with faults, and audited it."""
    home = tmp_path_factory.mktemp("played") / "home"
    day = "--tables 5 --rounds 14 --seed 4 --faults 0.2 --day 2026-11-14"
    for args in (f"simulate {day}", "ingest"):
        done = evenhand_here(home.parent, *args.split(), EVENHAND_HOME=str(home))
        assert done.returncode == 0, done.stderr
    run_day(settings_of(home), date(2026, 11, 14), with_suites=False)
    return home


class Newcomer:
    """Somebody who types what a page says, in a folder with a house that has played a day."""

    def __init__(self, template: Path, folder: Path) -> None:
        self.folder = folder
        self.home = shutil.copytree(template, folder / ".evenhand")
        self.prepare()
        found = ask(self.home, "SELECT day, round, id FROM findings WHERE severity = 'money'")
        self.day, self.round = str(found[0][0]), found[0][1]
        soon = (datetime.now(UTC) + timedelta(days=30)).date().isoformat()
        self.means = {
            "ROUND": self.round, "DAY": self.day, "DAY..DAY": f"{self.day}..{self.day}",
            "FINDING": found[0][2], "F0123": found[1][2], "F0456": found[2][2],
            "FILE.zip": "round.zip", "COPY": "copy.jsonl", "DIR": "witness", "R": "reader",
            "SELECT ...": "SELECT 1", "ACCOUNT": "c.ong", "QUESTION": "voids-by-clause",
            "FILE...": "golden.yaml", "TEXT": "as on the tape",
            "FOLDER": "exported", "KEYS": "house.keys",
            "/mnt/elsewhere/evenhand": "elsewhere", "/srv/evenhand": "restored",
        }  # fmt: skip
        self.after = {"--from": self.day, "--to": self.day, "--until": soon}

    def prepare(self) -> None:
        """What a reader has at hand: a question, a copy of the checkpoints, a draft, events."""
        golden = min((ROOT / "tests/replay/golden/pontoon-mbs-v5").glob("*.yaml"))
        shutil.copy(golden, self.folder / "golden.yaml")
        shutil.copy(self.home / "checkpoints.jsonl", self.folder / "copy.jsonl")
        (self.folder / "my.sql").write_text("SELECT day, count(*) FROM rounds GROUP BY day")
        draft = self.folder / "drafts" / "pontoon_mbs_v6"
        shutil.copytree(ROOT / "replay" / "rulebooks" / "pontoon_mbs_v5", draft)
        for path in draft.glob("*.py"):
            text = path.read_text("utf-8")
            path.write_text(re.sub(r"(pontoon.mbs.v)5", r"\g<1>6", text), "utf-8")
        events = "simulate --tables 1 --rounds 2 --seed 1 --jsonl rounds.jsonl"
        assert self.runs(*events.split()).returncode == 0

    def runs(self, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
        return evenhand_here(self.folder, *args, **{"EVENHAND_HOME": str(self.home)} | env)

    def types(self, shown: DocsCommand) -> subprocess.CompletedProcess[str]:
        words = shown.words
        env = {}
        while VARIABLE.match(words[0]):
            name, _, value = words.pop(0).partition("=")
            env[name] = self.means.get(value, value)
        into = words[words.index(">") + 1] if ">" in words else None
        words = words[: words.index(">")] if into else words
        args = words[words.index("evenhand") + 1 :]
        if shown.plain in NAMES:
            plain = (word for word in args if word.isalpha())
            args = [*(w for w in plain if not w.isupper() and w != "list"), "--help"]
        if "--verify" in args and not (self.folder / "round.zip").exists():
            assert self.runs("evidence", self.round, "-o", "round.zip").returncode == 0
        if args[:1] == ["export"] and "--verify" in args:
            period = ("export", "--from", self.day, "--to", self.day)
            assert self.runs(*period, "-o", "exported").returncode == 0
            (self.folder / "house.keys").write_text(self.runs("keys", "house").stdout)
        done = self.runs(*self.meant(args), **env)
        if into:
            path = self.folder / into
            path.parent.mkdir(exist_ok=True)
            path.write_text(done.stdout, "utf-8")
        return done

    def meant(self, words: list[str]) -> list[str]:
        """What stands for something else replaced: a round, a day that is in this house."""
        if "W1a2b3c4d5e6" in words:  # the waiver that was asked for just before
            asked = json.loads(self.runs("waivers", "--json").stdout)
            self.means["W1a2b3c4d5e6"] = asked[-1]["id"]
        own = {"FILE": "golden.yaml" if words[0] == "golden" else "rounds.jsonl"}
        means = self.means | own
        before = ["", *words]
        return [self.after.get(b, means.get(w, w)) for b, w in zip(before, words, strict=False)]


ROOMS = "events|replay|checks|pipelines|tests|bench|infra|docs|examples"
TYPED: set[str] = set()
"""What an earlier page has shown to work."""


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_command_of_a_page_works(
    page: Path, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = [c for c in shown_on(page) if is_run(c) and c.plain not in TYPED]
    if not commands:
        return
    reader = Newcomer(played, tmp_path / "one")
    for shown in commands:
        text = HANDED_IN.get(shown.plain, "correct horse battery staple")
        monkeypatch.setattr("sys.stdin", io.StringIO(text + "\n"))
        who = Newcomer(played, tmp_path / "two") if shown.plain == WITHOUT_ACCOUNTS else reader
        done = who.types(shown)
        assert done.returncode == CODES.get(shown.plain, 0), f"{shown.text}: {done.stderr}"
        TYPED.add(shown.plain)


def test_no_excuse_outlives_its_command() -> None:
    """A list of exceptions that nobody prunes hides what is new."""
    shown_texts = {shown.plain for page in PAGES for shown in shown_on(page)}
    excused = UNTIL_STOPPED | NEEDS_A_BROKER | TRIED_ELSEWHERE | CODES | HANDED_IN
    outlived = {*excused, *NAMES, WITHOUT_ACCOUNTS} - shown_texts
    assert not outlived


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_a_page_points_to_is_there(page: Path) -> None:
    """Links, and files of the code that are named whole."""
    text = (ROOT / page).read_text("utf-8")
    links = re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", text)
    assert not [link for link in links if not (ROOT / page.parent / link).exists()]
    files = re.findall(rf"(?<![\w/.])((?:{ROOMS})/[\w/]+\.\w+)", text)
    assert not [file for file in files if not (ROOT / file).exists()]
