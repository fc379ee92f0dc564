"""The algorithm of Fijany and Bejczy in frame E_2, by the Appendix of [Lin1991]: (A7)-(A15).

Table I of the paper counts it, but prints no line of it; here its equations are run as they stand:
composite bodies as for Renaud's formulation, then every vector in E_2. N_i takes components in E_i
to E_2.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.algorithms.frame import frames
from armdyn.algorithms.vector import Matrix, Rows, add, column, cross, dot, symmetric_full, times
from armdyn.robot.chain import Chain, Vector
from armdyn.scalar import Scalar
from armdyn_papers.as_printed.lines import Lines
from armdyn_papers.as_printed.renaud import composites


def mass_matrix(chain: Chain, q: Sequence[Scalar], line: Lines) -> Matrix:
    """Return the inertia matrix."""
    F, n = frames(chain, q), chain.n
    bodies = composites(chain, F, line)
    N: dict[int, Rows] = {2: ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))}
    u: dict[int, Vector] = {1: line.given(F[2].z_previous) if n > 1 else (0.0, 0.0, 1.0)}
    s: dict[int, Vector] = {2: line("s_2 in E_2", F[2].s_own)} if n > 1 else {}
    for i in range(3, n + 1):
        x, y, z = (F[i].to_child(row) for row in N[i - 1])
        N[i] = line.given((x, y, z)) if i == 3 else line("R from E_i to E_2", (x, y, z))
        s[i] = line("s_i in E_2", times(N[i - 1], F[i].s))
    for i in range(2, n + 1):
        u[i] = column(N[i], 3)
    D: dict[tuple[int, int], Scalar] = {
        (i, i): bodies[i].diagonal(F[i].rotational) for i in range(1, n + 1)
    }
    for j in range(2, n + 1):
        f, t = bodies[j].unit_wrench(F[j].rotational)  # (A10), (A11)
        if j > 2:
            f, t = line("f_jj in E_2", times(N[j], f)), line("t_jj in E_2", times(N[j], t))
        for m in range(j - 1, 0, -1):
            t = line("t_mj", add(t, cross(s[m + 1], f)))  # (A15)
            D[m, j] = line("H_mj", dot(u[m], t if F[m].rotational else f))  # (A13)
    return symmetric_full([[D[m, j] for m in range(1, j + 1)] for j in range(1, n + 1)])
