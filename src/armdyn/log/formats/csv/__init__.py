"""Text files of columns: CSV and its relatives."""

from armdyn.log.formats.csv._read import csv_blocks, read_csv
from armdyn.log.formats.csv._write import write_csv

__all__ = ["csv_blocks", "read_csv", "write_csv"]
