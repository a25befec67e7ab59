"""Mutants of the rules, in a small seeded run; bench/mutation.py judges all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bench.mutants import mutants_of
from bench.mutation import alive_in

RULES = """
from replay.rules import LOSE, RETURNED, Rule, win

MAIN = (
    Rule("high", ("3.1",), "more than ten", lambda c: c.total > 10 and not c.split, win(3, 2)),
    Rule("rest", ("3.2",), "anything", lambda c: c.known is None or c.total == 10, LOSE),
)
"""


def made(tmp_path: Path) -> list[str]:
    path = tmp_path / "rules.py"
    path.write_text(RULES)
    return [str(mutant) for mutant in mutants_of("made.up", path)]


def test_everything_that_decides_is_changed_once(tmp_path: Path) -> None:
    changes = [text.split(": ", 1)[1] for text in made(tmp_path)]
    starts = sorted(change.split(" in `")[0] for change in changes)
    assert starts == sorted(
        [
            "the rule never applies",
            "the rule never applies",
            "and becomes or",
            "or becomes and",
            "Gt becomes GtE",
            "Eq becomes NotEq",
            "not is dropped",
            "10 becomes 11",
            "10 becomes 11",
            "3 becomes 4",
            "2 becomes 3",
            "LOSE becomes RETURNED",
        ]
    )


WORDS = """
def say(c, at):
    held = " ".join(c.cards) or "no cards"
    if c.card.at < at and c.stood_at >= c.card.at:
        return f"{held}: {c.total + 1 > 21}"
"""


def test_words_are_left_alone_and_before_becomes_after(tmp_path: Path) -> None:
    path = tmp_path / "words.py"
    path.write_text(WORDS)
    changes = [mutant.change for mutant in mutants_of("made.up", path)]
    assert changes == ["and becomes or", "Lt becomes Gt", "GtE becomes LtE"]


def test_each_comparison_of_a_chain_is_turned_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "chain.py"
    path.write_text("def between(low, total, high):\n    return low <= total < high\n")
    made = {mutant.change: mutant.source.splitlines()[1] for mutant in mutants_of("made.up", path)}
    assert made == {
        "LtE becomes Lt before total": "    return low < total < high",
        "Lt becomes LtE before high": "    return low <= total <= high",
    }


def test_each_condition_is_left_out_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "made_up.py"
    path.write_text("x = a and (b or c) and d\nwords = found or 'nothing'\n")
    made = {m.change: m.source.splitlines()[0] for m in mutants_of("made.up", path, drop=True)}
    assert made == {
        "a is left out": "x = (b or c) and d",
        "b or c is left out": "x = a and d",
        "d is left out": "x = a and (b or c)",
        "b is left out": "x = a and (c) and d",
        "c is left out": "x = a and (b) and d",
    }


def test_a_mutant_names_the_paragraph_beside_it(tmp_path: Path) -> None:
    texts = made(tmp_path)
    assert [t.rsplit(" ", 1)[1] for t in texts if "Gt becomes" in t] == ["(3.1)"]
    assert [t.rsplit(" ", 1)[1] for t in texts if "LOSE becomes" in t] == ["(3.2)"]


def test_every_mutant_is_another_program(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(RULES)
    sources = [mutant.source for mutant in mutants_of("made.up", path)]
    assert len(set(sources)) == len(sources)
    for source in sources:
        compile(source, "made.up", "exec")


def test_what_lived_before_is_found_again_on_another_line(tmp_path: Path) -> None:
    path = tmp_path / "rules.py"
    path.write_text(RULES)
    one, *_ = mutants_of("made.up", path)
    path.write_text("\n\n" + RULES)
    moved = mutants_of("made.up", path)
    output = f"rules of ...\n  alive: {one}: not looked into yet\n"
    assert [m.source for m in alive_in(output, moved)] == [one.source]
    assert alive_in(output.replace("made.up", "made.otherwise"), moved) == []


CODE = """
from bench.mutant_trial import ALIVE, GOLDEN, Witnesses, golden_rounds, judge
from bench.mutation import group_mutants, reason
from dataclasses import replace
from pathlib import Path
"""


def run(code: str) -> None:
    """In an interpreter of its own: judging forks, and nothing of replay may be imported before."""
    done = subprocess.run(
        [sys.executable, "-c", CODE + code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_golden_rounds_notice_a_changed_rule_and_let_an_unchanged_one_live() -> None:
    run("""
mutants = group_mutants("blackjack-rws-v5")
odds = next(m for m in mutants if m.change == "the rule never applies" and "at sight" in m.text)
same = replace(odds, source=Path("replay/rulebooks/blackjack_rws_v5/rules.py").read_text("utf-8"))
found = judge([odds, same], Witnesses([*golden_rounds("blackjack-rws-v5")]), 2)
assert found == {0: GOLDEN, 1: ALIVE}, found
""")


def test_a_sample_of_mutants_is_noticed() -> None:
    run("""
import random
for group in ("pontoon-plus-rws-v5", "three-card-poker-rws-v3"):
    mutants = [m for m in group_mutants(group) if m.change == "the rule never applies"]
    some = random.Random(3).sample(mutants, 6)
    found = judge(some, Witnesses([*golden_rounds(group)]), 2)
    alive = [some[n] for n, who in found.items() if who == ALIVE]
    unknown = [str(m) for m in alive if reason(m) == "not looked into yet"]
    assert not unknown, unknown
    assert len(alive) <= 1
""")
