"""Ten thousand Pandas for a thousand steps of rk4, beside MuJoCo's rollout of the same arm.

    python benchmarks/simulation.py [ARMS [STEPS]]

One core each, processor seconds of one process. Both take four evaluations of the dynamics a step;
MuJoCo has contacts and constraints off, and simulates fewer arms for as many steps, since its time
is proportional to them. Rounds of both alternate, and the least of each counts.
"""

from __future__ import annotations

import sys
import time

import mujoco
import numpy as np
from mujoco import rollout

import armdyn
from arms import arm_named
from peers.mujoco import mjcf

ROUNDS = 3
THEIRS = 50
STEP = 1e-3
SAMPLES = 11


class MuJoCo:
    def __init__(self, arm: armdyn.Arm) -> None:
        self.model = mujoco.MjModel.from_xml_string(mjcf(arm))
        self.model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
        self.model.opt.timestep = STEP
        self.data = mujoco.MjData(self.model)

    def run(self, q: np.ndarray, qd: np.ndarray, steps: int) -> tuple[float, np.ndarray]:
        """Seconds an evaluation, and the last positions."""
        state = np.concatenate([np.zeros((len(q), 1)), q, qd], axis=1)  # time, qpos, qvel
        with rollout.Rollout(nthread=1) as pool:
            begin = time.process_time()
            states, _ = pool.rollout(self.model, self.data, state, nstep=steps)
            spent = time.process_time() - begin
        n = q.shape[1]
        return spent / (4 * steps * len(q)), states[:, -1, 1 : 1 + n]


def ours(arm: armdyn.Arm, q: np.ndarray, qd: np.ndarray, steps: int) -> tuple[float, np.ndarray]:
    begin = time.process_time()
    run = armdyn.simulate(
        arm, q, qd, until=steps * STEP, integrator="rk4", step=STEP, samples=SAMPLES,
        friction=False, threads=1,
    )  # fmt: skip
    spent = time.process_time() - begin
    return spent / (4 * steps * len(q)), run.q[-1]


def main() -> None:
    arms = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    steps = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    arm = arm_named("panda")
    rng = np.random.default_rng(0)
    q, qd = rng.uniform(-1.0, 1.0, (2, arms, arm.n))
    few = min(arms, THEIRS)
    peer = MuJoCo(arm)
    ours(arm, q[:8], qd[:8], 2)  # compiles
    times = [[], []]
    for _ in range(ROUNDS):
        theirs, last = peer.run(q[:few], qd[:few], steps)
        mine, mine_last = ours(arm, q, qd, steps)
        times[0].append(mine)
        times[1].append(theirs)
    gap = float(np.abs(mine_last[:few] - last).max())
    mine, theirs = min(times[0]), min(times[1])
    print(f"{arms} arms, {steps} steps, the whole of armdyn.simulate")
    print(f"armdyn  {mine * 1e9:8.1f} ns an evaluation")
    print(f"MuJoCo  {theirs * 1e9:8.1f} ns an evaluation")
    print(f"{theirs / mine:.1f} times the throughput; largest difference of positions {gap:.1e}")


if __name__ == "__main__":
    main()
