"""The operation counts that the papers print, as data: one file per paper, every row of a table."""

from armdyn.report.papers import lin_1991, lin_fang_1999, mata_2002, saha_1999
from armdyn.report.papers._printed import (
    Formula,
    Item,
    Measure,
    PrintedRow,
    PrintedTable,
    formula,
)

TABLES: tuple[PrintedTable, ...] = (
    *lin_fang_1999.TABLES,
    *lin_1991.TABLES,
    *mata_2002.TABLES,
    *saha_1999.TABLES,
)
"""Every table, in the order of the papers' chapters here."""

__all__ = ["TABLES", "Formula", "Item", "Measure", "PrintedRow", "PrintedTable", "formula"]
