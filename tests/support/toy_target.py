"""A target of `fuzz` with defects: some of its cases raise, hang, crash or leave a file."""

from __future__ import annotations

import os
import random
import signal
import time
import warnings
from pathlib import Path

from armdyn.errors import InputError


def case(rng: random.Random, target: str) -> int:
    """The defect; 0 of most cases is none."""
    return rng.choice([0, 0, 0, 0, 1, 2, 3, 4, 5, 6])


def run(case: int) -> None:
    match case:
        case 1:
            raise ZeroDivisionError("planted")
        case 2:
            time.sleep(1000)
        case 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        case 4:
            warnings.warn("planted", RuntimeWarning, stacklevel=1)
        case 5:
            raise InputError("refused, as it should be")
        case 6:
            Path(".arm.toml.tmp").touch()
