"""Place the last frame where it costs least, for links given by their parameters.

Like `algorithms.last_frame`, which needs centres of mass. Here a link may have first moments but no
mass.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from armdyn.algorithms.composite import Composite, moments_before
from armdyn.algorithms.frame import frame
from armdyn.algorithms.vector import clean_symmetric
from armdyn.robot import Chain, exact_cos_sin


def moved_last_link(chain: Chain, parameters: Sequence[float]) -> tuple[Chain, list[float]]:
    """Return the chain with d_n = 0 and x_n along the last first moment, and its parameters.

    The links of the returned chain keep their old masses and inertias.
    """
    last = chain.links[-1]
    *before, m, x, y, z, xx, xy, yy, xz, yz, zz = parameters
    phi = math.atan2(y, x) if last.rotational and x != 0.0 and y != 0.0 else 0.0
    back, turned = exact_cos_sin(-phi), exact_cos_sin(last.theta + phi)
    slide = replace(
        last, rotational=False, Cb=1.0, Sb=0.0, b=0.0, theta=-phi, C0=back[0], S0=back[1],
        Cg=1.0, Sg=0.0,
    )  # fmt: skip
    (hx, hy, hz), J = moments_before(
        frame(slide, 0.0), Composite(m, (x, y, z), (xx, xy, xz, yy, yz, zz))
    )
    xx, xy, xz, yy, yz, zz = clean_symmetric(J, (xx, xy, xz, yy, yz, zz))
    moved = replace(last, theta=last.theta + phi, C0=turned[0], S0=turned[1], d=0.0)
    listed = [*before, m, hx, 0.0 if phi else hy, hz, xx, xy, yy, xz, yz, zz]
    return replace(chain, links=(*chain.links[:-1], moved)), cast("list[float]", listed)
