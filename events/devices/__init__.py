"""Simulated tables: five games with real shoes, guests, a clock, and a dealer who settles.

The dealer here settles by simple means of his own, written from the rulebooks' texts. Nothing in
this package knows how the replay does it, because an audit that audits itself proves nothing.

Where things are: floor.toml holds every setting; cards.py the shoes; people.py who sits where;
chips.py the bets; script.py what a round writes down; twentyone/ and poker/ the games; trouble/ the
irregularities, handled as the texts prescribe; faults/ what a dishonest table or a damaged record
does on request; table.py a table's day; link.py tables that share a progressive meter; run.py the
whole floor; resume.py and deliver.py the way into a log.
"""
