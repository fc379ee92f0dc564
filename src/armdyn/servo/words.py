"""A result of `weigh` in words: table, verdict, data, and the command that should come next."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from armdyn.present.tables import Grid
from armdyn.servo.verdict import why

if TYPE_CHECKING:
    from armdyn.servo.result import ServoResult

# Verdicts in words.
HEADS = {"passed": "passed", "usable": "usable", "not passed": "failed validation"}

# What fixes N m, in words.
SCALES = {
    "mass": "the hung mass",
    "kp": "the stated kp",
    "servo": "the described masses and the servo's nominal stiffness",
    "description": "the described masses alone",
}


@dataclass(frozen=True)
class Call:
    """How an arm was weighed: logs and options of `armdyn identify`.

    Attributes:
        logs: their files; `hung`: those with the known mass.
        mass: that hangs [kg], `at`: where, in the tip frame [m].
        kp: stated stiffness of every joint [N m/rad].
        servo: type of the servos.
        order: column that holds each joint, from 0.
        flip: joints whose positions are turned, from 0.
    """

    logs: tuple[str, ...]
    hung: tuple[str, ...]
    mass: float | None
    at: tuple[float, ...] | None
    kp: tuple[float, ...] | None
    servo: str | None
    order: tuple[int, ...]
    flip: tuple[int, ...]

    def read_as(self, joints: Sequence[int], source: Sequence[int]) -> Call:
        """Return the call that turns the signs of joints and takes columns as `source` has them.

        Args:
            joints: whose signs are turned, from 0.
            source: the joint of this call whose column holds each joint.
        """
        turned = {j for j, column in enumerate(source) if column in self.flip} ^ set(joints)
        order = tuple(self.order[column] for column in source)
        return replace(self, order=order, flip=tuple(sorted(turned)))

    def words(self, robot: str, names: Sequence[str], out: str = "out") -> str:
        """Return the command.

        Args:
            robot: its file or name and its options, as on the command line.
            names: of the joints.
            out: folder of the results.
        """
        parts = ["armdyn identify", robot, *map(shlex.quote, self.logs)]
        parts.append("--signal command")
        if self.order != tuple(range(len(names))):
            parts.append(f"--order {','.join(names[j] for j in self.order)}")
        if self.flip:
            parts.append(f"--flip {','.join(names[j] for j in self.flip)}")
        if self.servo is not None:
            parts.append(f"--servo {self.servo}")
        if self.kp is not None:
            parts.append(f"--kp {','.join(f'{k:g}' for k in self.kp)}")
        if self.hung and self.mass is not None:
            place = "" if self.at is None else f" --at {','.join(f'{x:g}' for x in self.at)}"
            parts.append(f"--hung {shlex.quote(self.hung[0])} --mass {self.mass:g}{place}")
        return " ".join([*filter(None, parts), f"-o {shlex.quote(out)}"])


def next_command(result: ServoResult, robot: str = "", out: str = "out") -> str:
    """Return the command that should come next: the remedy, a better log, or the model's use.

    Args:
        result: of `weigh`.
        robot: its file or name and its options, as on the command line; its name if left out.
        out: folder of the results.
    """
    robot = robot or shlex.quote(result.described.name)
    names, call, cause = result.described.joint_names, result.call, result.cause
    same = tuple(range(len(names)))
    if cause is not None and cause.kind == "sign":
        turned = [j - 1 for j in cause.joints]
        return call.read_as(turned, same).words(robot, names, out)
    if cause is not None and cause.kind == "order":
        numbers = [int(value) - 1 for value in cause.values[1:]]
        source, turned = numbers[: len(names)], numbers[len(names) :]
        return call.read_as(turned, source).words(robot, names, out)
    if not result.passed:
        return f"armdyn excite {robot} --static -o poses.csv"
    if result.scale in ("mass", "kp"):
        model = shlex.quote(f"{out}/identified.toml")
        return f"armdyn page {model} {' '.join(map(shlex.quote, call.logs))} -o arm.html"
    heavy = replace(call, hung=("HUNG_LOG",), mass=0.1, at=None)
    return heavy.words(robot, names, out)


def scale_words(result: ServoResult) -> str:
    """Return what fixes N m, and how well."""
    by, std = SCALES[result.scale], result.scale_std
    return f"Torques and masses are scaled by {by}, ±{std:.0%}; droop needs no scale."


def joint_table(result: ServoResult) -> Grid:
    """Return a row per joint: friction, lag, stiffness, errors and verdict."""
    star = "" if result.scale in ("mass", "kp") else "*"
    std, evidence = result.stiffness_std, result.evidence
    rows = list[tuple[str, ...]]()
    for j, name in enumerate(result.described.joint_names):
        loaded = bool(evidence.loaded[j])
        reason = why(evidence, j)
        held, bar = float(evidence.held_out[j]), float(result.droop_error[j])
        rows.append((
            name, f"{math.degrees(result.friction_angle[j]):.1f}", f"{result.lag[j]:.2f}",
            f"{result.stiffness[j]:.3g}{star} ± {std[j]:.2g}" if loaded else "-",
            f"{held:.1%}" if loaded and math.isfinite(held) else "-",
            f"{bar:.1%}" if loaded and math.isfinite(bar) else "-",
            HEADS[result.verdicts[j]] + (f": {reason}" if reason else ""),
        ))  # fmt: skip
    heads = ("joint", "friction [°]", "lag [s]", "stiffness [N m/rad]", "held out",
             "error bar", "verdict")  # fmt: skip
    return Grid(f"Servos of {result.described.name}", heads, 1, tuple(rows), words_after=1)


def replay_table(result: ServoResult) -> Grid | None:
    """Return the position errors of a replay of left-out episodes; None without one."""
    if result.replay is None:
        return None
    errors = {name: np.degrees(one) for name, one in result.replay.errors.items()}
    rows = [
        (name, *(f"{one[j]:.2f}" for one in errors.values()))
        for j, name in enumerate(result.described.joint_names)
    ]
    heads = ("joint", "ideal servos [°]", "described, nominal servos [°]", "identified [°]")
    return Grid("Replay of left-out episodes: rms error of positions", heads, 1, tuple(rows))


def verdict_lines(result: ServoResult, robot: str = "", out: str = "out") -> list[str]:
    """Return the verdict as lines: what it is, why, what to do next; then what limits it.

    Args:
        result: of `weigh`.
        robot: its file or name and its options, as on the command line; its name if left out.
        out: folder of the results.
    """
    worst = float(np.max(result.evidence.measure[result.evidence.loaded], initial=0.0))
    lines = [f"{HEADS[result.verdict]}: droop error up to {worst:.0%} of gravity."]
    if result.cause is not None:
        lines.append(f"most likely cause: {result.cause.what} ({result.cause.option})")
    command = next_command(result, robot, out)
    return [*lines, f"next: {command}", scale_words(result), *result.notes]


def plain_data(result: ServoResult) -> dict[str, Any]:
    """Return a result as plain data for JSON: droops first, N m with their scale."""
    q = np.zeros((1, result.described.n))
    columns = {
        "compliance": result.values.compliance, "stiffness": result.stiffness,
        "stiffness_std": result.stiffness_std, "lag": result.lag,
        "friction_angle": result.friction_angle, "load_friction": result.values.load,
        "bias": result.values.bias, "droop_at_zero": result.droop(q)[0],
        "droop_error": result.droop_error, "held_out": result.evidence.held_out,
        "rows": result.evidence.rows,
    }  # fmt: skip
    joints = [
        {
            "name": name, "verdict": result.verdicts[j], "why": why(result.evidence, j),
            **{key: _number(array[j]) for key, array in columns.items()},
        }
        for j, name in enumerate(result.described.joint_names)
    ]  # fmt: skip
    return {
        "robot": result.described.name,
        "signal": "command",
        "verdict": result.verdict,
        "verdicts": list(result.verdicts),
        "cause": None if result.cause is None else result.cause.to_dict(),
        "findings": [finding.to_dict() for finding in result.findings],
        "next_command": result.next_command,
        "scale": {"by": result.scale, "std": _number(result.scale_std)},
        "tilt": result.values.tilt.tolist(),
        "joints": joints,
        "notes": list(result.notes),
    }


def _number(x: float) -> float | None:
    return float(x) if math.isfinite(x) else None
