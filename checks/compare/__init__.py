"""Derived against recorded: every line that a table settled otherwise, named and priced.

recorded    what the record says in the end of each line
sides       the two beside one another: where they differ, and by how much
elsewhere   right in total, but booked on other lines
kinds       which kind of wrong it is
walk        the findings of a round
"""

from checks.compare.recorded import Recorded, pocketed, recorded_lines
from checks.compare.walk import compare

__all__ = ["Recorded", "compare", "pocketed", "recorded_lines"]
