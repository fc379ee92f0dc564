"""The command line in a process of its own."""

from __future__ import annotations

import sys

INTERRUPTIBLE = [
    sys.executable,
    "-c",
    "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "from armdyn.cli.app import main; main()",
]
"""`armdyn`; a test run in the background ignores interrupts, and its children would too."""
