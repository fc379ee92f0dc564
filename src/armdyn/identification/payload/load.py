"""`Load`: a body at the tip of an arm."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.errors import InputError
from armdyn.identification.pseudo_inertia import link_fields, parameters_of, pseudo_inertia
from armdyn.robot.joint import Joint


@dataclass(frozen=True, kw_only=True)
class Load:
    """A body that an arm holds.

    Attributes:
        mass: its mass [kg].
        com: its centre of mass in the frame of the tip [m].
        inertia: (xx, xy, xz, yy, yz, zz) about the centre of mass, in axes of the tip [kg m^2]; a
            point mass if left out.

    Examples:
        >>> load = armdyn.Load(mass=2.0, com=(0.1, 0.0, 0.0))
        >>> load.parameters
        array([2.  , 0.2 , 0.  , 0.  , 0.  , 0.  , 0.02, 0.  , 0.  , 0.02])
    """

    mass: float
    com: tuple[float, float, float] = (0.0, 0.0, 0.0)
    inertia: tuple[float, float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)

    def __post_init__(self) -> None:
        # a link has the same checks, and converts the numbers
        body = Joint(name="load", mass=self.mass, com=self.com, inertia=self.inertia)
        faults = body.physical_faults()
        if faults:
            raise InputError(f"the load cannot exist: {'; '.join(faults)}.")
        for name in ("mass", "com", "inertia"):
            object.__setattr__(self, name, getattr(body, name))

    @classmethod
    def of_parameters(cls, x: Array) -> Load:
        """Return the load of ten parameters about the tip: m, mx, my, mz, Ixx, Ixy, Iyy, ...

        Examples:
            >>> armdyn.Load.of_parameters([2.0, 0.2, 0, 0, 0.1, 0, 0.12, 0, 0, 0.12]).com
            (0.1, 0.0, 0.0)
        """
        return cls(**link_fields(checked_array(x, "x", (10,))))  # pyright: ignore[reportArgumentType]

    @property
    def parameters(self) -> Array:
        """The ten parameters about the tip, in the order of `Arm.parameter_names`."""
        xx, xy, xz, yy, yz, zz = self.inertia
        I, c = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), np.array(self.com)
        J = I + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
        return np.array(
            [self.mass, *(self.mass * c), J[0, 0], J[0, 1], J[1, 1], J[0, 2], J[1, 2], J[2, 2]],
            dtype=np.float64,
        )


def from_tip(arm: Arm) -> Array:
    """Return A ``(10, 10)``, which moves parameters about the tip to the last link's origin."""
    G = np.array(arm.robot.tool)
    columns = [parameters_of(G @ pseudo_inertia(e) @ G.T) for e in np.eye(10)]
    return np.stack(columns, axis=1)


def loaded(arm: Arm, load: Load) -> Arm:
    """Return the arm with a load as part of its last link."""
    robot = arm.robot
    x = arm.parameters[-10:] + from_tip(arm) @ load.parameters
    if not load.mass > 0.0:
        return arm
    last = replace(robot.joints[-1], **link_fields(x))  # pyright: ignore[reportArgumentType]
    joints = (*robot.joints[:-1], last)
    return Arm(replace(robot, joints=joints) if robot.strict else robot.with_joints(joints))
