"""Files: read if they are regular, written whole or not at all, told apart by their suffix."""

from armdyn.files._formats import FileFormat, listed, reading, writing
from armdyn.files._number import number_in
from armdyn.files._regular import check_regular
from armdyn.files._together import check_writable, write_together
from armdyn.files._whole import whole_file, write_whole

__all__ = [
    "FileFormat",
    "check_regular",
    "check_writable",
    "listed",
    "number_in",
    "reading",
    "whole_file",
    "write_together",
    "write_whole",
    "writing",
]
