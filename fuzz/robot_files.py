"""Robot files of each format, valid and broken, and DH tables.

What is read is read the same twice, survives every other format, and, where it is simple, has the
numbers that an independent reading finds.
"""

from __future__ import annotations

import math
import random
import tomllib
import warnings
import xml.etree.ElementTree as ET
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.errors import ArmdynError
from armdyn.robot.files import read_robot, write_robot
from armdyn.robot.model import Robot
from fuzz import robot_texts
from fuzz._finding import Finding, check, must
from fuzz.light_urdf import mass_matrix_and_gravity
from support.mjcf_texts import differences
from support.urdf_compare import mass_matrix, torques

SUFFIXES = {"urdf": ".urdf", "xacro": ".xacro", "mjcf": ".xml", "toml": ".toml"}
# Differences of torques relative to their size after a way through another format.
ROUNDING = 1e-8


@dataclass
class Case:
    """A robot file, and how it is read."""

    format: str
    data: bytes
    options: dict[str, Any]
    way: str
    clean: bool
    plain: bytes = b""
    seed: int = 0


def case(rng: random.Random, target: str) -> Case:
    """Draw a file."""
    plain = ""
    if target == "xacro":
        if rng.random() < 0.2:
            text = robot_texts.hostile_xacro(rng)
        else:
            plain = robot_texts.urdf(rng)
            text = robot_texts.xacro_of(plain, rng)
    else:
        text = getattr(robot_texts, target)(rng)
    clean = rng.random() < 0.3
    data = text.encode() if clean else robot_texts.broken(text, rng)
    options: dict[str, Any] = {}
    if rng.random() < 0.6:
        options["strict"] = False
    if target != "toml":
        options["snap"] = rng.random() < 0.5
        if rng.random() < 0.1:
            options[rng.choice(["base", "tip"])] = rng.choice(
                ["L0", "L1", "b3", "b2", "tip", "", "x"]
            )
        if rng.random() < 0.05:
            options["without"] = [rng.choice(["L2", "B1", "b4", "none"])]
    if rng.random() < 0.1:
        options["waive"] = [rng.choice(["triangle", "limits"])]
    way = rng.choices(["toml", "urdf", "xml", "into", "none"], [3, 3, 1, 2, 2])[0]
    return Case(target, data, options, way, clean, plain.encode(), rng.getrandbits(32))


def run(case: Case) -> None:
    """Read a file, and check what was read."""
    path = Path(f"arm{SUFFIXES[case.format]}")
    path.write_bytes(case.data)
    try:
        robot = read_robot(path, **case.options)
    finally:
        check(not Path("HARM").exists(), "the file wrote another one")
    with must("read once more"):
        again = read_robot(path, **case.options)
    check(robot == again and robot.notes == again.notes, "read twice, it is not the same")
    _check_numbers(robot)
    states = np.random.default_rng(case.seed).uniform(-2, 2, (3, robot.n))
    expected = _torques(robot, states)
    _independent(case, robot, states[0])
    if case.way == "into":
        _written_into(case, robot, path, states)
    elif case.way != "none":
        _written(case, robot, states, expected)


def _check_numbers(robot: Robot) -> None:
    check(math.isfinite(sum(map(abs, robot.gravity))), "gravity is not finite")
    for joint in robot.joints:
        for one in fields(joint):
            value = getattr(joint, one.name)
            if one.name in ("lower", "upper", "velocity", "effort"):
                check(not math.isnan(value), f"{one.name} is nan")
            elif isinstance(value, float | tuple):
                numbers = np.array(value)
                check(np.isfinite(numbers).all(), f"{one.name} is {value}")


def _torques(robot: Robot, states: np.ndarray) -> np.ndarray | None:
    """Return torques; None if numbers of the file are too large for them."""
    try:
        tau = torques(robot, *states)
    except OverflowError:
        return None
    return tau if np.isfinite(tau).all() else None


def _written(case: Case, robot: Robot, states: np.ndarray, expected: np.ndarray | None) -> None:
    """Write the robot in another format, and read that."""
    path = Path(f"other.{case.way}")
    try:
        write_robot(robot, path)
    except ArmdynError as error:
        if case.way == "toml":
            raise Finding(f"not written: {error}") from error
        return
    snap = {} if case.way == "toml" else {"snap": False}
    with must(f"written as {case.way}"):
        found = read_robot(path, strict=False, **snap)
    if case.way == "toml":
        check(found == robot and found.frames == robot.frames, "TOML is another robot")
        return
    tau = _torques(found, states) if found.n == robot.n else None
    check((tau is None) == (expected is None), "written, its torques are not finite")
    if tau is not None and expected is not None:
        _same(tau, expected, f"torques of the {case.way} written", _size(robot, states, expected))


def _written_into(case: Case, robot: Robot, path: Path, states: np.ndarray) -> None:
    """Write a heavier robot into the file, and read that."""
    if case.format == "toml":
        return
    factor = 1.25
    heavier = robot.with_joints(
        replace(j, mass=j.mass * factor, inertia=tuple(x * factor for x in j.inertia))
        for j in robot.joints
    )
    suffix = ".urdf" if case.format == "xacro" else path.suffix
    new = Path(f"new{suffix}")
    try:
        write_robot(heavier, new, into=path)
    except ArmdynError:
        return
    given = {**case.options, "strict": False, "snap": False}
    with must("written into the file"):
        found = read_robot(new, **given)
    before, tau = _torques(heavier, states), _torques(found, states)
    if before is not None and tau is not None:
        tolerance = 1e-3 if case.options.get("snap") else ROUNDING
        _same(tau, before, "torques written into the file", _size(robot, states, before), tolerance)


def _size(robot: Robot, states: np.ndarray, tau: np.ndarray) -> float:
    """Return the size of what torques are sums of, which may cancel."""
    J = max(float(np.abs(np.array(j.inertia)).max()) + j.mass for j in robot.joints)
    far = float(np.abs(np.array(robot.base)).max()) + sum(
        abs(j.b) + abs(j.d) + float(np.abs(np.array(j.com)).max()) for j in robot.joints
    )
    return max(float(np.abs(tau).max()), J * far * far * 30 * robot.n)


def _same(
    found: np.ndarray, expected: np.ndarray, what: str, size: float, tolerance: float = ROUNDING
) -> None:
    apart = float(np.abs(found - expected).max())
    check(apart <= tolerance * size, f"{what}: {found.tolist()}, expected {expected.tolist()}")


def _independent(case: Case, robot: Robot, q: np.ndarray) -> None:
    """Compare with an independent reading of the same file."""
    if {"base", "tip", "without"} & set(case.options):
        return
    if case.format == "urdf" and not case.options["snap"] and b"<armdyn" not in case.data:
        names = [joint.name for joint in robot.joints]
        try:
            M, g = mass_matrix_and_gravity(case.data, names, q)
        except (ValueError, KeyError, AttributeError, ET.ParseError, RecursionError):
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rotors = np.diag([joint.rotor_inertia for joint in robot.joints])
            zero = np.zeros(robot.n)
            size = _size(robot, np.array([q]), M)
            if not np.isfinite(size) or size > 1e100 or not np.isfinite(M).all():
                return
            _same(mass_matrix(robot, q), M + rotors, "mass matrix of the light reader", size)
            _same(torques(robot, q, zero, zero), g, "gravity of the light reader", size)
    elif case.format == "toml":
        rows = tomllib.loads(case.data.decode("utf-8-sig"))["joint"]
        for row, joint in zip(rows, robot.joints, strict=True):
            for key in ("beta", "b", "theta", "d", "mass", "rotor_inertia", "viscous"):
                if key in row:
                    check(float(row[key]) == getattr(joint, key), f"{key} is not that of the file")
    elif case.clean and case.format == "xacro" and case.plain:
        Path("plain.urdf").write_bytes(case.plain)
        expected = read_robot("plain.urdf", **case.options)
        check(robot == expected, "xacro is not the URDF that it stands for")
    elif case.clean and case.format == "mjcf":
        import mujoco

        model = mujoco.MjModel.from_xml_string(case.data.decode())
        worst = differences(robot, model, states=1).worst()
        check(worst < 1e-4, f"{worst:.3g} from MuJoCo")
