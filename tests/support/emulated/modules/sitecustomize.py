"""In the emulator: processes that a test starts run in the emulator as well."""

import os
import sys

if "ARMDYN_EMULATED" in os.environ:
    sys.executable = os.environ["ARMDYN_EMULATED"]
