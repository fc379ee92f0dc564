"""What a message must tell: values, names, options, a term of the field; not its wording."""

from __future__ import annotations

import re

Said = str | tuple[str, ...]


def facts(*parts: Said) -> str:
    """A pattern for `match=`: every part is there, in any order; numbers are whole numbers."""
    flat = [p for part in parts for p in ((part,) if isinstance(part, str) else part)]
    assert flat and all(flat), "a message that may say anything is no test"
    return r"(?is)\A" + "".join(f"(?=.*{_whole(part)})" for part in flat)


def _whole(part: str) -> str:
    before = r"(?<![\w.])" if part[0].isdigit() else ""
    after = r"(?!\w|\.\d)" if part[-1].isdigit() else ""
    return before + re.escape(part) + after


def says(text: object, *parts: Said) -> bool:
    """Whether a text, or the message of an error, has every part."""
    return re.search(facts(*parts), str(text)) is not None
