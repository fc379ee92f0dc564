"""Files: check that they are regular, write them atomically, find their format by suffix.

Names are imported on first access.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.files._formats import FileFormat, listed, reading, writing
    from armdyn.files._number import number_in
    from armdyn.files._regular import check_regular
    from armdyn.files._temporary import scratch_folder
    from armdyn.files._together import check_writable, write_together
    from armdyn.files._whole import whole_file, write_whole

__all__ = [
    "FileFormat",
    "check_regular",
    "check_writable",
    "listed",
    "number_in",
    "reading",
    "scratch_folder",
    "whole_file",
    "write_together",
    "write_whole",
    "writing",
]

__getattr__ = lazy_names(
    __name__,
    {
        "FileFormat": "_formats",
        "check_regular": "_regular",
        "check_writable": "_together",
        "listed": "_formats",
        "number_in": "_number",
        "reading": "_formats",
        "scratch_folder": "_temporary",
        "whole_file": "_whole",
        "write_together": "_together",
        "write_whole": "_whole",
        "writing": "_formats",
    },
)
