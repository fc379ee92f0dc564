"""Logs of goals and positions, checked; their columns in the order of the arm."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from inspect import Signature
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.checks import checked_choice
from armdyn.errors import InputError
from armdyn.log.goals import copied_positions, goal_match
from armdyn.log.log import Log
from armdyn.log.rows import is_in_file
from armdyn.log.segments import segments
from armdyn.servo.rows import Flags

# A joint follows its command if they correlate at least so well, and the slope of its position on
# the command is 1 to this tolerance. Soft servos droop with the position: slopes of 0.87 to 1.21
# occur in small motions of `benchmarks/servo.py`.
LEAST_CORRELATION, SLOPE_TOLERANCE = 0.8, 0.5

# What torques are inferred from.
SIGNALS = ("auto", "torque", "current", "command")


def what_to_record(arm: Arm) -> str:
    """Return which motion weighs an arm, as a sentence with the command that computes it."""
    return (
        "Record 24 poses off the joint limits, each reached slowly from both sides: "
        f"armdyn excite {shlex.quote(arm.name)} --static -o poses.csv."
    )


# When a position is that is a copy of the command, by `copied_positions`.
LATER = ("of the same sample", "of the next sample", "two samples later", "three samples later")

# Arguments that apply to torques and currents only, and to commands only.
TORQUE_ONLY = (
    "friction", "rotor", "physical", "holdout", "test", "cutoff", "decimate", "dead_band",
    "weights", "prior", "robust", "extra", "coupling", "trim", "delay", "tilt", "gain",
    "torque_unit", "ignore_torque",
)  # fmt: skip
COMMAND_ONLY = ("kp", "servo", "hung", "hung_mass", "hung_at", "order")


def by_command(logs: Sequence[object], arguments: Mapping[str, Any], identify: Signature) -> bool:
    """Return whether logs are to be weighed by servo errors.

    Args:
        logs: the logs.
        arguments: of `identify`; `signal` is "auto", "torque", "current" or "command".
        identify: the signature of `identify`.

    Raises:
        InputError: `signal` is none of these, or an argument is one of the other signals.
    """
    signal = checked_choice(arguments["signal"], "signal", SIGNALS, error=InputError)

    def first_of(names: Sequence[str]) -> str | None:
        for name in names:
            value, default = arguments[name], identify.parameters[name].default
            same = isinstance(value, float | str | tuple) and value == default
            if value is not default and not same:
                return name
        return None

    servos = first_of(COMMAND_ONLY)
    weighed = signal == "command" or (
        signal == "auto"
        and all(isinstance(x, Log) and x.tau is None for x in logs)
        and (servos is not None or all(isinstance(x, Log) and x.q_cmd is not None for x in logs))
    )
    other, why = servos, 'commands of position servos: add signal="command"'
    if weighed:
        other = first_of(TORQUE_ONLY)
        why = 'torques or currents; with signal="command", leave it out'
    if other is not None:
        raise InputError(f"`{other}` is for {why}.", argument=other)
    return weighed


def _follows(log: Log) -> Flags:
    """Return which joints follow their own command, or cannot be judged ``(n,)``."""
    match = goal_match(log)
    if match.width != log.n:
        return np.zeros(log.n, dtype=np.bool_)
    own = match.column == np.arange(log.n)
    slope = np.abs(match.slope - 1.0) <= SLOPE_TOLERANCE
    return (own & slope & (match.correlation >= LEAST_CORRELATION)) | ~match.judged


def checked_order(arm: Arm, order: Sequence[int] | None) -> tuple[int, ...]:
    """Return the column that holds each joint."""
    source = tuple(range(arm.n)) if order is None else tuple(order)
    if sorted(source) != list(range(arm.n)):
        named = ", ".join(arm.joint_names[j] for j in source)
        raise InputError(
            f"`order` has the columns {named}; expected each of {', '.join(arm.joint_names)} once.",
            argument="order",
        )
    return source


def checked_servo_logs(
    arm: Arm, logs: Log | Sequence[Log], name: str, flip: Sequence[int], source: tuple[int, ...]
) -> list[Log]:
    """Return logs whose commands are the goals of the joints, in their order and with their signs.

    Args:
        arm: whose joints they are.
        logs: to check.
        name: of the argument.
        flip: joints whose signs are turned.
        source: column that holds each joint.
    """
    made, record = list[Log](), what_to_record(arm)
    sign = np.ones(arm.n)
    sign[list(flip)] = -1.0
    for log in [logs] if isinstance(logs, Log) else logs:
        where = f" of {log.source}" if log.source else ""
        if log.n != arm.n:
            raise InputError(f"the log{where} has {log.n} joints, {arm.name} {arm.n}.",
                             argument=name)  # fmt: skip
        moved = log.joint_names != arm.joint_names
        if moved and sorted(log.joint_names) == sorted(arm.joint_names):
            raise InputError(
                f"the log{where} has the joints of {arm.name} in another order: "
                f"{', '.join(log.joint_names)}. Read it by Log.read(path, joints=arm).",
                argument=name,
            )
        if is_in_file(log.q):
            raise InputError(
                f"the log{where} has {len(log)} samples, too many for servo errors. Give some of "
                "its episodes.", argument=name,
            )  # fmt: skip
        if log.q_cmd is None:
            raise InputError(
                f"the log{where} has no commanded positions (`q_cmd`), and servo errors need them. "
                "Record the goals that are sent to the servos, such as LeRobot's `action`. "
                f"{record}",
                argument=name,
            )
        later = copied_positions(log)
        if later is not None:
            raise InputError(
                f"the command{where} is a copy of the position {LATER[later]}, not the goal that "
                f"the servos received: it leaves no servo error. {record}",
                argument=name,
            )
        follows = _follows(log)
        if not follows.all():
            match = goal_match(log)
            wrong = "; ".join(f"{arm.joint_names[j]}: {match.why(j)}"
                              for j in np.flatnonzero(~follows).tolist())  # fmt: skip
            raise InputError(
                f"the command is not the goal of these joints: {wrong}. {record}", argument=name
            )
        parts = [slice(part.start, part.stop) for part in segments(log)]
        q, goals = (x[:, list(source)] * sign for x in (log.q, log.q_cmd))
        made.append(replace(log, q=q, q_cmd=goals, episodes=parts))
    if not made:
        raise InputError(f"`{name}` is empty.", argument=name)
    return made
