"""The works that code cites and the list of references are the same."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
KEY = re.compile(r"\[([A-Z][A-Za-z]+(?:18|19|20)\d\d)\]")


def test_every_key_is_listed_and_every_listed_work_is_cited() -> None:
    listed = KEY.findall((ROOT / "docs" / "references.md").read_text())
    sources = (*(ROOT / "src").rglob("*.py"), *(ROOT / "papers/src").rglob("*.py"))
    cited = {key for path in sources for key in KEY.findall(path.read_text("utf-8"))}
    assert len(listed) == len(set(listed))
    assert cited == set(listed)
