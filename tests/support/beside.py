"""Files that lie beside the project, in ../shared: published logs, models, tables and papers.

A test whose files are absent is left out, and `conftest` counts such tests in one line.
"""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"
ABSENT = "its files in ../shared are not there"


def beside(*parts: str) -> Path:
    """A file beside the project; the test is left out where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(ABSENT)
    return path


def paper_with(words: str) -> str:
    """The text of the paper that has these words; the test is left out where it is absent."""
    for path in SHARED.glob("papers/*.txt"):
        if words in (text := path.read_text("utf-8")):
            return text
    pytest.skip(ABSENT)
