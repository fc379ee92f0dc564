"""Where two paths of a tree part, against comparing the paths."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from armdyn.robot.formats.tree import Ancestors


@given(st.data(), st.integers(1, 60), st.integers(1, 60))
def test_branch_is_where_paths_from_the_root_part(
    data: st.DataObject, count: int, reach: int
) -> None:
    """Parents within a short reach make chains, within a long one bushes."""
    order = [f"l{k}" for k in range(count)]
    parents = {
        order[k]: order[data.draw(st.integers(max(k - reach, 0), k - 1))] for k in range(1, count)
    }

    def path(link: str) -> list[str]:
        return [*path(parents[link]), link] if link in parents else [link]

    ancestors = Ancestors(order, parents)
    a, b = data.draw(st.sampled_from(order)), data.draw(st.sampled_from(order))
    pairs = zip(path(a), path(b), strict=False)
    assert ancestors.branch(a, b) == next((x for x, y in pairs if x != y), None)
