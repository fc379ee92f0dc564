"""Pages as files: checked before any work, and filled in safely."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from html import escape

from armdyn._checks import checked_path
from armdyn.errors import FileError

SUFFIXES = (".html", ".htm")


def check_page(path: str | os.PathLike[str]) -> None:
    """Refuse, before any work, a page that cannot be written."""
    target = checked_path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise FileError(target, "pages are written as .html.")
    if not target.parent.is_dir():
        raise FileError(target, f"cannot be written: no folder {target.parent}; make it first.")


def filled(
    template: str,
    texts: Mapping[str, str],
    data: object,
    code: Mapping[str, str] | None = None,
) -> str:
    """Return a page: its template with fields ``{{name}}`` replaced.

    Args:
        template: of the page.
        texts: fields that are text, by name; they are escaped.
        data: plain data for the script of the page, in the field ``{{data}}``.
        code: fields that are styles and scripts of ours, by name; they are not escaped.
    """
    written = json.dumps(data, separators=(",", ":"), allow_nan=False)
    # in a script, text that looks like a tag is a tag, even inside a string
    fields = {name: escape(text) for name, text in texts.items()}
    fields.update(code or {})
    fields["data"] = written.replace("<", "\\u003c")
    # in one pass, since a text may look like a field
    return re.sub(r"\{\{(\w+)\}\}", lambda field: fields[field[1]], template)
