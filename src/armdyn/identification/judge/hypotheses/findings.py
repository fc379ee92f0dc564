"""Findings in words: what explains the data better, and the option that mends it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.identification.judge.hypotheses.exchange import Exchange
from armdyn.identification.judge.hypotheses.tests import Tested
from armdyn.identification.judge.judgement import Finding
from armdyn.robot.joint import Joint

# A gain near -1 is a wrong sign.
FLIPPED = -0.5

# The errors fall to this share if a joint's torque has its right sign.
MOST_EXPLAINED = 0.5

# Scales of a joint's torque beyond these say that something else is wrong.
SCALES = (0.2, 5.0)


def believable(tested: Tested, braking: Sequence[bool]) -> bool:
    """Whether it can be what it says: a scale of torques that no unit or gear has is none.

    Torques of the wrong sign have friction of the wrong sign, too: `braking` says of which joints
    friction clearly brakes. But where the other sign explains most of the errors, friction was
    fitted to something else.
    """
    if tested.hypothesis.kind != "gain":
        return True
    scale = 1.0 + float(tested.coefficients[0])
    much = tested.after < MOST_EXPLAINED * tested.before
    flipped = scale < FLIPPED and (much or not braking[tested.hypothesis.joint])
    return flipped or SCALES[0] < scale < SCALES[1]


def finding_of(tested: Tested, joints: Sequence[Joint]) -> Finding:
    """Return a hypothesis that holds as a finding."""
    kind, what, option = _said(tested, joints)
    j = tested.hypothesis.joint
    other = tested.hypothesis.terms[0].other
    about = () if j < 0 else (j + 1, other + 1) if kind == "coupling" else (j + 1,)
    return Finding(kind, what, tested.before, tested.after, option, about)


def exchanged(what: Exchange, before: float, after: float, joints: Sequence[Joint]) -> Finding:
    """Return exchanged torques as a finding."""
    if what.swapped:
        at = [j + 1 for j in what.swapped]
        names = " and ".join(joints[j].name for j in what.swapped)
        return Finding(
            "swap", f"the torques of {names} are exchanged", before, after,
            f"--columns tau=... with {' and '.join(f'tau{j}' for j in at)} exchanged", tuple(at),
        )  # fmt: skip
    at = [j + 1 for j in what.flipped]
    names = ", ".join(joints[j].name for j in what.flipped)
    return Finding(
        "sign", f"the torque of {names} has the wrong sign", before, after,
        f"--flip {','.join(map(str, at))}", tuple(at),
    )  # fmt: skip


def _said(tested: Tested, joints: Sequence[Joint]) -> tuple[str, str, str]:
    """Return the kind, the sentence and the option."""
    what, c = tested.hypothesis, tested.coefficients
    name = joints[what.joint].name if what.joint >= 0 else ""
    first = float(c[0])
    match what.kind:
        case "tilt":
            angle = float(np.degrees(np.linalg.norm(c)))
            return (
                "tilt",
                f"gravity points {angle:.2g} degrees away from the described direction",
                "gravity in the robot file",
            )
        case "delay":
            return "delay", f"torques come {1e3 * first:.2g} ms late", f"--delay {first:.2g}"
        case "elastic":
            return (
                "elasticity",
                f"joints yield by {1e3 * first:.2g} mrad for 1 N m",
                "--cutoff with a lower frequency, or slower motions",
            )
        case "gain" if 1.0 + first < FLIPPED:
            return (
                "sign",
                f"the torque of {name} has the wrong sign",
                f"--flip {what.joint + 1}",
            )
        case "gain":
            return (
                "scale",
                f"the torque of {name} is {1.0 + first:.3g} times what the other joints say",
                f"--units tau{what.joint + 1}=... or --gear, or `armdyn gains`",
            )
        case "coupling":
            other = joints[what.terms[0].other].name
            return (
                "coupling",
                f"the torque of {name} contains {first:.3g} times that of {other}",
                "--coupling FILE",
            )
        case "spring":
            return (
                "spring",
                f"a spring of {first:.3g} N m/rad acts on {name}",
                "--extra FILE with the position as a column",
            )
        case "position":
            return (
                "position",
                f"a torque that changes with twice the angle acts on {name}",
                "--extra FILE with sin 2q and cos 2q",
            )
        case "position friction":
            return (
                "position friction",
                f"friction of {name} changes with its position",
                "--extra FILE with sin q sign v and cos q sign v",
            )
        case "rotor":
            return "rotor", f"{name} has a rotor of {first:.3g} kg m^2", "--rotor"
        case kind:
            words = {"root": "root", "stribeck": "Stribeck", "load": "load-dependent"}
            if kind in words:
                said = f"friction of {name} has a {words[kind]} part"
                return f"{kind} friction", said, "--friction auto"
            return (
                "speed",
                f"friction of {name} is more curved in speed than the model's",
                "--friction auto, or --extra FILE",
            )
