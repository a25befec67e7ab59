"""Cases, waivers and accounts: what each entry of the log changes, and who may do it."""

from __future__ import annotations

import json
import multiprocessing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from checks.waivers import apply_waivers
from events.errors import InputError
from pipelines.people.act import Actor, DeedBook, NotAllowedError, local_actor
from pipelines.people.cases import case_of
from pipelines.people.legacy import FILE_NAME
from pipelines.people.log import decisions_file
from pipelines.people.state import fold
from pipelines.people.waivers import bad_end, holding
from tests.people.kit import MEI, RAJ, SUE, TODAY, TOM, UNTIL, a_finding, asked, with_accounts


def covered(book: DeedBook, *findings: dict[str, Any], on: date = TODAY) -> list[bool]:
    some = findings or (a_finding(),)
    return [w is not None for w in apply_waivers(some, holding(book.people()), on)]


def test_a_waiver_counts_once_another_has_approved_it(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    name = asked(book)
    assert covered(book) == [False]
    book.decide_waiver(RAJ, "waiver_approved", name)
    assert covered(book) == [True]
    assert covered(book, on=UNTIL + timedelta(days=1)) == [False]
    assert covered(book, a_finding(money=501)) == [False], "a finding that changed comes back"
    assert holding(book.people())[0].approved_by == "raj"
    book.decide_waiver(SUE, "waiver_revoked", name, "the tape shows another hand")
    assert covered(book) == [False]
    told = book.people().waivers[name]
    assert (told.state, told.asked_by, told.approved_by, told.decided_by) == (
        "revoked", "mei", "raj", "sue",
    )  # fmt: skip
    assert [e.what for e in book.people().about["F0123"]] == [
        "waiver_asked", "waiver_approved", "waiver_revoked",
    ]  # fmt: skip


def test_nobody_approves_his_own(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    name = asked(book, RAJ)
    with pytest.raises(NotAllowedError, match="asked for by raj: somebody else has to approve it"):
        book.decide_waiver(RAJ, "waiver_approved", name)
    book.decide_waiver(RAJ, "waiver_refused", name, "my mistake")
    with pytest.raises(NotAllowedError, match=r"refused by raj at .* already"):
        book.decide_waiver(SUE, "waiver_approved", name)
    assert covered(book) == [False]


def test_an_approval_that_the_rules_forbid_counts_for_nothing_however_it_got_there(
    tmp_path: Path,
) -> None:
    book = with_accounts(tmp_path)
    name = asked(book, RAJ)
    with book.log.writing() as writing:  # past every rule, with a chain that holds
        entry = writing.append(
            replace(writing.entries[-1].deed, what="waiver_approved", subjects=(name,))
        )
    people = fold(book.log.read().entries)
    assert people.ignored == [
        (entry.number, f"waiver {name} was asked for by raj: somebody else has to approve it")
    ]
    assert covered(book) == [False]


@pytest.mark.parametrize(
    ("who", "what", "says"),
    [
        (MEI, "waiver_approved", "account mei is analyst; it takes approver"),
        (TOM, "waiver_revoked", "account tom is reader; it takes analyst or approver"),
        (Actor("eve", "desk"), "waiver_approved", "there is no account eve"),
        (local_actor(), "waiver_approved", "expected an account, because this house has some"),
        (RAJ, "waiver_refused", "expected a reason, found none"),
    ],
)
def test_who_may_not(who: Actor, what: str, says: str, tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    name = asked(book)
    before = decisions_file(tmp_path).read_bytes()
    with pytest.raises(NotAllowedError, match=says):
        book.decide_waiver(who, what, name, "" if what == "waiver_refused" else "x")
    assert decisions_file(tmp_path).read_bytes() == before


def test_a_locked_account_does_nothing_and_a_removed_name_is_not_given_again(
    tmp_path: Path,
) -> None:
    book = with_accounts(tmp_path)
    book.do(local_actor(), "account_locked", ["mei"])
    with pytest.raises(NotAllowedError, match="account mei is locked"):
        asked(book)
    book.do(local_actor(), "account_unlocked", ["mei"])
    asked(book)
    book.do(local_actor(), "account_removed", ["mei"])
    with pytest.raises(NotAllowedError, match="its name stays with whoever had it"):
        book.do(local_actor(), "account_added", ["mei"], {"roles": ["reader"], "password": None})
    for name in ("raj", "sue"):
        book.do(local_actor(), "account_removed", [name])
    with pytest.raises(NotAllowedError, match="account tom is the last one"):
        book.do(local_actor(), "account_removed", ["tom"])


def _approve(home: Path, who: str, name: str, answers: Any) -> None:
    try:
        DeedBook(home).decide_waiver(Actor(who, "desk"), "waiver_approved", name)
        answers.put("")
    except NotAllowedError as error:
        answers.put(str(error))


def test_of_two_who_approve_at_the_same_moment_one_is_told(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    name = asked(book)
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    both = [
        context.Process(target=_approve, args=(tmp_path, who, name, answers))
        for who in ("raj", "sue")
    ]
    for process in both:
        process.start()
    said = sorted(answers.get(timeout=60) for _ in both)
    for process in both:
        process.join()
    first = book.people().waivers[name].decided_by
    assert said[0] == ""
    assert said[1].startswith(f"waiver {name} was approved by {first} at ")


def test_one_waiver_covers_several(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    some = [a_finding("F1"), a_finding("F2", money=700)]
    book.decide_waiver(RAJ, "waiver_approved", asked(book, MEI, *some))
    assert covered(book, *some, a_finding("F3")) == [True, True, False]


def test_without_accounts_one_person_alone_gives_it_and_later_nobody_can(tmp_path: Path) -> None:
    book = DeedBook(tmp_path)
    name = asked(book, Actor("A. Tan"))
    assert covered(book) == [True]
    assert book.people().waivers[name].alone
    with_accounts(tmp_path)
    assert covered(book) == [True], "it was valid when it was given"
    with pytest.raises(NotAllowedError, match="expected an account"):
        asked(book, Actor("A. Tan"), a_finding("F9"))


@pytest.mark.parametrize(("days", "well"), [(-1, False), (0, True), (90, True), (91, False)])
def test_an_end_within_the_longest_term(days: int, well: bool) -> None:
    assert (bad_end(TODAY + timedelta(days=days), TODAY, 90) is None) == well


def do(book: DeedBook, what: str, actor: Actor = MEI, **details: Any) -> None:
    book.do(actor, what, ["F1", "F2"], details, run="R-1")


def test_the_way_of_a_case(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    assert case_of(book.people(), "F1").state == "new"
    do(book, "case_assigned", RAJ, assignee="mei")
    do(book, "case_due", due="2026-12-01")
    do(book, "case_in_review")
    do(book, "comment", text="asked surveillance for the tape")
    with pytest.raises(NotAllowedError, match="finding F1: its case is in review; closed goes"):
        do(book, "case_closed")
    do(book, "case_confirmed", done=["recovered", "retrained"], text="5.00 came back")
    do(book, "case_closed")
    case = case_of(book.people(), "F2")
    assert (case.state, case.assignee, case.due, case.done, case.said, case.comments) == (
        "closed", "mei", date(2026, 12, 1), ("recovered", "retrained"), "5.00 came back", 1,
    )  # fmt: skip
    do(book, "case_reopened")
    do(book, "case_explained", text="the layout changed that day")
    assert case_of(book.people(), "F1").state == "explained"


@pytest.mark.parametrize(
    ("what", "details", "says"),
    [
        ("comment", {"text": ""}, "expected a text with comment"),
        ("comment", {}, "its details can't be read"),
        ("case_confirmed", {"done": [], "text": ""}, "expected what was done"),
        ("case_confirmed", {"done": ["shot"], "text": ""}, "found shot"),
        ("case_assigned", {"assignee": "tom"}, "expected an account that works on cases"),
        ("case_reopened", {}, "its case is new; reopened goes only from closed"),
    ],
)
def test_what_is_no_step_of_a_case(
    what: str, details: dict[str, Any], says: str, tmp_path: Path
) -> None:
    book = with_accounts(tmp_path)
    with pytest.raises(NotAllowedError, match=says):
        do(book, what, **details)


def test_who_decides_on_an_old_page_is_told(tmp_path: Path) -> None:
    book = with_accounts(tmp_path)
    do(book, "case_assigned", assignee="mei")
    seen = book.people().last
    do(book, "comment", RAJ, text="wait for the tape")
    with pytest.raises(NotAllowedError, match=r"finding F1: raj was quicker .comment at "):
        book.do(MEI, "case_explained", ["F1"], {"text": "as agreed"}, seen=seen)
    book.do(MEI, "case_explained", ["F1"], {"text": "as agreed"}, seen=book.people().last)


OLD = {
    "id": "W0123456789a", "finding": "F0123", "content": "ab" * 32, "reason": "agreed",
    "by": "A. Tan", "until": "2099-12-31", "at": "2026-11-15T03:00:00.000000Z",
}  # fmt: skip


def test_waivers_of_an_earlier_version_count_and_are_taken_over_once(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    content = json.dumps(OLD) + "\n" + '{"id": "W1", "find'
    path.write_text(content, "utf-8")
    book = DeedBook(tmp_path)
    assert [w.by for w in holding(book.people())] == ["A. Tan"]
    assert not decisions_file(tmp_path).exists(), "reading changes nothing"
    with_accounts(tmp_path)
    assert [e.what for e in book.log.read().entries][:2] == ["waivers_taken_over", "account_added"]
    assert [(w.by, str(w.until)) for w in holding(book.people())] == [("A. Tan", "2099-12-31")]
    assert not book.take_over()
    assert book.problems() == []
    path.write_text(content.replace("A. Tan", "CRA Regulator"), "utf-8")
    assert [w.by for w in holding(book.people())] == ["A. Tan"]
    assert "changed after its waivers had been taken" in book.problems()[0].message
    path.unlink()
    assert [w.by for w in holding(book.people())] == ["A. Tan"]
    book.decide_waiver(RAJ, "waiver_revoked", OLD["id"], "no longer")
    assert holding(book.people()) == []


@pytest.mark.parametrize(
    "line",
    [
        "[]",
        "{}",
        json.dumps(OLD | {"until": "soon"}),
        json.dumps(OLD | {"content": "abc"}),
        json.dumps(OLD | {"more": "x"}),
        json.dumps(OLD | {"by": ""}),
    ],
)
def test_a_line_that_is_no_waiver_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / FILE_NAME).write_text(json.dumps(OLD) + "\n" + line + "\n", "utf-8")
    with pytest.raises(InputError, match="line 2: expected a waiver"):
        DeedBook(tmp_path).people()
