"""The compiler: turns a program into machine code for the local CPU.

Names are imported on first access.
"""

from typing import TYPE_CHECKING

from armdyn._lazy import lazy_names

if TYPE_CHECKING:
    from armdyn.kernel._cached_kernel import cached_kernel, kernel_key
    from armdyn.kernel._element import DOUBLE, ELEMENTS, FLOAT, ElementType
    from armdyn.kernel._kernel import Kernel, compile_program, object_code
    from armdyn.kernel._symbols import BAD_INPUT, BAD_RESULT
    from armdyn.kernel.batch._all_finite import all_finite, all_within
    from armdyn.kernel.batch._new_rows import new_rows
    from armdyn.kernel.batch._threads import LEAST_STATES, in_threads, wanted_threads
    from armdyn.kernel.cache._cached_programs import cached_choice, cached_program
    from armdyn.kernel.cache._identity import program_digest
    from armdyn.kernel.cache._source_digest import source_digest
    from armdyn.kernel.targets import Target, target

__all__ = [
    "BAD_INPUT",
    "BAD_RESULT",
    "DOUBLE",
    "ELEMENTS",
    "FLOAT",
    "LEAST_STATES",
    "ElementType",
    "Kernel",
    "Target",
    "all_finite",
    "all_within",
    "cached_choice",
    "cached_kernel",
    "cached_program",
    "compile_program",
    "in_threads",
    "kernel_key",
    "new_rows",
    "object_code",
    "program_digest",
    "source_digest",
    "target",
    "wanted_threads",
]

__getattr__ = lazy_names(
    __name__,
    {
        "BAD_INPUT": "_symbols",
        "BAD_RESULT": "_symbols",
        "DOUBLE": "_element",
        "ELEMENTS": "_element",
        "ElementType": "_element",
        "FLOAT": "_element",
        "Kernel": "_kernel",
        "LEAST_STATES": "batch._threads",
        "Target": "targets",
        "all_finite": "batch._all_finite",
        "all_within": "batch._all_finite",
        "cached_choice": "cache._cached_programs",
        "cached_kernel": "_cached_kernel",
        "cached_program": "cache._cached_programs",
        "compile_program": "_kernel",
        "in_threads": "batch._threads",
        "kernel_key": "_cached_kernel",
        "new_rows": "batch._new_rows",
        "object_code": "_kernel",
        "program_digest": "cache._identity",
        "source_digest": "cache._source_digest",
        "target": "targets",
        "wanted_threads": "batch._threads",
    },
)
