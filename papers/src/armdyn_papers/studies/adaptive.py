"""Adaptive control of a PUMA whose parameters are known wrongly, beside computed torque."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.control.adaptive import AdaptiveControl
from armdyn.control.adaptive_run import History
from armdyn.identification.pseudo_inertia import pseudo_inertia
from armdyn.minimal.parameters import MinimalParameters
from armdyn.motion.fourier import Fourier
from armdyn.present.pictures import JOINT_COLOURS
from armdyn.present.tables import Grid
from armdyn.progress import Progress
from armdyn.simulation.controllers import ComputedTorque
from armdyn.simulation.simulate import simulate
from armdyn_papers.studies.study import Finding

Array = NDArray[np.float64]

DURATION, PERIOD, STEP = 20.0, 5.0, 1e-3
# Errors of position vanish at this rate [1/s], with every controller.
BANDWIDTH = 10.0
# Factors of masses, inertias and rotors, and of coordinates of centres of mass.
WRONG, MOVED = (0.4, 1.8), (0.6, 1.4)
# Ends of the seconds that the tables show [s].
ENDS = (1.0, 2.0, 5.0, 10.0, 20.0)
# The error that adaptive control has in the end, at most, as a share of that of computed torque.
BAR = 0.1
STATES = 200

FIXED, TRUE = "computed torque, wrong parameters", "computed torque, true parameters"
PHYSICAL, FREE = "adaptive, links that can exist", "adaptive, free minimal parameters"
COLOURS = {FIXED: "#d55e00", PHYSICAL: "#0072b2", FREE: "#e69f00", TRUE: "0.5"}


@dataclass(frozen=True)
class Tracked:
    """A motion under one controller.

    Attributes:
        name: of the controller.
        t: times [s].
        error: desired less actual positions ``(K, n)`` [rad].
        torque_error: relative error of the torques of the learnt model on random states, over the
            end of each second in `ENDS`, before them at the start; none without learning.
        least: smallest eigenvalue of a link's pseudo-inertia, relative to its trace, at any time;
            None if there are no links.
    """

    name: str
    t: Array
    error: Array
    torque_error: tuple[float, ...] = ()
    least: float | None = None

    def rms(self, end: float) -> float:
        """Return the root mean square of the errors in the second before a time."""
        late = (self.t > end - 1.0) & (self.t <= end)
        return float(np.sqrt(np.mean(self.error[late] ** 2)))


@dataclass(frozen=True)
class Adaptive:
    """The results of the study; `learnt` are minimal parameters of links that can exist."""

    runs: Mapping[str, Tracked]
    learnt: History
    truth: Array
    duration: float = DURATION
    name: str = "adaptive"

    @property
    def ends(self) -> tuple[float, ...]:
        """Ends of the seconds that the tables show [s]."""
        return ends_of(self.duration)

    @property
    def title(self) -> str:
        """The subject of the study."""
        return "A PUMA that learns to follow, what [Lin1994] is for"

    def setup(self) -> list[str]:
        """Return the set-up, as paragraphs."""
        low, high = WRONG
        return [
            "Minimal parameters are those that adaptive control can learn. The paper does not try "
            "it; here the controller of [SlotineLi1987] does, on the set of [Lin1994]. It knows "
            f"the bundled `puma560` with masses, inertias and rotors times {low} to {high} and "
            f"centres of mass times {MOVED[0]} to {MOVED[1]}, all at random, and follows a motion "
            f"of four harmonics of {PERIOD:g} s for {self.duration:g} s. Errors of position vanish "
            f"at {BANDWIDTH:g}/s with all controllers. Adaptive control samples every "
            f"{1e3 * STEP:g} ms; computed torque acts at all times.",
            "“Links that can exist”: the state of adaptation is a root of each link's "
            "pseudo-inertia ([Lee2018]). “Free”: the minimal parameters themselves. Errors of "
            f"torques are those of the learnt model at {STATES} random states, relative to the "
            "torques: they say whether the parameters were learnt, or only this motion.",
        ]

    def grids(self) -> list[Grid]:
        """Return the numbers as tables."""
        heads = ("controller", *(f"{end - 1:g} to {end:g} s" for end in self.ends))
        errors = tuple(
            (name, *(f"{1e3 * run.rms(end):.3g}" for end in self.ends))
            for name, run in self.runs.items()
        )
        learnt = tuple(
            (
                name,
                *(f"{100 * x:.3g} %" for x in run.torque_error),
                "" if run.least is None else f"{run.least:.1e}",
            )
            for name, run in self.runs.items()
            if run.torque_error
        )
        times = ("start", *(f"{end:g} s" for end in self.ends))
        return [
            Grid("Errors of positions, root mean square [mrad]", heads, 1, errors),
            Grid(
                "Errors of torques of the learnt model, and its least definite link at any time",
                ("controller", *times, "least eigenvalue / trace"), 1, learnt,
            ),
        ]  # fmt: skip

    def findings(self) -> list[Finding]:
        """Return what became of the promises of adaptive control."""
        fixed, kept, free = (self.runs[x] for x in (FIXED, PHYSICAL, FREE))
        shares = {
            run.name: run.rms(self.duration) / fixed.rms(self.duration) for run in (kept, free)
        }
        told = ", ".join(f"{100 * x:.2g} % with {name.removeprefix('adaptive, ')}"
                         for name, x in shares.items())  # fmt: skip
        first = next(
            (
                end
                for end in np.arange(1.0, self.duration + 1)
                if kept.rms(end) < BAR * fixed.rms(end)
            ),
            None,
        )
        assert kept.least is not None
        learns = kept.torque_error[-1] < BAR * kept.torque_error[0]
        return [
            Finding(
                "the error falls below a tenth of that of computed torque with the same parameters",
                "reproduced" if max(shares.values()) < BAR else "not reproduced",
                f"in the last second it is {told}; below a tenth from {first:g} s on"
                if first is not None
                else f"in the last second it is {told}",
            ),
            Finding(
                "parameters stay those of links that can exist",
                "reproduced" if kept.least > 0.0 else "not reproduced",
                f"the least eigenvalue of a pseudo-inertia is {kept.least:.1e} of its trace; "
                "free minimal parameters are not asked",
            ),
            Finding(
                "an exciting motion teaches the parameters, not only itself",
                "reproduced" if learns else "same size",
                f"torques elsewhere are wrong by {100 * kept.torque_error[0]:.2g} % at the start "
                f"and {100 * kept.torque_error[-1]:.2g} % in the end",
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain values for JSON."""
        return {
            "study": self.name,
            "title": self.title,
            "runs": [
                {
                    "controller": name,
                    "rms_error": {f"{end:g}": run.rms(end) for end in self.ends},
                    "torque_error": list(run.torque_error),
                    "least_eigenvalue": run.least,
                }
                for name, run in self.runs.items()
            ],
            "minimal_parameters": {
                name: {"start": first, "end": last, "truth": true}
                for name, first, last, true in zip(
                    self.learnt.names, self.learnt.values[0].tolist(),
                    self.learnt.values[-1].tolist(), self.truth.tolist(), strict=True,
                )
            },
            "findings": [asdict(finding) for finding in self.findings()],
        }  # fmt: skip

    def draw(self, figure: Any) -> None:
        """Draw errors and parameters over time."""
        left, right = figure.subplots(1, 2)
        for name, run in self.runs.items():
            whole = np.arange(0.25, self.duration + 0.01, 0.25)
            size = [
                float(np.sqrt(np.mean(run.error[(run.t > t - 0.25) & (run.t <= t)] ** 2)))
                for t in whole
            ]
            left.semilogy(whole, 1e3 * np.array(size), color=COLOURS[name], label=name)
        left.set_title("errors of positions, rms of quarters of seconds [mrad]")
        left.set_xlabel("time [s]")
        left.grid(alpha=0.3)
        left.legend(fontsize=7, loc="center right")
        big: list[int] = np.argsort(-np.abs(self.truth))[:8].tolist()
        for k, colour in zip(big, (*JOINT_COLOURS, "0.5"), strict=False):
            every = self.learnt.values[::50, k] / self.truth[k]
            name = self.learnt.names[k]
            right.plot(self.learnt.t[::50], every, color=colour, label=name, linewidth=1.2)
        right.axhline(1.0, color="black", linestyle=":", linewidth=0.8)
        right.set_title("the eight largest minimal parameters, learnt / true")
        right.set_xlabel("time [s]")
        right.grid(alpha=0.3)
        right.legend(fontsize=7, ncols=2)


def ends_of(duration: float) -> tuple[float, ...]:
    """Return the ends of the seconds that tables show [s]: some, and the last."""
    return (*(end for end in ENDS if end < duration), duration)


def wrong_model(arm: Arm, seed: int = 0) -> Arm:
    """Return the arm with masses, inertias and rotors off by factors, and centres of mass moved."""
    rng = np.random.default_rng(seed)
    joints: list[Any] = []
    for joint in arm.robot.joints:
        f, r = rng.uniform(*WRONG, 2).tolist()
        moved = rng.uniform(*MOVED, 3).tolist()
        joints.append(
            replace(
                joint, mass=f * joint.mass, inertia=tuple(f * x for x in joint.inertia),
                com=tuple(c * x for c, x in zip(joint.com, moved, strict=True)),
                rotor_inertia=r * joint.rotor_inertia,
            )
        )  # fmt: skip
    return Arm(replace(arm.robot, joints=joints))


def rich_motion(arm: Arm, duration: float, seed: int = 0) -> Fourier:
    """Return a motion of four harmonics that excites all parameters, about mid-range."""
    rng = np.random.default_rng(seed)
    joints = arm.robot.joints
    centre = [0.5 * (max(j.lower, -2.0) + min(j.upper, 2.0)) for j in joints]
    a, b = 0.4 * rng.normal(size=(2, 4, arm.n)) / np.arange(1, 5)[:, None] ** 0.5
    return Fourier(centre, a, b, duration, repeats=round(duration / PERIOD))


def damping(arm: Arm) -> Array:
    """Return the damping that gives mean inertias the bandwidth ``(n,)``."""
    q = np.random.default_rng(0).uniform(-1.0, 1.0, (40, arm.n))
    return BANDWIDTH * np.diagonal(arm.mass_matrix(q), axis1=1, axis2=2).mean(axis=0)


def run_adaptive(
    progress: Progress | None = None,
    arm: Arm | None = None,
    seed: int = 0,
    duration: float = DURATION,
) -> Adaptive:
    """Run the study; takes a minute or so.

    Args:
        progress: called with (done, total, what) after each run.
        arm: the arm; the bundled PUMA if left out.
        seed: of the wrong parameters and the motion.
        duration: of the runs [s].
    """
    arm = arm or load("puma560")
    motion = rich_motion(arm, PERIOD * np.ceil(duration / PERIOD), seed)
    q0, qd0, _ = motion.states(0.0)
    common: dict[str, Any] = {"until": duration, "integrator": "rk4"}
    runs: dict[str, Tracked] = {}
    histories: dict[str, History] = {}
    believed = arm
    for physical, name in ((True, PHYSICAL), (False, FREE)):
        control = AdaptiveControl(
            BANDWIDTH, damping(arm), motion, model=wrong_model(arm, seed), physical=physical
        )
        simulate(arm, q0, qd0, torque=control, step=STEP, **common)
        believed, history = control.believed, control.history
        histories[name] = history
        runs[name] = _learnt(arm, name, history, ends_of(duration))
        if progress:
            progress(len(runs), 4, "study adaptive")
    for name, model in ((FIXED, believed), (TRUE, arm)):
        fixed = ComputedTorque(BANDWIDTH**2, 2 * BANDWIDTH, motion, model=model)
        run = simulate(arm, q0, qd0, torque=fixed, step=4 * STEP, **common)
        runs[name] = Tracked(name, run.t, motion.states(run.t)[0] - run.q)
        if progress:
            progress(len(runs), 4, "study adaptive")
    ordered = {name: runs[name] for name in COLOURS}
    history = histories[PHYSICAL]
    return Adaptive(ordered, history, _set_of(arm, history).values, duration)


def _set_of(arm: Arm, history: History) -> MinimalParameters:
    """Return the minimal set of a history: with rotors and friction, if it has them."""
    names = history.parameter_names
    rotor = any(name.startswith("Jm") for name in names)
    return arm.minimal_with(rotor=rotor, friction=any(name.startswith("F") for name in names))


def _learnt(arm: Arm, name: str, history: History, ends: Sequence[float]) -> Tracked:
    base = _set_of(arm, history)
    q, qd, qdd = np.random.default_rng(1).uniform(-1.0, 1.0, (3, STATES, arm.n))
    Y = base.regressor(1.5 * q, 2.0 * qd, 4.0 * qdd)
    torque = Y @ base.values
    rows = [0, *(int(np.searchsorted(history.t, end)) - 1 for end in ends)]
    off = [np.linalg.norm(Y @ history.values[k] - torque) for k in rows]
    errors = tuple(float(e / np.linalg.norm(torque)) for e in off)
    parameters = history.parameters
    least = None if parameters is None else least_eigenvalue(parameters[::20, : 10 * arm.n])
    return Tracked(name, history.t, history.error, errors, least)


def least_eigenvalue(parameters: Array) -> float:
    """Return the smallest eigenvalue of a link's pseudo-inertia relative to its trace."""
    links = [pseudo_inertia(link) for link in parameters.reshape(-1, 10)]
    return min(float(np.linalg.eigvalsh(P)[0] / np.trace(P)) for P in links)
