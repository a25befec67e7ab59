"""The notebook of an auditor's morning: committed without answers, and its code gives the right
ones on a day whose truth is known."""

from __future__ import annotations

import copy
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.command import ROOT
from tests.investigate.conftest import KnownHouse
from tests.pipelines.kit import ask

NOTEBOOK = ROOT / "examples" / "notebook.ipynb"

TELL = """
print(json.dumps({
    "changes": changes,
    "worst": [(one.id, int(one.money)) for one in worst.itertuples()],
    "by_kind": [(k, int(m), int(l)) for k, m, l in in_polars.rows()],
    "odds": [sum(odds["wins"]), sum(odds["due"]), sum(odds["paid"]), sum(odds["paid_otherwise"])],
    "round": disputed,
    "difference": int(side_by_side["difference"].sum()),
}))
"""


def test_it_is_kept_without_answers() -> None:
    cells = json.loads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert code
    assert [(cell["outputs"], cell["execution_count"]) for cell in code] == [([], None)] * len(code)


@pytest.fixture(scope="module")
def told(known: KnownHouse, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the notebook found, told by one more cell at its end."""
    nbclient = pytest.importorskip("nbclient", reason="it comes with uv sync --group heavy")
    pytest.importorskip("ipykernel", reason="it comes with uv sync --group heavy")
    pytest.importorskip("polars", reason="it comes with uv sync --group heavy")
    import nbformat

    book = copy.deepcopy(nbformat.read(NOTEBOOK, as_version=4))
    book.cells.append(nbformat.v4.new_code_cell(TELL))
    folder = tmp_path_factory.mktemp("notebook")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVENHAND_HOME", str(known.home))
        patch.setenv("IPYTHONDIR", str(folder))  # nothing of the user's own
        patch.setenv("JUPYTER_DATA_DIR", str(_kernel(folder)))
        client = nbclient.NotebookClient(book, timeout=300, kernel_name="here")
        client.execute(cwd=str(folder))
    said: dict[str, Any] = json.loads(book.cells[-1].outputs[0].text)
    return said


def _kernel(folder: Path) -> Path:
    """A kernel that is this Python, whatever others the user has installed."""
    spec = folder / "jupyter" / "kernels" / "here" / "kernel.json"
    spec.parent.mkdir(parents=True)
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": "here", "language": "python"}))
    return folder / "jupyter"


def test_its_answers_are_the_warehouse_s(known: KnownHouse, told: dict[str, Any]) -> None:
    priced = "FROM findings WHERE waiver IS NULL AND money <> 0"
    wanted = ask(known.home, f"SELECT id, money {priced} ORDER BY 1")
    assert sorted(map(tuple, told["worst"])) == wanted
    sizes = [abs(money) for _, money in told["worst"]]
    assert sizes
    assert sizes == sorted(sizes, reverse=True)
    sums = "sum(greatest(money, 0))::BIGINT, sum(greatest(-money, 0))::BIGINT"
    wanted = ask(known.home, f"SELECT kind, {sums} {priced} GROUP BY 1 ORDER BY 1")
    assert list(map(tuple, told["by_kind"])) == wanted


def test_what_changed_is_the_finding_that_was_waived(
    known: KnownHouse, told: dict[str, Any]
) -> None:
    first, second = told["changes"].values()
    assert (first["since"], first["changed"]["ids"]) == (None, [])
    waived = ask(known.home, "SELECT id FROM findings WHERE waiver IS NOT NULL")
    assert [(one,) for one in second["changed"]["ids"]] == waived


def test_odds_and_the_disputed_round(known: KnownHouse, told: dict[str, Any]) -> None:
    won = "FROM lines l LEFT JOIN settlements s USING (day, round, box, hand, player, bet)"
    sql = (
        "SELECT count(*), sum(l.winnings)::BIGINT, sum(coalesce(s.winnings, 0))::BIGINT, "
        f"count(*) FILTER (l.winnings <> coalesce(s.winnings, 0)) {won} WHERE outcome = 'win'"
    )
    assert [tuple(told["odds"])] == ask(known.home, sql)
    worst, _ = told["worst"][0]
    assert ask(known.home, f"SELECT round FROM findings WHERE id = '{worst}'") == [(told["round"],)]
    of_round = f"(SELECT sum(stake_returned + winnings) FROM {{}} WHERE round = '{told['round']}')"
    due, paid = of_round.format("lines"), of_round.format("settlements")
    sql = f"SELECT (coalesce({paid}, 0) - coalesce({due}, 0))::BIGINT"
    assert ask(known.home, sql) == [(told["difference"],)]
