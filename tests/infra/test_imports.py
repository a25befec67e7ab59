"""No module imports itself by way of others: a reader who follows imports comes to an end."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import grimp

PACKAGES = ("events", "replay", "checks", "pipelines")


def test_no_import_goes_round_in_a_circle() -> None:
    """Imports within functions count too; those for the type checker alone do not."""
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=True, cache_dir=None)
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    assert "pipelines.report.page" in imports
    circle: list[str] = []
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        circle = error.args[1]
    assert circle == []
