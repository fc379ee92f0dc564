"""Long arms by sweeps along the joints, as users meet them: chosen, called, refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.errors import InputError, RobotError
from armdyn.graph.rolled import Rolled
from armdyn.kernel.batch import LEAST_STATES
from armdyn.kernel.kernel import compile_program
from armdyn.programs import programs as _programs
from support.long_arms import ROLLED, pinocchio, with_drives
from support.robots import random_robot, relative_error
from support.says import facts

ARM = armdyn.Arm(with_drives(random_robot("mixed", 13, 6), 7))
RNG = np.random.default_rng(8)


def states(f: armdyn.Function, count: int) -> list[np.ndarray]:
    return [RNG.uniform(-2, 2, (count, slot.size)) for slot in f.program.inputs]


def test_sweeps_are_named_where_there_are_some() -> None:
    for quantity in ARM.quantities:
        assert ("rolled" in armdyn.methods(quantity)) == (quantity in ROLLED)


@pytest.mark.parametrize("quantity", ROLLED)
def test_sweeps_of_a_mixed_arm_with_rotors_and_friction_are_pinocchios(quantity: str) -> None:
    f = ARM.function(quantity, "rolled")
    batch = states(f, 3)
    for i, got in enumerate(np.asarray(f(*batch))):
        state = {slot.name: x[i] for slot, x in zip(f.program.inputs, batch, strict=True)}
        friction = ARM.friction(state["qd"]) if "qd" in state else 0.0
        if quantity == "forward_dynamics":
            state["tau"] = state["tau"] - friction
        expected = pinocchio(ARM.robot, quantity, state)
        if quantity == "inverse_dynamics":
            expected = expected + friction
        assert relative_error(got, expected) < 1e-12, i


@pytest.mark.parametrize("quantity", ROLLED)
def test_bits_do_not_depend_on_how_sweeps_are_called(quantity: str) -> None:
    f = ARM.function(quantity, "rolled")
    batch = states(f, 1000)
    expected = np.asarray(f(*batch))
    width = compile_program(f.program).width
    for count in (0, 1, width - 1, width, width + 1, 600):
        assert np.array_equal(f(*(x[:count] for x in batch)), expected[:count]), count
    for i in (0, 7, 999):  # by the fastcall, which is installed by now
        assert np.array_equal(f(*(x[i] for x in batch)), expected[i])
    shifted = [np.frombuffer(b"\0" * 4 + x.tobytes(), np.float64, offset=4) for x in batch]
    assert not shifted[0].flags.aligned
    apart = [x.reshape(y.shape) for x, y in zip(shifted, batch, strict=True)]
    assert np.array_equal(f(*apart), expected)
    assert np.array_equal(f(*(x[0] for x in apart)), expected[0])
    again = pickle.loads(pickle.dumps(f))
    assert again.method == "rolled" and np.array_equal(again(*batch), expected)


def test_threads_change_no_bit_of_sweeps() -> None:
    f = ARM.function("inverse_dynamics", "rolled")
    batch = states(f, 3 * LEAST_STATES)
    assert np.array_equal(f(*batch, threads=3), f(*batch, threads=1))


def test_sweeps_are_taken_where_straight_line_code_is_long(monkeypatch, tmp_path: Path) -> None:
    """C is straight-line code all the same."""
    short = armdyn.Arm(armdyn.generic(10, seed=71)).function("gravity")
    assert short.method != "rolled"
    monkeypatch.setattr(_programs, "LONGEST_STRAIGHT", 50)
    arm = armdyn.Arm(armdyn.generic(10, seed=72))
    f = arm.function("gravity")
    assert f.method == "rolled" and isinstance(f.program, Rolled)
    q = RNG.uniform(-2, 2, (4, 10))
    assert relative_error(arm.gravity(q), arm.gravity(q, method="lin_1994")) < 1e-12
    assert arm.function("coriolis_matrix").method != "rolled"
    assert armdyn.Arm(armdyn.generic(9, seed=72)).function("gravity").method != "rolled"
    header = arm.export_c(tmp_path, ["gravity"])[0].read_text()
    assert "lin_1994" in header and "rolled" not in header


def test_sweeps_are_not_written_out() -> None:
    f = ARM.function("gravity", "rolled")
    for language in ("python", "c", "latex", "jax", "casadi"):
        with pytest.raises(InputError, match="'rolled' is no straight-line code"):
            f.source(language)
    for library in (f.sympy, f.casadi, f.jax):
        with pytest.raises(InputError, match="give another `method`"):
            library()
    assert "define " in f.source("llvm")


def test_sweeps_know_what_cannot_be_inverted() -> None:
    massless = armdyn.Arm(armdyn.Robot([armdyn.Joint(mass=0.0)]))
    for quantity in ("forward_dynamics", "inverse_mass_matrix"):
        with pytest.raises(RobotError, match=facts("singular")):
            massless.function(quantity, "rolled")
