"""Trees and followers: every quantity by every method, against Pinocchio; refusals by name."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn import Arm, Follower, Joint, Robot
from armdyn.algorithms.table import QUANTITIES
from armdyn.errors import InputError, MethodError, RobotError
from armdyn.graph.interpret import evaluate
from armdyn.programs.methods import methods_on, straight_methods
from armdyn.robot.chain import COUPLED, FIXED, TREE, chain_of
from support.robots import relative_error
from support.trees import TreeAnswers, random_tree

LINK = {"mass": 1.0, "com": (0.2, 0.0, 0.0), "inertia": (0.01, 0.0, 0.0, 0.03, 0.0, 0.03)}
# Rounding grows with the condition of M where it is inverted.
SOLVED = 1e-9
TREES = [(seed, followers) for followers in (False, True) for seed in range(5)]


def states(n: int) -> np.ndarray:
    return np.random.default_rng(n).uniform(-2, 2, (4, n))


def dual_arm(**options) -> Robot:
    """A torso that carries two arms of two joints, all about horizontal axes but the torso's."""
    torso = Joint(name="torso", **LINK)
    left = [
        Joint(name="l1", parent="torso", beta=np.pi / 2, b=0.3, **LINK),
        Joint(name="l2", parent="l1", b=0.4, **LINK),
    ]
    right = [
        Joint(name="r1", parent="torso", branch_angle=np.pi, beta=np.pi / 2, b=0.3, **LINK),
        Joint(name="r2", parent="r1", b=0.4, **LINK),
    ]
    return Robot([torso, *left, *right], name="dual", **options)


@pytest.mark.parametrize(("seed", "followers"), TREES)
def test_every_method_matches_pinocchio(seed: int, followers: bool) -> None:
    """The compiled program, and where it is short enough the interpreted one."""
    robot = random_tree(seed, followers)
    arm, pinocchio = Arm(robot), TreeAnswers(robot)
    mechanism = chain_of(robot).mechanism
    for quantity, (given, expected) in pinocchio.answers(*states(robot.n)).items():
        tolerance = SOLVED if QUANTITIES[quantity].needs_invertible_mass_matrix else 1e-12
        for method in ("auto", *straight_methods(quantity, FIXED, mechanism)):
            f = arm.function(quantity, method)
            got = f(*given)
            read = evaluate(f.program, [float(x) for state in given for x in state])
            flat = np.concatenate(
                [np.ravel(x) for x in (got if isinstance(got, tuple) else (got,))]
            )
            assert relative_error(flat, read) < tolerance, (quantity, method)
            if quantity == "udu":
                U, D = got
                assert np.array_equal(U, np.triu(U))
                got = U @ np.diag(D) @ U.T
            parts = got if isinstance(got, tuple) else (got,)
            whole = expected if isinstance(expected, tuple) else (expected,)
            for x, y in zip(parts, whole, strict=True):
                assert relative_error(x, y) < tolerance, (quantity, method)


@pytest.mark.parametrize(("seed", "followers"), TREES)
def test_frames_match_pinocchio(seed: int, followers: bool) -> None:
    robot = random_tree(seed, followers)
    arm, pinocchio = Arm(robot), TreeAnswers(robot)
    q, qd, *_ = states(robot.n)
    names = arm.joint_names
    for name in names:
        expected = pinocchio.frame(name, q, qd)
        assert relative_error(arm.pose(q, name), expected["pose"]) < 1e-12
        assert relative_error(arm.jacobian(q, name), expected["jacobian"]) < 1e-12
        dJ = arm.jacobian_derivative(q, qd, name)
        assert relative_error(dJ, expected["jacobian_derivative"]) < 1e-12
    both = arm.jacobian(q, frame=list(names))
    assert both.shape == (robot.n, 6, robot.n)
    assert np.array_equal(both[-1], arm.jacobian(q, names[-1]))


@pytest.mark.parametrize("followers", [False, True])
def test_base_in_motion(followers: bool) -> None:
    """On a base that falls freely there is no weight; torques and accelerations undo each other."""
    robot = random_tree(3, followers)
    arm = Arm(robot)
    q, qd, qdd, _ = states(robot.n)
    up = np.array(robot.gravity)
    still = arm.bias(q, np.zeros(robot.n), base_acceleration=up)
    assert np.abs(still).max() < 1e-12 * np.abs(arm.gravity(q)).max()
    motion = {
        "base_acceleration": [1.0, 2, 3, 0.4, -0.5, 0.6],
        "base_velocity": [0, 0, 0, 1, 2, 1.0],
    }
    mechanism = chain_of(robot).mechanism
    wanted = None
    for method in straight_methods("inverse_dynamics", "moving", mechanism):
        tau = arm.inverse_dynamics(q, qd, qdd, method=method, **motion)
        wanted = tau if wanted is None else wanted
        assert relative_error(tau, wanted) < 1e-12, method
    for method in straight_methods("forward_dynamics", "moving", mechanism):
        back = arm.forward_dynamics(q, qd, wanted, method=method, **motion)
        assert relative_error(back, qdd) < SOLVED, method


def test_a_serial_method_refuses_a_tree_by_name() -> None:
    arm = Arm(dual_arm())
    q = np.zeros(5)
    for quantity in QUANTITIES:
        able = methods_on(quantity, FIXED, TREE)
        for method in set(armdyn.methods(quantity)) - set(able):
            with pytest.raises(MethodError, match=f"on a tree '{method}'.*auto, {able[0]}"):
                arm.function(quantity, method)
    with pytest.raises(MethodError, match="split"):
        arm.mass_matrix(q, method="split")
    assert "split" not in methods_on("mass_matrix", FIXED, COUPLED)
    assert "denoc" not in methods_on("forward_dynamics", FIXED, COUPLED)


def test_what_needs_a_serial_arm_refuses_a_tree() -> None:
    arm = Arm(dual_arm())
    q = np.zeros(5)
    refused = [
        lambda: arm.denoc_matrices(q, q),
        lambda: arm.inverse_kinematics_all(np.eye(4), frame="l2"),
        lambda: arm.page(),
        lambda: armdyn.MomentumObserver(arm),
        lambda: armdyn.symbolic(arm),
        lambda: armdyn.excite(arm),
        lambda: armdyn.motion.time_optimal(arm, [q, q + 1]),
        lambda: armdyn.save(arm, "x.xml"),
    ]
    for call in refused:
        with pytest.raises(InputError, match="serial arms, but robot 'dual' is a tree of 5 joints"):
            call()
    assert arm.closed_form is None


def test_several_tips_want_a_frame() -> None:
    arm = Arm(dual_arm())
    with pytest.raises(InputError, match="several tips; give one of its frames"):
        arm.pose(np.zeros(5))
    left, right = arm.pose(np.zeros(5), ["l2", "r2"])
    assert np.allclose(left[:3, 3], [0.7, 0, 0], atol=1e-15)
    assert np.allclose(right[:3, 3], [-0.7, 0, 0], atol=1e-15)


def test_entries_of_unrelated_joints_are_no_work() -> None:
    arm = Arm(dual_arm())
    q = states(5)[0]
    M = arm.mass_matrix(q)
    assert (M[1:3, 3:] == 0.0).all()
    U, _ = arm.udu(q)
    assert (U[1:3, 3:] == 0.0).all()


def test_a_serial_arm_with_parents_is_the_serial_arm() -> None:
    joints = [Joint(name="a", parent="base", **LINK), Joint(name="b", parent="a", b=0.3, **LINK)]
    robot = Robot(joints)
    assert robot.is_serial
    assert robot == Robot([Joint(name="a", **LINK), Joint(name="b", b=0.3, **LINK)])


def test_followers_follow_followers_in_any_order() -> None:
    joints = [Joint(name="a", **LINK)]
    chain = [
        Follower(Joint(name="c", parent="b", **LINK), {"b": 2.0}, 0.5),
        Follower(Joint(name="b", parent="a", b=0.3, **LINK), {"a": -1.0}, 0.25),
    ]
    arm = Arm(Robot(joints, followers=chain))
    rows = [row.factors for row in chain_of(arm.robot).couplings]
    assert rows == [((0, 1.0),), ((0, -1.0),), ((0, -2.0),)]
    assert chain_of(arm.robot).couplings[2].offset == 1.0


def test_a_parallelogram_keeps_its_link_level() -> None:
    """A link that turns back by what its carrier turns does not turn: its inertia is no load."""
    joints = [Joint(name="arm", mass=0.0)]
    heavy = dict(LINK, com=(0.0, 0.0, 0.0))
    level = Follower(Joint(name="level", parent="arm", b=0.5, **heavy), {"arm": -1.0})
    arm = Arm(Robot(joints, followers=[level], gravity=(0.0, -9.81, 0.0)))
    assert np.allclose(arm.mass_matrix([0.3]), [[1.0 * 0.5**2]], rtol=1e-14)
    assert np.allclose(arm.gravity([0.3]), [9.81 * 0.5 * np.cos(0.3)], rtol=1e-14)


def test_limits_of_followers_hold_for_their_leaders() -> None:
    a = Joint(name="a", lower=-1.0, upper=1.0, velocity=2.0, **LINK)
    b = Joint(name="b", lower=-0.5, upper=3.0, velocity=1.0, **LINK)
    (joint,) = Robot([a], followers=[Follower(b, {"a": -2.0}, 0.5)]).joints
    assert (joint.lower, joint.upper, joint.velocity) == (-1.0, 0.5, 0.5)
    wrong = Joint(name="b", lower=5.0, upper=6.0, **LINK)
    with pytest.raises(RobotError, match="limits of follower 'b', 5 to 6, leave no range"):
        Robot([a], followers=[Follower(wrong, {"a": 1.0})])


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Robot([Joint(parent="x")]), "has the parent 'x', which is no joint"),
        (lambda: Robot([Joint(name="a", parent="b"), Joint(name="b")]), "before its parent 'b'"),
        (
            lambda: Robot(
                [Joint(name="a", parent="f")],
                followers=[Follower(Joint(name="f", parent="a"), {"a": 1})],
            ),
            "lead back to it",
        ),
        (
            lambda: Robot([Joint(name="a")], followers=[Follower(Joint(name="f"), {"f": 1.0})]),
            "in a circle: 'f' -> 'f'",
        ),
        (
            lambda: Robot([Joint(name="a")], followers=[Follower(Joint(name="f"), {"g": 1.0})]),
            "follows 'g', which is no joint",
        ),
        (lambda: Follower(Joint(name="f"), {}), "`follows` is empty"),
        (lambda: Follower(Joint(), {"a": 1.0}), "needs a name"),
        (
            lambda: Robot(
                [Joint(name="a", load_friction=0.1)],
                followers=[Follower(Joint(name="f"), {"a": 1.0})],
            ),
            "`load_friction`, which a robot with followers cannot have",
        ),
        (
            lambda: Robot([Joint(name="a")], followers=[Follower(Joint(name="a"), {"a": 1.0})]),
            "names must differ; twice: a",
        ),
    ],
)
def test_bad_mechanisms_are_refused(make, told: str) -> None:
    with pytest.raises(RobotError, match=told):
        make()


def test_load_friction_on_a_tree() -> None:
    """Friction of the load: the torques of inverse dynamics give the accelerations back."""
    joints = [
        *(Joint(name=f"{side}{k}", parent="base" if k == 0 else f"{side}0", b=0.1 * k,
                branch_angle=0.3 * k, beta=0.4, rotor_inertia=0.02, load_friction=0.1 + 0.1 * k,
                viscous=0.2, coulomb=0.1, **LINK)
          for side in "lr" for k in range(2))
    ]  # fmt: skip
    arm = Arm(Robot(joints))
    q, qd, qdd, _ = states(4)
    tau = arm.inverse_dynamics(q, qd, qdd)
    assert relative_error(arm.forward_dynamics(q, qd, tau), qdd) < SOLVED
    load = arm.regressor(q, qd, qdd) @ arm.parameters
    rotors = 0.02 * qdd
    assert relative_error(load + rotors + arm.friction(qd, load=load), tau) < 1e-12


@pytest.mark.parametrize("followers", [False, True])
def test_trees_as_toml(followers: bool, tmp_path) -> None:
    robot = random_tree(4, followers)
    armdyn.save(Arm(robot), tmp_path / "tree.toml")
    assert armdyn.load(tmp_path / "tree.toml").robot == robot


@pytest.mark.parametrize("followers", [False, True])
def test_parameters_at_run_time(followers: bool) -> None:
    robot = random_tree(4, followers)
    arm = Arm(robot)
    q, qd, qdd, _ = states(robot.n)
    f = arm.function("inverse_dynamics", friction=False)
    rotors = np.array([joint.rotor_inertia for joint in robot.links])
    assert arm.parameters.shape == (10 * len(robot.links),)
    without = arm.regressor(q, qd, qdd) @ arm.parameters
    bare = Robot(
        [replace_rotor(joint) for joint in robot.joints],
        gravity=robot.gravity,
        base=robot.base,
        followers=[Follower(replace_rotor(x.joint), x.follows, x.offset) for x in robot.followers],
    )
    assert relative_error(without, Arm(bare).inverse_dynamics(q, qd, qdd, friction=False)) < 1e-12
    assert rotors.any() or relative_error(without, f(q, qd, qdd)) < 1e-12


def replace_rotor(joint: Joint) -> Joint:
    from dataclasses import replace

    return replace(joint, rotor_inertia=0.0)


@pytest.mark.parametrize("followers", [False, True])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_packed_mass_matrix(followers: bool, dtype: type) -> None:
    """The lower entries that are not always zero: the same bits as in the full matrix."""
    robot = random_tree(6, followers)
    arm = Arm(robot, dtype=dtype)
    q = np.random.default_rng(0).uniform(-2, 2, (70, robot.n)).astype(dtype)
    rows, columns = arm.mass_matrix_index
    assert (rows >= columns).all()
    for method in ("auto", "met"):
        full, packed = (
            arm.mass_matrix(q, method=method),
            arm.mass_matrix(q, packed=True, method=method),
        )
        assert packed.dtype == dtype
        built = np.zeros_like(full)
        built[:, rows, columns] = built[:, columns, rows] = packed
        assert relative_error(built, full) < (1e-6 if dtype is np.float32 else 1e-15)
    dual = Arm(dual_arm())
    # of 15: the arms do not meet, and their axes are across that of the torso
    assert len(dual.mass_matrix_index[0]) == 7
    out = np.empty(7)
    assert dual.mass_matrix(np.zeros(5), packed=True, out=out) is out


def test_packed_mass_matrix_of_a_serial_arm() -> None:
    arm = armdyn.load("scara")
    q = np.full(arm.n, 0.3)
    rows, columns = arm.mass_matrix_index
    assert np.array_equal(arm.mass_matrix(q, packed=True), arm.mass_matrix(q)[rows, columns])
    assert len(rows) < arm.n * (arm.n + 1) // 2


def test_the_tool_of_a_tree_with_one_tip(tmp_path) -> None:
    """A coupled wrist is no serial arm, but has one tip; several tips have no tool."""
    tool = np.eye(4)
    tool[:3, 3] = [0.1, 0.2, 0.3]
    joints = [Joint(name="a", **LINK), Joint(name="b", b=0.2, **LINK)]
    wrist = [Follower(Joint(name="c", parent="b", b=0.1, **LINK), {"a": 1.0, "b": -1.0})]
    arm = Arm(Robot(joints, followers=wrist, tool=tool))
    assert np.allclose(arm.pose(np.zeros(2))[:3, 3], [0.4, 0.2, 0.3])
    single = [Follower(wrist[0].joint, {"a": 1.0})]
    arm = Arm(Robot(joints, followers=single, tool=tool))
    armdyn.save(arm, tmp_path / "wrist.urdf")
    again = armdyn.load(tmp_path / "wrist.urdf")
    q = np.array([0.3, -0.4])
    assert relative_error(again.pose(q), arm.pose(q)) < 1e-12
    with pytest.raises(RobotError, match="several tips, but `tool` places one"):
        dual_arm(tool=tool)
