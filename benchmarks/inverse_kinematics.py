"""All branches of inverse kinematics: errors, originals found, counts and times of some arms.

    python benchmarks/inverse_kinematics.py --states 100000
    python benchmarks/inverse_kinematics.py --degenerate
    python benchmarks/inverse_kinematics.py --special 1000000
    python benchmarks/inverse_kinematics.py --reach FOLDER
    python benchmarks/inverse_kinematics.py --generic 300

With EAIK installed (`pip install armdyn[bench]`), its time for a pose, called from Python one by
one and in a batch, and whether its solutions are the same are printed too. Times are those of the
processor in this process, one thread each, in turns in one run; the least counts.

`--degenerate` takes 4096 states with all joints at right angles, and states very near to them.
`--special` takes poses at multiples of 15 degrees, and near to them, of all bundled arms with a
closed form; with limits, only states within them.
`--reach` takes a folder of robot descriptions and asks for 1000 random reachable poses of each arm;
of trees, every chain of five joints or more between two links where branches leave. `--generic`
takes random arms of six joints without a closed form, one pose each.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import armdyn
from armdyn.kinematics.families import closed_form
from armdyn.robot.chain import chain_of
from peers.eaik import EAIK
from timing import Job, best_times

GIVEN = 0.4
# Poses in a batch of an arm without a closed form.
TOGETHER = 64
# Chains of trees with fewer joints are fingers, heads and the legs of small animals.
LEAST_JOINTS = 5
RIGHT = np.pi / 2
# How far poses are from multiples of 15 degrees [rad].
NEAR = (0.0, 1e-5, 1e-7, 1e-9)


def wrist(*rows: tuple[float, float, float], twists: tuple[float, float] = (-RIGHT, RIGHT)) -> Any:
    """An arm whose last three axes meet: beta, b, d of joints 1 to 4, twists of 5 and 6."""
    joints = [armdyn.Joint(beta=beta, b=b, d=d) for beta, b, d in rows]
    joints += [armdyn.Joint(beta=twists[0]), armdyn.Joint(beta=twists[1], d=0.1)]
    return armdyn.Arm(armdyn.Robot(joints))


def elbow_arm() -> Any:
    """A shoulder, an elbow and a wrist: the geometry of a KUKA LWR."""
    lengths = (0.31, 0.0, 0.4, 0.0, 0.39, 0.0, 0.078)
    twists = (0.0, -RIGHT, RIGHT, RIGHT, -RIGHT, -RIGHT, RIGHT)
    return armdyn.Arm(
        armdyn.Robot([armdyn.Joint(beta=t, d=d) for t, d in zip(twists, lengths, strict=True)])
    )


SIXTY, SEVENTY_FIVE = np.radians([60.0, 75.0])
LAST = (-1.2, 0.1, 0.4)
ARMS: dict[str, Callable[[], Any]] = {
    "ur5": lambda: armdyn.load("ur5"),
    "puma560": lambda: armdyn.load("puma560"),
    "kinova": lambda: armdyn.load("kinova"),
    "offset shoulder": lambda: wrist(
        (0.0, 0.0, 0.5), (-RIGHT, 0.175, 0.0), (0.0, 0.9, 0.0), (-RIGHT, 0.175, 0.96)
    ),
    "1 meets 2": lambda: wrist((0.2, 0.1, 0.4), (1.1, 0.0, 0.1), (0.7, 0.5, 0.2), LAST),
    "2 meets 3": lambda: wrist((0.2, 0.1, 0.4), (1.1, 0.3, 0.1), (0.7, 0.0, 0.2), LAST),
    "1 parallel 2": lambda: wrist((0.0, 0.1, 0.4), (0.0, 0.5, 0.1), (0.7, 0.2, 0.2), LAST),
    "skew wrist": lambda: wrist(
        (0.0, 0.0, 0.5), (-RIGHT, 0.175, 0.0), (0.0, 0.9, 0.0), (-RIGHT, 0.175, 0.96),
        twists=(-SIXTY, SEVENTY_FIVE),
    ),
    "skew axes": lambda: wrist((0.2, 0.1, 0.4), (1.1, 0.3, 0.1), (0.7, 0.5, 0.2), LAST),
    "so101": lambda: armdyn.load("so101"),
    "panda": lambda: armdyn.load("panda"),
    "xarm7": lambda: armdyn.load("xarm7"),
    "lwr": elbow_arm,
    "lwr by swivel angle": elbow_arm,
    "stanford": lambda: armdyn.load("stanford"),
    "scara": lambda: armdyn.load("scara"),
}  # fmt: skip


def states(arm: armdyn.Arm, count: int) -> np.ndarray:
    """Random positions: any turn, and slides of 0.2 m to 0.9 m."""
    turns = [joint.is_revolute for joint in arm.robot.joints]
    low, high = np.where(turns, -np.pi, 0.2), np.where(turns, np.pi, 0.9)
    return np.random.default_rng(0).uniform(low, high, (count, arm.n))


def wrapped(away: np.ndarray) -> np.ndarray:
    """Differences of angles, whole turns aside."""
    return (away + np.pi) % (2 * np.pi) - np.pi


def swivel(arm: armdyn.Arm, q: np.ndarray) -> np.ndarray:
    """Swivel angles of an arm with a shoulder, an elbow and a wrist."""
    S, E, W = (arm.pose(q, frame)[..., :3, 3] for frame in (2, 4, 6))
    n = (W - S) / np.linalg.norm(W - S, axis=-1, keepdims=True)
    e2 = np.cross([0.0, 0.0, 1.0], n)
    e2 /= np.linalg.norm(e2, axis=-1, keepdims=True)
    return np.arctan2(((E - S) * e2).sum(axis=-1), ((E - S) * np.cross(e2, n)).sum(axis=-1))


def peer(arm: armdyn.Arm, locked: tuple[int, float] | None) -> Any:
    """The same arm in EAIK; None if it cannot be."""
    try:
        return EAIK().arm(arm, locked)
    except armdyn.ArmdynError:
        return None


def table(names: list[str], count: int, n_compared: int) -> None:
    """Print errors, originals, counts and times."""
    for name in names:
        arm = ARMS[name]()
        form = closed_form(chain_of(arm.robot))
        assert form is not None
        q = states(arm, count)
        given: dict[str, Any] = {}
        if name.endswith("swivel angle"):
            given = {"swivel": swivel(arm, q)}
        elif form.given is not None:
            q[:, form.given] = GIVEN
            given = {"redundancy": GIVEN}
        poses = arm.pose(q)

        def ours(arm: Any = arm, poses: Any = poses, given: Any = given, out: Any = None) -> Any:
            return arm.inverse_kinematics_all(poses, limits=False, out=out, **given)

        found = ours()
        error = np.abs(arm.pose(found.q) - poses[:, None]).max(axis=(-1, -2))[found.valid].max()
        turns = np.array([joint.is_revolute for joint in arm.robot.joints])
        away = found.q - q[:, None]
        away = np.abs(np.where(turns, wrapped(away), away)).max(axis=-1)
        original = np.where(found.valid, away, np.inf).min(axis=-1)
        counts, times = np.unique(found.valid.sum(axis=-1), return_counts=True)
        listed = ", ".join(f"{c}: {t}" for c, t in zip(counts, times, strict=True))
        few = poses[:n_compared]
        other = peer(arm, None if form.given is None else (form.given, GIVEN))
        if name.endswith("swivel angle"):
            other = None
        calls: list[Callable[[], Any]] = [ours, lambda ours=ours, found=found: ours(out=found)]
        if other is not None:
            given_few = other.seen(few)
            calls += [
                lambda other=other, few=given_few: other.one_by_one(few),
                lambda other=other, few=given_few: other.batch(few),
            ]
        jobs = {str(k): Job(call, ()) for k, call in enumerate(calls)}
        new, again, *theirs = best_times(jobs, 0.0, 5, time.process_time).values()
        print(
            f"{name} ({form.words}): error {error:.1e}, original within {original.max():.1e} "
            f"({int((original > 1e-5).sum())} not within 1e-5), branches {listed}; "
            f"{new / count * 1e9:.0f} ns a pose, {again / count * 1e9:.0f} ns with `out`",
            flush=True,
        )
        if other is None:
            continue
        each, batched = (x / len(few) for x in theirs)
        ratio = min(each, batched) * count
        same = other.same_sets(few, found)
        print(
            f"    EAIK {each * 1e6:.1f} us a pose, in a batch {batched * 1e6:.1f} us: the better "
            f"is {ratio / new:.0f} times, {ratio / again:.0f} times ours with `out`; "
            f"same sets {same} of {len(few)}",
            flush=True,
        )


def degenerate(names: list[str]) -> None:
    """Print how states at right angles, and near to them, are solved."""
    for name in names:
        arm = ARMS[name]()
        form = closed_form(chain_of(arm.robot))
        assert form is not None
        if arm.n < 6 or not all(joint.is_revolute for joint in arm.robot.joints):
            continue
        free = [k for k in range(arm.n) if k != form.given][:6]
        right = np.zeros((4**6, arm.n))
        right[:, free] = list(product((0.0, RIGHT, np.pi, -RIGHT), repeat=6))
        for away in (0.0, 1e-12, 1e-9, 1e-6, 1e-3):
            q = right + away * np.arange(1, arm.n + 1)
            poses = arm.pose(q)
            given = {} if form.given is None else {"redundancy": q[:, form.given]}
            found = arm.inverse_kinematics_all(poses, limits=False, **given)
            error = np.abs(arm.pose(found.q) - poses[:, None]).max(axis=(-1, -2))
            print(
                f"{name}, {away:g} away: finite {bool(np.isfinite(found.q).all())}, not solved "
                f"{int((~found.valid.any(axis=-1)).sum())} of {len(q)}, largest error of a valid "
                f"branch {error[found.valid].max(initial=0.0):.1e}",
                flush=True,
            )


def special(count: int) -> None:
    """Print how many poses at multiples of 15 degrees have no branch, for all bundled arms."""
    names = [name for name in armdyn.robots() if closed_form(chain_of(armdyn.load(name).robot))]
    each, step = -(-count // len(names)), np.pi / 12
    total = dict.fromkeys(product((False, True), NEAR), 0)
    for name in names:
        arm = armdyn.load(name)
        form = closed_form(chain_of(arm.robot))
        assert form is not None
        joints = arm.robot.joints
        turns = np.array([joint.is_revolute for joint in joints])
        low = np.array([max(j.lower, -np.pi if j.is_revolute else 0.0) for j in joints])
        high = np.array([min(j.upper, np.pi if j.is_revolute else 1.0) for j in joints])
        worst, rng = 0.0, np.random.default_rng(0)
        for limits, near in total:
            a, b = np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9)
            a, b = (np.where(turns, a, 0), np.where(turns, b, 0)) if limits else (-11, 12)
            angles = rng.integers(a, np.add(b, 1), (each, arm.n)) * step
            q = np.where(turns, angles, rng.uniform(low, high, (each, arm.n)))
            q += near * rng.choice([-1.0, 1.0], q.shape)
            q = np.clip(q, low, high) if limits else q
            poses = arm.pose(q)
            given = {} if form.given is None else {"redundancy": q[:, form.given]}
            found = arm.inverse_kinematics_all(poses, limits=limits, **given)
            total[limits, near] += int((~found.valid.any(axis=-1)).sum())
            for k in range(0, each, 10_000):
                part = slice(k, k + 10_000)
                error = np.abs(arm.pose(found.q[part]) - poses[part, None]).max(axis=(-1, -2))
                worst = max(worst, error[found.valid[part]].max(initial=0.0))
        print(f"{name}: {each} poses each, largest error of a valid branch {worst:.1e}", flush=True)
    for (limits, near), missed in total.items():
        within = "within the limits" if limits else "anywhere"
        print(f"{within}, {near:g} away: no branch for {missed} of {each * len(names)} poses")


def arms_of(path: Path) -> list[tuple[str, str]]:
    """Base and tip of the arms in a URDF file with many branches, of `LEAST_JOINTS` or more.

    An arm begins at a link from which several moving branches leave, and ends before the next.
    """
    moving, after = set[str](), dict[str, list[str]]()
    for joint in ElementTree.parse(path).getroot().findall("joint"):
        parent, child = (joint.find(x).get("link") for x in ("parent", "child"))  # type: ignore
        after.setdefault(parent, []).append(child)
        if joint.get("type") != "fixed":
            moving.add(child)

    def moves(link: str) -> bool:
        return link in moving or any(map(moves, after.get(link, ())))

    found: list[tuple[str, str]] = []
    children = {x for listed in after.values() for x in listed}
    open_ends = [(root, root, root, 0) for root in after if root not in children]
    while open_ends:
        base, link, tip, count = open_ends.pop()
        ways = [x for x in after.get(link, ()) if moves(x)]
        if len(ways) == 1:
            step = ways[0] in moving
            open_ends.append((base, ways[0], ways[0] if step else tip, count + step))
            continue
        if count >= LEAST_JOINTS:
            found.append((base, tip))
        open_ends += [(link, x, x, int(x in moving)) for x in ways]
    return sorted(found)


def generic(count: int) -> None:
    """Print how arms of six random turning joints are solved, one random pose of each."""
    rng = np.random.default_rng(0)
    found_original = solutions = odd = untold = skipped = 0
    worst, times, batched = 0.0, list[float](), list[float]()
    for _ in range(count):
        rows = rng.uniform([-np.pi, -0.5, -0.5], [np.pi, 0.5, 0.5], (6, 3)).tolist()
        arm = armdyn.Arm(armdyn.Robot([armdyn.Joint(beta=t, b=b, d=d) for t, b, d in rows]))
        q = rng.uniform(-np.pi, np.pi, 6)
        if arm.closed_form != "generic":
            skipped += 1
            continue
        pose = arm.pose(q)
        arm.inverse_kinematics_all(pose, limits=False)  # the first call chooses walks
        begin = time.process_time()
        found = arm.inverse_kinematics_all(pose, limits=False)
        times.append(time.process_time() - begin)
        many = arm.pose(rng.uniform(-np.pi, np.pi, (TOGETHER, 6)))
        begin = time.process_time()
        arm.inverse_kinematics_all(many, limits=False)
        batched.append((time.process_time() - begin) / TOGETHER)
        number = int(found.valid.sum())
        error = np.abs(arm.pose(found.q[found.valid]) - pose).max(initial=0.0)
        worst = max(worst, float(error))
        away = np.abs(wrapped(found.q[found.valid] - q)).max(axis=-1).min(initial=np.inf)
        found_original += bool(away < 1e-6)
        solutions += number
        odd += number % 2
        untold += number % 2 and bool(found.complete)
    print(
        f"{count} random arms of six turning joints, {skipped} of them not generic: original found "
        f"{found_original} times, {solutions} solutions, largest error {worst:.1e}; odd counts "
        f"{odd}, of which {untold} are not told; {1e3 * np.median(times):.1f} ms a pose (median), "
        f"{1e3 * max(times):.1f} ms (most); in batches of {TOGETHER} "
        f"{1e3 * np.median(batched):.2f} ms"
    )


def reach(folder: Path, count: int) -> None:
    """Print how many random reachable poses of each arm in a folder are reached."""
    for path in sorted(folder.rglob("*.urdf")):
        try:
            arm = armdyn.load(path, strict=False)
            print(f"{path.name}: {reached(arm, count)}", flush=True)
        except armdyn.ArmdynError as error:
            if "several moving branches" not in str(error):
                print(f"{path.name}: {str(error).removeprefix(str(path))[:150]}", flush=True)
                continue
        else:
            if arm.n >= LEAST_JOINTS:
                continue
        for base, tip in arms_of(path):
            try:
                arm = armdyn.load(path, base=base, tip=tip, strict=False)
            except armdyn.ArmdynError as error:
                print(f"{path.name}, {base} to {tip}: {str(error)[:250]}", flush=True)
                continue
            print(f"{path.name}, {base} to {tip}: {reached(arm, count)}", flush=True)


def reached(arm: armdyn.Arm, count: int) -> str:
    """Return how many random reachable poses are reached within the limits, and the time."""
    joints = arm.robot.joints
    low = np.array([max(j.lower, -np.pi if j.is_revolute else -0.5) for j in joints])
    high = np.array([min(j.upper, np.pi if j.is_revolute else 0.5) for j in joints])
    q = np.random.default_rng(1).uniform(low, np.maximum(low, high), (count, arm.n))
    poses = arm.pose(q)
    begin = time.process_time()
    found = arm.inverse_kinematics(poses, unreached="nan")
    used = (time.process_time() - begin) / count
    error = np.abs(arm.pose(np.nan_to_num(found)) - poses).max(axis=(-1, -2))
    good = np.isfinite(found).all(axis=-1) & (error < 1e-6)
    return (
        f"{arm.n} joints, {arm.closed_form}: {int(good.sum())} of {count} reached, "
        f"{used * 1e3:.2f} ms a pose"
    )


def main() -> None:
    """Print the tables that are asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--compared", type=int, default=3000)
    parser.add_argument("--arms", nargs="+", default=list(ARMS), metavar="ARM")
    parser.add_argument("--degenerate", action="store_true")
    parser.add_argument("--special", type=int, metavar="POSES")
    parser.add_argument("--reach", type=Path, metavar="FOLDER")
    parser.add_argument("--poses", type=int, default=1000)
    parser.add_argument("--generic", type=int, metavar="ARMS")
    options = parser.parse_args()
    os.environ["ARMDYN_THREADS"] = "1"
    if options.special:
        special(options.special)
    elif options.generic:
        generic(options.generic)
    elif options.reach:
        reach(options.reach, options.poses)
    elif options.degenerate:
        degenerate(options.arms)
    else:
        table(options.arms, options.states, options.compared)


if __name__ == "__main__":
    main()
