"""SciPy, which has no types of its own, imported where it is used: it is slow to start."""

from __future__ import annotations

import importlib
from typing import Any


def scipy(module: str) -> Any:
    """Return a module of SciPy: ``scipy("signal")``."""
    return importlib.import_module(f"scipy.{module}")
