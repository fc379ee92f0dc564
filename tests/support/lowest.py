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

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def lowest(*extras: str) -> Iterator[str]:
    """Yield `==` where pyproject.toml has `>=`; constraints have no extras of packages."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    groups = (project["optional-dependencies"][extra] for extra in extras)
    for requirement in sum(groups, project["dependencies"]):
        yield re.sub(r"\[.*?\]", "", requirement).replace(">=", "==", 1)


if __name__ == "__main__":
    print("\n".join(lowest(*sys.argv[1:])))
