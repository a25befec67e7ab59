"""Views for auditors: the questions behind most questions, answered once, with every column told.

They stand on the catalogue's other tables and views, so that they hold for every published day.
"""

from __future__ import annotations

from pipelines.warehouse.once import once
from pipelines.warehouse.read_views import READ_VIEWS
from pipelines.warehouse.view import AuditView

_KEY = "day, table_id, round"


_DAY = {"day": "gaming day"}
_TABLE = {"table_id": "table, such as RWS-PP-07"}
_BOOK = {"rulebook": "id of the rulebook"}
_ROUND = {"round": "round id"}
_DUE_PAID = {
    "due": "what the rulebook gives: stake returned and winnings, in cents",
    "paid": "what the table paid: stake returned and winnings, in cents",
    "difference": "paid too much (above zero) or too little, in cents",
}

_READ_ONCE = once(
    f"{_KEY}, coalesce(jackpot, 'main') AS jackpot, seen_at, seq, amount, "
    "CASE WHEN wrong_clock THEN arrived_at ELSE seen_at END AS counts_at",
    "type = 'JackpotRead'",
)

VIEWS: dict[str, AuditView] = {
    "voids": AuditView(
        "every round that is void by the rulebook or was declared void, and whether the two agree",
        _DAY
        | _TABLE
        | _ROUND
        | _BOOK
        | {
            "seen_at": "when the round opened, UTC",
            "dealer": "opaque staff reference",
            "void_clause": "paragraph under which it is void; null where it is not",
            "declared_void": "paragraph under which it was declared; null where nobody did",
            "declared_by": "who declared it",
            "reason": "the reason as declared",
            "verdict": "as declared, other clause, missed or without ground",
            "gist": "what the paragraph says, in our words",
        },
        f"""
SELECT {_KEY}, r.rulebook, r.seen_at, r.dealer, r.void_clause, r.declared_void,
       v.declared_by, v.reason,
       CASE WHEN r.declared_void IS NULL THEN 'missed'
            WHEN r.void_clause IS NULL THEN 'without ground'
            WHEN r.void_clause = r.declared_void THEN 'as declared'
            ELSE 'other clause' END AS verdict,
       c.gist
FROM rounds r
LEFT JOIN (SELECT {_KEY}, arg_min(noted_by, seq) AS declared_by, arg_min(reason, seq) AS reason
           FROM events WHERE type = 'RoundVoided' GROUP BY ALL) v USING ({_KEY})
LEFT JOIN clauses c
       ON c.rulebook = r.rulebook AND c.number = coalesce(r.void_clause, r.declared_void)
WHERE r.status = 'void' OR r.declared_void IS NOT NULL""",
    ),
    "tables_by_day": AuditView(
        "each table's day: rounds, money in and out, and what was paid beside the rulebook",
        _DAY
        | _TABLE
        | _BOOK
        | {
            "rounds": "rounds opened",
            "void": "rounds void by the rulebook",
            "stake": "what players placed in rounds that can be replayed, in cents",
        }
        | _DUE_PAID
        | {
            "difference": "paid less due, in cents; rounds without an end or that nobody can "
            "replay are in it, so overpaid and underpaid say what was paid wrongly",
            "house_win": "stakes less what was paid, in cents",
            "findings": "findings, waived ones included",
            "overpaid": "paid too much, over findings of severity money, in cents",
            "underpaid": "paid too little, the same way, above zero, in cents",
        },
        """
SELECT day, table_id, rulebook, rounds, void, stake, due, paid, paid - due AS difference,
       stake - paid AS house_win, findings, overpaid, underpaid
FROM daily_figures""",
    ),
    "odds_paid": AuditView(
        "each row of the pay tables in rounds that were closed: odds by the rulebook and as paid",
        _DAY
        | _BOOK
        | {
            "bet": "name of the bet or payment",
            "clause": "paragraph that makes it a win",
            "odds": "odds that the rulebook gives",
            "wins": "lines won in this row",
            "due": "winnings that the rulebook gives, in cents",
            "paid": "winnings that the table paid for the same lines, in cents",
            "paid_as_due": "lines whose winnings were paid exactly",
            "paid_otherwise": "lines that were paid other winnings or none",
            "odds_paid": "odds actually paid, as a number (3:2 is 1.5)",
        },
        """
SELECT l.day, l.rulebook, l.bet, l.clauses[1] AS clause, l.odds, count(*) AS wins,
       sum(l.winnings)::BIGINT AS due, sum(coalesce(s.winnings, 0))::BIGINT AS paid,
       count(*) FILTER (s.winnings = l.winnings) AS paid_as_due,
       count(*) FILTER (s.winnings IS DISTINCT FROM l.winnings) AS paid_otherwise,
       round(any_value(split_part(l.odds, ':', 1)::DOUBLE / split_part(l.odds, ':', 2)::DOUBLE)
             * sum(coalesce(s.winnings, 0)) / sum(l.winnings), 4) AS odds_paid
FROM lines l LEFT JOIN settlements s USING (day, table_id, round, box, hand, player, bet)
JOIN rounds r USING (day, table_id, round)
WHERE l.outcome = 'win' AND l.odds IS NOT NULL AND l.winnings > 0 AND r.status = 'settled'
GROUP BY ALL""",
    ),
    "dealer_hours": AuditView(
        "how often each dealer errs, hour by hour",
        _DAY
        | {
            "dealer": "opaque staff reference",
            "hour": "the hour that begins then, UTC",
            "tables": "tables dealt at",
            "rounds": "rounds opened",
            "errors": "findings of severity money or procedure",
            "money_errors": "those of severity money",
            "per_100_rounds": "errors for every hundred rounds",
            "money": "paid too much (above zero) or too little by them, in cents",
        },
        f"""
WITH wrong AS (
    SELECT {_KEY}, count(*) AS errors, count(*) FILTER (severity = 'money') AS money_errors,
           sum(coalesce(money, 0)) AS money
    FROM findings WHERE severity IN ('money', 'procedure') AND round IS NOT NULL GROUP BY ALL)
SELECT day, dealer, time_bucket(INTERVAL 1 HOUR, seen_at AT TIME ZONE 'UTC') AS hour,
       count(DISTINCT table_id) AS tables, count(*) AS rounds,
       sum(coalesce(errors, 0))::BIGINT AS errors,
       sum(coalesce(money_errors, 0))::BIGINT AS money_errors,
       round(100 * sum(coalesce(errors, 0)) / count(*), 2) AS per_100_rounds,
       sum(coalesce(money, 0))::BIGINT AS money
FROM rounds LEFT JOIN wrong USING ({_KEY})
WHERE dealer IS NOT NULL AND seen_at IS NOT NULL
GROUP BY ALL""",
    ),
    "player_money": AuditView(
        "what each player placed, was due and was paid in rounds that ended, per day and table",
        _DAY
        | {"player": "opaque player reference"}
        | _TABLE
        | {
            "rounds": "rounds with a bet of his",
            "bets": "lines derived for him",
            "stake": "what he placed, in cents",
        }
        | _DUE_PAID
        | {"net": "paid less placed: what he won (above zero) or lost, in cents"},
        f"""
WITH ended AS (
    SELECT {_KEY} FROM rounds WHERE status IN ('settled', 'void')),
derived AS (
    SELECT day, player, table_id, count(DISTINCT round) AS rounds, count(*) AS bets,
           sum(stake) AS stake, sum(stake_returned::HUGEINT + winnings) AS due
    FROM lines SEMI JOIN ended USING ({_KEY}) GROUP BY ALL),
recorded AS (
    SELECT day, player, table_id, sum(stake_returned::HUGEINT + winnings) AS paid
    FROM settlements SEMI JOIN ended USING ({_KEY}) GROUP BY ALL)
SELECT day, player, table_id, coalesce(rounds, 0) AS rounds, coalesce(bets, 0) AS bets,
       coalesce(stake, 0)::BIGINT AS stake, coalesce(due, 0)::BIGINT AS due,
       coalesce(paid, 0)::BIGINT AS paid,
       (coalesce(paid, 0) - coalesce(due, 0))::BIGINT AS difference,
       (coalesce(paid, 0) - coalesce(stake, 0))::BIGINT AS net
FROM derived FULL JOIN recorded USING (day, player, table_id)""",
    ),
    "meter_history": AuditView(
        "every reading of a progressive meter, in order, with how it moved",
        _DAY
        | {
            "jackpot": "which meter; main where the devices name none",
            "seen_at": "when it was read, UTC",
        }
        | _TABLE
        | {
            "round": "round in which it was read; null between rounds",
            "seq": "number of the event at its table",
            "amount": "what it showed, in cents",
            "change": "more (above zero) or less than the reading before, in cents",
        },
        f"""
SELECT day, jackpot, seen_at, table_id, round, seq, amount,
       amount - lag(amount) OVER (PARTITION BY jackpot ORDER BY counts_at, table_id, seq) AS change
FROM ({_READ_ONCE})""",
    ),
    "shoes": AuditView(
        "each shoe or shuffler load: how it began and ended, and what was drawn from it",
        _DAY
        | _TABLE
        | {
            "shoe": "shoe or shuffler load",
            "decks": "decks in it",
            "shuffled": "whether it was shuffled; null where its start is not in the day",
            "started_at": "when it came into play, UTC",
            "ended_at": "when it ended, UTC",
            "rounds": "rounds dealt from it",
            "cards_drawn": "cards dealt or burnt",
            "cards_left": "cards left at its end",
            "mismatches": "findings that its cards do not add up",
        },
        f"""
WITH opened AS (
    SELECT day, table_id, shoe, max(decks) AS decks, count(DISTINCT round) AS rounds
    FROM rounds WHERE shoe IS NOT NULL GROUP BY ALL),
dealt AS (  -- a card between rounds comes out of the shoe that was told last
    SELECT day, table_id, r.shoe, e.draw FROM events e JOIN rounds r USING ({_KEY})
    WHERE e.type IN ('CardDealt', 'CardBurnt')
    UNION ALL
    SELECT e.day, e.table_id, s.shoe, e.draw
    FROM (FROM events WHERE type IN ('CardDealt', 'CardBurnt') AND round IS NULL) e
    ASOF JOIN (FROM events WHERE type IN ('ShoeStarted', 'RoundOpened')) s
           ON e.day = s.day AND e.table_id = s.table_id AND e.seq >= s.seq),
drawn AS (
    SELECT day, table_id, shoe, count(DISTINCT draw) AS cards_drawn FROM dealt GROUP BY ALL),
told AS (
    SELECT day, table_id, shoe, max(decks) AS told_decks, bool_and(shuffled) AS shuffled,
           max(cards_left) AS cards_left,
           min(seen_at) FILTER (type = 'ShoeStarted') AS started_at,
           max(seen_at) FILTER (type = 'ShoeEnded') AS ended_at
    FROM events WHERE type IN ('ShoeStarted', 'ShoeEnded') GROUP BY ALL),
wrong AS (
    SELECT f.day, f.table_id, r.shoe, count(*) AS mismatches
    FROM findings f JOIN rounds r USING ({_KEY}) WHERE f.kind = 'shoe_mismatch' GROUP BY ALL)
SELECT day, table_id, shoe, coalesce(decks, told_decks) AS decks, shuffled, started_at, ended_at,
       coalesce(rounds, 0) AS rounds, coalesce(cards_drawn, 0) AS cards_drawn, cards_left,
       coalesce(mismatches, 0) AS mismatches
FROM opened FULL JOIN told USING (day, table_id, shoe)
LEFT JOIN drawn USING (day, table_id, shoe) LEFT JOIN wrong USING (day, table_id, shoe)""",
    ),
    **READ_VIEWS,
}


def audit_statements() -> list[str]:
    """Statements that create the auditors' views, after the tables and views they stand on."""
    return [f"CREATE VIEW {name} AS {view.sql}" for name, view in VIEWS.items()]
