"""What signatures cost: made by gateways, looked at by the audit.

    uv run python -m bench.signed_day     ratios against D, the time in which fastavro decodes the
                                          same events; all in one interleaved run

The last signature of a table-day that is whole is looked at, and no other; `each` is what looking
at all of them would cost.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from time import process_time
from typing import Any

from bench.floor_day import an_order
from events.codec import decode_record
from events.devices.floor import default_floor
from events.devices.keys import key_of
from events.devices.plan import Before, tables_of, units_of
from events.devices.run import play_floor
from events.registry import TableKey
from events.trust.heads import HeadKeys, SignedHead, sign_head


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    args = parser.parse_args()
    order = replace(an_order(tables=1, rounds=args.rounds), signed=True)
    floor = default_floor()
    played = play_floor(units_of(tables_of(order, floor)), order, floor, Before(), 1)
    values = [value for hour in played for _, some, *_ in hour.messages for value in some]
    begun = process_time()
    records = [decode_record(value) for value in values]
    decode_s = process_time() - begun
    for name, seconds in costs(records).items():
        print(f"{name:<38} {seconds / decode_s:8.4f} D")
    print(f"{len(values):,} events; {sys.version.split()[0]}")


def costs(records: list[dict[str, Any]]) -> dict[str, float]:
    """Seconds of processor time for one table-day."""
    table = records[0]["table"]
    key = key_of(table)
    heads = [r for r in records if r["event"][0] == "HeadSigned"]
    keys = HeadKeys(table, (TableKey(key.name, key.verifier.public),))
    begun = process_time()
    for head in heads:
        sign_head(key, table, head["seq"], head["prev"])
    sign_s = process_time() - begun
    begun = process_time()
    for head in heads:
        _judge(keys, head)
    each_s = process_time() - begun
    begun = process_time()
    _judge(keys, heads[-1])
    last_s = process_time() - begun
    return {
        f"signing ({len(heads):,} signatures)": sign_s,
        "checking the last one": last_s,
        "checking each": each_s,
    }


def _judge(keys: HeadKeys, head: dict[str, Any]) -> None:
    own = head["event"][1]
    day = head["at"].date()
    keys.judge(SignedHead(own["key"], own["signature"], day), head["seq"], head["prev"])


if __name__ == "__main__":
    main()
