"""The quality of the tables that are loaded: Great Expectations suites and money in plain SQL.

Importing this package imports neither Great Expectations nor DuckDB; run_suites() does.
"""

from checks.quality.result import Failing, QualityResult
from checks.quality.run import run_suites
from checks.quality.volume import Volume, volumes_of

__all__ = ["Failing", "QualityResult", "Volume", "run_suites", "volumes_of"]
