"""The nodes of paths, between which the acceleration along the path is constant; places between."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armdyn.motion.timing._paths import Paths

Array = NDArray[np.float64]

# From rest, s grows with the square of time: the first and the last piece are divided so.
GRADED = np.square(np.arange(1, 4) / 4.0)
# Equal nodes nearer to a special one than this share of a piece are left out.
NEAR = 0.05
# Special nodes nearer to each other than this are one.
SAME = 1e-7
# Places in each piece at which torques are computed; just inside the ends, since dry friction has
# no sign where a joint turns.
INSIDE = 1e-4
PLACES = np.array([INSIDE, 0.25, 0.5, 0.75, 1.0 - INSIDE])
# Where friction bends more with the speed, there are more of them.
MORE_PLACES = np.concatenate([[INSIDE], np.arange(1, 8) / 8.0, [1.0 - INSIDE]])


def nodes_of(paths: Paths, pieces: int) -> Array:
    """Return the nodes ``(N + 1, B)``: equal ones, knots, and where a joint changes its direction.

    Paths with fewer nodes than others have their last one, 1, several times.
    """
    special = np.sort(paths.special(), axis=1)
    special = np.where(special > 1.0 - SAME, np.nan, special)
    special[:, 0] = 0.0
    close = np.diff(special, axis=1) < SAME
    special[:, 1:][close] = np.nan
    # in units of pieces, each special node is near to one equal node and to the graded ones
    inner = np.where(np.isnan(special[:, 1:]), -1.0, special[:, 1:]) * pieces
    nearest = np.rint(inner)
    lanes, k = np.nonzero((np.abs(inner - nearest) < NEAR) & (nearest > 0.0))
    equal = np.repeat(np.arange(1, pieces)[None] / pieces, len(special), axis=0)
    equal[lanes, nearest[lanes, k].astype(np.intp) - 1] = np.nan
    graded = np.concatenate([GRADED, pieces - GRADED])
    away = np.abs(graded[:, None] - inner[:, None, :]).min(axis=2, initial=1.0)
    kept = np.where(away > NEAR, graded / pieces, np.nan)
    s = np.sort(np.concatenate([special, equal, kept], axis=1), axis=1)
    s = s[:, : int((~np.isnan(s)).sum(axis=1).max())]
    return np.concatenate([np.where(np.isnan(s), 1.0, s), np.ones((len(s), 1))], axis=1).T.copy()


def places_of(length: Array, usual: Array) -> Array:
    """Return places in each piece, from its left end, ``(N, B, places)``.

    In the first and the last piece they are nearer to the ends of the path, where speeds rise from
    rest. At the start itself the arm may rest, and dry friction is none.

    Args:
        length: of the pieces, ``(N, B)``.
        usual: places elsewhere, as shares of a piece.
    """
    along = length[:, :, None] * usual
    last = np.count_nonzero(length, axis=0) - 1
    lanes = np.arange(len(last))
    along[last, lanes] = length[last, lanes, None] * (1.0 - np.square(1.0 - usual))
    along[0] = length[0, :, None] * np.square(usual)
    along[0, :, 0] = 0.0
    return along
