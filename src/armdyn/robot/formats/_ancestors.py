"""Find where the paths from the root to two links part, in O(log depth) steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


class Ancestors:
    """Jump pointers: every link knows its parent and one ancestor far above.

    Links of one depth jump equally far, so two of them climb in step.
    """

    def __init__(self, order: Sequence[str], parents: Mapping[str, str]) -> None:
        """Climb once.

        Args:
            order: links, each after its parent.
            parents: of all links but the first.
        """
        root = order[0]
        self._parent, self._jump, self._depth = {root: root}, {root: root}, {root: 0}
        for link in order[1:]:
            above = parents[link]
            far = self._jump[above]
            farther = self._jump[far]
            level = self._depth
            equal = level[above] - level[far] == level[far] - level[farther]
            self._parent[link], self._jump[link] = above, farther if equal else above
            self._depth[link] = level[above] + 1

    def branch(self, link: str, other: str) -> str | None:
        """Return the first link on the path to `link` that is not on the path to `other`.

        None if one of the two lies on the path to the other.
        """
        depth = min(self._depth[link], self._depth[other])
        a, b = self._at(link, depth), self._at(other, depth)
        if a == b:
            return None
        while self._parent[a] != self._parent[b]:
            step = self._jump if self._jump[a] != self._jump[b] else self._parent
            a, b = step[a], step[b]
        return a

    def _at(self, link: str, depth: int) -> str:
        """Return the link itself or its ancestor at a depth."""
        while self._depth[link] > depth:
            jump = self._jump[link]
            link = jump if self._depth[jump] >= depth else self._parent[link]
        return link
