"""The named frames of a tree, placed on the links of the arm.

A link has a frame of its name; a joint has the frame of its child, as a joint of a URDF does. Side
branches stand still, so their frames are fixed to the link of the arm that carries them. Links
between the root and the base belong to the base as far as fixed joints join them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from armdyn.robot._named_frame import NamedFrame
from armdyn.robot._shape import Rows
from armdyn.robot.formats._placement import Array, invert, product
from armdyn.robot.formats._records import Description
from armdyn.robot.formats._snap import Snap
from armdyn.robot.formats._tree import Tree

# The name of the end of an arm; no other frame of a file can have it.
TIP = "tip"


def named_frames(
    description: Description,
    placed: Iterable[tuple[str, int, Array]],
    frames: Sequence[Array],
    tip: str,
    snap: Snap,
) -> list[NamedFrame]:
    """Return the frames that the names of links, joints and sites stand for.

    Where names are the same, that of a link counts, then that of a joint.

    Args:
        description: the tree as read.
        placed: every link of the arm, the stage it belongs to, and its placement there.
        frames: the placements of E_i in the frames of the stages i = 1..n.
        tip: link at the end of the arm.
        snap: takes nearly right angles of sites as right.
    """
    back = [np.eye(4), *(invert(frame) for frame in frames)]
    at = {name: (stage, product(back[stage], T)) for name, stage, T in placed}
    found: dict[str, tuple[int, Array]] = dict(at)
    for joint in description.joints.values():
        if joint.child in at:
            found.setdefault(joint.name, at[joint.child])
    for site in description.sites:
        if site.link in at:
            stage, T = at[site.link]
            found.setdefault(site.name, (stage, product(T, snap.placement(site.origin))))
    for name in (*description.unnamed, *([TIP] if tip != TIP else [])):
        found.pop(name, None)
    return [NamedFrame(name, stage, rows_of(T)) for name, (stage, T) in found.items()]


def fixed_above(tree: Tree, base: str, snap: Snap) -> Iterator[tuple[str, Array]]:
    """Yield the links that fixed joints join to the base from above, with their placements."""
    here = np.eye(4)
    for joint in reversed(tree.above(base)):
        if joint.moves:
            return
        here = product(here, invert(snap.placement(joint.origin)))
        yield joint.parent, here


def rows_of(T: Array) -> Rows:
    """Return a placement as rows."""
    (a, b, c, d), (e, f, g, h), (i, j, k, l), _ = T.tolist()
    return ((a, b, c, d), (e, f, g, h), (i, j, k, l), (0.0, 0.0, 0.0, 1.0))
