"""Controllers: their laws, their conduct with bad samples, and the same steps in C."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import armdyn
from armdyn.control import Controller
from armdyn.control.control_step import Status, memory_of
from support.c_code import compile_c, needs_gcc, run, selftest

RATE = 1000.0
ARMS = ("puma560", "ur5", "panda", "scara")
LAWS = ("computed_torque", "gravity", "pd_gravity", "joint_impedance", "cartesian_impedance")
BAD = Status.BAD_SAMPLE | Status.HELD | Status.FROZEN


@cache
def arm_named(name: str) -> armdyn.Arm:
    """An arm with limits and friction on every joint."""
    robot = armdyn.load(name).robot
    joints = [
        replace(
            j, effort=200.0, velocity=3.0, lower=max(j.lower, -3.0), upper=min(j.upper, 3.0),
            viscous=0.3, coulomb=0.5, load_friction=0.02,
        )
        for j in robot.joints
    ]  # fmt: skip
    return armdyn.Arm(replace(robot, joints=joints))


def middle(arm: armdyn.Arm) -> np.ndarray:
    return np.array([0.5 * (j.lower + j.upper) for j in arm.robot.joints])


def swing(arm: armdyn.Arm, size: float = 0.1) -> armdyn.motion.Fourier:
    room = np.array([min(j.upper - j.lower, 3.0) / 3.0 for j in arm.robot.joints])
    a, b = size * room * np.random.default_rng(3).normal(size=(2, 2, arm.n))
    return armdyn.motion.Fourier(middle(arm), a, b, 40.0, repeats=10)


class Measured:
    """A controller in a simulation that measures by encoders, perhaps with faults."""

    def __init__(self, controller, fault=lambda t, q: q, step: float = 1e-4):
        self.controller, self.fault, self.quantum = controller, fault, step
        self.t, self.q, self.tau, self.status, self.external = [], [], [], [], []

    def prepared(self, arm):
        inner, outer = self.controller.prepared(arm), self

        class Sampled:
            period = inner.period

            def sample(self, t, q, qd):
                seen = np.round(q / outer.quantum) * outer.quantum
                inner.sample(t, outer.fault(t, seen), qd)
                outer.t.append(t)
                outer.q.append(q.copy())
                outer.tau.append(inner(t, q, qd).copy())
                outer.status.append(outer.controller.status)
                outer.external.append(outer.controller.external)

            def __call__(self, t, q, qd):
                return inner(t, q, qd)

        return Sampled()

    def run(self, arm, q0, until, qd0=None, **forces):
        qd0 = np.zeros(arm.n) if qd0 is None else qd0
        armdyn.simulate(
            arm, q0, qd0, torque=self, until=until, integrator="rk4", step=1e-3, **forces
        )
        self.t, self.q, self.tau = map(np.array, (self.t, self.q, self.tau))
        return self


def real(arm: armdyn.Arm) -> armdyn.Arm:
    """The arm as it is: a fifth heavier than its model, with stiction."""
    joints = [
        replace(j, mass=1.2 * j.mass, inertia=tuple(1.2 * x for x in j.inertia),
                stribeck=0.5 * j.coulomb, stribeck_velocity=0.05)
        for j in arm.robot.joints
    ]  # fmt: skip
    return armdyn.Arm(replace(arm.robot, joints=joints))


@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("law", LAWS)
def test_a_settled_step_is_the_law_by_the_methods_of_the_arm(name, law):
    arm = arm_named(name)
    n, h = arm.n, 1.0 / RATE
    rng = np.random.default_rng(5)
    kp, kd = (30.0, 4.0) if law != "cartesian_impedance" else (300.0, 20.0)
    gains = {"kp": kp, "kd": kd} if law != "gravity" else {"kd": kd}
    controller = arm.controller(law, rate=RATE, friction=1.0, **gains)
    motion, start = swing(arm), 100.0 * np.ones(n)
    off = 0.02 * rng.normal(size=n) * np.array([j.is_revolute for j in arm.robot.joints])
    for k in range(2500):  # the error of the start fades
        q, qd, qdd = motion.states(k * h)
        pose, twist = arm.pose(q + off), arm.jacobian(q) @ qd
        given = {"gravity": (), "cartesian_impedance": (pose, twist)}.get(law, (q + off, qd, qdd))
        before = controller._state
        tau = controller.step(q, *given)
    kept = memory_of(controller.design).parts(controller._state)
    v = np.array(kept["v"])
    np.testing.assert_allclose(v, qd, atol=0.02)
    d, w = np.array(kept["offset"]), np.array(kept["slope"])
    np.testing.assert_allclose(d, 0.0, atol=1e-4)
    a = (w - np.array(memory_of(controller.design).parts(before)["slope"])) / h
    bare = armdyn.Arm(replace(arm.robot, joints=[
        replace(j, viscous=0.0, coulomb=0.0, load_friction=0.0) for j in arm.robot.joints
    ]))  # fmt: skip
    led = v
    if law == "gravity":
        expected = arm.gravity(q) - kd * v
    elif law == "cartesian_impedance":
        T = arm.pose(q)
        turned = 0.5 * sum(np.cross(T[:3, i], pose[:3, i]) for i in range(3))
        e = np.concatenate([pose[:3, 3] - T[:3, 3], turned]) + d
        de = twist - arm.jacobian(q) @ v + w
        damping = np.median(np.diagonal(arm.mass_matrix(states_of(arm)), axis1=1, axis2=2), axis=0)
        damping = 0.1 * 2.0 * 10.0 * damping
        expected = arm.jacobian(q).T @ (kp * e + kd * de) + arm.bias(q, v) - damping * v
    else:
        led = qd + w
        e, de, acceleration = off + d, qd - v + w, qdd + a
        if law == "computed_torque":
            expected = bare.inverse_dynamics(q, v, acceleration + kp * e + kd * de)
        elif law == "pd_gravity":
            expected = arm.gravity(q) + kp * e + kd * de
        else:
            expected = bare.inverse_dynamics(q, v, acceleration) + kp * e + kd * de
    s = np.clip(led / np.array(controller.design.slow), -1.0, 1.0)
    expected = expected + 0.3 * led + (0.5 + 0.02 * abs(expected)) * s
    assert (abs(expected) < start).all()
    np.testing.assert_allclose(tau, expected, rtol=1e-9, atol=1e-9)


def states_of(arm: armdyn.Arm) -> np.ndarray:
    low = np.array([max(j.lower, -np.pi) for j in arm.robot.joints])
    high = np.array([min(j.upper, np.pi) for j in arm.robot.joints])
    return np.random.default_rng(0).uniform(low, high, (64, arm.n))


@pytest.mark.parametrize("law", ["computed_torque", "adaptive"])
def test_it_follows_a_motion_of_an_arm_that_is_heavier_and_sticks(law):
    arm = arm_named("panda")
    begin, goal = middle(arm), middle(arm) + 0.4
    motion = armdyn.motion.JointSpace(begin, goal, velocity=0.8, acceleration=2.0)
    controller = arm.controller(law, bandwidth=20.0, target=motion)
    seen = Measured(controller).run(real(arm), begin + 0.03, 2.2)
    rest = seen.t > 1.8
    assert np.ptp(seen.q[rest], axis=0).max() < 1e-4  # no limit cycle above the encoders' steps
    assert np.ptp(seen.tau[rest], axis=0).max() < 0.1
    assert abs(goal - seen.q[-1]).max() < 0.06
    assert abs(seen.tau).max() <= 200.0
    assert not any(status & BAD for status in seen.status)
    assert seen.status[0] == Status.STARTING


def test_gravity_compensation_and_a_spring_at_the_tip_hold_the_arm():
    arm = arm_named("panda")
    for law in ("gravity", "cartesian_impedance"):
        seen = Measured(arm.controller(law)).run(arm, middle(arm), 1.0)
        assert abs(seen.q - middle(arm)).max() < 1e-3


def test_a_pushed_spring_at_the_tip_gives_way_as_its_stiffness_says():
    arm = arm_named("panda")
    bare = armdyn.Arm(replace(arm.robot, joints=[
        replace(j, coulomb=0.0, load_friction=0.0) for j in arm.robot.joints
    ]))  # fmt: skip
    controller = bare.controller("cartesian_impedance", kp=[400.0] * 3 + [30.0] * 3)
    push = np.array([0.0, 8.0, 0.0, 0.0, 0.0, 0.0])
    seen = Measured(controller, step=1e-7).run(bare, middle(bare), 6.0, wrench=push)
    moved = bare.pose(seen.q[-1])[:3, 3] - bare.pose(middle(bare))[:3, 3]
    np.testing.assert_allclose(moved, [0.0, 8.0 / 400.0, 0.0], atol=1.5e-3)


FAULTS = {
    "no number for 3 ms": (lambda q: np.where(np.arange(len(q)) == 2, np.nan, q), 0.003, False),
    "no number for 0.3 s": (lambda q: np.where(np.arange(len(q)) == 2, np.nan, q), 0.3, True),
    "infinite": (lambda q: np.full(len(q), -np.inf), 0.1, True),
    "a jump for 2 ms": (lambda q: q + 0.5, 0.002, False),
    "far beyond the limits": (lambda q: q + 50.0, 0.1, True),
}


@pytest.mark.parametrize("kind", FAULTS)
@pytest.mark.parametrize("law", ["computed_torque"])
def test_faults_of_samples_are_told_bridged_and_left_without_a_jump(kind, law):
    arm = arm_named("panda")
    motion, (spoil, duration, held) = swing(arm, 0.05), FAULTS[kind]
    controller = arm.controller(law, bandwidth=15.0, target=motion)

    def fault(t, q):
        return spoil(q) if 0.5 <= t < 0.5 + duration - 1e-9 else q

    q0, qd0, _ = motion.states(0.0)
    seen = Measured(controller, fault).run(arm, q0, 2.5, qd0)
    during = (seen.t >= 0.5) & (seen.t < 0.5 + duration - 1e-9)
    status = np.array([int(x) for x in seen.status])
    assert (status[during] & Status.BAD_SAMPLE).all()
    assert not (status[seen.t < 0.5] & BAD).any()
    assert bool((status & Status.HELD).any()) is held
    after = seen.t > 0.5 + duration + 0.02
    assert not (status[after] & BAD).any()
    assert abs(np.diff(seen.tau, axis=0)).max() <= 200.0 / 0.01 * 1e-3 * (1 + 1e-9)
    if held:  # where measurements return, the law begins without an error
        back = int(np.flatnonzero(status & Status.HELD)[-1])
        assert status[back + 1] & Status.STARTING
        assert abs(seen.tau[back + 1] - arm.gravity(seen.q[back + 1])).max() < 3.0
    wanted = motion.states(2.5 - 1e-3)[0]
    assert abs(seen.q[-1] - wanted).max() < 0.1


def test_frozen_measurements_are_found_and_recovered_from():
    arm = arm_named("panda")
    motion = swing(arm, 0.05)
    last = {}

    def fault(t, q):
        if t < 0.5:
            last["q"] = q
        return last["q"] if 0.5 <= t < 0.8 else q

    q0, qd0, _ = motion.states(0.0)
    seen = Measured(arm.controller(bandwidth=15.0, target=motion), fault).run(arm, q0, 2.5, qd0)
    status = np.array([int(x) for x in seen.status])
    assert (status & Status.FROZEN).any()
    assert not (status[(seen.t < 0.5) | (seen.t > 0.82)] & BAD).any()
    assert abs(seen.q[-1] - motion.states(2.5)[0]).max() < 0.15


def test_an_arm_that_is_commanded_to_rest_is_not_frozen():
    arm = arm_named("scara")
    q = middle(arm)
    controller = arm.controller()
    for _ in range(2000):
        controller.step(q, q)
    assert controller.status == Status(0)


def test_a_late_sample_is_told_and_velocities_stay_right():
    arm = arm_named("scara")
    controller, q, t = arm.controller(frozen=10.0), middle(arm), 0.0
    speed = 0.1 * np.ones(arm.n)
    for k in range(500):
        t += 1e-3 if k % 50 else 4e-3
        controller.step(q + speed * t, q + speed * t, speed, t=t)
        assert bool(controller.status & Status.LATE) is (k > 0 and k % 50 == 0)
    v = memory_of(controller.design).parts(controller._state)["v"]
    np.testing.assert_allclose(v, speed, rtol=1e-6)
    controller.step(q + speed * t, q + speed * t, speed, t=t + 1.0)
    assert controller.status == Status.LATE | Status.STARTING
    tau = controller.step(q + speed * t, q + speed * t, speed, t=np.nan)
    assert controller.status & Status.LATE
    assert np.isfinite(tau).all()


def test_references_that_are_no_numbers_brake_the_arm_and_those_beyond_limits_stay_within():
    arm = arm_named("panda")
    q = middle(arm)
    controller = arm.controller("pd_gravity")
    for _ in range(10):
        controller.step(q, q)
    tau = controller.step(q, np.full(7, np.nan))
    assert controller.status == Status.BAD_REFERENCE
    np.testing.assert_allclose(tau, arm.gravity(q), atol=1e-9)
    controller.step(q, q)
    assert controller.status == Status(0)
    far = np.array([j.upper + 1.0 for j in arm.robot.joints])
    kept = memory_of(controller.design)
    for _ in range(3000):
        tau = controller.step(q, far, np.ones(7))
        assert controller.status & Status.REFERENCE_LIMITED
    np.testing.assert_allclose(kept.parts(controller._state)["offset"], 0.0, atol=1e-3)
    upper = np.array([j.upper for j in arm.robot.joints])
    law = arm.gravity(q) + np.array(controller_gain(arm)) * (upper - q)
    np.testing.assert_allclose(tau, np.clip(law, -200.0, 200.0), atol=0.1)


def controller_gain(arm):
    inertia = np.diagonal(arm.mass_matrix(states_of(arm)), axis1=1, axis2=2)
    return 100.0 * np.median(inertia, axis=0)


def test_a_push_is_seen_and_free_motion_is_not():
    arm = arm_named("panda")
    motion = swing(arm, 0.05)
    controller = arm.controller(target=motion, contact=8.0)
    q0, qd0, _ = motion.states(0.0)

    def push(t, q, qd):
        return np.array([0.0, 40.0, 0.0, 0.0, 0.0, 0.0]) * (1.0 <= t < 1.5)

    seen = Measured(controller).run(arm, q0, 3.0, qd0, wrench=push)
    told = np.array([bool(x & Status.CONTACT) for x in seen.status])
    assert told[(seen.t > 1.15) & (seen.t < 1.5)].all()
    assert not told[(seen.t < 1.0) | (seen.t > 1.8)].any()
    k = int(np.searchsorted(seen.t, 1.4))
    expected = arm.jacobian(seen.q[k]).T @ [0.0, 40.0, 0.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(seen.external[k], expected, atol=4.0)


def hostile(rng, arm, k, q):
    """A sample that may be wrong in any way."""
    q = q + 1e-4 * rng.normal(size=arm.n)
    kind = rng.integers(0, 60)
    if kind == 0:
        q[rng.integers(arm.n)] = rng.choice([np.nan, np.inf, -np.inf, 1e300, 4.0])
    if kind == 1:
        q = q + rng.normal(size=arm.n)
    h = rng.choice([1e-3] * 30 + [0.0, -1.0, np.nan, np.inf, 1e-12, 5e-3, 0.5])
    return q, float(h)


def stress(arm, law, count, seed=0):
    """Rows of samples, references and times that may be wrong."""
    rng = np.random.default_rng(seed)
    motion = swing(arm)
    for k in range(count):
        q, qd, qdd = motion.states(1e-3 * (k % 20000))
        if (k // 500) % 7 == 6:  # dropped for a while
            q = np.full(arm.n, np.nan) if k % 500 < 200 else q
        q, h = hostile(rng, arm, k, q)
        wanted = [motion.states(1e-3 * (k % 20000))[0], qd, qdd]
        if rng.integers(0, 200) == 0:
            wanted[rng.integers(3)][rng.integers(arm.n)] = rng.choice([np.nan, np.inf, 1e30])
        if law == "cartesian_impedance":
            ok = np.isfinite(wanted[0]).all() and abs(wanted[0]).max() < 10.0
            wanted = [arm.pose(wanted[0]) if ok else np.full((4, 4), np.nan), np.zeros(6)]
        yield q, wanted[: 0 if law == "gravity" else len(wanted)], h


@pytest.mark.parametrize("law", [*LAWS, "adaptive"])
def test_torques_stay_finite_limited_and_smooth_whatever_is_measured(law):
    check_stress(law, 3000)


def check_stress(law, count):
    arm = arm_named("panda")
    controller = arm.controller(law, contact=20.0)
    state, last = memory_of(controller.design).start, None
    for q, wanted, h in stress(arm, law, count):
        tau, external, status, state = controller.period(q, wanted, h, state)
        assert np.isfinite(tau).all()
        assert np.isfinite(external).all()
        assert np.isfinite(state).all()
        assert abs(tau).max() <= 200.0
        assert 0 <= status[0] < 1024
        if last is not None and last.any():
            longest = min(h, 10e-3) if h > 1e-4 else 1e-3  # NaN: a period
            assert abs(tau - last).max() <= 20000.0 * longest * (1 + 1e-9)
        last = tau


class Exported:
    """The exported step, called from here."""

    def __init__(self, folder, controller, *options, single=False, compiler=None):
        paths = controller.export_c(folder, single=single, force=True)
        source = next(p for p in paths if p.name.endswith("_control.c"))
        target = source.with_suffix(".so")
        compile_c((source,), target, "-fPIC", "-shared", *options)
        self.library = ctypes.CDLL(str(target))
        prefix = source.stem
        self.real = np.float32 if single else np.float64
        kept = memory_of(controller.design)
        self.state = np.zeros(kept.size, self.real)
        self.n = controller.arm.n
        self.outside = controller.design.contact is not None
        self._step = getattr(self.library, f"{prefix}_step")
        self._step.restype = ctypes.c_uint
        getattr(self.library, f"{prefix}_reset")(self.state.ctypes.data_as(ctypes.c_void_p))

    def step(self, q, wanted, h):
        rows = [np.ascontiguousarray(x, self.real) for x in (q, *wanted)]
        tau, external = np.zeros((2, self.n), self.real)
        kind = ctypes.c_float if self.real is np.float32 else ctypes.c_double
        outputs = [tau, external] if self.outside else [tau]
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (self.state, *rows)]
        more = [x.ctypes.data_as(ctypes.c_void_p) for x in outputs]
        status = self._step(*pointers, kind(h), *more)
        return tau, external, status


def compare(tmp_path, name, law, count, *options, **more):
    arm = arm_named(name)
    controller = arm.controller(law, **more)
    exported = Exported(tmp_path / "c", controller, *options)
    state, worst = memory_of(controller.design).start, 0.0
    for q, wanted, h in stress(arm, law, count, seed=1):
        tau, *_, status, state = controller.period(q, wanted, h, state)
        got, _, told = exported.step(q, wanted, h)
        assert told == int(status[0])
        worst = max(worst, float(abs(got - tau).max()))
    assert worst <= 1e-12 * 200.0


@needs_gcc
@pytest.mark.parametrize(("name", "law"), [
    ("puma560", "computed_torque"), ("scara", "pd_gravity"), ("ur5", "joint_impedance"),
    ("panda", "cartesian_impedance"), ("panda", "gravity"),
])  # fmt: skip
def test_steps_of_c_are_those_of_python(tmp_path, name, law):
    compare(tmp_path, name, law, 1500, "-O2", contact=10.0)


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
@pytest.mark.parametrize("options", [("-O0",), ("-O1",), ("-O3",), ("-O2", "-ffp-contract=off")])
def test_ten_thousand_steps_of_c_are_those_of_python(tmp_path, name, options):
    compare(tmp_path, name, "computed_torque", 10_000, *options)


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize("law", [*LAWS, "adaptive"])
def test_steps_of_c_do_nothing_undefined(tmp_path, law):
    """The loop of the package, with sanitizers."""
    arm = arm_named("scara")
    paths = arm.controller(law, contact=10.0).export_c(tmp_path / "c")
    sources = [p for p in paths if p.name in ("main_posix.c", "robot_simulated.c")]
    sources += [p for p in paths if p.name in ("scara_control.c", "scara_simulated.c")]
    compile_c(tuple(sources), tmp_path / "loop", "-g", "-O1", "-fsanitize=address,undefined")
    done = subprocess.run(
        [str(tmp_path / "loop"), "1"], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert "periods" in done.stdout


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("law", [*LAWS, "adaptive"])
def test_the_package_compiles_without_a_warning_and_passes_its_selftest(tmp_path, law, single):
    arm = arm_named("scara")
    paths = arm.controller(law, contact=10.0).export_c(tmp_path / "c", single=single)
    assert {p.name for p in paths} >= {"robot.h", "main_posix.c", "main_bare.c", "Makefile"}
    control = [p for p in paths if p.name in ("scara_control.c", "scara_control_selftest.c")]
    done = selftest(tuple(control), tmp_path / "selftest")
    assert done.returncode == 0, done.stdout
    for main in ("main_posix.c", "main_bare.c"):
        sources = [tmp_path / "c" / x for x in (
            main, "robot_simulated.c", "scara_control.c", "scara_simulated.c"
        )]  # fmt: skip
        compile_c(tuple(sources), tmp_path / "loop", "-O2", "-DCONTROL_PERIODS=500ul")
        words = [str(tmp_path / "loop"), "0.2"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (main, done.stdout)


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
@pytest.mark.parametrize("law", ["computed_torque", "gravity", "cartesian_impedance"])
def test_the_example_in_cpp_compiles_without_a_warning_and_runs(tmp_path, law):
    folder = tmp_path / "c"
    arm_named("scara").controller(law, contact=100.0).export_c(folder)
    flags = "-O1 -Werror -Wconversion -pedantic"
    done = subprocess.run(
        ["make", "-C", str(folder), "loop_cpp", f"CFLAGS={flags}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    done = subprocess.run([str(folder / "loop_cpp")], capture_output=True, text=True, check=False)
    assert done.stdout == "0 of 1000 periods with an error\n"


@needs_gcc
def test_steps_in_float_are_within_a_thousandth_of_the_limits(tmp_path):
    arm = arm_named("ur5")
    controller = arm.controller(bandwidth=10.0)
    exported = Exported(tmp_path / "c", controller, single=True)
    motion, worst = swing(arm), 0.0
    for k in range(3000):
        q, qd, qdd = motion.states(1e-3 * k)
        tau = controller.step(q, q, qd, qdd)
        got, _, _ = exported.step(q, (q, qd, qdd), 1e-3)
        worst = max(worst, float(abs(got - tau).max()))
    assert worst < 1e-3 * 200.0


def test_files_of_others_are_not_replaced(tmp_path):
    controller = arm_named("scara").controller()
    (tmp_path / "Makefile").write_text("all:\n")
    with pytest.raises(armdyn.FileError, match="was not written by armdyn"):
        controller.export_c(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["Makefile"]
    controller.export_c(tmp_path, force=True)
    before = (tmp_path / "Makefile").read_text()
    controller.export_c(tmp_path)  # its own files may be replaced
    assert (tmp_path / "Makefile").read_text() == before


WRONG = [
    (dict(law="pid"), "law"),
    (dict(rate=0.0), "rate"),
    (dict(rate=np.inf), "rate"),
    (dict(kp=-1.0), "kp"),
    (dict(kp=[1.0, 2.0]), "kp"),
    (dict(kd=0.0), "kd"),
    (dict(kp=np.nan), "kp"),
    (dict(bandwidth=0.0), "bandwidth"),
    (dict(bandwidth=500.0), "velocity_cutoff"),
    (dict(velocity_cutoff=900.0), "velocity_cutoff"),
    (dict(limit=0.0), "limit"),
    (dict(torque_rate=-1.0), "torque_rate"),
    (dict(friction=2.0), "friction"),
    (dict(law="adaptive", friction=1.0), "friction"),
    (dict(law="adaptive", kp=1.0), "kp"),
    (dict(law="gravity", kp=1.0), "kp"),
    (dict(law="gravity", target=np.zeros(4)), "target"),
    (dict(contact=-1.0), "contact"),
    (dict(contact=1.0, observer_gain=2000.0), "observer_gain"),
    (dict(approach=0.0), "approach"),
    (dict(frozen=0.0), "frozen"),
]


@pytest.mark.parametrize(("options", "named"), WRONG)
def test_gains_that_make_no_sense_are_refused_by_name(options, named):
    with pytest.raises(armdyn.InputError, match=named):
        arm_named("scara").controller(**options)


def test_arms_without_limits_or_masses_are_refused():
    with pytest.raises(armdyn.InputError, match="no limit of torque; give `limit`"):
        armdyn.load("puma560").controller()
    robot = arm_named("scara").robot
    empty = replace(robot, joints=[
        replace(j, mass=0.0, inertia=(0.0,) * 6, com=(0.0,) * 3, rotor_inertia=1.0)
        for j in robot.joints
    ])  # fmt: skip
    with pytest.raises(armdyn.InputError, match="no masses"):
        armdyn.Arm(empty).controller()


def test_steps_with_the_wrong_shape_are_refused():
    controller = arm_named("scara").controller()
    q = np.zeros(4)
    for given in ((q[:3], q), (q, q[:2]), (q, None), (q, q, q, "x"), ("x", q), (q, q, [1.0])):
        with pytest.raises(armdyn.InputError):
            controller.step(*given)
    with pytest.raises(armdyn.InputError, match="takes no `q_ref`"):
        arm_named("scara").controller("gravity").step(q, q)
    with pytest.raises(armdyn.InputError, match="simulate one"):
        armdyn.simulate(arm_named("scara"), np.zeros((2, 4)), until=0.01, torque=controller,
                        integrator="rk4", step=1e-3)  # fmt: skip


def test_the_command_line_writes_the_package(tmp_path, monkeypatch, capsys):
    out = tmp_path / "c"
    status, told, _ = run(monkeypatch, capsys, "controller", "scara", "-o", str(out), "--limit",
                          "100", "--law", "pd_gravity", "--budget", "--json")  # fmt: skip
    assert status == 0
    found = json.loads(told)
    assert found["law"] == "pd_gravity"
    assert "scara_control_period" in found["budget"]["functions"]
    assert (out / "scara_control.h").exists()
    status, _, errors = run(monkeypatch, capsys, "controller", "scara", "-o", str(out))
    assert status == 2
    assert "limit" in errors


def test_a_controller_is_made_by_the_arm_and_says_what_it_is():
    controller = arm_named("scara").controller("pd_gravity", rate=500.0)
    assert isinstance(controller, Controller)
    assert repr(controller) == "<Controller: pd_gravity of scara, 500 Hz>"
