# What the page of neighbours says is shared or copied is what addresses say.
import pytest
from neighbours import PAGE, ROWS, known

pytestmark = pytest.mark.usefixtures("new_arrays_on_the_cpu")


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.neighbour} {r.how}")
def test_row(row):
    said = known(PAGE.read_text())
    assert row.cells in said, "./dev py tests/python/neighbours.py writes the table"
    if not row.can_be_measured:
        pytest.skip(f"{row.needs} is not installed")
    assert row.result() == said[row.cells]


def test_the_table_has_no_other_rows():
    assert set(known(PAGE.read_text())) == {row.cells for row in ROWS}
