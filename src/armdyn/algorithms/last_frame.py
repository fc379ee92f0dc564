"""Place the last frame where it costs least: most quantities do not depend on E_n.

O_n may lie anywhere on the axis of joint n, and x_n may point anywhere across it. With d_n = 0 and
x_n towards the centre of mass of link n two constants vanish, and with them operations of nearly
every method; where x_n has to be turned, the sum q_n + theta_n is one operation more. Quantities
that depend on E_n (its pose, the parameters of link n) must not use it.
"""

from __future__ import annotations

import math
from dataclasses import replace

from armdyn.algorithms.frame import frame
from armdyn.algorithms.vector import clean_symmetric
from armdyn.robot.chain import Chain, Link, exact_cos_sin
from armdyn.robot.model import Placement


def with_last_frame_chosen(chain: Chain) -> Chain:
    """Return the same arm with E_n moved to -d_n on its axis and x_n turned to the centre of mass.

    The tip stays where it is. Constants kept symbolic stay as they are.
    """
    last = chain.links[-1]
    (x, y, z), d = last.c, last.d
    if not (isinstance(x, float) and isinstance(y, float) and isinstance(d, float)):
        return chain
    phi = math.atan2(y, x) if last.rotational and x != 0.0 and y != 0.0 else 0.0
    old_to_new = frame(_turn_about_z(-phi), 0.0)
    cx, cy, cz = old_to_new.to_parent((x, y, z + d))
    I = clean_symmetric(old_to_new.turned(last.I), last.I)
    C0, S0 = exact_cos_sin(last.theta + phi)
    moved = replace(
        last,
        theta=last.theta + phi, C0=C0, S0=S0, d=0.0,
        c=(cx, 0.0 if phi else cy, cz), I=I,
    )  # fmt: skip
    tool = _turned_tool(chain.tool, d, *exact_cos_sin(phi))
    return replace(chain, links=(*chain.links[:-1], moved), tool=tool)


def _turned_tool(tool: Placement, d: float, C: float, S: float) -> Placement:
    """Return the tip in the new E_n: moved by d along z, then seen from axes turned about z."""
    (x, y, z, w), last = tool[2], tool[3]
    pairs = list(zip(tool[0], tool[1], strict=True))
    ax, bx, cx, dx = (C * a + S * b for a, b in pairs)
    ay, by, cy, dy = (C * b - S * a for a, b in pairs)
    return ((ax, bx, cx, dx), (ay, by, cy, dy), (x, y, z, w + d), last)


def _turn_about_z(angle: float) -> Link:
    C0, S0 = exact_cos_sin(angle)
    no_mass = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Link(False, 1.0, 0.0, 0.0, angle, C0, S0, 0.0, 0.0, *no_mass)
