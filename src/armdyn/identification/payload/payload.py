"""`Payload`: an identified load, and its uncertainty."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.identification.payload.load import Load
from armdyn.identification.tables import load_values
from armdyn.robot.formats.toml import toml_text
from armdyn.writing import write_together

# A value is not known if its standard deviation exceeds this share: of the mass, or of the size of
# the parameter for that mass at the distance of a link's length.
UNKNOWN = 0.3

JSON, TOML = "payload.json", "loaded.toml"
PAYLOAD_FILES = (JSON, TOML)
"""The names of all files of `Payload.save`."""


@dataclass(frozen=True, eq=False, repr=False)
class Payload:
    """An identified load.

    Attributes:
        load: mass, centre of mass and inertia of a body that can exist, in the frame of the tip.
        arm: the arm with the load as part of its last link.
        parameters: the load's ten parameters about the tip from the data alone, ``(10,)``: close to
            those of `load`, but possibly of no physical body.
        std: their standard deviations ``(10,)``; errors of the drives' gains are part of them and,
            without a log of the empty arm, errors of the arm's model.
        covariance: of the parameters ``(10, 10)``.
        identifiable: which of them are identifiable individually from torques of this arm.
        mass_std: standard deviation of the mass [kg].
        com_std: standard deviations of the centre of mass [m].
        sigma: standard deviation of the filtered residuals of every joint ``(n,)``.
        gains: torque that every drive shows per torque that the load takes ``(n,)``; 1 if gains
            are taken as right.
        gains_std: their standard deviations ``(n,)``.
        shift: seconds by which the motion comes later in the log without load; None without one.
        reasons: why the load is not to be relied on, a sentence each.
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
        """Whether the mass of the load is known, and the torques can be right."""
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
        return {
            JSON: json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n",
            TOML: toml_text(self.arm.robot),
        }

    def save(self, folder: str | os.PathLike[str]) -> tuple[Path, ...]:
        """Write `files` into a folder: all of them or, on failure, none.

        A missing folder is made, and existing files of these names are replaced.

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
