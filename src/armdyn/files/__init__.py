"""Files that are written whole or not at all, several together, and private folders."""

from armdyn.files._number import number_in
from armdyn.files._together import check_writable, write_together
from armdyn.files._whole import whole_file, write_whole

__all__ = ["check_writable", "number_in", "whole_file", "write_together", "write_whole"]
