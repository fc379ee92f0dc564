"""`check_log`: the table of checks, and `LogCheck`, what they find."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.checks import checked_items, checked_path
from armdyn.errors import InputError, shown
from armdyn.log.log import COLUMNS, Log
from armdyn.log.rows import is_in_file
from armdyn.present.pictures import check_picture, write_picture
from armdyn.present.tables import Grid, Toned, card, number, percent
from armdyn.recording.channels import command, command_delay, droop, velocity
from armdyn.recording.fault import Check, Fault
from armdyn.recording.picture import picture
from armdyn.recording.positions import (
    encoders,
    excitation,
    limits,
    position_unit,
    rest,
    rest_share,
    stops,
)
from armdyn.recording.recording import Recording
from armdyn.recording.timing import gaps, jitter, repeated, short, stamps
from armdyn.recording.torques import (
    constant_torque,
    exchange,
    saturation,
    sign,
    torque_delay,
    torque_unit,
)

# Positions in another unit, or another order of time, are not comparable with other channels; and
# a torque of another joint has no sign, unit or delay.
_MOTION = ("position unit", "time order")
_TORQUE = (*_MOTION, "torque order")

# The checks in their order: a check is a row here and a function.
CHECKS: tuple[Check, ...] = (
    Check("short", short, "number of samples and duration"),
    Check("gap", gaps, "gaps in time"),
    Check("jitter", jitter, "equal time steps"),
    Check("time stamps", stamps, "stamps are the times of the samples"),
    Check("repeated samples", repeated, "rows or channels that a recorder wrote again"),
    Check("rest", rest, "motion of every joint"),
    Check("position unit", position_unit, "positions are in radians"),
    Check("limits", limits, "positions within the described limits", ("position unit",)),
    Check("stop", stops, "joints that lean on mechanical stops", ("position unit",)),
    Check("encoder", encoders, "resolution of encoders"),
    Check("excitation", excitation, "range, speed, independent motion", ("position unit",)),
    Check("velocity", velocity, "sign, unit and order of measured velocities", _MOTION),
    Check("command", command, "commands are the goals of these joints", _MOTION),
    Check("command delay", command_delay, "clock of the commands", (*_MOTION, "command")),
    Check("droop", droop, "droop beside described gravity", (*_MOTION, "command")),
    Check("constant torque", constant_torque, "torques are measured"),
    Check("saturation", saturation, "torques are not cut off"),
    Check("torque order", exchange, "torques belong to their joints", _MOTION),
    Check("torque sign", sign, "signs of torques", _TORQUE),
    Check("torque unit", torque_unit, "unit of torques", _TORQUE),
    Check("torque delay", torque_delay, "clock of the torques", (*_TORQUE, "rest")),
)


@dataclass(frozen=True, eq=False, repr=False)
class LogCheck:
    """The health of a recording.

    Attributes:
        faults: what makes the recording unusable or misleading.
        remarks: what is worth knowing about it.
        log: the log.
        arm: the arm, or None.
        facts: sampling rate, duration, rest and, for every joint, range, speed and resolution, as
            plain data.

    Examples:
        >>> t = np.arange(400) / 100
        >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
        >>> armdyn.check_log(log, None)
        <LogCheck: no faults, 1 remark>
    """

    faults: list[Fault]
    remarks: list[Fault]
    log: Log
    arm: Arm | None
    facts: dict[str, Any]

    @property
    def ok(self) -> bool:
        """Whether there is no fault; remarks do not count."""
        return not self.faults

    def grid(self) -> Grid:
        """Return the faults and remarks as a table.

        Returns:
            The table.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> armdyn.check_log(log, None).grid().heads
            ('', 'check', 'joints', 'what', 'remedy')
        """
        rows = tuple(
            (
                Toned(*(("remark", "fair") if one.is_remark else ("fault", "bad"))),
                one.kind,
                ", ".join(map(str, one.joints)) or "all",
                one.what,
                one.option,
            )
            for one in (*self.faults, *self.remarks)
        )
        return Grid("", ("", "check", "joints", "what", "remedy"), 5, rows)

    def joint_grid(self) -> Grid:
        """Return range, speed and resolution of every joint as a table.

        Returns:
            The table.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> armdyn.check_log(log, None).joint_grid().heads[:3]
            ('joint', 'from', 'to')
        """
        heads = ["joint", "from", "to", "speed", "encoder step"]
        keys = ["lowest", "highest", "speed", "encoder_step"]
        for key, head in (("effort_rms", f"rms {self.log.effort}"), ("lag", "lag [ms]")):
            if any(key in joint for joint in self.facts["joints"]):
                heads.append(head)
                keys.append(key)
        rows = tuple(
            (joint["name"], *(_cell(joint.get(key), key) for key in keys))
            for joint in self.facts["joints"]
        )
        return Grid("", tuple(heads), 1, rows)

    @property
    def title(self) -> str:
        """One line on the recording and the result."""
        facts = self.facts
        name = self.log.source or "recording"
        count = len(self.faults)
        result = "ok" if self.ok else f"{count} fault{'s' * (count > 1)}"
        return (
            f"{name}: {result}. {facts['samples']} samples, {facts['duration']:.4g} s at "
            f"{facts['rate']:.4g} Hz, {', '.join(facts['measured'])}; "
            f"at rest {percent(facts['rest'])}"
        )

    def summary(self) -> str:
        """Return the result as text.

        Returns:
            A line on the recording, one on each joint, and one on each fault and remark.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> print(armdyn.check_log(log, None).summary())
            recording: ok. 400 samples, 3.99 s at 100 Hz, q; at rest 0.00 %
            ...
        """
        lines = [self.title, self.joint_grid().text()]
        for one in (*self.faults, *self.remarks):
            word = "remark" if one.is_remark else "fault"
            remedy = f" Remedy: {one.option}." if one.option else ""
            lines.append(f"{word}: {one.kind}: {one.what}{remedy}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON.

        Returns:
            Numbers and strings by their names.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> armdyn.check_log(log, None).to_dict()["ok"]
            True
        """
        return {
            "ok": self.ok,
            "faults": [fault.to_dict() for fault in self.faults],
            "remarks": [fault.to_dict() for fault in self.remarks],
            **self.facts,
        }

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Draw the signals of the recording with its faults marked.

        Args:
            path: a file to write; its suffix is .png, .svg or .pdf. None writes none.

        Returns:
            The figure of Matplotlib.

        Raises:
            MissingExtraError: Matplotlib is not installed.
            FileError: the file cannot be written.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> figure = armdyn.check_log(log, None).plot("check.svg")
        """
        if path is not None:
            check_picture(path)
        joints = self.arm.robot.joints if self.arm is not None else ()
        slides = any(joint.kind == "prismatic" for joint in joints)
        figure = picture(self.log, (*self.faults, *self.remarks), self.title, slides=slides)
        if path is not None:
            write_picture(figure, checked_path(path))
        return figure

    def _repr_html_(self) -> str:
        facts = {"samples": str(self.facts["samples"]), "Hz": number(self.facts["rate"])}
        return card(f"Recording {self.log.source}".strip(), facts, self.grid())

    def __repr__(self) -> str:
        faults, remarks = len(self.faults), len(self.remarks)
        words = f"{faults or 'no'} fault{'s' * (faults != 1)}"
        more = f", {remarks} remark{'s' * (remarks != 1)}" if remarks else ""
        return f"<LogCheck: {words}{more}>"


def check_log(log: Log, arm: Arm | None = None, *, faults: Sequence[Fault] = ()) -> LogCheck:
    """Check the health of a recording.

    Clock: length, gaps, jitter, wrong stamps, repeated samples. Positions: units, limits, stops,
    encoders, rest, excitation. Channels: sign, unit and order of velocities; whether commands are
    the goals of these joints; torques that are missing, constant, cut off, late, in another unit,
    of the wrong sign or of another joint.

    Args:
        log: the recording.
        arm: the `Arm` that moves in it; None leaves out what needs its description.
        faults: faults that are known already, from reading the file.

    Returns:
        Faults, remarks, and figures of every joint.

    Raises:
        InputError: the log and the arm have different numbers of joints.

    Examples:
        >>> arm, log = armdyn.load("planar2"), armdyn.Log.read("run.csv")
        >>> check = armdyn.check_log(log, arm)
        >>> check.ok
        True
        >>> from dataclasses import replace
        >>> turned = replace(log, tau=-log.tau)
        >>> [(fault.kind, fault.option) for fault in armdyn.check_log(turned, arm).faults]
        [('torque sign', '--flip 1,2')]
    """
    if not isinstance(log, Log):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"`log` is {shown(log)}, expected a Log.", argument="log")
    if arm is not None and not isinstance(arm, Arm):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(
            f"`arm` is {shown(arm)}, expected an armdyn.Arm; load one by armdyn.load().",
            argument="arm",
        )
    known = [one for one in checked_items(faults, "faults") if isinstance(one, Fault)]
    if len(known) < len(faults):
        raise InputError(f"`faults` is {shown(faults)}, expected a list of Fault.",
                         argument="faults")  # fmt: skip
    if arm is not None and arm.n != log.n:
        raise InputError(f"`log` has {log.n} joints, the arm {arm.n}.", argument="log")
    rec = Recording(_in_memory(log), arm)
    listed = known
    for check in CHECKS:
        kinds = {one.kind for one in listed if not one.is_remark}
        if "short" in kinds:
            break
        if not kinds & set(check.after):
            listed += [one.fault(check.kind) for one in check.find(rec)]
    return LogCheck(
        faults=[one for one in listed if not one.is_remark],
        remarks=[one for one in listed if one.is_remark],
        log=rec.raw,
        arm=arm,
        facts=_facts(rec),
    )


def _in_memory(log: Log) -> Log:
    """Return a log whose columns are in memory."""
    if not is_in_file(log.q):
        return log
    columns = {k: getattr(log, k) for k in COLUMNS}
    whole: dict[str, Any] = {k: np.asarray(x) for k, x in columns.items() if x is not None}
    effort = "torque" if log.effort == "none" else log.effort
    return Log(
        **whole, joint_names=log.joint_names, effort=effort, episodes=log.episodes,
        source=log.source, notes=log.notes,
    )  # fmt: skip


def _facts(rec: Recording) -> dict[str, Any]:
    """Return figures of a recording and of its joints as plain data."""
    facts = rec.raw.to_dict()
    facts["rest"] = rest_share(rec)
    speed = np.abs(np.gradient(rec.log.q, rec.log.t, axis=0)) if len(rec.log) > 1 else None
    for j, joint in enumerate(facts["joints"]):
        joint["speed"] = float(np.quantile(speed[:, j], 0.98)) if speed is not None else 0.0
        joint["encoder_step"] = rec.steps[j]
    if rec.goals is not None:
        facts["command"] = rec.goals.to_dict()
        for joint, goal in zip(facts["joints"], facts["command"]["joints"], strict=True):
            joint["lag"] = goal["lag"]
    return facts


def _cell(value: Any, key: str) -> str:
    if value is None:
        return "–"
    return number(1e3 * value, 3) if key == "lag" else number(value)
