"""The command that weighed an arm, and the command that should come next."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armdyn.servo.result import ServoResult


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
