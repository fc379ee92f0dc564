"""`Observation`: torques from outside in a log, and the contacts among them."""

from __future__ import annotations

import csv
import io
import os
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.control.observed_log import Contact
from armdyn.present.pictures import check_picture, matplotlib, new_figure, write_picture
from armdyn.present.tables import Grid
from armdyn.writing import write_whole

# Points of a curve in a picture.
MOST_POINTS = 4000


@dataclass(frozen=True, eq=False, repr=False)
class Observation:
    """What an observer found in a log.

    Attributes:
        t: times ``(N,)`` [s].
        residual: torques from outside ``(N, n)`` [N m] or [N].
        threshold: beyond which a residual is a contact ``(N, n)``.
        contacts: by their start.
        joint_names: of the joints.
        units: of the torques of the joints.
        notes: how thresholds were found, a sentence each.

    Examples:
        >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
        >>> seen = armdyn.MomentumObserver(arm).run(log)
        >>> seen
        <Observation: 0 contacts in ... s>
    """

    t: Array
    residual: Array
    threshold: Array
    contacts: tuple[Contact, ...]
    joint_names: tuple[str, ...]
    units: tuple[str, ...]
    notes: tuple[str, ...]

    def grid(self) -> Grid:
        """Return the contacts as a table.

        Examples:
            >>> seen.grid().heads
            ('start [s]', 'end [s]', 'joint', 'size', 'threshold', 'unit')
        """
        unit = dict(zip(self.joint_names, self.units, strict=True))
        rows = tuple(
            (f"{c.start:.3f}", f"{c.end:.3f}", c.joint, f"{c.size:+.3g}", f"{c.threshold:.3g}",
             unit[c.joint])
            for c in self.contacts
        )  # fmt: skip
        heads = ("start [s]", "end [s]", "joint", "size", "threshold", "unit")
        return Grid(f"Contacts: {len(self.contacts) or 'none'}", heads, 3, rows)

    def summary(self) -> str:
        """Return the contacts and notes as text.

        Examples:
            >>> print(seen.summary())
            Contacts: none
            ...
        """
        return "\n".join([self.grid().text(), "", *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return contacts and notes as plain data for JSON.

        Examples:
            >>> seen.to_dict()["contacts"]
            []
        """
        return {
            "contacts": [asdict(contact) for contact in self.contacts],
            "joints": list(self.joint_names),
            "largest_residual": np.abs(self.residual).max(axis=0).tolist(),
            "median_threshold": np.median(self.threshold, axis=0).tolist(),
            "duration": float(self.t[-1] - self.t[0]),
            "notes": list(self.notes),
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write times, residuals and thresholds as CSV; the whole file or none.

        Examples:
            >>> seen.save("residuals.csv")
        """
        lines = io.StringIO()
        table = csv.writer(lines, lineterminator="\n")
        heads = [
            f"{what}_{name}" for what in ("residual", "threshold") for name in self.joint_names
        ]
        table.writerow(["t", *heads])
        rows = np.column_stack([self.t, self.residual, self.threshold])
        table.writerows([f"{x:.9g}" for x in row] for row in rows.tolist())
        write_whole(checked_path(path), lines.getvalue())

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw residuals, thresholds and contacts of all joints; the whole file or none.

        Examples:
            >>> seen.plot("contacts.svg")
        """
        target = checked_path(path)
        check_picture(target)
        with matplotlib().rc_context({"font.size": 8}):
            figure = new_figure(10, 1.0 + 1.2 * len(self.joint_names))
            self._draw(figure)
            write_picture(figure, target, dpi=120)

    def _draw(self, figure: Any) -> None:
        """Draw into a figure of Matplotlib."""
        n = len(self.joint_names)
        fields: list[Any] = figure.subplots(n, 1, sharex=True, squeeze=False).ravel().tolist()
        every = max(1, len(self.t) // MOST_POINTS)
        t = self.t[::every]
        for j, axes in enumerate(fields):
            most = self.threshold[::every, j]
            axes.fill_between(t, -most, most, color="0.88", linewidth=0.0)
            axes.plot(t, self.residual[::every, j], linewidth=0.7, color="tab:blue")
            for contact in self.contacts:
                if contact.joint == self.joint_names[j]:
                    axes.axvspan(contact.start, contact.end, color="tab:red", alpha=0.35)
            axes.set_ylabel(f"{self.joint_names[j]}\n[{self.units[j]}]")
            axes.margins(x=0.01)
        fields[0].set_title("torques from outside; grey: within the threshold, red: contacts")
        fields[-1].set_xlabel("time [s]")

    def __repr__(self) -> str:
        return f"<Observation: {len(self.contacts)} contacts in {self.t[-1] - self.t[0]:.4g} s>"
