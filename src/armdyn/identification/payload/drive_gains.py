"""`DriveGains`: torque per ampere of every drive, and its uncertainty."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.errors import InputError
from armdyn.identification.payload.payload import UNKNOWN
from armdyn.identification.tables import gain_values
from armdyn.log.log import Log
from armdyn.writing import write_together, write_whole


@dataclass(frozen=True, eq=False, repr=False)
class DriveGains:
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
        reasons: why the gains failed validation, a sentence each; they begin the notes.
        notes: processing steps and findings, a sentence each.

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
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def known(self) -> tuple[bool, ...]:
        """Whether the standard deviation of a gain is below 30 % of it."""
        return tuple((self.std < UNKNOWN * np.abs(self.gains)).tolist())

    @property
    def passed(self) -> bool:
        """Whether all gains are known and plausible."""
        return not self.reasons

    @property
    def verdict(self) -> str:
        """The verdict as a sentence."""
        if self.passed:
            return "passed: the gains of all drives are known."
        return f"not passed: {' '.join(self.reasons)}"

    def summary(self) -> str:
        """Return the gains and the notes as text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
                >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> print(found.summary())
            Torque per ampere [N m/A or N/A]
            joint     gain ...
        """
        listed = (f"- {note}" for note in self.notes)
        return "\n".join([gain_values(self).text(), "", self.verdict, *listed])

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
            "passed": self.passed,
            "verdict": self.verdict,
            "mass": self.mass,
            "com": [x if np.isfinite(x) else None for x in self.com.tolist()],
            "com_std": [x if np.isfinite(x) else None for x in self.com_std.tolist()],
            "joints": [
                {"name": name, "gain": gain, "std": std, "known": known, "sigma": sigma}
                for name, gain, std, known, sigma in columns
            ],
            "values": self.values.tolist(),
            "notes": list(self.notes),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write `to_dict` as JSON: the whole file or, on failure, nothing.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> empty, held = (armdyn.Log.read(f"current{name}.csv") for name in ("", "_held"))
                >>> found = armdyn.identify_drive_gains(arm, empty, held, 1.5)
            >>> found.save("gains.json")
        """
        write_whole(checked_path(path), self._text())

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
        return write_together(target, {"gains.json": self._text()}, None)

    def _text(self) -> str:
        return json.dumps(self.to_dict(), indent=2, allow_nan=False) + "\n"

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

    def __repr__(self) -> str:
        each = ", ".join(f"{g:.4g}±{s:.2g}" for g, s in zip(self.gains, self.std, strict=True))
        return f"<DriveGains: {each}>"
