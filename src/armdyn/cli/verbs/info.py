"""`armdyn info`: describe an arm."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import numpy as np
from rich.text import Text

from armdyn.arm.pictures import draw_arm
from armdyn.cli.console import JsonOption, plain, print_json, show
from armdyn.cli.option_names import option
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.present.pictures import PICTURES_IN_WORDS, check_picture
from armdyn.present.tables import Grid
from armdyn.robot.formats.geometry import roll_pitch_yaw
from armdyn.robot.friction import FRICTION_TERMS, coefficients, parameter_terms
from armdyn.robot.joint import Joint
from armdyn.robot.mechanism import link_parents
from armdyn.robot.model import IDENTITY, Placement, Robot

# A function from a joint to its cell in a column.
Column = Callable[[Joint], str]


def info(
    robot: RobotOptions,
    plot: Path | None = option(f"Draw the arm and its inertia as {PICTURES_IN_WORDS}.", "FILE"),
    as_json: JsonOption = False,
) -> None:
    """Describe an arm: geometry, inertial parameters, limits, warnings."""
    if plot:
        check_picture(plot)
    arm, warned = open_arm(robot)
    description = arm.robot
    if plot:
        draw_arm(arm, plot)
    if as_json:
        print_json(
            {
                "name": arm.name,
                "n": arm.n,
                "gravity": description.gravity,
                "base": description.base,
                "tool": description.tool,
                "joints": [asdict(joint) for joint in description.joints],
                "frames": [asdict(frame) for frame in description.frames],
                "total_mass": _total_mass(description),
                "notes": description.notes,
                "warnings": warned,
                "written": [str(plot)] if plot else [],
            }
        )
        return
    told = (
        f": {arm.n} joints ({_pattern(description)}), {_total_mass(description):.6g} kg, "
        f"gravity {_vector(description.gravity)} m/s²"
    )
    show(Text.assemble((plain(arm.name), "bold"), told))
    for title, placement in (("base", description.base), ("tool", description.tool)):
        if placement != IDENTITY:
            show(f"{title}: {_placement(placement)}")
    for grid in _grids(description):
        show("", grid)
    show("", *(f"note: {note}" for note in description.notes))
    show(*(f"warning: {sentence}" for sentence in warned))
    if plot:
        show(f"written: {plot}")


def _pattern(robot: Robot) -> str:
    return "".join("R" if j.is_revolute else "P" for j in robot.joints)


def _total_mass(robot: Robot) -> float:
    return sum(j.mass for j in robot.links)


def _vector(v: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{x:.6g}" for x in v) + ")"


def _placement(T: Placement) -> str:
    at = _vector(tuple(row[3] for row in T[:3]))
    rotation = "; ".join(" ".join(f"{x:.6g}" for x in row[:3]) for row in T[:3])
    return f"at {at} m, rotation rows {rotation}"


def _grids(robot: Robot) -> Iterator[Grid]:
    """Yield tables that fit into 80 columns; empty ones are left out."""

    def tilt(joint: Joint) -> str:
        return f"{math.degrees(joint.tilt):.6g}"

    yield _grid(
        "Geometry (modified DH; q adds to the starred column)",
        robot,
        {
            "kind": lambda j: j.kind,
            "beta [°]": lambda j: f"{math.degrees(j.beta):.6g}",
            "b [m]": lambda j: f"{j.b:.6g}",
            "theta [°]": lambda j: f"{math.degrees(j.theta):.6g}" + "*" * j.is_revolute,
            "d [m]": lambda j: f"{j.d:.6g}" + "*" * (not j.is_revolute),
            **({"tilt [°]": tilt} if any(j.tilt for j in robot.joints) else {}),
        },
    )
    if not robot.is_serial:
        yield _tree(robot)
    limits = ("lower", "upper", "velocity", "effort")
    if any(math.isfinite(getattr(j, key)) for j in robot.joints for key in limits):
        yield _grid("Limits (rad or m, N m or N)", robot, {key: _limit(key) for key in limits})
    yield _grid(
        "Centres of mass in the link's frame",
        robot,
        {
            "mass [kg]": lambda j: f"{j.mass:.6g}",
            **{f"{'xyz'[k]} [m]": _entry("com", k) for k in range(3)},
        },
    )
    entries = ("xx", "xy", "xz", "yy", "yz", "zz")
    yield _grid(
        "Inertia about the centre of mass [kg m²]",
        robot,
        {name: _entry("inertia", k) for k, name in enumerate(entries)},
    )
    drives = {"rotor inertia": "rotor_inertia"}
    for field in parameter_terms(map(coefficients, robot.links)):
        drives[FRICTION_TERMS[field].words] = field
        drives |= {shape.replace("_", " "): shape for shape in FRICTION_TERMS[field].shape}
    if any(getattr(j, key) for j in robot.links for key in drives.values()):
        columns = {name: _entry(key) for name, key in drives.items()}
        yield _grid("Drives", robot, columns)
    if robot.frames:
        yield _frames(robot)


def _tree(robot: Robot) -> Grid:
    """Return the table of what carries every joint of a tree, and what it follows."""
    names = ["the base", *(joint.name for joint in robot.links)]
    rules = {one.joint.name: one for one in robot.followers}
    rows: list[tuple[str, ...]] = []
    for joint, parent in zip(robot.links, link_parents(robot), strict=True):
        rule = rules.get(joint.name)
        told = "" if rule is None else " + ".join(f"{x:.6g} {name}" for name, x in rule.follows)
        told += f" + {rule.offset:.6g}" if rule is not None and rule.offset else ""
        angle, offset = math.degrees(joint.branch_angle), joint.branch_offset
        rows.append((joint.name, names[parent], f"{angle:.6g}", f"{offset:.6g}", told))
    heads = ("joint", "carried by", "branch [°]", "branch [m]", "follows")
    return Grid("Tree", heads, 2, tuple(rows), words_after=4)


def _frames(robot: Robot) -> Grid:
    """Return the table of the file's frames beside the numbered ones."""
    carriers = ["the base", *(joint.name for joint in robot.links)]
    rows = tuple(
        (
            frame.name, carriers[frame.link], f"E_{frame.link}" if frame.link else "base",
            *(f"{row[3]:.6g}" for row in frame.placement[:3]), _angles(frame.placement),
        )
        for frame in robot.frames
    )  # fmt: skip
    title = "Frames of the file, by name; E_i is the frame of row i above, by number"
    heads = ("frame", "moved by", "placed in", "x [m]", "y [m]", "z [m]", "roll pitch yaw [°]")
    return Grid(title, heads, 3, rows)


def _angles(T: Placement) -> str:
    angles = roll_pitch_yaw(np.array(T)[:3, :3])
    return " ".join(f"{math.degrees(angle) + 0.0:.4g}" for angle in angles)


def _grid(title: str, robot: Robot, columns: dict[str, Column]) -> Grid:
    rows = tuple((joint.name, *(cell(joint) for cell in columns.values())) for joint in robot.links)
    return Grid(title, ("joint", *columns), 1, rows)


def _entry(key: str, k: int | None = None) -> Column:
    """Return the column of a number of `Joint`, or of entry k of several."""

    def cell(joint: Joint) -> str:
        value = getattr(joint, key)
        return f"{value if k is None else value[k]:.6g}"

    return cell


def _limit(key: str) -> Column:
    """Return the column of a limit; blank if there is none."""

    def cell(joint: Joint) -> str:
        value = getattr(joint, key)
        return f"{value:.6g}" if math.isfinite(value) else ""

    return cell
