"""`Load`, a body at the tip of an arm; and `Payload`, an identified load with its uncertainty."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_path
from armdyn.errors import InputError
from armdyn.identification.pseudo_inertia import link_fields, parameters_of, pseudo_inertia
from armdyn.identification.tables import load_values
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.joint import Joint
from armdyn.writing import write_together

# A value is unknown if its standard deviation exceeds this share of it; of a parameter of a load,
# this share of its size for the mass at the distance of a link's length.
UNKNOWN = 0.3

# The names of all files of `Payload.save`.
PAYLOAD_FILES = ("payload.json", "loaded.toml")


@dataclass(frozen=True, kw_only=True)
class Load:
    """A body that an arm holds.

    Attributes:
        mass: its mass [kg].
        com: its centre of mass in the frame of the tip [m].
        inertia: (xx, xy, xz, yy, yz, zz) about the centre of mass, in axes of the tip [kg m^2]; a
            point mass by default.

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
            raise InputError(f"the load is physically inconsistent: {'; '.join(faults)}.")
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
        c = np.array(self.com)
        about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        J = about_com + self.mass * (float(c @ c) * np.eye(3) - np.outer(c, c))
        rows, columns = [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]
        return np.concatenate([[self.mass], self.mass * c, J[rows, columns]])


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


@dataclass(frozen=True, eq=False, repr=False)
class Payload:
    """An identified load.

    Attributes:
        load: physically consistent mass, centre of mass and inertia, in the frame of the tip.
        arm: the arm with the load as part of its last link.
        parameters: the load's ten parameters about the tip from the data alone, ``(10,)``: close to
            those of `load`, but possibly physically inconsistent.
        std: their standard deviations ``(10,)``; errors of the drives' gains are part of them and,
            without a log of the empty arm, errors of the arm's model.
        covariance: of the parameters ``(10, 10)``.
        identifiable: which of them are identifiable individually from torques of this arm.
        mass_std: standard deviation of the mass [kg].
        com_std: standard deviations of the centre of mass [m].
        sigma: standard deviation of the filtered residuals of every joint ``(n,)``.
        gains: torque that every drive shows per torque that the load takes ``(n,)``; 1 if gains
            are assumed exact.
        gains_std: their standard deviations ``(n,)``.
        shift: seconds by which the motion comes later in the log without load; None without one.
        reasons: why the load failed validation, a sentence each.
        notes: processing steps and findings, a sentence each.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
        >>> found.passed
        True
        >>> round(found.load.mass, 1), round(found.load.com[0], 1)
        (1.5, 0.1)
        >>> found.identifiable["mx"], found.identifiable["mz"]
        (True, False)
    """

    load: Load
    arm: Arm
    parameters: Array
    std: Array
    covariance: Array
    identifiable: dict[str, bool]
    mass_std: float
    com_std: Array
    sigma: Array
    gains: Array
    gains_std: Array
    shift: float | None
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the ten parameters."""
        return PARAMETER_NAMES

    @property
    def passed(self) -> bool:
        """Whether the mass of the load is known, and the torques are plausible."""
        return not self.reasons

    @property
    def verdict(self) -> str:
        """The verdict as a sentence."""
        if self.passed:
            return (
                "passed: the mass of the load is known, "
                f"{self.load.mass:.4g} +- {self.mass_std:.2g} kg (one standard deviation)."
            )
        return f"not passed: {' '.join(self.reasons)}"

    def summary(self) -> str:
        """Return the load, the verdict and the notes as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
            >>> print(found.summary())
            Load at the tip of planar2
                        unit          value      std
            mass        kg           1.5...
            ...
        """
        notes = [f"- {note}" for note in self.notes]
        return "\n".join([load_values(self).text(), "", self.verdict, *notes])

    def to_dict(self) -> dict[str, Any]:
        """Return the load as plain data for JSON.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
            >>> round(found.to_dict()["mass"], 1)
            1.5
        """
        rows = zip(self.names, self.parameters.tolist(), self.std.tolist(), strict=True)
        return {
            "robot": self.arm.name,
            "passed": self.passed,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "mass": self.load.mass,
            "mass_std": self.mass_std,
            "com": list(self.load.com),
            "com_std": self.com_std.tolist(),
            "inertia": list(self.load.inertia),
            "parameters": [
                {"name": name, "value": value, "std": std, "alone": self.identifiable[name]}
                for name, value, std in rows
            ],
            "gains": self.gains.tolist(),
            "gains_std": self.gains_std.tolist(),
            "shift": self.shift,
            "notes": list(self.notes),
        }

    def files(self) -> dict[str, str]:
        """Return the texts that `save` writes, by the names of their files.

        They are payload.json and loaded.toml, the arm with its load.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
            >>> list(found.files())
            ['payload.json', 'loaded.toml']
        """
        text = json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"
        return dict(zip(PAYLOAD_FILES, (text, toml_text(self.arm.robot)), strict=True))

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `files` into a folder: all of them or, on failure, none.

        A missing folder is created, and existing files of these names are replaced.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
            >>> [path.name for path in found.save("payload")]
            ['payload.json', 'loaded.toml']
        """
        target = checked_path(folder, "folder", what="the path of a folder")
        return write_together(target, self.files(), None)

    def __repr__(self) -> str:
        x, y, z = self.load.com
        return (
            f"<Payload: {self.load.mass:.4g} kg (std {self.mass_std:.2g}) at ({x:.4g}, {y:.4g}, "
            f"{z:.4g}) m from the tip>"
        )
