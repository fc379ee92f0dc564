"""The constants of a tree: frames of branches become links of their own, which have no joint."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from armdyn.robot.chain import Chain, Coupling, Link, exact_cos_sin
from armdyn.robot.mechanism import link_parents, link_rows, ordered

if TYPE_CHECKING:
    from armdyn.robot.model import Robot


def tree_chain(robot: Robot, serial: Chain, links: list[Link]) -> Chain:
    """Return the constants of a tree.

    Args:
        robot: the description.
        serial: its constants but for links, as if it were a serial arm.
        links: of joints and followers, in the order of the robot.
    """
    parents, rows = link_parents(robot), link_rows(robot)
    numbers: dict[int, int] = {0: 0}
    nodes: list[Link] = []
    above: list[int] = []
    couplings: list[Coupling] = []
    for k in ordered(parents):
        joint, parent = robot.links[k - 1], numbers[parents[k - 1]]
        if joint.branch_angle or joint.branch_offset:
            nodes.append(branch_node(joint.branch_angle, joint.branch_offset))
            above.append(parent)
            couplings.append(Coupling())
            parent = len(nodes)
        nodes.append(links[k - 1])
        above.append(parent)
        factors, offset = rows[k - 1]
        couplings.append(Coupling(tuple(factors.items()), offset))
        numbers[k] = len(nodes)
    tips = [i for i in range(1, len(nodes) + 1) if i not in above]
    return replace(
        serial, links=tuple(nodes), parents=tuple(above), couplings=tuple(couplings),
        numbered=tuple(numbers[k] for k in range(1, len(links) + 1)), carrier=tips[-1],
    )  # fmt: skip


def branch_node(angle: float, offset: float) -> Link:
    """Return a frame turned about z_i by an angle [rad] and shifted along z_i by an offset [m].

    The two further parameters of [KhalilKleinfinger1986]: joints that do not lie on the common
    normal of the main branch hang on this frame.
    """
    C0, S0 = exact_cos_sin(angle)
    no_mass = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    return Link(False, 1.0, 0.0, 0.0, angle, C0, S0, offset, 0.0, *no_mass, fixed=True)
