"""Load arms from files and save them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from armdyn.arm.arm import Arm
from armdyn.errors import RobotFileError
from armdyn.programs.arguments import checked_dtype
from armdyn.robot.files import read_robot, write_robot
from armdyn.robot.formats.registry import format_read
from armdyn.robot.model import Robot


def load(
    source: str | Path,
    *,
    base: str | None = None,
    tip: str | None = None,
    tips: Sequence[str] | str | None = None,
    followers: str = "freeze",
    strict: bool = True,
    snap: bool = True,
    without: Sequence[str] = (),
    waive: Sequence[str] = (),
    packages: Sequence[str | os.PathLike[str]] = (),
    arguments: Mapping[str, object] | None = None,
    dtype: DTypeLike = np.float64,
) -> Arm:
    """Load an arm from a file or from the bundled robots.

    Args:
        source: path of a robot file (URDF, xacro, MJCF, TOML), or a name of ``armdyn.robots()``.
        base: URDF, MJCF: link or body at which the chain begins (default: the root, the world).
        tip: URDF, MJCF: link or body at which the chain ends (default: where the arm ends or
            branches).
        tips: URDF, MJCF: links or bodies at the ends of a tree, in place of `tip`: the joints on
            the way to each of them move. "all": every end that moves.
        followers: URDF, MJCF: "move" joints that follow others, such as mimic joints, on the way to
            the tips; "freeze" them where they stand when the joint they follow is at zero.
        strict: refuse masses and inertias that no rigid body can have; False warns instead.
        snap: URDF, MJCF: round angles within 1e-5 rad of right angles to these, and lengths below
            1e-6 m to zero; `Robot.notes` says what was changed. False takes all numbers as written.
        without: URDF, MJCF: links or bodies that are left out with everything they carry, before
            anything is checked: a gripper, a camera.
        waive: checks that only warn: "triangle" (an inertia breaks the triangle inequality), and
            "limits" (limits that exclude each other or are negative are left out).
        packages: xacro, MJCF: folders from which the file may include others, besides its own. For
            xacro, folders of packages or in which packages are; those of the environment's
            ROS_PACKAGE_PATH and AMENT_PREFIX_PATH are searched too.
        arguments: xacro: values of the file's <xacro:arg>, such as ``{"ur_type": "ur5e"}``.
        dtype: the type of numbers that the arm takes, computes with and returns: numpy.float64, or
            numpy.float32 for about twice the speed of batches with about 6 digits; see `Arm`.

    Returns:
        The arm.

    Raises:
        RobotFileError: the file does not describe a serial arm.
        FileError: the file cannot be read.
        MissingExtraError: the format needs an extra that is not installed.

    Examples:
        >>> armdyn.load("puma560")
        <Arm 'puma560', 6 joints>
        >>> armdyn.load("puma560", dtype=np.float32)
        <Arm 'puma560', 6 joints, float32>
    """
    numbers = checked_dtype(dtype)
    try:
        robot = read_robot(
            source, base=base, tip=tip, tips=tips, followers=followers, strict=strict, snap=snap,
            without=without, waive=waive, packages=packages, arguments=arguments,
        )  # fmt: skip
    except RobotFileError:
        from armdyn.log.formats import is_log_path  # loading an arm does without it

        if os.path.exists(path := Path(source)) and is_log_path(path) and not format_read(path):
            raise RobotFileError(
                path,
                "is a log, not a description of an arm. armdyn.Log.read(path) reads it; on the "
                f"command line: armdyn check {path}.",
            ) from None
        raise
    return Arm(robot, dtype=numbers)


def save(
    arm: Arm | Robot,
    path: str | Path,
    *,
    into: str | Path | None = None,
    merge_branches: bool = False,
    packages: Sequence[str | os.PathLike[str]] = (),
    arguments: Mapping[str, object] | None = None,
) -> None:
    """Write an arm as TOML, URDF or MJCF, by the suffix: the whole file, or nothing on failure.

    Args:
        arm: the arm.
        path: of the file to write.
        into: the file that the arm came from. Masses, inertias, friction and rotor inertias that
            have changed are replaced in it; visuals, grippers, comments and all other bytes stay.
            `path` may be the same file. What is written into xacro is the URDF it expands to.
        merge_branches: with `into`, where links of the file, such as a frozen gripper, are part of
            a link of the arm: give all inertia of that link to the one its joint moves, and none
            to the others. Without it the others keep theirs.
        packages: with `into`, as of `load`.
        arguments: with `into`, as of `load`.

    Raises:
        RobotFileError: the suffix is unknown, or `into` does not hold this arm.
        FileError: the file cannot be written.

    Examples:
        >>> armdyn.save(armdyn.load("puma560"), "puma.urdf")
        >>> armdyn.load("puma.urdf").n
        6
    """
    robot = arm.robot if isinstance(arm, Arm) else arm
    write_robot(
        robot, path, into=into, merge_branches=merge_branches, packages=packages,
        arguments=arguments,
    )  # fmt: skip
