"""A picture of all counts: multiplications of every method relative to the cheapest, n = 2 to 30.

Left are the formulas that the papers print, right the programs that armdyn traces: two panels for
each quantity, so that no curve mixes both, nor two algorithms.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from armdyn.algorithms.table import QUANTITIES
from armdyn.present.pictures import new_figure, write_picture
from armdyn.progress import Progress
from armdyn_papers.claims.claim import LARGEST, SMALLEST, Contender, traced
from armdyn_papers.claims.series import Series, series
from armdyn_papers.tables.measured import TABLES

# Curves of multiplications relative to the cheapest, by labels: values by n.
Curves: TypeAlias = Mapping[str, Mapping[int, float]]

# The quantities, with the printed tables that count the whole of each, for rotational joints.
PRINTED_TABLES: dict[str, tuple[str, ...]] = {
    "mass_matrix": ("[LinFang1999] Table VIII", "[Lin1991] Table I", "[Mata2002] Table 2"),
    "inverse_dynamics": ("[Mata2002] Table 1",),
    "forward_dynamics": ("[Mata2002] Table 3", "[Saha1999] section 7"),
}

# Rows of tables that count a part of a quantity, or another quantity.
WHOLE_ROWS: dict[str, tuple[str, ...]] = {"[Mata2002] Table 3": ("Total",)}

# Where curves are cut: dearer methods than this are not compared any more (no unit).
MOST = 4.0


def relative(counts: Mapping[str, Series]) -> Curves:
    """Return multiplications relative to the cheapest at every n."""
    least = {
        n: min(values[n][0] for values in counts.values() if n in values)
        for n in range(SMALLEST, LARGEST + 1)
        if any(n in values for values in counts.values())
    }
    return {
        label: {n: pair[0] / least[n] for n, pair in values.items() if least.get(n)}
        for label, values in counts.items()
    }


def printed_counts(quantity: str) -> dict[str, Series]:
    """Return the counts of printed formulas for a quantity, by row and paper."""
    found: dict[str, Series] = {}
    for table in TABLES:
        if table.reference not in PRINTED_TABLES[quantity]:
            continue
        rows = WHOLE_ROWS.get(table.reference)
        for row in table.rows:
            if row.type == 1 and row.formulas and (rows is None or row.label in rows):
                values = series(Contender(row.label, row, None), 1, "formulas", every=False)
                assert values is not None
                name, paper = row.label.partition(",")[0], table.reference.partition("]")[0]
                found[f"{name}, {paper}]"] = values
    return found


def traced_counts(quantity: str) -> dict[str, Series]:
    """Return the counts of the traced programs of every method of a quantity."""
    found: dict[str, Series] = {}
    for method in QUANTITIES[quantity].methods:
        values = series(traced(quantity, method), 1, "improved", every=False)
        assert values is not None
        found[method] = values
    return found


def write_counts_plot(path: Path, progress: Progress | None = None) -> None:
    """Draw the counts of every method; each is measured.

    Args:
        path: of the picture.
        progress: called with (done, total, what) after each quantity.
    """
    figure = new_figure(12.0, 3.4 * len(PRINTED_TABLES))
    panels: Any = figure.subplots(len(PRINTED_TABLES), 2, squeeze=False)
    for done, (quantity, axes) in enumerate(zip(PRINTED_TABLES, panels, strict=True), 1):
        _draw(axes[0], relative(printed_counts(quantity)), f"{quantity}: printed formulas")
        _draw(axes[1], relative(traced_counts(quantity)), f"{quantity}: traced programs")
        if progress:
            progress(done, len(PRINTED_TABLES), "counting every method")
    write_picture(figure, path)


def _draw(axes: Any, curves: Curves, title: str) -> None:
    styles = ("-", "--", ":", "-.")
    for k, (label, values) in enumerate(curves.items()):
        axes.plot(list(values), list(values.values()), styles[k // 10], label=label, linewidth=1.3)
    axes.set_xlim(SMALLEST, LARGEST)
    axes.set_ylim(0.95, min(MOST, 1.05 * max(max(v.values()) for v in curves.values())))
    axes.set_xlabel("number of joints n", fontsize=8)
    axes.set_ylabel("multiplications over those of the cheapest", fontsize=8)
    axes.set_title(title, fontsize=9, loc="left")
    axes.tick_params(labelsize=7)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=6, frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.02))
