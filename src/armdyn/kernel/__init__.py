"""The compiler: a program becomes machine code for this processor."""

from armdyn.kernel._host import Host, host
from armdyn.kernel._kept import kept_kernel
from armdyn.kernel._kernel import Kernel, compile_program, object_code
from armdyn.kernel._threads import in_threads, wanted_threads

__all__ = [
    "Host",
    "Kernel",
    "compile_program",
    "host",
    "in_threads",
    "kept_kernel",
    "object_code",
    "wanted_threads",
]
