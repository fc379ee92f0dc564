"""What simulations refuse, and how they fail."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from support.says import Said, facts

ARM = armdyn.load("planar2")
Q0, QD0 = np.array([0.3, 0.4]), np.array([0.1, -0.2])


def refused(words: Said, *args: Any, **options: Any) -> str | None:
    with pytest.raises(armdyn.InputError, match=facts(words)) as caught:
        armdyn.simulate(*args, **options)
    return caught.value.argument


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"q0": [0.0]}, ("`q0`", "(1,)", "(2,)", "(B, 2)")),
        ({"q0": [0.0, np.nan]}, ("`q0`", "nan", "1")),
        ({"qd0": "fast"}, "`qd0` is 'fast'"),
        ({"q0": np.zeros((3, 2)), "qd0": np.zeros((2, 2)), "integrator": "rk4"}, ("2", "3")),
        ({"q0": np.zeros((0, 2)), "integrator": "rk4"}, "no states"),
        ({"q0": np.zeros((0, 2))}, "no states"),
        ({"until": -1.0}, ("`until`", "-1.0")),
        ({"until": 0.0}, "`until` is 0.0"),
        ({"until": np.inf}, "`until` is inf"),
        ({"until": 1e99}, ("`until`", "1e+99")),
        ({"integrator": "euler"}, ("euler", "rk45, dop853, rk4, ab4, midpoint")),
        ({"method": "guess"}, ("forward_dynamics", "'guess'")),
        ({"rtol": 0.0}, "`rtol` is 0.0"),
        ({"rtol": 1e-16}, ("`rtol`", "1e-16")),
        ({"atol": -1.0}, "`atol` is -1.0"),
        ({"step": -1e-3, "integrator": "rk4"}, "`step` is -0.001"),
        ({"step": 7.0, "integrator": "rk4"}, ("`step`", "7 s")),
        ({"step": 1e-12, "integrator": "rk4"}, "too many"),
        ({"longest": 0.0}, "`longest` is 0.0"),
        ({"samples": 1}, "`samples` is 1"),
        ({"samples": [0.2, 0.1]}, ("backwards", "0.1 s", "0.2 s")),
        ({"samples": [0.0, 9.0]}, ("`samples`", "0", "5 s")),
        ({"limits": "bounce"}, ("bounce", "report, stop, spring")),
        ({"limits": "spring", "stiffness": -1.0}, "`stiffness` is -1.0"),
        ({"stiction": 0.5}, ("`stiction`", "0.5", "1")),
        ({"friction": "yes"}, "`friction` is 'yes'"),
        ({"partial": 1}, "`partial` is 1"),
        ({"torque": [1.0]}, "`torque` has shape (1,), expected (2,)"),
        ({"torque": [1.0, np.nan]}, ("`torque`", "nan", "1")),
        ({"torque": np.zeros((9, 2))}, ("`torque`", "(times, values)")),
        ({"torque": "much"}, ("`torque`", "'much'", "None")),
        ({"torque": ([0.0, 2.0, 1.0], np.zeros((3, 2)))}, ("backwards", "1 s", "2 s")),
        ({"torque": ([0.0, 1.0], np.zeros((2, 2)))}, ("`torque`", "0 s", "1 s", "simulation")),
        ({"torque": ([0.0, 1.0], np.zeros((3, 2)))}, "expected (K,) and (K, 2)"),
        ({"wrench": [1.0, 2.0]}, "`wrench` has shape (2,), expected (6,)"),
        ({"events": [3]}, "expected functions"),
        ({"events": 3}, "`events` is 3, expected functions"),
        ({"q0": [1e10, 0.0]}, ("`q0`", "1e+10", "(0,)")),
        ({"qd0": [0.0, -1e7]}, ("`qd0`", "-1e+07", "(1,)")),
        ({"samples": 50_000_000}, ("50000000", "GB")),
        ({"progress": 3}, "`progress` is 3"),
        ({"parameters": np.zeros(20), "integrator": "rk4"}, "expected (B, 20)"),
        ({"parameters": np.zeros((2, 20)), "q0": np.zeros((3, 2)), "integrator": "rk4"}, "2 rows"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_before_any_work(options: dict[str, Any], words: Said) -> None:
    assert refused(words, ARM, **options) in options


def test_something_else_than_an_arm_is_refused() -> None:
    refused(("`arm`", "'planar2'", "Arm"), "planar2")


def test_a_controller_that_cannot_be_prepared_is_told() -> None:
    class Broken:
        def prepared(self, arm: armdyn.Arm) -> object:
            raise KeyError("gain")

    refused(("KeyError: 'gain'", "prepared"), ARM, torque=Broken())


@pytest.mark.parametrize("name", ["rk45", "rk4", "ab4", "midpoint"])
def test_a_controller_may_use_its_memory_again(name: str) -> None:
    kept = np.zeros(2)

    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        kept[:] = t, -t
        return kept

    run = armdyn.simulate(ARM, Q0, QD0, 0.1, torque, name)
    np.testing.assert_allclose(run.tau, np.stack([run.t, -run.t], axis=1), atol=1e-15)


@pytest.mark.parametrize("name", ["rk45", "dop853"])
@pytest.mark.parametrize("coulomb", [0.0, 1.0])
def test_torques_beyond_floats_end_in_words(name: str, coulomb: float) -> None:
    joints = [replace(joint, coulomb=coulomb) for joint in ARM.robot.joints]
    arm = armdyn.Arm(armdyn.Robot(joints, ARM.robot.gravity))
    for size in (1e200, 1e308):
        with pytest.raises(armdyn.NumericalError, match=r"joint.*[Ll]ook at the torques"):
            armdyn.simulate(arm, Q0, QD0, 0.1, [size, size], name)


@pytest.mark.parametrize("name", ["rk45", "rk4"])
def test_parameters_without_mass_end_in_words(name: str) -> None:
    with pytest.raises(armdyn.NumericalError, match=r"joint 'joint1' has .*nan"):
        armdyn.simulate(ARM, Q0, None, 0.1, parameters=[0 * ARM.parameters], integrator=name)


@pytest.mark.parametrize("name", ["rk4", "ab4", "midpoint"])
def test_a_step_that_goes_astray_does_not_pass_for_friction(name: str) -> None:
    joints = [replace(joint, coulomb=1.0) for joint in ARM.robot.joints]
    arm = armdyn.Arm(armdyn.Robot(joints, ARM.robot.gravity))
    with pytest.raises(armdyn.NumericalError, match=r"unstable.*shorter `step`"):
        armdyn.simulate(arm, Q0, [1e3, -1e3], 0.02, integrator=name, step=0.01)


def test_a_part_of_a_large_batch_that_fails_ends_the_others() -> None:
    q = np.tile(Q0, (5000, 1))
    qd = np.zeros((5000, 2))
    qd[4999] = 9e5
    done: list[int] = []
    with pytest.raises(armdyn.NumericalError, match=r"unstable.*of arm"):
        armdyn.simulate(
            ARM, q, qd, 100.0, integrator="rk4", step=1e-3, samples=2, threads=3,
            progress=lambda k, total, what: done.append(k / total),
        )  # fmt: skip
    assert max(done, default=0.0) < 0.5


def test_too_many_samples_are_refused_with_their_size() -> None:
    refused("GB: say how many", ARM, np.zeros((5000, 2)), until=100.0, integrator="rk4")


def test_limits_upside_down_are_refused() -> None:
    with pytest.raises(armdyn.RobotError, match=facts("`lower`", "smaller")):
        armdyn.Joint(mass=1.0, lower=1.0, upper=-1.0)
    puma = armdyn.load("puma560")
    q = [9.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    refused(("`q0`", "limits", "'joint1'"), puma, q, limits="stop")
    refused(("'joint1'", "arm 1"), puma, [np.zeros(6), q], limits="stop")


@pytest.mark.parametrize("name", ["rk45", "rk4", "ab4", "midpoint"])
def test_a_controller_that_raises_is_chained_with_time_and_state(name: str) -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t > 0.05:
            raise KeyError("gain")
        return np.zeros(2)

    words = r"KeyError: 'gain'; at t = 0\.05.*q = \["
    with pytest.raises(armdyn.InputError, match=words) as caught:
        armdyn.simulate(ARM, Q0, QD0, 0.2, torque, name)
    assert isinstance(caught.value.__cause__, KeyError)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (np.array([0.0, np.nan]), ("nan", "number 2", "t = 0 s")),
        (np.zeros(3), ("(3,)", "(2,)", "t = 0 s")),
        ("push", "returned 'push' at t = 0 s"),
        (None, "returned None at t = 0 s"),
        (np.array([1j, 0.0]), ("array([", "t = 0 s", "numbers")),
    ],
)
def test_a_controller_that_gives_no_torque_is_refused(value: object, words: Said) -> None:
    for name in ("rk45", "rk4"):
        with pytest.raises(armdyn.InputError, match=facts(words)):
            armdyn.simulate(ARM, Q0, QD0, 0.2, lambda t, q, qd: value, name)


def test_a_controller_cannot_change_the_state_it_is_given() -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        q += 1.0
        qd *= 0.0
        return np.zeros(2)

    spoiled = armdyn.simulate(ARM, Q0, QD0, 0.1, torque, "rk4")
    plain = armdyn.simulate(ARM, Q0, QD0, 0.1, integrator="rk4")
    np.testing.assert_allclose(spoiled.q, plain.q, atol=1e-13)


@pytest.mark.parametrize("name", ["rk4", "ab4"])
def test_a_step_that_is_too_long_is_told_with_time_and_joint(name: str) -> None:
    link = dict(mass=1.0, com=(0.5, 0.0, 0.0), inertia=(0, 0, 0, 0.01, 0, 0.01))
    joints = [armdyn.Joint(viscous=1.0, **link), armdyn.Joint(viscous=100.0, b=1.0, **link)]
    arm = armdyn.Arm(armdyn.Robot(joints))
    with pytest.raises(armdyn.NumericalError, match=r"t = .* s joint 'joint\d'.*shorter `step`"):
        armdyn.simulate(arm, [0.0, 0.0], [0.0, 1.0], 5.0, integrator=name, step=0.05)


def test_energy_that_comes_from_nowhere_is_told() -> None:
    with pytest.raises(armdyn.NumericalError, match=r"energy went from .* shorter `step`|unstable"):
        armdyn.simulate(ARM, Q0, [20.0, 10.0], 10.0, integrator="ab4", step=0.05)


def test_energy_that_is_lost_to_nothing_is_told() -> None:
    puma = armdyn.load("puma560")
    with pytest.raises(armdyn.NumericalError, match=facts("energy", "`step`")):
        armdyn.simulate(puma, until=20.0, integrator="rk4", step=0.4)
    slow = armdyn.Joint(mass=1.0, com=(0.5, 0.0, 0.0), viscous=0.5)
    arm = armdyn.Arm(armdyn.Robot([slow], gravity=(0.0, -9.81, 0.0)))
    run = armdyn.simulate(arm, until=5.0, integrator="rk4")  # friction may take what it wants
    assert run.complete and run.energy[-1] < run.energy[0] - 1.0


def test_constant_friction_may_bring_energy() -> None:
    joint = armdyn.Joint(kind="prismatic", mass=1.0, offset=-2.0)
    arm = armdyn.Arm(armdyn.Robot([joint], gravity=(0.0, 0.0, 0.0)))
    run = armdyn.simulate(arm, until=1.0)
    assert abs(run.energy[-1] - 2.0) < 1e-9


def test_a_midpoint_step_that_does_not_converge_is_told() -> None:
    with pytest.raises(armdyn.NumericalError, match=r"does not converge|unstable"):
        armdyn.simulate(ARM, Q0, [30.0, 30.0], 5.0, integrator="midpoint", step=0.5)


@pytest.mark.parametrize("name", ["rk45", "rk4"])
def test_a_part_is_returned_only_if_asked_for_and_marked(name: str, tmp_path: Path) -> None:
    def torque(t: float, q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        if t > 0.15:
            raise RuntimeError("the cable broke")
        return np.array([0.1, 0.2]) * (1 + t)

    with pytest.raises(armdyn.InputError, match="the cable broke"):
        armdyn.simulate(ARM, Q0, QD0, 0.5, torque, name)
    run = armdyn.simulate(ARM, Q0, QD0, 0.5, torque, name, partial=True)
    assert not run.complete
    assert "the cable broke" in run.notes[0]
    assert 0.0 < run.t[-1] <= 0.16
    assert "incomplete" in repr(run)
    run.save(tmp_path / "part.npz")
    assert armdyn.Log.read(tmp_path / "part.npz").extra["incomplete"].all()
    whole = armdyn.simulate(ARM, Q0, QD0, 0.1, [0.1, 0.2], name, partial=True)
    assert whole.complete


def test_a_run_can_be_interrupted_and_kept() -> None:
    def stop(done: int, total: int, what: str) -> None:
        if done > total // 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        armdyn.simulate(ARM, Q0, QD0, 1.0, integrator="rk4", progress=stop)
    run = armdyn.simulate(ARM, Q0, QD0, 1.0, integrator="rk4", progress=stop, partial=True)
    assert not run.complete
    assert 0.4 < run.t[-1] < 0.6


def test_an_event_that_fails_is_told() -> None:
    def broken(t: float, q: np.ndarray, qd: np.ndarray) -> float:
        return float("nan")

    for name in ("rk45", "rk4"):
        refused(("`events[0]`", "nan", "t = 0 s"), ARM, Q0, events=broken, integrator=name)
        refused(
            ("`events[0]`", "ZeroDivisionError"), ARM, Q0,
            events=lambda t, q, qd: 1 / 0, integrator=name,
        )  # fmt: skip
    refused("not of a batch", ARM, np.zeros((2, 2)), events=lambda t, q, qd: q[0], integrator="rk4")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = armdyn.simulate(ARM, Q0, QD0, 0.05)
    path = tmp_path / "run.csv"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    for target in (path, tmp_path / "run.html", tmp_path / "run.png"):
        with pytest.raises(armdyn.FileError, match=facts("No space left")):
            {".csv": run.save, ".html": run.animate, ".png": run.plot}[target.suffix](target)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run.csv"]


def test_an_arm_without_mass_is_refused() -> None:
    arm = armdyn.Arm(armdyn.Robot([armdyn.Joint(mass=0.0)]))
    with pytest.raises(armdyn.RobotError, match="singular"):
        armdyn.simulate(arm)
