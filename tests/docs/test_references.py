"""The works that code cites and the list of references are the same."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEY = re.compile(r"\[([A-Z][A-Za-z]+(?:18|19|20)\d\d)\]")


def test_every_key_is_listed_and_every_listed_work_is_cited() -> None:
    listed = KEY.findall((ROOT / "docs" / "references.md").read_text())
    cited = {key for path in (ROOT / "src").rglob("*.py") for key in KEY.findall(path.read_text())}
    assert len(listed) == len(set(listed))
    assert cited == set(listed)
