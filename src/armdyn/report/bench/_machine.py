"""A description of the machine that a benchmark ran on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from armdyn.kernel import DOUBLE, target


def machine() -> dict[str, str]:
    """Return the facts that a reader needs to interpret the times."""
    this = target()
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "doubles in a vector": str(this.vector_bytes // DOUBLE.bytes),
        "compiled for": this.cpu,
        "system": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        **{name: version(name) for name in ("armdyn", "numpy", "llvmlite")},
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "load when it began": _load(),
    }


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not on every system
        return platform.processor() or platform.machine()
    names = [line.split(":", 1)[1].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.machine()


def _load() -> str:
    try:
        return f"{os.getloadavg()[0]:.1f}"
    except (AttributeError, OSError):
        return "unknown"
