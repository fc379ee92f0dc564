"""Every argument of every public function is right, or refused by an error of armdyn, at once.

Hostile values are put in the place of each argument in turn, all others being valid. What no
argument can mean (`NEVER`) must be refused; other values may be accepted. No foreign error, no
foreign warning and no waiting is allowed.
"""

from __future__ import annotations

import inspect
import os
import signal
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import numpy as np
import pytest

import armdyn
from armdyn import motion
from support.identification import recorded

# Seconds that a call may take, real work of accepted values included.
PATIENCE = 20
# PyTorch is not among what the tests install; `make test-torch` does.
TORCH = ("torch",) if find_spec("torch") else ()

# What no argument can mean.
NEVER: dict[str, Callable[[], Any]] = {
    "masked": lambda: np.ma.array([1.0, 2.0], mask=[False, True]),
    "list of masked": lambda: [np.ma.array([1.0, 2.0], mask=[True, False])] * 2,
    "masked number": lambda: np.ma.masked,
    "complex": lambda: 1j,
    "complex array": lambda: np.array([1j, 0.5]),
    "complex matrix": lambda: np.eye(4) * 1j,
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "timedelta64": lambda: np.timedelta64(1, "s"),
    "times": lambda: np.array([1, 2], dtype="m8[s]"),
    "dates": lambda: np.array([1, 2], dtype="M8[ns]"),
    "bytes": lambda: b"1.0",
    "strings": lambda: ["1", "2"],
    "array of strings": lambda: np.array(["1", "2"]),
    "truth values": lambda: np.array([True, False]),
    "object": object,
    "objects": lambda: [object(), object()],
    "huge integer": lambda: 10**400,
    "huge integers": lambda: [10**400, 0],
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "structure": lambda: np.zeros(2, dtype=[("a", float), ("b", float)]),
    "set": lambda: {1.0, 2.0},
    "path with NUL": lambda: "a\0b.csv",
    "type": lambda: float,
}
# What some argument may mean, or several.
SOMETIMES: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "NumPy's True": lambda: np.True_,
    "text": lambda: "soon",
    "empty text": lambda: "",
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "minus one": lambda: -1,
    "zero": lambda: 0,
    "nans": lambda: np.full(2, np.nan),
    "zero-dimensional": lambda: np.array(1.0),
    "empty": lambda: np.zeros(0),
    "empty list": list,
    "empty rows": lambda: np.zeros((0, 2)),
    "three axes": lambda: np.zeros((2, 2, 2)),
    "dict": lambda: {"a": 1.0},
    "dict of numbers": lambda: {1: 2},
    "generator": lambda: (x for x in (1.0, 2.0)),
    "function": lambda: lambda *given: given,
    "FIFO": lambda: Path("fifo.csv"),
    "folder": lambda: Path("folder.csv"),
    "missing": lambda: Path("no/where.csv"),
}
# Arguments that take anything in some place, or that some of `NEVER` is meant for.
MEANT = {
    ("Joint", "name"): {"path with NUL"},
    ("Joint", "parent"): {"path with NUL"},
    ("Robot", "name"): {"path with NUL"},
    ("Robot", "notes"): {"path with NUL", "strings", "array of strings"},
    ("from_standard_dh", "name"): {"path with NUL"},
    ("from_standard_dh", "names"): {"strings", "array of strings"},
    ("Log", "joint_names"): {"strings"},
    ("Log", "source"): {"path with NUL"},
    ("Log", "command"): {"path with NUL"},
    ("Log.read", "joints"): {"strings"},
    ("Log.stream", "joints"): {"strings"},
    ("Extra", "name"): {"path with NUL"},
    ("Extra", "unit"): {"path with NUL"},
    ("Extra", "function"): {"type"},
    ("Extra", "joint"): {"huge integer", "path with NUL", "strings"},
    ("Log", "notes"): {"strings", "path with NUL"},
    ("dtype",): {"type"},  # float is float64
    ("Log.part", "a"): {"huge integer"},
    ("Log.part", "b"): {"huge integer"},
    ("progress",): {"type"},  # its own errors are the caller's
    ("threads",): {"huge integer"},  # that many at the most
}


class Call(NamedTuple):
    """A public function with valid arguments."""

    function: Callable[..., Any]
    given: dict[str, Any]


ARM = armdyn.load("planar2")
ROBOT = ARM.robot
_ARMS = [armdyn.Joint(name=side, parent="waist", mass=1.0) for side in ("left", "right")]
TREE = armdyn.Arm(armdyn.Robot([armdyn.Joint(name="waist", mass=1.0), *_ARMS], name="two arms"))
Q = np.array([0.2, 0.3])


def closed_view(
    port: Any = None, host: Any = "127.0.0.1", browser: Any = False, packages: Any = ()
) -> None:
    """Open a viewer, and close it; no window appears."""
    with mock.patch("armdyn.view.viewer.shown_in_browser", return_value=True):
        ARM.view(port=port, host=host, browser=browser, packages=packages).close()


STATES: dict[str, Any] = {"q": Q, "qd": Q, "qdd": Q, "tau": Q}
EXCITE: dict[str, Any] = {
    "duration": 2.0, "harmonics": 2, "evaluations": 100, "rate": 20.0, "position": (-1.0, 1.0),
    "velocity": 1.0, "acceleration": 5.0,
}  # fmt: skip
QUANTITIES = (
    "mass_matrix", "inverse_dynamics", "bias", "gravity", "coriolis_matrix", "friction",
    "forward_dynamics", "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
    "inverse_mass_matrix", "udu", "regressor", "kinetic_energy", "potential_energy", "pose",
    "jacobian", "jacobian_derivative",
)  # fmt: skip


def _names(quantity: str) -> list[str]:
    return [slot.name for slot in ARM.function(quantity).program.inputs]


def calls(folder: Path) -> Iterator[tuple[str, Call]]:
    """Yield every public function that takes arguments."""
    log = recorded(ARM, duration=4.0, rate=100.0)
    amps = replace(log, effort="current")
    csv = folder / "log.csv"
    log.save(csv)
    run = armdyn.simulate(ARM, Q, until=0.05, samples=5)
    exciting = armdyn.excite(ARM, **EXCITE)
    base = ARM.minimal
    pose = ARM.pose(Q)
    files = {"path": folder / "written.csv"}
    for quantity in QUANTITIES:
        given = {name: STATES[name] for name in _names(quantity)}
        yield f"Arm.{quantity}", Call(getattr(ARM, quantity), given)
    yield "Arm.friction with load", Call(ARM.friction, {"qd": Q, "load": Q})
    yield (
        "Function",
        Call(
            lambda q, out=None, threads=None: ARM.function("gravity")(q, out=out, threads=threads),
            {"q": Q},
        ),
    )
    model = armdyn.symbolic("planar2")
    yield "symbolic", Call(armdyn.symbolic, {"robot": "planar2"})
    for method in ("named", "latex", "python"):
        given = {"name": "gravity"}
        yield f"SymbolicModel.{method}", Call(getattr(model, method), given)
    yield "SymbolicModel.subs", Call(model.subs, {"replacements": {"b2": 0.5}})
    yield "Function.source", Call(ARM.function("gravity").source, {})
    for library in ("sympy", "casadi", "jax", *TORCH):
        yield f"Function.{library}", Call(getattr(ARM.function("gravity"), library), {})
    yield "Arm", Call(armdyn.Arm, {"robot": ROBOT})
    yield "Arm.function", Call(ARM.function, {"quantity": "gravity"})
    yield "Arm.minimal_with", Call(ARM.minimal_with, {})
    yield "Arm.denoc_matrices", Call(ARM.denoc_matrices, {"q": Q, "qd": Q})
    yield "Arm.inverse_kinematics", Call(ARM.inverse_kinematics, {"pose": pose, "restarts": 1})
    six = armdyn.load("ur5")
    given = {"poses": six.pose(np.full(6, 0.3))}
    yield "Arm.inverse_kinematics_all", Call(six.inverse_kinematics_all, given)
    scara = armdyn.load("scara")
    yield "Arm.inverse_kinematics_source", Call(scara.inverse_kinematics_source, {})
    yield (
        "Arm.export_c",
        Call(ARM.export_c, {"folder": folder / "c", "functions": ["gravity"], "force": True}),
    )
    for name in ("bias", "gravity", "inverse_dynamics", "mass_matrix", "regressor"):
        given = {slot: STATES[slot] for slot in _names(name)}
        yield f"MinimalParameters.{name}", Call(getattr(base, name), given)
    given = {"q": Q, "qd": Q, "qdr": Q, "qddr": Q}
    yield "MinimalParameters.tracking_regressor", Call(base.tracking_regressor, given)
    yield "MinimalParameters.expression", Call(base.expression, {"name": base.names[0]})
    yield "MinimalParameters.function", Call(base.function, {"quantity": "gravity"})
    yield "MinimalParameters.is_minimal", Call(base.is_minimal, {"matrix": base.matrix})
    yield "MinimalParameters.explain", Call(base.explain, {"matrix": base.matrix})
    yield "MinimalParameters.to_parameters", Call(base.to_parameters, {"values": base.values})
    yield "Joint", Call(armdyn.Joint, {})
    yield "Arm.branch", Call(TREE.branch, {"tip": "left", "q": Q[[0, 1, 1]]})
    gains = {"law": "pd_gravity", "rate": 1000.0, "limit": 100.0, "kp": 1.0, "friction": 0.5}
    yield "Arm.controller", Call(ARM.controller, gains)
    leader = {"joint": armdyn.Joint(name="b"), "follows": {"a": -1.0}}
    yield "Follower", Call(armdyn.Follower, leader)
    yield "Robot", Call(armdyn.Robot, {"joints": ROBOT.joints})
    yield "Load", Call(armdyn.Load, {"mass": 1.0})
    yield (
        "from_standard_dh",
        Call(armdyn.from_standard_dh, {"rows": [(0.0, 0.1, 0.2, 0.3), (0.0, 0.1, 0.2, 0.3)]}),
    )
    yield "generic", Call(armdyn.generic, {"n": 2})
    yield "methods", Call(armdyn.methods, {"quantity": "gravity"})
    yield (
        "operation_counts",
        Call(
            armdyn.operation_counts,
            {"kind": "gravity", "method": "auto", "n": 2, "stage": "improved"},
        ),
    )
    yield "Arm.astype", Call(ARM.astype, {"dtype": np.float32})
    single = ARM.astype(np.float32)
    yield "Arm.gravity in float32", Call(single.gravity, {"q": Q.astype(np.float32)})
    yield "load", Call(armdyn.load, {"source": "planar2"})
    yield "save", Call(armdyn.save, {"arm": ARM, "path": folder / "arm.toml"})
    yield "Log", Call(armdyn.Log, {"t": log.t, "q": log.q, "tau": log.tau})
    yield "Log.read", Call(armdyn.Log.read, {"path": csv})
    yield "Log.stream", Call(armdyn.Log.stream, {"path": csv})
    yield "Log.concat", Call(armdyn.Log.concat, {"logs": [log]})
    yield "Log.part", Call(log.part, {"a": 0, "b": 50})
    yield "Log.save", Call(log.save, dict(files))
    yield "PD", Call(armdyn.PD, {"kp": 1.0, "kd": 1.0, "target": Q})
    yield "ComputedTorque", Call(armdyn.ComputedTorque, {"kp": 1.0, "kd": 1.0, "target": Q})
    control = {"bandwidth": 1.0, "kd": 1.0, "target": Q, "model": ARM}
    yield "AdaptiveControl", Call(armdyn.AdaptiveControl, control)
    export = armdyn.AdaptiveControl(**control).export_c
    yield "AdaptiveControl.export_c", Call(export, {"folder": folder / "adaptive", "force": True})
    yield "MomentumObserver", Call(armdyn.MomentumObserver, {"model": ARM})
    observer = armdyn.MomentumObserver(ARM, threshold=1.0)

    def first_step(t: Any, q: Any, qd: Any, tau: Any) -> Any:
        observer.reset()
        return observer.step(t, q, qd, tau)

    sample = {"t": 0.0, "q": Q, "qd": Q, "tau": Q}
    yield "MomentumObserver.step", Call(first_step, sample)
    yield "MomentumObserver.run", Call(observer.run, {"log": log})
    written = {"folder": folder / "observer", "force": True}
    yield "MomentumObserver.export_c", Call(observer.export_c, written)
    seen = observer.run(log)
    yield "Observation.plot", Call(seen.plot, {"path": folder / "contacts.svg"})
    yield "Observation.save", Call(seen.save, dict(files))
    yield "check_log", Call(armdyn.check_log, {"log": log, "arm": ARM})
    yield "LogCheck.plot", Call(armdyn.check_log(log, ARM).plot, {"path": folder / "check.svg"})
    yield "simulate", Call(armdyn.simulate, {"arm": ARM, "q0": Q, "until": 0.05, "samples": 3})
    yield (
        "simulate rk4",
        Call(
            armdyn.simulate,
            {"arm": ARM, "q0": Q, "until": 0.01, "integrator": "rk4", "limits": "spring"},
        ),
    )
    yield "Run.page", Call(run.page, {"path": folder / "run.html"})
    yield "Log.page", Call(log.page, {"path": folder / "log.html", "arm": ARM})
    yield "Arm.page", Call(ARM.page, {"path": folder / "arm.html"})
    yield "Arm.view", Call(closed_view, {})
    yield "Run.animate", Call(run.animate, {"path": folder / "run.html"})
    yield "Run.measured", Call(run.measured, {})
    yield "Run.plot", Call(run.plot, {"path": folder / "run.svg"})
    yield "Run.save", Call(run.save, dict(files))
    yield "Extra", Call(armdyn.Extra, {"name": "x", "joint": 1, "function": lambda q, qd: q[:, 0]})
    yield (
        "excite",
        Call(
            armdyn.excite,
            {"arm": ARM, "duration": 2.0, "harmonics": 2, "evaluations": 100, "rate": 20.0},
        ),
    )
    poses = armdyn.excite_static(ARM, 2, position=(-1.0, 1.0))
    yield (
        "excite_static",
        Call(armdyn.excite_static, {"arm": ARM, "poses": 2, "position": (-1.0, 1.0)}),
    )
    yield "StaticMotion.actions", Call(poses.actions, {})
    yield "StaticMotion.sample", Call(poses.sample, {})
    yield "StaticMotion.save", Call(poses.save, dict(files))
    yield "ExcitingMotion.plot", Call(exciting.plot, {"path": folder / "motion.svg"})
    yield "ExcitingMotion.sample", Call(exciting.sample, {})
    yield "ExcitingMotion.save", Call(exciting.save, dict(files))
    yield "feasible", Call(armdyn.feasible, {"arm": ARM, "values": base.values})
    result = armdyn.identify(ARM, log, physical=False)
    yield "Result.expression", Call(result.expression, {"name": result.names[0]})
    yield "Result.files", Call(result.files, {})
    yield "Result.predict", Call(result.predict, {"q": Q, "qd": Q, "qdd": Q})
    yield "Result.report", Call(result.report, {"path": folder / "report.html"})
    yield "Result.save", Call(result.save, {"folder": folder / "result"})
    few = {"friction": False, "physical": False, "rotor": False}
    many = armdyn.fleet(folder / "log.csv", ARM, **few)
    yield "Fleet.save", Call(many.save, {"path": folder / "table.csv"})
    yield "Fleet.page", Call(many.page, {"path": folder / "fleet.html"})
    yield "fleet", Call(armdyn.fleet, {"pattern": folder / "log.csv", "robot": ARM, **few})
    yield "identify", Call(armdyn.identify, {"arm": ARM, "logs": log, "physical": False})
    yield "identify_payload", Call(armdyn.identify_payload, {"arm": ARM, "logs": log})
    yield (
        "identify_drive_gains",
        Call(
            armdyn.identify_drive_gains,
            {"arm": ARM, "without": amps, "with_load": amps, "load": armdyn.Load(mass=1.0)},
        ),
    )
    yield (
        "motion.Fourier",
        Call(
            motion.Fourier,
            {"centre": Q, "sines": np.eye(2), "cosines": np.eye(2), "duration": 1.0},
        ),
    )
    yield (
        "motion.JointSpace",
        Call(motion.JointSpace, {"start": Q, "goal": -Q, "velocity": 1.0, "acceleration": 1.0}),
    )
    yield (
        "motion.MinimumJerk",
        Call(motion.MinimumJerk, {"waypoints": [Q, -Q], "velocity": 1.0, "acceleration": 1.0}),
    )
    line = motion.JointSpace(Q, -Q, 1.0, 1.0)
    for name in ("states", "q", "qd", "qdd"):
        yield f"motion.Trajectory.{name}", Call(getattr(line, name), {"t": 0.1})
    yield "motion.Trajectory.sample", Call(line.sample, {"at": 10.0})
    limited = {"velocity": 2.0, "acceleration": 5.0, "effort": 90.0}
    path = {"arm": ARM, "path": [Q, -Q], "nodes": 10, **limited}
    yield "motion.time_optimal", Call(motion.time_optimal, path)
    planned = motion.time_optimal(**path)
    for name in ("along", "torques"):
        yield f"motion.TimeOptimal.{name}", Call(getattr(planned, name), {"t": 0.1})
    yield "motion.TimeOptimal.save", Call(planned.save, {"path": "motion.csv", "rate": 10.0})
    yield "motion.TimeOptimal.plot", Call(planned.plot, {"path": "motion.svg"})
    tip = {"arm": ARM, "start": Q, "pose": ARM.pose(Q + 0.05)}
    yield "motion.TipLine", Call(motion.TipLine, tip)
    yield (
        "motion.StraightLine",
        Call(motion.StraightLine, {"arm": ARM, "start": Q, "pose": ARM.pose(Q + 0.05)}),
    )


# Public names that are made by armdyn, and not called by users.
MADE = {
    "DriveGains", "ExcitingMotion", "Feasibility", "MinimalParameters", "Operations", "Payload",
    "Result", "Run", "SymbolicModel", "robots", "Fault", "Fleet", "LogCheck",
    "ServoResult", "StaticMotion",
}  # fmt: skip


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Generator[dict[str, Call]]:
    folder = tmp_path_factory.mktemp("bad_arguments")
    before = Path.cwd()
    os.chdir(folder)
    os.mkfifo("fifo.csv")
    Path("folder.csv").mkdir()
    try:
        yield dict(calls(folder))
    finally:
        os.chdir(before)


NAMES = (
    "symbolic", *(f"SymbolicModel.{name}" for name in ("named", "latex", "python", "subs")),
    *(f"Arm.{quantity}" for quantity in QUANTITIES), "Arm.friction with load",
    "Function", "Function.source", "Function.sympy", "Function.casadi", "Function.jax", "Arm",
    *(f"Function.{library}" for library in TORCH),
    "Arm.astype", "Arm.gravity in float32", "Arm.function", "Arm.minimal_with",
    "Arm.denoc_matrices", "MinimalParameters.is_minimal", "MinimalParameters.explain",
    "Arm.inverse_kinematics", "Arm.inverse_kinematics_all", "Arm.inverse_kinematics_source",
    "Arm.export_c", "Arm.branch", "Arm.controller",
    "MinimalParameters.bias", "MinimalParameters.gravity", "MinimalParameters.inverse_dynamics",
    "MinimalParameters.mass_matrix", "MinimalParameters.regressor", "MinimalParameters.expression",
    "MinimalParameters.function", "MinimalParameters.to_parameters",
    "MinimalParameters.tracking_regressor", "Joint", "Follower", "Robot", "Load",
    "from_standard_dh", "generic", "methods", "operation_counts", "load", "save", "Log",
    "Log.read", "Log.stream", "Log.concat", "Log.part", "Log.save", "PD", "ComputedTorque",
    "AdaptiveControl", "AdaptiveControl.export_c", "MomentumObserver", "MomentumObserver.step",
    "MomentumObserver.run", "MomentumObserver.export_c", "Observation.plot",
    "Observation.save", "simulate", "simulate rk4", "Run.animate", "Run.measured", "Run.page",
    "Run.plot", "Run.save", "Arm.page", "Arm.view", "Log.page", "Extra", "excite",
    "excite_static", "StaticMotion.actions", "StaticMotion.sample", "StaticMotion.save",
    "ExcitingMotion.plot", "ExcitingMotion.sample", "ExcitingMotion.save", "feasible",
    "Result.expression", "Result.files", "Result.predict", "Result.report", "Result.save",
    "LogCheck.plot", "check_log", "Fleet.page", "Fleet.save", "fleet", "identify",
    "identify_payload", "identify_drive_gains", "motion.Fourier", "motion.JointSpace",
    "motion.MinimumJerk", "motion.Trajectory.states", "motion.Trajectory.q",
    "motion.Trajectory.qd", "motion.Trajectory.qdd", "motion.Trajectory.sample",
    "motion.StraightLine", "motion.time_optimal", "motion.TimeOptimal.along",
    "motion.TimeOptimal.torques", "motion.TimeOptimal.save", "motion.TimeOptimal.plot",
    "motion.TipLine",
)  # fmt: skip


def test_every_public_function_is_called(table: dict[str, Call]) -> None:
    assert set(table) == set(NAMES)
    for name in armdyn.__all__:
        public = getattr(armdyn, name)
        is_error = isinstance(public, type) and issubclass(public, Exception)
        assert is_error or name in MADE or name in table, name
    arm = {f"Arm.{name}" for name, f in inspect.getmembers(armdyn.Arm, inspect.isfunction)}
    assert {name for name in arm if "._" not in name} <= set(table)


@contextmanager
def patience() -> Generator[None]:
    def late(*_: object) -> None:
        raise TimeoutError("the call hangs")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def outcome(call: Call, argument: str, value: Any) -> BaseException | None:
    """Return what a call raises, or None."""
    with warnings.catch_warnings(), patience():
        warnings.simplefilter("error")
        for known in (armdyn.RobotWarning, armdyn.LogWarning, armdyn.CacheWarning):
            warnings.simplefilter("ignore", known)
        try:
            call.function(**{**call.given, argument: value})
        except Exception as error:
            return error
    return None


@pytest.mark.parametrize("name", NAMES)
def test_arguments_are_right_or_refused(table: dict[str, Call], name: str) -> None:
    call = table[name]
    wrong: list[str] = []
    for argument in inspect.signature(call.function).parameters:
        meant = MEANT.get((name, argument), set()) | MEANT.get((argument,), set())
        for what, make in {**NEVER, **SOMETIMES}.items():
            if what in meant:
                continue
            error = outcome(call, argument, make())
            if error is not None and not isinstance(error, armdyn.ArmdynError):
                wrong.append(f"{argument}={what}: {type(error).__name__}: {error}")
            elif error is None and what in NEVER:
                wrong.append(f"{argument}={what}: accepted")
    assert not wrong, "\n".join(wrong)
