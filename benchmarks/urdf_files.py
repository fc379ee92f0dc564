"""Every arm of a folder of URDFs, here and in Pinocchio: mass matrix, bias, gravity, named frames.

    python benchmarks/urdf_files.py [FOLDER] [--tips 4] [--all] [--formats]

Without a folder, the files of the package example-robot-data. For each file arms to several ends of
its tree are read as written (`snap=False`) and snapped, and compared with Pinocchio at random
states. Errors are relative to the largest entry; those of the snapped arm must be within what its
notes state. With `--formats` each arm is also written as URDF, MJCF, URDF, TOML and URDF in turn:
torques must stay, and Pinocchio and MuJoCo agree with each file. Refusals are listed with their
reason.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pinocchio as pin

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from armdyn.algorithms.kinematics import jacobian, pose
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.errors import ArmdynError
from armdyn.programs.arguments import at_frame
from armdyn.robot.chain import Chain, chain_of
from armdyn.robot.formats.bodies import _rest_positions
from armdyn.robot.formats.tree import tree_of
from armdyn.robot.formats.urdf.read import parse_description, parse_urdf
from armdyn.robot.formats.urdf.write import urdf_text
from armdyn.robot.model import Robot
from arms import published
from support.formats_in_turn import in_turn

EXACT = 1e-10
ROUND_TRIP = 1e-12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--tips", type=int, default=4, help="ends of the tree to try")
    parser.add_argument("--all", action="store_true", help="print every arm, not only bad ones")
    parser.add_argument("--formats", action="store_true", help="go through all formats in turn")
    given = parser.parse_args()
    folder = given.folder or published().parent
    keys = ("as written", "snapped", "round trip", "snapped, of what is stated", "formats")
    worst = dict.fromkeys(keys, 0.0)
    count = bad = 0
    refused: Counter[str] = Counter()
    pin.seed(0)
    for path in sorted(folder.rglob("*.urdf")):
        for tip, base, model, rest in arms(path, given.tips, refused):
            try:
                robots = [read(path, base, tip, snap) for snap in (False, True)]
            except ArmdynError as error:
                refused[reason(error)] += 1
                continue
            try:
                found = [errors(robot, model, base, rest) for robot in robots]
            except ValueError as error:  # names that are not unique, in Pinocchio
                refused[f"by Pinocchio: {error}"[:60]] += 1
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                again = parse_urdf(urdf_text(robots[0]), strict=False)
            trip = max(abs_errors(again, robots[0]).values())
            count += 1
            plain, snapped = (max(one.values()) for one in found)
            share = snapped / max(stated(robots[1]), EXACT)
            turned = through_formats(robots[0], refused) if given.formats else 0.0
            for key, value in zip(worst, (plain, snapped, trip, share, turned), strict=True):
                worst[key] = max(worst[key], value)
            wrong = plain > EXACT or max(trip, turned) > ROUND_TRIP or share > 1.0
            bad += wrong
            if wrong or given.all:
                what = max(found[0], key=found[0].__getitem__)
                print(
                    f"{path.name:40} {tip:32} n={robots[0].n:2} as written {found[0][what]:.1e} "
                    f"({what}), snapped {snapped:.1e}, {share:.2g} of what is stated, round trip "
                    f"{trip:.1e}, formats {turned:.1e}"
                )
    print(f"{count} arms, {bad} bad; worst: " + ", ".join(
        f"{key} {value:.1e}" for key, value in worst.items()
    ))  # fmt: skip
    for words, times in refused.most_common():
        print(f"{times:5} refused: {words}")
    sys.exit(1 if bad else 0)


def arms(path: Path, most: int, refused: Counter[str]):
    """Yield tips, bases, Pinocchio's model of a file, and where joints off the arm stand."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            description = parse_description(path.read_bytes(), strict=False)
            tree = tree_of(description)
        except Exception as error:
            refused[reason(error)] += 1
            return
    try:
        model = pin.buildModelFromXML(path.read_text(encoding="utf-8", errors="replace"))
    except Exception as error:
        refused[f"by Pinocchio: {error}"[:100]] += 1
        return
    ends = [link for link in tree.order if not tree.leaving[link]]
    for tip in ends[:: max(1, len(ends) // most)][:most]:
        stops = [j.child for j in tree.above(tip) if j.type in ("floating", "planar")]
        yield tip, stops[-1] if stops else None, model, _rest_positions(description)


def read(path: Path, base: str | None, tip: str, snap: bool) -> Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parse_urdf(path.read_bytes(), base, tip, strict=False, snap=snap)


def through_formats(robot: Robot, refused: Counter[str]) -> float:
    """Return the largest change of torques by all formats in turn; inf if others disagree."""
    try:
        with tempfile.TemporaryDirectory() as folder:
            found = in_turn(robot, Path(folder))
    except ArmdynError as error:  # bodies that cannot exist, which MuJoCo does not take
        refused[f"as MJCF: {reason(error)}"] += 1
        return 0.0
    return found["torques"] if max(found.values()) < EXACT else math.inf


def stated(robot: Robot) -> float:
    """Return the largest difference that the notes of a snapped arm admit."""
    told = [re.search(r"by up to (\S+) of their size; snap", note) for note in robot.notes]
    return max((float(found[1]) for found in told if found), default=0.0)


def reason(error: Exception) -> str:
    words = str(error).split(": ", 1)[-1]
    return " ".join("'...'" if w.startswith("'") else w for w in words.split())[:90]


def errors(
    robot: Robot, model: pin.Model, base: str | None, rest: dict[str, float]
) -> dict[str, float]:
    """Largest relative errors against Pinocchio, joints off the arm at rest."""
    keep = [joint.name for joint in robot.joints]
    neutral = pin.neutral(model)
    for joint, name in zip(model.joints, model.names, strict=True):
        if joint.nq == 1 and rest.get(name):
            neutral[joint.idx_q] = rest[name]
    data = model.createData()
    pin.framesForwardKinematics(model, data, neutral)
    at = pin.SE3.Identity() if base is None else data.oMf[body(model, base)].copy()
    locked = [model.getJointId(name) for name in model.names[1:] if name not in keep]
    if locked:
        model = pin.buildReducedModel(model, locked, neutral)
    assert list(model.names)[1:] == keep
    model.gravity.linear = at.rotation @ np.array(robot.gravity)
    armature = np.array([joint.rotor_inertia for joint in robot.joints])
    model.armature = armature
    data = model.createData()
    chain = chain_of(robot)
    q, qd = np.random.default_rng(robot.n).uniform(-2, 2, (2, robot.n))
    given = configuration(model, q)
    M = np.triu(pin.crba(model, data, given))
    M = M + np.triu(M, 1).T
    zero = np.zeros(robot.n)
    bias = pin.rnea(model, data, given, qd, zero).copy()
    gravity = pin.rnea(model, data, given, zero, zero).copy()
    weight = weights(model, data, given)
    found = {
        "mass matrix": off(mass_matrix(chain, q), M),
        "bias": off(torques(chain, q, qd, zero), bias, weight),
        "gravity": off(torques(chain, q, zero, zero), gravity, weight),
    }
    pin.computeJointJacobians(model, data, given)
    pin.updateFramePlacements(model, data)
    moved = [frame for frame in robot.frames if frame.link]
    rng = np.random.default_rng(robot.n)
    for k in rng.choice(len(moved), min(3, len(moved)), replace=False):
        frame, one = moved[k], at_frame(chain, moved[k])
        ids = [i for i, f in enumerate(model.frames) if f.name == frame.name]
        bodies = [i for i in ids if model.frames[i].type == pin.FrameType.BODY]
        if not ids:
            continue
        i = (bodies or ids)[0]
        T = at.actInv(data.oMf[i]).homogeneous
        J = pin.getFrameJacobian(model, data, i, pin.LOCAL_WORLD_ALIGNED).reshape(6, -1)
        J = np.vstack([at.rotation.T @ J[:3], at.rotation.T @ J[3:]])
        mine = np.array(pose(one, q.tolist(), robot.n + 1), dtype=float)
        found["pose"] = max(found.get("pose", 0.0), off(mine, T))
        mine = np.array(jacobian(one, q.tolist(), robot.n + 1), dtype=float)
        found["Jacobian"] = max(found.get("Jacobian", 0.0), off(mine, J))
    return found


def abs_errors(again: Robot, robot: Robot) -> dict[str, float]:
    """Errors of a robot that was written and read again."""
    q, qd, qdd = np.random.default_rng(robot.n).uniform(-2, 2, (3, robot.n))
    chains = [chain_of(one) for one in (again, robot)]
    tau = [torques(chain, q, qd, qdd) for chain in chains]
    T = [np.array(pose(chain, q.tolist(), robot.n + 1), dtype=float) for chain in chains]
    return {"torque": off(*tau), "pose": off(*T)}


def weights(model: pin.Model, data: pin.Data, q: np.ndarray) -> float:
    """Return the largest torque of gravity in any direction."""
    before, zero = model.gravity.linear.copy(), np.zeros(model.nv)
    largest = 0.0
    for direction in 9.81 * np.eye(3):
        model.gravity.linear = direction
        largest = max(largest, np.abs(pin.rnea(model, data, q, zero, zero)).max())
    model.gravity.linear = before
    return largest


def off(got: np.ndarray, expected: np.ndarray, least: float = 1e-6) -> float:
    size = max(float(np.abs(expected).max(initial=0.0)), least, 1e-6)
    return float(np.abs(got - expected).max(initial=0.0)) / size


def torques(chain: Chain, q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    return np.array(inverse_dynamics(chain, q.tolist(), qd.tolist(), qdd.tolist()), dtype=float)


def mass_matrix(chain: Chain, q: np.ndarray) -> np.ndarray:
    weightless = replace(chain, g=(0.0, 0.0, 0.0))
    zero = np.zeros(chain.n)
    return np.array([torques(weightless, q, zero, row) for row in np.eye(chain.n)])


def body(model: pin.Model, name: str) -> int:
    return model.getFrameId(name, pin.BODY)


def configuration(model: pin.Model, q: np.ndarray) -> np.ndarray:
    values: list[float] = []
    for joint, value in zip(model.joints[1:], q, strict=True):
        values.extend([math.cos(value), math.sin(value)] if joint.nq == 2 else [value])
    return np.array(values)


if __name__ == "__main__":
    main()
