"""Time-optimal motions against toppra and IPOPT: durations, limits at 1 kHz, and times.

    python benchmarks/time_optimal.py [toppra] [nlp] [limits] [speed] [--paths 20] [--nodes 100]

Paths are natural cubic splines through five random way-points, +-1 rad about a middle position.
The friction is invented, of the size of published values. IPOPT comes with CasADi; both solve the
same nodes with the limits at both ends of every piece.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace

import numpy as np

import armdyn
from armdyn import Arm
from armdyn.motion.limits import limits_of
from armdyn.motion.optimal import time_optimal
from armdyn.motion.passes import two_pass_law
from armdyn.motion.paths import splines
from armdyn.motion.planning import Tight
from armdyn.motion.problem import Problem
from peers.toppra import Toppra, duration

VISCOUS = {"ur5": [12, 12, 9, 2.5, 2.5, 2], "panda": [6, 6, 5, 5, 1.2, 1, 1]}
COULOMB = {"ur5": [9, 9, 7, 2.5, 2.5, 2], "panda": [4, 4, 3, 3, 1, 0.8, 0.8]}
LOAD = 0.05
MIDDLE = {"ur5": [0.0] * 6, "panda": [0.0, 0.0, 0.0, -1.5, 0.0, 1.5, 0.0]}
BATCH = 256


def rubbing(name: str) -> Arm:
    """Return an arm with friction."""
    robot = armdyn.load(name).robot
    rows = zip(robot.joints, VISCOUS[name], COULOMB[name], strict=True)
    joints = [replace(j, viscous=v, coulomb=c, load_friction=LOAD) for j, v, c in rows]
    return Arm(replace(robot, joints=tuple(joints)))


def points_of(name: str, count: int, seed: int = 1) -> np.ndarray:
    """Return way-points of some paths."""
    middle = np.array(MIDDLE[name])
    return middle + np.random.default_rng(seed).uniform(-1.0, 1.0, (count, 5, len(middle)))


def lane(problem: Problem, k: int) -> slice:
    """Return the nodes of one path."""
    return slice(0, int((problem.length[:, k] > 0.0).sum()) + 1)


def compare_toppra(name: str, count: int, nodes: int) -> None:
    """Print how durations differ from toppra's on the same nodes, without friction."""
    peer, arm, points = Toppra(), armdyn.load(name), points_of(name, count)
    paths = splines(points)
    problem = Problem.of(arm, paths, limits_of(arm, None, None, None), False, nodes)
    room = Tight.none(problem).room(problem, None)
    left = two_pass_law(problem, room, 0.0, 0.0, capped=False)
    both = two_pass_law(problem, room, 0.0, 0.0, left.speed, capped=False)
    capped = two_pass_law(problem, room, 0.0, 0.0, left.speed)
    rows = []
    for k in range(count):
        at = lane(problem, k)
        grid = problem.s[at, k]
        theirs = [peer.speeds(arm, paths.knots[k], points[k], grid, bool(kind)) for kind in (0, 1)]
        ours = (left, both, capped)
        rows.append(
            [
                duration(grid, law.speed[at, k]) / duration(grid, theirs[min(j, 1)]) - 1.0
                for j, law in enumerate(ours)
            ]
        )
    off = np.array(rows)
    print(f"{name}, {count} paths, {nodes} pieces: duration / toppra's - 1")
    for j, words in enumerate(("left ends", "both ends", "both ends, capped")):
        print(
            f"  {words:18s} {off[:, j].min():+.1e} .. {off[:, j].max():+.1e}, "
            f"median of sizes {np.median(np.abs(off[:, j])):.1e}"
        )


def by_ipopt(problem: Problem, k: int, start: np.ndarray) -> tuple[float, bool]:
    """Return the duration that IPOPT finds on the nodes of one path."""
    import casadi as ca

    n, at, arm, limits = problem.n, lane(problem, k), problem.arm, problem.limits
    s, node = problem.s[at, k], problem.node[at, k]
    N = len(s) - 1
    viscous, coulomb, load = (
        np.array([getattr(j, x) for j in arm.robot.joints])
        for x in ("viscous", "coulomb", "load_friction")
    )
    opti = ca.Opti()
    y = opti.variable(N + 1)
    opti.minimize(sum(2.0 * (s[i + 1] - s[i]) / (y[i] + y[i + 1]) for i in range(N)))
    opti.subject_to(y[0] == 0.0)
    opti.subject_to(y[N] == 0.0)
    opti.subject_to(opti.bounded(0.0, y, problem.fastest[at, k]))
    for i in range(N):
        u = (y[i + 1] ** 2 - y[i] ** 2) / (2.0 * (s[i + 1] - s[i]))
        for end in (i, i + 1):
            by_s, _, a, b, g = (node[end, j * n : (j + 1) * n] for j in range(5))
            for j in range(n):
                sign = problem.sigma[i, k, j]
                torque = a[j] * u + b[j] * y[end] ** 2 + g[j]
                rest = sign * coulomb[j] + viscous[j] * by_s[j] * y[end]
                less, more = (1.0 - load[j]) * torque + rest, (1.0 + load[j]) * torque + rest
                most = limits.effort[j]
                opti.subject_to(opti.bounded(-most, less, most))
                if load[j]:
                    opti.subject_to(more <= most if sign > 0.0 else more >= -most)
    opti.set_initial(y, start)
    opti.solver("ipopt", {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}})
    try:
        found = np.array(opti.solve().value(y))
        return duration(s, found), True
    except RuntimeError:
        return duration(s, np.array(opti.debug.value(y))), False


def compare_nlp(name: str, count: int, nodes: int) -> None:
    """Print how durations differ from those of a nonlinear program, with all friction."""
    arm, points = rubbing(name), points_of(name, count)
    problem = Problem.of(arm, splines(points), limits_of(arm, None, None, None), True, nodes)
    room = Tight.none(problem).room(problem, None)
    rows: dict[str, list[float]] = {"greedy": [], "capped": []}
    laws = {}
    for words in rows:
        law = two_pass_law(problem, room, 0.0, 0.0, capped=words == "capped")
        for _ in range(2):
            law = two_pass_law(problem, room, 0.0, 0.0, law.speed, capped=words == "capped")
        laws[words] = law
    lost = 0
    for k in range(count):
        at = lane(problem, k)
        best, solved = by_ipopt(problem, k, 0.5 * laws["capped"].speed[at, k])
        lost += not solved
        for words, law in laws.items():
            if solved:
                rows[words].append(duration(problem.s[at, k], law.speed[at, k]) / best - 1.0)
    head = f"{name}, {count} paths, {nodes} pieces, friction"
    print(f"{head}: duration / IPOPT's - 1; {lost} unsolved")
    for words, off in rows.items():
        q = np.quantile(off, [0.0, 0.5, 0.9, 1.0])
        rest = f"90 % {q[2]:+.1e}, most {q[3]:+.1e}"
        print(f"  {words}: least {q[0]:+.1e}, median {q[1]:+.1e}, {rest}")


def compare_limits(name: str, count: int, nodes: int) -> None:
    """Print the excess over limits of torque at 1 kHz, and mean durations."""
    for words, arm in (("no friction", armdyn.load(name)), ("friction", rubbing(name))):
        many = time_optimal(arm, points_of(name, count), nodes=nodes)
        worst = []
        for motion in (many[k] for k in np.nonzero(many.valid)[0]):
            _, q, qd, qdd = motion.sample(1000.0)
            tau = arm.inverse_dynamics(q, qd, qdd)
            worst.append(float((np.abs(tau) / motion.limits.effort).max() - 1.0))
        islands = sum(int(many[k].islands.sum()) for k in np.nonzero(many.valid)[0])
        print(
            f"{name}, {words}, {nodes} pieces, {int(many.valid.sum())} of {count} paths: mean "
            f"{np.nanmean(many.duration):.4f} s, excess at 1 kHz {max(worst):+.1e} (median "
            f"{np.median(worst):+.1e}), nodes with islands {islands}"
        )


def compare_speed(name: str, nodes: int) -> None:
    """Print processor times a path, of all threads, of a batch and of toppra, in one run."""
    peer, arm, points = Toppra(), armdyn.load(name), points_of(name, BATCH)
    paths = splines(points)
    time_optimal(arm, points[:2], nodes=nodes)
    grid = np.linspace(0.0, 1.0, nodes + 1)
    ours: dict[float, list[float]] = {1e-3: [], 10.0: []}
    theirs: dict[int, list[float]] = {0: [], 1: []}
    for _ in range(6):
        for tolerance, times in ours.items():
            begin = time.process_time()
            time_optimal(arm, points, nodes=nodes, tolerance=tolerance)
            times.append((time.process_time() - begin) / BATCH)
        for kind, times in theirs.items():
            begin = time.process_time()
            for k in range(5):
                peer.speeds(arm, paths.knots[k], points[k], grid, bool(kind))
            times.append((time.process_time() - begin) / 5)
    print(f"{name}, {nodes} pieces, batches of {BATCH}, processor time a path")
    for tolerance, words in ((1e-3, "limits hold between nodes"), (10.0, "at nodes, as toppra")):
        mine = min(ours[tolerance])
        ratios = [f"{min(theirs[kind]) / mine:.1f}" for kind in (0, 1)]
        print(
            f"  {words}: {1e6 * mine:.0f} us; toppra takes {ratios[0]} times as long (left ends), "
            f"{ratios[1]} times (both ends)"
        )


def main() -> None:
    """Run the comparisons that are asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", nargs="*", default=["toppra", "nlp", "limits", "speed"])
    parser.add_argument("--paths", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--arms", nargs="*", default=["ur5", "panda"])
    given = parser.parse_args()
    for name in given.arms:
        if "toppra" in given.what:
            compare_toppra(name, given.paths, given.nodes)
        if "nlp" in given.what:
            compare_nlp(name, given.paths, given.nodes)
        if "limits" in given.what:
            compare_limits(name, given.paths, given.nodes)
        if "speed" in given.what:
            compare_speed(name, given.nodes)


if __name__ == "__main__":
    main()
