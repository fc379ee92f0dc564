"""The compiler: a program becomes machine code for this processor."""

from armdyn.kernel._batch_code import BAD_INPUT, BAD_RESULT
from armdyn.kernel._finite import all_finite
from armdyn.kernel._host import Host, host
from armdyn.kernel._kept import kept_kernel
from armdyn.kernel._kept_programs import kept_choice, kept_program
from armdyn.kernel._kernel import Kernel, compile_program, object_code
from armdyn.kernel._new_rows import new_rows
from armdyn.kernel._threads import LEAST_STATES, in_threads, wanted_threads
from armdyn.kernel._written import written_by

__all__ = [
    "BAD_INPUT",
    "BAD_RESULT",
    "LEAST_STATES",
    "Host",
    "Kernel",
    "all_finite",
    "compile_program",
    "host",
    "in_threads",
    "kept_choice",
    "kept_kernel",
    "kept_program",
    "new_rows",
    "object_code",
    "wanted_threads",
    "written_by",
]
