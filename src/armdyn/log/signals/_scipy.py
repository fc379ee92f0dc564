"""SciPy, imported only where it is used because it loads slowly; it has no type hints."""

from __future__ import annotations

import importlib
from typing import Any


def scipy(module: str) -> Any:
    """Return a module of SciPy: ``scipy("signal")``."""
    return importlib.import_module(f"scipy.{module}")
