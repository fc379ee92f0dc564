"""`Load`, a body at the tip; `Payload` and `DriveGains`, which logs with a load identify."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.vector import inertia_at_origin
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array, checked_path
from armdyn.errors import InputError
from armdyn.identification.pseudo_inertia import link_fields, parameters_of, pseudo_inertia
from armdyn.identification.tables import gain_values, load_values
from armdyn.log.log import Log
from armdyn.present.tables import Grid
from armdyn.robot.formats.toml import toml_text
from armdyn.robot.joint import Joint
from armdyn.writing import write_together, write_whole

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
        xx, xy, xz, yy, yz, zz = inertia_at_origin(self.mass, self.com, self.inertia)
        moments = self.mass * np.array(self.com)
        return np.array([self.mass, *moments, xx, xy, yy, xz, yz, zz], np.float64)


def from_tip(arm: Arm) -> Array:
    """Return A ``(10, 10)``, which moves parameters about the tip to the last link's origin."""
    G = np.array(arm.robot.tool)
    return np.stack([parameters_of(G @ pseudo_inertia(e) @ G.T) for e in np.eye(10)], axis=1)


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
class Validated:
    """An answer with a verdict.

    Attributes:
        reasons: why it failed validation, a sentence each.
        notes: processing steps and findings, a sentence each.
    """

    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether no reason speaks against the answer."""
        return not self.reasons

    @property
    def verdict(self) -> str:
        """The verdict as a sentence."""
        if self.passed:
            return f"passed: {self._known()}"
        return f"not passed: {' '.join(self.reasons)}"

    def summary(self) -> str:
        """Return the values, the verdict and the notes as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> found = armdyn.identify_payload(arm, armdyn.Log.read("held.csv"), friction=False)
            >>> print(found.summary())
            Load at the tip of planar2
                        unit          value      std
            mass        kg           1.5...
            ...
        """
        notes = (f"- {note}" for note in self.notes)
        return "\n".join([self._table().text(), "", self.verdict, *notes])

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data for JSON."""
        return {
            "passed": self.passed,
            "verdict": self.verdict,
            "reasons": list(self.reasons),
            "notes": list(self.notes),
        }

    def _json(self) -> str:
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

    def _known(self) -> str:
        raise NotImplementedError

    def _table(self) -> Grid:
        raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Payload(Validated):
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
        gain_error: relative standard deviation of the drives' gains in the error bars: as assumed,
            or larger if the joints show it.

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
    gain_error: float

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the ten parameters."""
        return PARAMETER_NAMES

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
            **super().to_dict(),
            "robot": self.arm.name,
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
            "gain_error": self.gain_error,
            "shift": self.shift,
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
        texts = self._json(), toml_text(self.arm.robot)
        return dict(zip(PAYLOAD_FILES, texts, strict=True))

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

    def _known(self) -> str:
        scale = f", if torques are right to {self.gain_error:.0%}" if self.gain_error > 0.0 else ""
        return (
            f"the mass of the load is known, {self.load.mass:.4g} +- {self.mass_std:.2g} kg (one "
            f"standard deviation){scale}."
        )

    def _table(self) -> Grid:
        return load_values(self)

    def __repr__(self) -> str:
        x, y, z = self.load.com
        return (
            f"<Payload: {self.load.mass:.4g} kg (std {self.mass_std:.2g}) at ({x:.4g}, {y:.4g}, "
            f"{z:.4g}) m from the tip>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains(Validated):
    """Identified gains of the drives.

    Attributes:
        gains: torque per ampere of every joint ``(n,)`` [N m/A or N/A], on the joint side.
        std: their standard deviations ``(n,)``.
        joint_names: the names of the joints.
        values: minimal parameters of the arm ``(k,)``, see `Arm.minimal_with` rotors.
        sigma: standard deviation of the residuals of the filtered currents ``(n,)`` [A].
        mass: the known mass of the load [kg].
        com: its estimated centre of mass ``(3,)`` [m]; NaN if it was given.
        com_std: standard deviations of the centre of mass ``(3,)``.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
        >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
        >>> found.gains.round(2)
        array([2., 3.])
        >>> found.known
        (True, True)
    """

    gains: Array
    std: Array
    joint_names: tuple[str, ...]
    values: Array
    sigma: Array
    mass: float
    com: Array
    com_std: Array

    @property
    def known(self) -> tuple[bool, ...]:
        """Whether the standard deviation of a gain is below 30 % of it."""
        return tuple((self.std < UNKNOWN * np.abs(self.gains)).tolist())

    def to_dict(self) -> dict[str, Any]:
        """Return the gains as plain data for JSON.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
            >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> round(found.to_dict()["joints"][1]["gain"], 2)
            3.0
        """
        columns = zip(
            self.joint_names, self.gains.tolist(), self.std.tolist(), self.known,
            self.sigma.tolist(), strict=True,
        )  # fmt: skip
        return {
            **super().to_dict(),
            "mass": self.mass,
            "com": [x if np.isfinite(x) else None for x in self.com.tolist()],
            "com_std": [x if np.isfinite(x) else None for x in self.com_std.tolist()],
            "joints": [
                {"name": name, "gain": gain, "std": std, "known": known, "sigma": sigma}
                for name, gain, std, known, sigma in columns
            ],
            "values": self.values.tolist(),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON: the whole file or, on failure, nothing.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
            >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> found.save("gains.json")
        """
        write_whole(checked_path(path), self._json())

    def save_in(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write gains.json into a folder, which is created if it is missing.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
            >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> [path.name for path in found.save_in("gains")]
            ['gains.json']
        """
        target = checked_path(folder, "folder", what="the path of a folder")
        return write_together(target, {"gains.json": self._json()}, None)

    def torques(self, log: Log) -> Log:
        """Convert a log of currents to a log of torques.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
            >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> found.torques(empty).effort
            'torque'
        """
        if log.effort != "current" or log.tau is None or log.n != len(self.gains):
            raise InputError(
                f"{log.source or 'the log'} has no currents of {len(self.gains)} joints."
            )
        notes = (*log.notes, "currents were multiplied by identified gains of the drives.")
        return replace(log, tau=log.tau * self.gains, effort="torque", notes=notes)

    def _known(self) -> str:
        return "the gains of all drives are known."

    def _table(self) -> Grid:
        return gain_values(self)

    def __repr__(self) -> str:
        each = ", ".join(f"{g:.4g}±{s:.2g}" for g, s in zip(self.gains, self.std, strict=True))
        return f"<DriveGains: {each}>"
