"""The symbols that a value depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import cast

from armdyn.scalar import Node, Op


def free_symbols(value: object) -> list[Node]:
    """Return the input nodes that a value depends on, in the order of traversal.

    `value` is a number, a sequence of such values or a dataclass of them.
    """
    found: dict[Node, None] = {}
    seen: set[Node] = set()
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, Node):
            if item.op is Op.INPUT:
                found[item] = None
            if item not in seen:
                seen.add(item)
                stack += reversed(item.args)
        elif isinstance(item, list | tuple):
            stack += reversed(cast("Sequence[object]", item))
        elif is_dataclass(item):
            stack += [getattr(item, f.name) for f in reversed(fields(item))]
    return list(found)
