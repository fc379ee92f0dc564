"""`Arm`: shapes, broadcasting, `out`, methods, messages."""

from __future__ import annotations

import inspect
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import armdyn
from armdyn.algorithms.table import QUANTITIES
from armdyn.programs.methods import raced_methods
from support.robots import random_robot, relative_error
from support.says import facts

PUMA = armdyn.load("puma560")
RNG = np.random.default_rng(1)
Q, QD, QDD, TAU = RNG.uniform(-1, 1, (4, 7, 6))
STATES = {"q": Q, "qd": QD, "qdd": QDD, "tau": TAU}


def call(arm, quantity, states, **options):
    return getattr(arm, quantity)(
        *(states[name] for name in QUANTITIES[quantity].inputs), **options
    )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_every_quantity_is_a_method_of_the_arm(quantity) -> None:
    result = call(PUMA, quantity, STATES)
    results = result if isinstance(result, tuple) else (result,)
    for array, shape in zip(results, QUANTITIES[quantity].shapes(6).values(), strict=True):
        assert array.shape == (7, *shape)
        assert array.dtype == np.float64


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_batch_equals_its_states(quantity) -> None:
    batch = call(PUMA, quantity, STATES)
    single = [call(PUMA, quantity, {k: v[i] for k, v in STATES.items()}) for i in range(7)]
    if isinstance(batch, tuple):
        for k, part in enumerate(batch):
            assert relative_error(part, [s[k] for s in single]) < 1e-14
    else:
        assert relative_error(batch, single) < 1e-14


def test_leading_axes_broadcast() -> None:
    tau = PUMA.inverse_dynamics(Q[:, None], QD[None, :3], np.zeros(6))
    assert tau.shape == (7, 3, 6)
    assert relative_error(tau[2, 1], PUMA.inverse_dynamics(Q[2], QD[1], np.zeros(6))) < 1e-14


def test_empty_batch_gives_empty_result() -> None:
    assert PUMA.mass_matrix(np.zeros((0, 6))).shape == (0, 6, 6)
    assert PUMA.inverse_dynamics(np.zeros((0, 6)), np.zeros(6), np.zeros(6)).shape == (0, 6)


def test_lists_and_integers_are_states() -> None:
    assert np.array_equal(PUMA.gravity([0, 1, 0, 0, 0, 0]), PUMA.gravity(np.eye(6)[1]))


def test_out_receives_the_result() -> None:
    out = np.empty((7, 6, 6))
    assert PUMA.mass_matrix(Q, out=out) is out
    assert np.array_equal(out, PUMA.mass_matrix(Q))


def test_out_may_be_an_input() -> None:
    expected = PUMA.inverse_dynamics(Q, QD, QDD)
    state = QDD.copy()
    assert np.array_equal(PUMA.inverse_dynamics(Q, QD, state, out=state), expected)
    assert np.array_equal(state, expected)


def test_out_is_left_alone_by_a_call_that_fails() -> None:
    out = np.full(6, 7.0)
    with pytest.raises(armdyn.InputError):
        PUMA.bias(Q[0], np.full(6, np.nan), out=out)
    assert np.array_equal(out, np.full(6, 7.0))


def test_description_of_an_arm_cannot_be_exchanged() -> None:
    with pytest.raises(AttributeError):
        PUMA.robot = armdyn.load("scara").robot  # type: ignore[misc]


def test_threads_may_share_an_arm() -> None:
    arm, expected = armdyn.load("stanford"), armdyn.load("stanford").inverse_dynamics(Q, QD, QDD)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: arm.inverse_dynamics(Q, QD, QDD), range(16)))
    assert all(np.array_equal(tau, expected) for tau in found)


def test_results_are_the_callers_own() -> None:
    first = PUMA.mass_matrix(Q[0])
    kept = first.copy()
    PUMA.mass_matrix(Q[1])
    assert np.array_equal(first, kept)


def test_auto_takes_the_fewest_multiplications_then_additions() -> None:
    for quantity in ("mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity"):
        chosen = PUMA.function(quantity)
        counts = {
            m: PUMA.function(quantity, m, friction=False).operations
            for m in raced_methods(quantity)
        }
        best = min((o.multiplications + o.sqrt, o.additions) for o in counts.values())
        got = counts[chosen.method]
        assert (got.multiplications + got.sqrt, got.additions) == best


def test_friction_belongs_to_inverse_and_forward_dynamics() -> None:
    joints = [
        armdyn.Joint(b=0.1, mass=1.0, inertia=(1, 0, 0, 1, 0, 1), viscous=0.3, coulomb=0.2),
        armdyn.Joint(b=0.3, mass=1.0, inertia=(1, 0, 0, 1, 0, 1), coulomb=0.5, offset=-0.1),
    ]
    arm = armdyn.Arm(armdyn.Robot(joints))
    q, qd, qdd = np.array([0.3, 0.1]), np.array([2.0, -3.0]), np.array([1.0, -1.0])
    lost = arm.friction(qd)
    assert np.allclose(lost, [0.3 * 2 + 0.2, -0.5 - 0.1])
    with_it = arm.inverse_dynamics(q, qd, qdd)
    without = arm.inverse_dynamics(q, qd, qdd, friction=False)
    assert np.allclose(with_it - without, lost)
    assert np.allclose(arm.forward_dynamics(q, qd, with_it), qdd)
    assert np.allclose(arm.forward_dynamics(q, qd, without, friction=False), qdd)
    assert np.allclose(arm.bias(q, qd), arm.inverse_dynamics(q, qd, 0 * q, friction=False))
    assert np.array_equal(arm.friction(np.zeros(2)), [0.0, -0.1])  # sign(0) is 0


def test_pose_of_frames_by_name_and_number() -> None:
    names = PUMA.joint_names
    assert np.array_equal(PUMA.pose(Q, names[2]), PUMA.pose(Q, 3))
    assert np.array_equal(PUMA.jacobian(Q, names[5]), PUMA.jacobian(Q, 6))
    assert np.array_equal(PUMA.pose(Q[0], 0), np.array(PUMA.robot.base))
    assert np.allclose(PUMA.pose(Q), PUMA.pose(Q, 6) @ np.array(PUMA.robot.tool))


def test_regressor_has_a_named_parameter_for_each_column() -> None:
    assert PUMA.parameters.shape == (60,)
    assert len(PUMA.parameter_names) == len(set(PUMA.parameter_names)) == 60
    assert PUMA.parameter_names[:10] == (
        "m_1", "mx_1", "my_1", "mz_1", "Ixx_1", "Ixy_1", "Iyy_1", "Ixz_1", "Iyz_1", "Izz_1",
    )  # fmt: skip
    rotors = np.array([j.rotor_inertia for j in PUMA.robot.joints])
    tau = PUMA.regressor(Q, QD, QDD) @ PUMA.parameters + rotors * QDD
    assert relative_error(tau, PUMA.inverse_dynamics(Q, QD, QDD, friction=False)) < 1e-13


def test_function_is_called_counted_and_printed() -> None:
    f = PUMA.function("mass_matrix", method="lin_fang_1")
    assert np.array_equal(f(Q), PUMA.mass_matrix(Q, method="lin_fang_1"))
    # q1 never matters to M, q6 not here: link 6 is symmetric
    assert f.operations.mul > 0 and f.operations.trig == 8
    scope: dict = {}
    exec(f.source("python"), scope)
    assert relative_error(np.reshape(scope["mass_matrix"](Q[0]), (6, 6)), f(Q[0])) < 1e-15
    assert "lin_fang_1" in repr(f) and "puma560" in repr(f)


BAD_STATES = [
    (dict(q=np.zeros(5)), r"`q` has shape \(5,\), expected \(6,\) or \(..., 6\) for robot 'puma"),
    (dict(q=np.zeros((6, 5))), r"`q` has shape \(6, 5\)"),
    (dict(q=0.0), r"`q` has shape \(\)"),
    (dict(q=[math.nan] * 6), r"`q` has nan at index \(0,\); a state must be finite"),
    (dict(qd=np.full((2, 6), np.inf)), r"`qd` has inf at index \(0, 0\)"),
    (dict(qdd="hello"), "`qdd` is 'hello', expected real numbers of shape"),
    (dict(qdd=np.zeros(6, complex)), "`qdd` has complex numbers, expected real numbers"),
    (dict(q=[[1, 2], [3]]), "`q` is .*, expected real numbers"),
    (dict(q=None), "`q` is None, expected real numbers"),
    (dict(q=np.zeros((2, 6)), qd=np.zeros((3, 6))), r"do not broadcast: q \(2, 6\), qd \(3, 6\)"),
    (dict(method="magic"), "no method of inverse_dynamics 'magic'; choose one of: auto, "),
    (dict(out=np.zeros(5)), r"`out` is float64 of shape \(5,\), expected .* shape \(6,\)"),
    (dict(out=np.zeros(6, np.float32)), "`out` is float32"),
    (dict(out=[0.0] * 6), "`out` is list"),
    (
        dict(out=np.broadcast_to(0.0, 6)),
        r"`out` is read-only, expected .* shape \(6,\) that can be",
    ),
    (dict(out=np.ma.zeros(6)), "`out` is MaskedArray"),
    (
        dict(q=np.ma.masked_equal(np.zeros(6), 0)),
        "`q` has masked entries",
    ),
    (dict(q=np.zeros(6, bool)), "`q` has truth values, expected real numbers"),
    (dict(q=np.full(6, np.finfo(np.longdouble).max)), "`q` has inf at index"),
    (dict(q=np.zeros((1,) * 31 + (6,))), "`q` has 32 axes, expected at most 30"),
    (dict(method=["auto"]), r"no method of inverse_dynamics \['auto'\]; choose one of: auto, "),
    (dict(method=np.zeros(2)), "no method of inverse_dynamics array"),
    (dict(friction="no"), "`friction` is 'no', expected True or False"),
    (dict(friction=np.zeros(6)), "`friction` is array.*, expected True or False"),
]


@pytest.mark.parametrize(("change", "text"), BAD_STATES, ids=[t for _, t in BAD_STATES])
def test_wrong_arguments_are_named(change, text) -> None:
    given = {"q": np.zeros(6), "qd": np.zeros(6), "qdd": np.zeros(6), **change}
    with pytest.raises(armdyn.InputError, match=text):
        PUMA.inverse_dynamics(**given)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: armdyn.Arm("puma560"), ("armdyn.Robot", "str", "armdyn.load")),
        (lambda: PUMA.function("mass"), ("'mass'", "mass_matrix")),
        (lambda: PUMA.function("mass_matrix")(Q, QD), "takes 1 arrays"),
        (lambda: PUMA.function("mass_matrix").source("cobol"), "no language 'cobol'"),
        (lambda: PUMA.function("udu")(Q, out=Q), ("tuple of 2", "ndarray")),
        (lambda: PUMA.function("udu")(Q, out=(Q,)), ("tuple of 2", "1")),
        (lambda: PUMA.function("udu")(Q, out=(Q, Q)), "`out[0]` is float64 of shape"),
        (lambda: PUMA.pose(Q, "elbow"), ("`frame`", "'elbow'", "'tip'")),
        (lambda: PUMA.pose(Q, 8), "`frame` is 8"),
        (lambda: PUMA.pose(Q, -1), "`frame` is -1"),
        (lambda: PUMA.pose(Q, True), "`frame` is True"),
        (lambda: PUMA.pose(Q, 1.5), "`frame` is 1.5"),
        (lambda: PUMA.pose(Q, np.zeros(3)), "`frame` is array"),
        (lambda: PUMA.function(["bias"]), "no quantity ['bias']"),
        (lambda: armdyn.methods(["bias"]), "no quantity ['bias']"),
        (lambda: armdyn.load("puma560", tip=3), ("`tip`", "3")),
        (lambda: armdyn.load("puma560", base=["a"]), ("`base`", "['a']")),
        (lambda: armdyn.load("puma560", strict="no"), ("`strict`", "'no'", "True", "False")),
        (lambda: armdyn.load("puma560", snap=None), ("`snap`", "None", "True", "False")),
        (lambda: armdyn.methods("mass"), "no quantity 'mass'"),
        (lambda: armdyn.operation_counts("bias", "magic", 6), ("bias", "'magic'")),
        (lambda: armdyn.operation_counts("bias", "auto", 0), ("`n`", "0", "whole")),
        (lambda: armdyn.operation_counts("bias", "auto", 2.0), ("`n`", "2.0", "whole")),
        (lambda: armdyn.operation_counts("bias", "auto", [2]), ("`n`", "[2]", "whole")),
        (lambda: armdyn.generic("3"), ("`n`", "'3'")),
        (lambda: armdyn.generic(3, seed=-1), ("`seed`", "-1")),
        (lambda: armdyn.generic(3, type=3), "`type` is 3"),
    ],
)
def test_wrong_calls_are_explained(call, text) -> None:
    with pytest.raises(armdyn.InputError, match=facts(text)):
        call()


def test_input_arrays_are_left_alone() -> None:
    given = Q.copy()
    given.flags.writeable = False
    PUMA.mass_matrix(given)
    assert np.array_equal(given, Q)


def test_state_of_other_layout_and_type_is_read_right() -> None:
    strided = np.asfortranarray(Q)[::2]
    assert np.array_equal(PUMA.gravity(strided), PUMA.gravity(np.ascontiguousarray(strided)))
    narrow = Q.astype(np.float32)
    assert np.array_equal(PUMA.gravity(narrow), PUMA.gravity(narrow.astype(np.float64)))


def test_large_batch_crosses_blocks() -> None:
    q = RNG.uniform(-3, 3, (2500, 6))
    M = PUMA.mass_matrix(q)
    for k in (0, 1023, 1024, 2047, 2048, 2499):
        assert relative_error(M[k], PUMA.mass_matrix(q[k])) < 1e-14


def test_long_arm_is_traced_without_recursion() -> None:
    robot = random_robot("mixed", 40, 0)
    arm = armdyn.Arm(robot)
    q, qd, tau = np.random.default_rng(0).uniform(-1, 1, (3, 40))
    qdd = arm.forward_dynamics(q, qd, tau, method="denoc")
    back = arm.inverse_dynamics(q, qd, qdd, method="newton_euler")
    assert relative_error(back, tau) < 1e-7


def massless_hand(**hand: float) -> armdyn.Arm:
    arm = armdyn.Joint(b=0.1, mass=1.0, inertia=(1, 0, 0, 1, 0, 1))
    return armdyn.Arm(armdyn.Robot([arm, armdyn.Joint(b=0.3, **hand)], name="handless"))


def test_singular_mass_matrix_is_refused_and_the_rest_goes_on() -> None:
    arm, zero = massless_hand(), np.zeros(2)
    for call in (
        lambda: arm.forward_dynamics(zero, zero, zero),
        lambda: arm.inverse_mass_matrix(zero),
        lambda: arm.udu(zero, method="denoc"),
    ):
        with pytest.raises(armdyn.RobotError, match=facts("joint 2")):
            call()
    assert arm.mass_matrix(zero)[1, 1] == 0.0
    inverting = {"forward_dynamics", "forward_dynamics_derivatives", "inverse_mass_matrix", "udu"}
    assert set(QUANTITIES) - set(arm.quantities) == inverting
    healthy = massless_hand(rotor_inertia=0.1)
    assert np.allclose(healthy.forward_dynamics(zero, zero, [0.0, 0.2]), [0.0, 2.0])
    assert set(healthy.quantities) == set(QUANTITIES)


def test_light_wrist_on_a_heavy_arm_is_not_called_singular() -> None:
    heavy = armdyn.Joint(mass=1e5, com=(1.0, 0.0, 0.0), inertia=(1e5, 0.0, 0.0, 1e5, 0.0, 1e5))
    light = armdyn.Joint(mass=1e-6, inertia=(1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9))
    arm = armdyn.Arm(armdyn.Robot([heavy, light]))
    qdd = arm.forward_dynamics([0.0, 0.3], [0.0, 0.0], [0.0, 1e-9])
    assert relative_error(qdd[1], 1.0) < 1e-6


@pytest.mark.parametrize("method", armdyn.methods("forward_dynamics"))
def test_singular_state_is_named(method) -> None:
    """Two point masses on one line: stretched out, joint 1 moves none of them."""
    point = armdyn.Joint(b=1.0, mass=1.0, com=(-1.0, 0.0, 0.0))
    arm = armdyn.Arm(armdyn.Robot([armdyn.Joint(), point], name="line"))
    q = np.array([[0.0, 1.0], [0.0, 0.0], [0.0, 2.0]])
    good = arm.forward_dynamics(q[0], q[0], q[0], method=method)
    assert np.isfinite(good).all()
    with pytest.raises(armdyn.NumericalError, match=facts("'line'", "finite", "(1,)")):
        arm.forward_dynamics(q, 0 * q, 0 * q, method=method)
    with pytest.raises(armdyn.NumericalError, match="singular"):
        arm.forward_dynamics(q[1], q[1], q[1], method=method)


def test_too_large_state_is_named() -> None:
    with pytest.raises(armdyn.NumericalError, match=facts("too large")):
        PUMA.inverse_dynamics(Q[0], np.full(6, 1e200), Q[0])


def test_public_names_are_the_contract() -> None:
    assert set(armdyn.__all__) == {
        "AdaptiveControl", "Arm", "ArmdynError", "CacheWarning", "ComputedTorque", "DriveGains",
        "ExcitingMotion", "Extra", "Fault", "Feasibility", "FileError", "Fleet", "Follower",
        "Function",
        "GraphError", "InputError", "Joint", "Load", "Log", "LogCheck", "LogError", "LogWarning",
        "MethodError",
        "MinimalParameters", "MissingExtraError", "MomentumObserver", "NumericalError",
        "Operations", "PD", "Payload", "Result", "Robot", "RobotError", "RobotFileError",
        "RobotWarning", "Run", "ServoResult", "SettingWarning", "StaticMotion", "SymbolicModel",
        "UnreachedError", "check_log",
        "excite", "excite_static", "feasible", "fleet", "from_standard_dh", "generic", "identify",
        "identify_drive_gains", "identify_payload", "load", "methods", "operation_counts",
        "robots", "save", "simulate", "symbolic",
    }  # fmt: skip
    for name in armdyn.__all__:
        assert inspect.getdoc(getattr(armdyn, name)), name


def test_every_method_is_counted_on_generic_arms() -> None:
    for quantity in PUMA.quantities:
        for method in armdyn.methods(quantity):
            done = armdyn.operation_counts(quantity, method, 3, type=2)
            # a generic arm has no friction; all else depends on the state
            assert (done.mul + done.add > 0) == (quantity != "friction"), (quantity, method)


def test_listed_methods_of_the_papers_exist() -> None:
    expected = {
        "mass_matrix": [
            *(f"lin_fang_{k}" for k in range(1, 6)), "lin_fang_1_minimal", "lin_fang_2_minimal",
            "lin_1990", "lin_1991", "renaud", "walker_orin", "gibbs_appell", "denoc", "split",
        ],
        "inverse_dynamics": ["gibbs_appell", "gibbs_appell_sums", "newton_euler", "second_moment"],
        "bias": ["gibbs_appell", "newton_euler", "second_moment", "lin_1991"],
        "forward_dynamics": ["gibbs_appell", "mass_matrix_udu", "denoc", "articulated_body"],
        "inverse_mass_matrix": ["denoc", "mass_matrix_udu"],
    }  # fmt: skip
    for quantity, names in expected.items():
        assert set(names) <= set(armdyn.methods(quantity)), quantity
