"""`armdyn move`: the fastest motion through way-points."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.cli.console import JsonOption, plain, print_json, show
from armdyn.cli.option_names import flag, numbers, option
from armdyn.cli.options.robot import (
    ACCELERATION,
    DEGREES,
    EFFORT,
    OUT_MOTION,
    VELOCITY,
    RobotOptions,
    check_outputs,
    in_radians,
    open_arm,
)
from armdyn.errors import FileError, InputError
from armdyn.files import number_in
from armdyn.log.log import Log
from armdyn.motion.optimal import TimeOptimal, TimeOptimalPaths, time_optimal
from armdyn.motion.straight_line import TipLine
from armdyn.present.pictures import PICTURES_IN_WORDS


def move(
    robot: RobotOptions,
    through: Path = option(
        "Waypoints (text): joint positions by commas, one waypoint a line.", "FILE", default=...
    ),
    degrees: bool | None = DEGREES,
    straight: bool = flag("--straight", "Straight lines of the tip, with stops at the waypoints."),
    velocity: str | None = VELOCITY,
    acceleration: str | None = ACCELERATION,
    effort: str | None = EFFORT,
    friction: bool = option("Include joint friction.", default=True),
    nodes: int = option("Grid points of each path.", default=200),
    tolerance: float = option("Allowed excess over a limit, as a share of it.", default=1e-3),
    rate: float = option("Sampling rate of the written motion [Hz].", "HZ", default=1000.0),
    output: Path | None = OUT_MOTION,
    plot: Path | None = option(f"Plot speed, torques and limits as {PICTURES_IN_WORDS}.", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Compute the time-optimal motion through waypoints.

    The path is a cubic spline through the waypoints, from rest to rest.
    """
    check_outputs("motions", [output], plot)
    arm, _ = open_arm(robot)
    points = _points(arm, through, degrees)
    if straight and plot and len(points) > 2:
        raise InputError(
            "--plot draws one path: with --straight, give two way-points.", argument="plot"
        )
    paths = _lines(arm, points) if straight else [points]
    found: list[TimeOptimal] = []
    for path in paths:
        motion = time_optimal(
            arm,
            path,
            velocity=numbers("velocity", velocity),
            acceleration=numbers("acceleration", acceleration),
            effort=numbers("effort", effort),
            friction=friction,
            nodes=nodes,
            tolerance=tolerance,
        )
        assert not isinstance(motion, TimeOptimalPaths)
        found.append(motion)
    if output:
        _log(found, rate).save(output)
    if plot:
        found[0].plot(plot)
    written = [str(path) for path in (output, plot) if path]
    if as_json:
        print_json({"robot": arm.name, "motions": [_told(x) for x in found], "written": written})
        return
    for motion in found:
        _show(motion)
    for file in written:
        show(f"written: {plain(file)}")


def _lines(arm: Arm, points: Array) -> list[TipLine]:
    """Return straight lines of the tip; each begins where the one before ends."""
    lines: list[TipLine] = []
    at = points[0]
    for point in points[1:]:
        lines.append(TipLine(arm, at, arm.pose(point)))
        at = lines[-1].goal
    return lines


def _told(motion: TimeOptimal) -> dict[str, object]:
    return {
        "duration": motion.duration,
        "excess": motion.excess,
        "nodes": len(motion.s),
        "islands": int(motion.islands.sum()),
        "limited": [
            {"joint": joint, "limit": limit, "share": share}
            for (joint, limit), share in motion.shares().items()
        ],
    }


def _show(motion: TimeOptimal) -> None:
    show(f"{motion.arm.name}: {motion.duration:.6g} s, {len(motion.s)} nodes")
    for (joint, limit), share in motion.shares().items():
        show(f"  {share:6.1%} of the time at the {limit} of {plain(joint)}")
    if motion.islands.any():
        show("  viscous friction splits the admissible speeds: a faster motion may exist")


def _log(found: list[TimeOptimal], rate: float) -> Log:
    """Return motions one after the other."""
    rows = [motion.sample(rate) for motion in found]
    begins = np.cumsum([0.0, *(motion.duration for motion in found)])
    parts = [
        [x[1:] if k else x for x in (row[0] + begins[k], *row[1:])] for k, row in enumerate(rows)
    ]
    t, q, qd, qdd = (np.concatenate(column) for column in zip(*parts, strict=True))
    return Log(t, q, qd, qdd, joint_names=found[0].arm.joint_names)


def _points(arm: Arm, path: Path, degrees: bool | None) -> Array:
    """Read way-points; a first line of names is skipped."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise FileError(path, f"cannot be read: {reason}.") from None
    rows: list[list[float]] = []
    for k, line in enumerate(lines, 1):
        words = [word.strip() for word in line.split("#")[0].split(",")]
        if words == [""]:
            continue
        values = [number_in(word) for word in words]
        if not rows and all(value is None for value in values):
            continue
        clean = [value for value in values if value is not None and np.isfinite(value)]
        if len(clean) != len(values) or len(clean) != arm.n:
            raise FileError(
                path, f"line {k} is {plain(line)!r}, expected {arm.n} positions by commas."
            )
        rows.append(clean)
    if len(rows) < 2:
        raise FileError(path, f"has {len(rows)} way-points, expected two or more.")
    return np.array([in_radians(arm, "--through", row, degrees) for row in rows])
