"""The compiler: a program becomes machine code for this processor."""

from armdyn.kernel._kernel import Kernel, compile_program, object_code
from armdyn.kernel._target import Host, host
from armdyn.kernel.batch._all_finite import all_finite
from armdyn.kernel.batch._batch_code import BAD_INPUT, BAD_RESULT
from armdyn.kernel.batch._new_rows import new_rows
from armdyn.kernel.batch._threads import LEAST_STATES, in_threads, wanted_threads
from armdyn.kernel.cache._cached_kernel import cached_kernel
from armdyn.kernel.cache._cached_programs import cached_choice, cached_program
from armdyn.kernel.cache._source_digest import source_digest

__all__ = [
    "BAD_INPUT",
    "BAD_RESULT",
    "LEAST_STATES",
    "Host",
    "Kernel",
    "all_finite",
    "cached_choice",
    "cached_kernel",
    "cached_program",
    "compile_program",
    "host",
    "in_threads",
    "new_rows",
    "object_code",
    "source_digest",
    "wanted_threads",
]
