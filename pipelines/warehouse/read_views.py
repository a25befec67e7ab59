"""Views to read rather than to reckon with: money in the table's currency, the house's own clock,
words instead of names. Machines read the tables they stand on.
"""

from __future__ import annotations

from pipelines.warehouse.view import AuditView

_KEY = "day, table_id, round"
_LINE = f"{_KEY}, box, hand, player, bet"

_WITH = """
WITH clock AS (  -- the house's time zone, as each day was audited with it
    SELECT day, run, json_extract_string(settings, '$.timezone') AS zone FROM runs),
plays_in AS (
    SELECT day, table_id, string_agg(DISTINCT currency, ' or ') AS currency
    FROM events WHERE type = 'TableOpened' AND currency IS NOT NULL GROUP BY ALL)"""

_WHERE = {
    "day": "gaming day",
    "house_time": "on the house's clock, when the round opened",
    "table_id": "table, such as RWS-PP-07",
    "round": "round id",
}
_CURRENCY = {"currency": "of the table's chips; null where the table did not say"}


def _words(name: str) -> str:
    return f"replace({name}, '_', ' ')"


def _money(cents: str) -> str:
    """Exact: cents times a decimal, never a float."""
    return f"({cents} * 0.01)::DECIMAL(20, 2)"


def _place(row: str) -> str:
    return (
        f"CASE WHEN {row}.box IS NULL THEN NULL WHEN {row}.box = 0 THEN 'dealer' "
        f"WHEN coalesce({row}.hand, 1) = 1 THEN 'box ' || {row}.box "
        f"ELSE 'box ' || {row}.box || ' hand ' || {row}.hand END"
    )


def _house_time(at: str) -> str:
    return f"{at} AT TIME ZONE coalesce(clock.zone, 'UTC')"


READ_VIEWS: dict[str, AuditView] = {
    "findings_read": AuditView(
        "the findings as a person reads them: currency, house time and plain words",
        _WHERE
        | {
            "what": "kind of finding, in words",
            "severity": "money, procedure, integrity, judgement or note",
            "place": "box and hand",
            "player": "opaque player reference",
            "bet": "name of the bet, in words",
            "too_much": "what players got too much, in the table's currency",
            "too_little": "what they got too little, in the table's currency",
        }
        | _CURRENCY
        | {
            "dealer": "opaque staff reference",
            "clauses": "paragraphs it rests on",
            "message": "one sentence for a compliance officer",
            "waived": "whether somebody accepted it",
            "id": "the same in every run",
        },
        f"""{_WITH}
SELECT f.day, {_house_time("f.seen_at")} AS house_time, f.table_id, f.round,
       {_words("f.kind")} AS what, f.severity, {_place("f")} AS place, f.player,
       {_words("f.bet")} AS bet, {_money("f.too_much")} AS too_much,
       {_money("f.too_little")} AS too_little, plays_in.currency, f.dealer,
       array_to_string(f.clauses, ', ') AS clauses, f.message,
       f.waiver IS NOT NULL AS waived, f.id
FROM findings f LEFT JOIN clock USING (day, run) LEFT JOIN plays_in USING (day, table_id)""",
    ),
    "lines_read": AuditView(
        "every bet as a person reads it: what the rulebook gives beside what the table paid",
        _WHERE
        | {
            "place": "box and hand",
            "player": "opaque player reference",
            "bet": "name of the bet or payment, in words",
            "outcome": "by the rulebook: win, lose, stand off, surrendered or returned",
            "odds": "exact odds of a win, such as 3:2",
            "stake": "what was placed, in the table's currency",
            "due": "what the rulebook gives: stake returned and winnings",
            "paid": "what the table paid, the same way; null where it settled nothing",
            "difference": "paid too much (above zero) or too little",
        }
        | _CURRENCY
        | {
            "paid_at": "on the house's clock, when it was settled",
            "clauses": "paragraphs that decide it, most specific first",
            "because": "what the first of them says, in our words",
        },
        f"""{_WITH}
SELECT l.day, {_house_time("r.seen_at")} AS house_time, l.table_id, l.round,
       {_place("l")} AS place, l.player, {_words("l.bet")} AS bet,
       {_words("l.outcome")} AS outcome, l.odds, {_money("l.stake")} AS stake,
       {_money("(l.stake_returned + l.winnings)")} AS due,
       {_money("(s.stake_returned + s.winnings)")} AS paid,
       {_money("(s.stake_returned + s.winnings - l.stake_returned - l.winnings)")} AS difference,
       plays_in.currency, {_house_time("s.seen_at")} AS paid_at,
       array_to_string(l.clauses, ', ') AS clauses, c.gist AS because
FROM lines l LEFT JOIN settlements s USING ({_LINE}) LEFT JOIN rounds r USING ({_KEY})
LEFT JOIN clauses c ON c.rulebook = l.rulebook AND c.number = l.clauses[1]
LEFT JOIN clock ON clock.day = l.day AND clock.run = l.run
LEFT JOIN plays_in ON plays_in.day = l.day AND plays_in.table_id = l.table_id""",
    ),
}
