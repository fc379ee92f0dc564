"""`Observation`: external torques in a log, the samples they come from, and contacts."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_path
from armdyn.errors import InputError, shown
from armdyn.identification.result import Result
from armdyn.log.clock import at_source_times
from armdyn.log.log import Log
from armdyn.log.segments import segments
from armdyn.log.signals import prepare
from armdyn.present.pictures import check_picture, matplotlib, new_figure, write_picture
from armdyn.present.tables import Grid
from armdyn.writing import write_whole

# A log as an observer takes it: samples at equal steps, and the contacts found in it.

# The samples of a log as an observer takes them: at equal steps, without gaps.

# Cut-off of the low-pass of positions [Hz], and at most this share of the samples per second.
CUTOFF, SHARE = 25.0, 0.35

# A joint stands still below this share of its greatest speed, or this many standard deviations of
# its noise, for at least this many samples.
STILL, STILL_NOISE, SAMPLES = 1e-3, 4.0, 5

# Time constants of the observer after which an error is forgotten.
CONSTANTS = 3.0


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples at equal steps.

    Attributes:
        t: times ``(N,)`` [s].
        q: positions ``(N, n)``, low-passed without delay.
        qd: velocities ``(N, n)``.
        qdd: accelerations ``(N, n)``, for error bars only.
        tau: torques of the drives ``(N, n)``.
        step: time between samples [s].
        gain: of the observer at these steps [1/s].
        noise: standard deviation of the noise of velocities ``(n,)``.
        still: where joints stand still ``(N, n)``.
        blur: what an error of one step in time makes of torques ``(N, n)``, now or shortly before.
        notes: findings, a sentence each.
    """

    t: Array
    q: Array
    qd: Array
    qdd: Array
    tau: Array
    step: float
    gain: float
    noise: Array
    still: NDArray[np.bool_]
    blur: Array
    notes: tuple[str, ...]


def samples_of(log: object, arm: Arm, gain: float, result: Result | None, name: str) -> Samples:
    """Return the samples of a log; refuse one with gaps, without torques or of other joints."""
    if not isinstance(log, Log):
        raise InputError(f"`{name}` is {shown(log)}, expected a Log.", argument=name)
    if log.n != arm.n:
        raise InputError(f"`{name}` has {log.n} joints, the arm {arm.n}.", argument=name)
    if log.tau is None or log.effort != "torque":
        has = "motor currents" if log.tau is not None else "no torques"
        raise InputError(f"`{name}` has {has}; an observer needs torques.", argument=name)
    log = at_source_times(log)
    pieces = segments(log)
    if len(pieces) > 1:
        first = pieces[0].stop
        a, b = float(log.t[first - 1]), float(log.t[first])
        gaps = f"{len(pieces) - 1} gap{'s' * (len(pieces) > 2)}"
        raise InputError(
            f"`{name}` has {gaps} in time, the first of {b - a:.3g} s after t = "
            f"{a:.6g} s: what happened there is unknown. Observe the parts one by one, e.g. "
            f"log[:{a:.6g}], or `armdyn observe --span :{a:.6g}`.",
            argument=name,
        )
    cutoff = min(CUTOFF, SHARE * log.rate)
    delay = 0.0 if result is None else result.delay
    used = prepare(log, cutoff=cutoff, delay=delay)
    assert used.tau is not None
    step = 1.0 / used.rate
    K = min(gain, used.rate)
    notes = list(log.notes)
    if K < gain:
        notes.append(f"the gain is {K:.3g}/s: the log has {used.rate:.3g} samples a second.")
    q, qd, qdd, tau = (np.asarray(x) for x in (used.q, used.qd, used.qdd, used.tau))
    change = np.abs(np.gradient(arm.inverse_dynamics(q, qd, qdd, friction=False), axis=0))
    memory = max(round(CONSTANTS * used.rate / K), 1)
    blur = _lasting(change, memory)
    t = np.asarray(used.t)
    noise = _speed_noise(log, t, q, cutoff)
    still = _still(qd, noise)
    return Samples(t, q, qd, qdd, tau, step, K, noise, still, blur, tuple(notes))


def _speed_noise(log: Log, t: Array, q: Array, cutoff: float) -> Array:
    """Return the noise that velocities have left, from what the low-pass took off the positions.

    White noise of the variance s^2 has the density 2 s^2 / rate. The part above the cut-off f is
    seen; the part below it, times (2 pi f)^2, is in the velocities.
    """
    inside = (log.t >= t[0]) & (log.t <= t[-1])
    at = np.asarray(log.t)[inside]
    spline: Any = import_module("scipy.interpolate").CubicSpline
    off = np.asarray(log.q)[inside] - spline(t, q)(at)
    above = np.median(np.abs(off - np.median(off, axis=0)), axis=0) / 0.6745
    rate = log.rate
    white = above / np.sqrt(max(1.0 - 2.0 * cutoff / rate, 0.1))
    return white * 2.0 * np.pi * np.sqrt(2.0 * cutoff**3 / (3.0 * rate))


def _still(qd: Array, noise: Array) -> NDArray[np.bool_]:
    """Return where speeds are hardly any for several samples: a joint that turns is not at rest."""
    slow = np.abs(qd) <= np.maximum(STILL * np.abs(qd).max(axis=0), STILL_NOISE * noise)
    rows = np.pad(slow, ((SAMPLES - 1, SAMPLES - 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view
    lasting = np.asarray(windows(rows, SAMPLES, axis=0).all(axis=-1))
    return np.asarray(windows(lasting, SAMPLES, axis=0).any(axis=-1))


def _lasting(values: Array, memory: int) -> Array:
    """Return the largest of the last values, and of the next."""
    rows = np.pad(values, ((memory, 1), (0, 0)), mode="edge")
    return np.lib.stride_tricks.sliding_window_view(rows, memory + 2, axis=0).max(axis=-1)


# Contacts: where residuals exceed their thresholds.

# A contact ends when the residual stays below this share of the threshold for this long [s].
RELEASE_SHARE, RELEASE_TIME = 0.7, 0.1
# Nothing that begins so shortly before the end of a log is a contact [s]: filters of recorders end
# there, too.
END_MARGIN = 0.3
# A residual beyond its threshold in fewer samples is a wrong sample, no contact; at low rates one
# sample is as long as a contact.
MIN_CONTACT_SAMPLES, FAST = 2, 60.0


@dataclass(frozen=True)
class Contact:
    """A torque from outside on one joint.

    Attributes:
        start: when the residual passes the threshold [s].
        end: when it is back [s].
        joint: name of the joint.
        size: largest residual, with its sign [N m] or [N].
        threshold: at the start.

    Examples:
        >>> from dataclasses import replace
        >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
        >>> push = np.where((log.t > 4.0) & (log.t < 4.5), 3.0, 0.0)
        >>> pushed = replace(log, tau=log.tau - np.outer(push, [0.0, 1.0]))
        >>> (contact,) = armdyn.MomentumObserver(arm).run(pushed).contacts
        >>> contact.joint, round(contact.size)
        ('joint2', 3)
    """

    start: float
    end: float
    joint: str
    size: float
    threshold: float


def contacts_of(
    t: Array, residual: Array, threshold: Array, names: Sequence[str]
) -> tuple[Contact, ...]:
    """Return the contacts of all joints by their start."""
    rate = (len(t) - 1) / (t[-1] - t[0]) if len(t) > 1 else 0.0
    fewest = MIN_CONTACT_SAMPLES if rate >= FAST else 1
    found: list[Contact] = []
    for j, name in enumerate(names):
        size, most = np.abs(residual[:, j]), threshold[:, j]
        for a, b in _excursions(t, size, most):
            beyond = size[a:b] > most[a:b]
            if beyond.sum() < fewest or t[a] > t[-1] - END_MARGIN:
                continue
            peak = a + int(size[a:b].argmax())
            found.append(
                Contact(
                    float(t[a]), float(t[b - 1]), name, float(residual[peak, j]), float(most[a])
                )
            )
    return tuple(sorted(found, key=lambda contact: contact.start))


def spans(where: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the spans of consecutive samples, first and one after the last."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], where, [False]]).astype(np.int8)))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _excursions(t: Array, size: Array, most: Array) -> list[tuple[int, int]]:
    """Return where residuals begin to exceed thresholds, and where they have come back."""
    high = np.flatnonzero(size > most)
    held = np.flatnonzero(size > RELEASE_SHARE * most)
    found: list[tuple[int, int]] = []
    for a in high:
        if found and a < found[-1][1]:
            continue
        b = int(a)
        for k in held[np.searchsorted(held, a) :]:
            if t[k] - t[b] > RELEASE_TIME:
                break
            b = int(k)
        found.append((int(a), b + 1))
    return found


# `Observation`: torques from outside in a log, and the contacts among them.

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

        Returns:
            The table.

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

        Returns:
            Some lines of text.

        Examples:
            >>> print(seen.summary())
            Contacts: none
            ...
        """
        return "\n".join([self.grid().text(), "", *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return contacts and notes as plain data for JSON.

        Returns:
            Numbers and strings by their names.

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
        """Write times, residuals and thresholds as CSV: the whole file, or nothing on failure.

        Args:
            path: the file, .csv.

        Raises:
            FileError: the file cannot be written.

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
        """Plot residuals, thresholds and contacts of all joints.

        Args:
            path: the file; its suffix is .png, .svg or .pdf.

        Raises:
            MissingExtraError: Matplotlib is not installed.
            FileError: the file cannot be written.

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
