"""Print the lowest versions that pyproject.toml allows, as constraints of pip.

They are those of what armdyn needs, and of extras:

    python tests/support/lowest.py test
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def lowest(*extras: str) -> Iterator[str]:
    """Yield `==` where pyproject.toml has `>=`; constraints have no extras of packages."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    wanted = set(project["dependencies"])
    for extra in extras:
        wanted |= requirements(extra, project)
    for requirement in sorted(wanted):
        yield re.sub(r"\[.*?\]", "", requirement).replace(">=", "==", 1)


def requirements(extra: str, project: dict[str, Any]) -> set[str]:
    """Return what an extra installs, with the extras that it refers to as ``armdyn[a,b]``."""
    found: set[str] = set()
    for requirement in project["optional-dependencies"][extra]:
        own = re.fullmatch(rf"{project['name']}\[(.*)\]", requirement)
        more = [requirements(name, project) for name in own[1].split(",")] if own else []
        found |= set().union(*more) if own else {requirement}
    return found


if __name__ == "__main__":
    print("\n".join(lowest(*sys.argv[1:])))
