"""The bundled robots: physically possible, documented, and what their sources say they are."""

from __future__ import annotations

import json
import math
import runpy
import warnings
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest

import armdyn
from armdyn import RobotWarning
from armdyn.algorithms.newton_euler import inverse_dynamics
from armdyn.arm.pinocchio import pinocchio_model
from armdyn.cli.app import main
from armdyn.robot.chain import chain_of
from armdyn.robot.files import read_robot
from armdyn.robot.formats.toml import robot_from_toml, toml_text
from armdyn.robot.library import TRUST, BundledName, bundled_file, bundled_names
from armdyn.robot.model import Robot
from armdyn.robot.standard_dh import from_standard_dh
from support.beside import beside
from support.robots import CLASSICAL, oracle, random_state, relative_error
from support.says import says

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
OWNED = ("kinova", "panda", "so100", "so101", "ur10", "ur3", "ur5", "xarm7", "z1")
NAMES = tuple(sorted([*CLASSICAL, *OWNED]))


def mass_matrix(robot: Robot, q: list[float]) -> np.ndarray:
    """Column j is the torque of unit acceleration j, less gravity."""
    chain, n = chain_of(robot), robot.n
    zero = [0.0] * n
    g = np.array(inverse_dynamics(chain, q, zero, zero), dtype=float)
    columns = [inverse_dynamics(chain, q, zero, row) for row in np.eye(n).tolist()]
    return np.array(columns, dtype=float).T - g[:, None]


def rank_of_regressor(robot: Robot) -> int:
    model = pinocchio_model(robot)
    data = model.createData()
    rng = np.random.default_rng(0)
    rows = [
        pin.computeJointTorqueRegressor(model, data, *rng.uniform(-2, 2, (3, robot.n))).copy()
        for _ in range(40)
    ]
    return int(np.linalg.matrix_rank(np.vstack(rows), tol=1e-8))


def test_names_are_listed_in_order() -> None:
    assert bundled_names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_robot_loads_strictly_and_matches_pinocchio(name: str) -> None:
    robot = read_robot(name)
    assert robot.name == name
    for seed in range(3):
        state = random_state(robot, seed)
        q, qd, qdd = (state[k].tolist() for k in ("q", "qd", "qdd"))
        got = inverse_dynamics(chain_of(robot), q, qd, qdd)
        assert relative_error(got, oracle(robot, state)["inverse_dynamics"]) < 1e-12


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_robot_survives_the_round_trip(name: str) -> None:
    robot = read_robot(name)
    assert robot_from_toml(toml_text(robot).encode(), name) == robot


@pytest.mark.parametrize("name", NAMES)
def test_every_bundled_file_states_source_units_and_doubt(name: str) -> None:
    text = bundled_file(name).read_text(encoding="utf-8")
    head = text[: text.index("\nname =")]
    assert all(line.startswith("#") for line in head.splitlines() if line)
    for word in ("Source:", "SI units", "Known doubt"):
        assert word in head
    assert f"n_joints = {read_robot(name).n}\n" in text


@pytest.mark.parametrize(
    ("name", "count"),
    [("puma560", 36), ("stanford", 33), ("scara", 8), ("planar2", 6), ("planar3", 9)],
)
def test_geometry_has_the_known_number_of_minimal_parameters(name: str, count: int) -> None:
    assert rank_of_regressor(read_robot(name)) == count


@pytest.fixture(scope="module")
def tables() -> dict[str, dict[str, list[object]]]:
    return json.loads(beside("data/golden/published_robot_tables.json").read_text())


def number(entry: object) -> float:
    return {"pi/2": math.pi / 2, "-pi/2": -math.pi / 2}.get(str(entry)) or float(str(entry))


def test_puma_is_the_published_table(tables: dict[str, dict[str, list[list[float]]]]) -> None:
    table = tables["puma560_akb1986_modified_dh"]
    joints = read_robot("puma560").joints
    expected = [tuple(map(number, row)) for row in table["alpha_a_d"]]
    assert [(j.beta, j.b, j.d) for j in joints] == expected
    assert [j.mass for j in joints] == table["m"]
    assert [list(j.com) for j in joints] == table["com"]
    diagonals = [[j.inertia[0], j.inertia[3], j.inertia[5]] for j in joints]
    assert diagonals[1:] == table["I_com_diag"][1:]
    # the published Izz of link 1 is in the rotor inertia of joint 1
    assert joints[0].rotor_inertia == pytest.approx(1.14 + table["I_com_diag"][0][2], abs=1e-12)


def test_inertia_of_link_1_about_its_axis_may_be_rotor_inertia() -> None:
    """A rotor inertia of 0.35 acts as a massless link with Izz = 0.35 would."""
    robot = read_robot("puma560")
    model = pinocchio_model(robot)
    model.armature = model.armature - 0.35 * np.eye(6)[0]
    model.inertias[1] = pin.Inertia(1e-12, np.zeros(3), np.diag([0.0, 0.0, 0.35]))
    state = random_state(robot)
    q, qd, qdd = (state[k] for k in ("q", "qd", "qdd"))
    expected = pin.rnea(model, model.createData(), q, qd, qdd)
    got = inverse_dynamics(chain_of(robot), q.tolist(), qd.tolist(), qdd.tolist())
    assert relative_error(got, expected) < 1e-11


def test_stanford_is_the_published_table_read_as_its_file_says(
    tables: dict[str, dict[str, list[list[float]]]],
) -> None:
    table = tables["stanford_arm"]
    coms = np.array(table["com_as_in_RTB"])
    coms[1:] /= 10
    inertias = []
    for m, c, diagonal in zip(table["m"], coms, table["I_diag_as_printed"], strict=True):
        I = np.diag(diagonal) - float(m) * (c @ c * np.eye(3) - np.outer(c, c))  # type: ignore
        inertias.append(I[np.triu_indices(3)])
    rows = [
        [0.0 if str(x).startswith("q") else number(x) for x in row]
        for row in table["std_dh_theta_d_a_alpha"]
    ]
    rows[2][0] = 0.0  # the zero of joint 4, whose axis is that of the slide, is anybody's choice
    tool = np.eye(4)
    tool[2, 3], rows[5][1] = rows[5][1], 0.0
    expected = from_standard_dh(
        rows,
        kinds=["revolute", "revolute", "prismatic", "revolute", "revolute", "revolute"],
        masses=table["m"],  # type: ignore[arg-type]
        coms=coms,  # type: ignore[arg-type]
        inertias=inertias,
        rotor_inertias=table["Jm_reflected"],  # type: ignore[arg-type]
        tool=tool,
    )
    robot = read_robot("stanford")
    assert np.array_equal(robot.tool, expected.tool)
    for j, e in zip(robot.joints, expected.joints, strict=True):
        assert (j.kind, j.beta, j.b, j.theta, j.d) == (e.kind, e.beta, e.b, e.theta, e.d)
        assert (j.mass, j.rotor_inertia) == (e.mass, e.rotor_inertia)
        assert j.com == pytest.approx(e.com, abs=1e-15)
        assert j.inertia == pytest.approx(e.inertia, abs=1e-15)


def test_planar2_has_the_mass_matrix_its_file_states() -> None:
    q2 = 0.7
    c = math.cos(q2)
    expected = [[5 / 3 + c, 1 / 3 + c / 2], [1 / 3 + c / 2, 1 / 3]]
    assert relative_error(mass_matrix(read_robot("planar2"), [0.3, q2]), expected) < 1e-14


def test_planar3_is_the_example_of_saha() -> None:
    """[Saha1999] (43a)-(43f): uniform links, I = m l^2 / 12."""
    robot = read_robot("planar3")
    m1, m2, m3 = (j.mass for j in robot.joints)
    l1, l2, l3 = robot.joints[1].b, robot.joints[2].b, robot.tool[0][3]
    q = [0.4, 0.7, -1.1]
    c2, c3, c23 = math.cos(q[1]), math.cos(q[2]), math.cos(q[1] + q[2])
    i33 = m3 * l3**2 / 3
    i32 = m3 * (l3**2 / 3 + l2 * l3 * c3 / 2)
    i31 = i32 + m3 * l1 * l3 * c23 / 2
    i22 = m2 * l2**2 / 3 + m3 * (l2**2 + l3**2 / 3 + l2 * l3 * c3)
    i21 = i22 + l1 * l2 * c2 * (m2 / 2 + m3) + m3 * l1 * l3 * c23 / 2
    i11 = (
        m1 * l1**2 / 3
        + m2 * (l1**2 + l2**2 / 3 + l1 * l2 * c2)
        + m3 * (l1**2 + l2**2 + l3**2 / 3 + 2 * l1 * l2 * c2 + l1 * l3 * c23 + l2 * l3 * c3)
    )
    expected = [[i11, i21, i31], [i21, i22, i32], [i31, i32, i33]]
    assert relative_error(mass_matrix(robot, q), expected) < 1e-14


def test_ascher2_is_as_badly_conditioned_and_as_fast_as_in_the_example() -> None:
    robot = read_robot("ascher2")
    conditions, first = [], []
    for degrees in range(0, 360, 2):
        q = [0.0, math.radians(degrees)]
        M = mass_matrix(robot, q)
        g = inverse_dynamics(chain_of(robot), q, [0.0, 0.0], [0.0, 0.0])
        conditions.append(np.linalg.cond(M))
        first.append(-np.linalg.solve(M, np.array(g, dtype=float))[0])
    assert (min(conditions), max(conditions)) == pytest.approx((1.33e4, 5.41e4), rel=5e-3)
    assert (max(first), min(first)) == pytest.approx((-490.9, -492.1), abs=0.1)


def test_scara_axes_are_vertical() -> None:
    joints = read_robot("scara").joints
    assert [j.kind for j in joints] == ["revolute", "revolute", "prismatic", "revolute"]
    assert {j.beta for j in joints} == {0.0}


@pytest.mark.parametrize("name", bundled_names())
def test_source_and_trust_are_told_with_the_arm(name: BundledName) -> None:
    notes = read_robot(name).notes
    assert notes[0].startswith("Source: ")
    assert f"Trust: {name.trust}: {name.why}" in notes
    assert name.trust in TRUST


def test_names_say_how_far_their_robots_can_be_trusted() -> None:
    told = {name: name.trust for name in armdyn.robots()}
    assert told["panda"] == told["puma560"] == "measured"
    assert told["so101"] == "CAD" and told["ur5"] == "doubtful" and told["planar2"] == "textbook"
    assert says(BundledName("ur5").why, "gyration", "0.42 m")


@pytest.mark.parametrize("name", OWNED)
def test_arms_that_people_own_are_those_of_their_source(name: str) -> None:
    """The file is what the script writes from the package, with the frames of the URDF."""
    script = runpy.run_path(str(BENCHMARKS / "bundled_arms.py"))
    try:
        text = script["bundled_text"](name)
    except StopIteration:
        pytest.skip("example-robot-data is not installed")
    assert bundled_file(name).read_text(encoding="utf-8") == text
    source, robot = script["ARMS"][name], read_robot(name)
    assert f"Licence: {source.licence}." in robot.notes
    again = read_robot(script["published"](source.file), tip=source.tip)
    assert again.joints == robot.joints and again.frames == robot.frames
    assert again.tool == robot.tool and again.base == robot.base


def test_the_first_load_of_a_wrong_arm_warns(monkeypatch) -> None:
    monkeypatch.setattr("armdyn.robot.library.told", set())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for name in ("ur10", "ur5", "ur5"):
            armdyn.load(name)
    (one,) = caught
    assert one.category is RobotWarning and one.filename == __file__
    assert "'ur5'" in str(one.message) and "ur10" in str(one.message)


def test_the_command_line_warns_of_a_wrong_arm(monkeypatch, capsys) -> None:
    monkeypatch.setattr("armdyn.robot.library.told", set())
    monkeypatch.setattr("sys.argv", ["armdyn", "info", "ur5"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert "warning: bundled arm 'ur5'" in capsys.readouterr().err


def test_frames_of_a_bundled_arm_have_the_names_of_its_urdf() -> None:
    arm = armdyn.load("ur5")
    assert {"tool0", "wrist_3_link", "elbow_joint", "base_link"} <= set(arm.frames)
    q = [0.1, -0.7, 0.9, 0.2, 0.4, -0.3]
    assert np.allclose(arm.pose(q, frame="tool0"), arm.pose(q), atol=1e-15)


@pytest.mark.parametrize(
    ("wrong", "near"), [("ur5e", "'ur5'"), ("Panda", "'panda'"), ("puma", "'puma560'")]
)
def test_unknown_name_proposes_the_nearest(wrong: str, near: str) -> None:
    with pytest.raises(armdyn.FileError, match=f"did you mean {near}"):
        armdyn.load(wrong)
