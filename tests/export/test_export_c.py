"""Exported C: it compiles clean, computes what the program computes, and is written whole."""

from __future__ import annotations

import ctypes
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import writing as _export_files
from armdyn.algorithms.table import QUANTITIES
from armdyn.arm.codegen import export_c
from armdyn.errors import FileError, InputError, MethodError, NumericalError, RobotError
from armdyn.export.c import c_source, prefix_of
from armdyn.export.c_package import MARK
from armdyn.export.offline import linear_constants
from armdyn.graph.interpret import evaluate, interpret
from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import straight_methods
from armdyn.programs.parametric import parametric, values
from armdyn.robot.chain import chain_of
from armdyn.scalar import Node
from support.c_code import (
    GCC,
    ROBOTS,
    STRICT,
    Library,
    compile_c,
    needs_gcc,
    run,
    selftest,
    with_friction,
    with_prototype,
)
from support.published import published
from support.robots import random_robot, random_state, relative_error


@needs_gcc
@pytest.mark.parametrize("name", [*ROBOTS, "panda"])
def test_compiled_code_equals_program_and_kernel_for_every_quantity(
    name: str, tmp_path: Path
) -> None:
    if name == "panda":
        arm = armdyn.load(published("panda_description/urdf/panda.urdf"))
        quantities = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "udu", "pose")
    else:
        arm = armdyn.Arm(ROBOTS[name])
        quantities = arm.quantities
    library = Library(export_c(arm, tmp_path, quantities))
    for seed in range(3):
        state = random_state(arm.robot, seed)
        state["qd"][0] = 0.0  # at rest, where Coulomb friction is zero
        for quantity in quantities:
            program = arm.function(quantity).program
            inputs = [state[slot.name] for slot in program.inputs]
            got = library(quantity, inputs, [slot.shape for slot in program.outputs])
            compiled = arm.function(quantity)(*inputs)
            several = compiled if isinstance(compiled, tuple) else (compiled,)
            for a, b, c in zip(got, interpret(program, *inputs), several, strict=True):
                assert relative_error(a, b) < 1e-14, (quantity, seed)
                assert relative_error(a, c) < 1e-14, (quantity, seed)


@needs_gcc
@pytest.mark.parametrize("parameters", [False, True])
@pytest.mark.parametrize("single", [False, True])
def test_the_selftest_passes_and_finds_a_wrong_constant(
    single: bool, parameters: bool, tmp_path: Path
) -> None:
    arm = armdyn.Arm(ROBOTS["inclined slide-2"])
    paths = export_c(arm, tmp_path, arm.quantities, single=single, parameters=parameters)
    done = selftest(paths, tmp_path / "selftest")
    assert done.returncode == 0, done.stdout
    assert done.stdout.count(" ok\n") == len(arm.quantities)
    assert "inclined_slide_2_0_udu" in done.stdout
    source = paths[1].read_text()
    wrong = source.replace(" + ", " - ", 1)
    assert wrong != source
    paths[1].write_text(wrong)
    done = selftest(paths, tmp_path / "selftest")
    assert done.returncode == 1
    assert "FAILED" in done.stdout


@needs_gcc
def test_float_code_calls_float_functions_and_is_right_to_float_digits(tmp_path: Path) -> None:
    arm = armdyn.Arm(ROBOTS["mixed-3"])
    paths = export_c(arm, tmp_path, arm.quantities, single=True)
    code = paths[1].read_text()
    assert "double " not in code and "sinf(" in code and "sin(" not in code
    library, state = Library(paths, single=True), random_state(arm.robot)
    for quantity in arm.quantities:
        program = arm.function(quantity).program
        inputs = [state[slot.name].astype(np.float32) for slot in program.inputs]
        got = library(quantity, inputs, [slot.shape for slot in program.outputs])
        for a, b in zip(got, interpret(program, *map(np.float64, inputs)), strict=True):
            assert relative_error(a, b) < 1e-4, quantity


@needs_gcc
def test_an_output_may_be_the_array_of_an_input(tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    library = Library(export_c(arm, tmp_path, ["inverse_dynamics"]))
    state = random_state(arm.robot)
    q, qd, shared = (state[k].copy() for k in ("q", "qd", "qdd"))
    function = library.library.puma560_inverse_dynamics
    function(*(ctypes.c_void_p(a.ctypes.data) for a in (q, qd, shared, shared)))
    expected = arm.inverse_dynamics(state["q"], state["qd"], state["qdd"])
    assert relative_error(shared, expected) < 1e-14


@needs_gcc
@pytest.mark.parametrize(
    ("robot", "prefix"),
    [
        ("int", "int_arm"),
        ("math", "math_arm"),
        ("aux", "aux_arm"),
        ("Löwe-3", "lowe_3"),
        ("7 axes */ int x; /* ??/", "robot_7_axes_int_x"),
        ("机器人", "robot"),
        ("x" * 300, "x" * 32),
    ],
)
def test_any_name_of_a_robot_makes_c_that_compiles(robot: str, prefix: str, tmp_path: Path) -> None:
    one = replace(ROBOTS["rotational-1"], name=robot)
    one = replace(one, joints=[replace(one.joints[0], name='"*/ \u202e ?' + "?/")])
    paths = export_c(armdyn.Arm(one), tmp_path / "out", ["gravity"])
    assert [p.name for p in paths] == [f"{prefix}.h", f"{prefix}.c", f"{prefix}_selftest.c"]
    assert selftest(paths, tmp_path / "selftest").returncode == 0


@needs_gcc
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_the_header_serves_cpp_too(tmp_path: Path) -> None:
    paths = export_c(armdyn.load("planar2"), tmp_path, ["gravity"], parameters=True)
    caller, code = tmp_path / "caller.cpp", tmp_path / "planar2.o"
    caller.write_text(
        '#include "planar2.h"\n'
        "int main() { double q[2] = {0, 0}, tau[2];"
        " planar2_gravity(q, planar2_default_p, tau); return tau[0] > 0 ? 0 : 1; }\n"
    )
    compile_c(paths[1:2], code, "-c")
    command = ["g++", "-Wall", "-Werror", str(caller), str(code), "-o", str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    as_cpp = ["g++", "-Wall", "-Wextra", "-pedantic", "-Werror", "-x", "c++", *map(str, paths[1:])]
    done = subprocess.run(
        [*as_cpp, "-o", str(tmp_path / "cpp")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert subprocess.run([str(tmp_path / "cpp")], capture_output=True, check=False).returncode == 0
    expected = armdyn.load("planar2").gravity([0.0, 0.0])[0] > 0
    assert subprocess.run([str(tmp_path / "run")], check=False).returncode == int(not expected)


@needs_gcc
def test_names_of_arguments_never_collide(tmp_path: Path) -> None:
    def function(q: list[Node], v2: list[Node], double: list[Node]) -> tuple[object, object]:
        return [q[0] + v2[0], q[1] * double[0]], -(q[0] * q[1])

    inputs = [Slot("q", (2,)), Slot("v2", (1,)), Slot("double", ())]
    program = trace(function, inputs, [Slot("q", (2,)), Slot("q_0", ())])
    path = tmp_path / "one.c"
    path.write_text(with_prototype(c_source(program, "f", single=True)))
    assert "const float *double_" in path.read_text()
    command = [str(GCC), *STRICT, "-c", str(path), "-o", str(tmp_path / "one.o")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_header_tells_joints_units_orders_method_and_cost(tmp_path: Path) -> None:
    arm = armdyn.load("scara")
    header = export_c(
        arm, tmp_path, ["mass_matrix", "friction"], methods={"mass_matrix": "lin_fang_3"}
    )[0].read_text()
    assert header.startswith(f"/* {MARK}")
    assert all(name in header for name in arm.joint_names)
    assert "2: slide, prismatic [m], [N]; beta " in header
    counted = arm.function("mass_matrix", "lin_fang_3").operations
    assert "Method lin_fang_3 ([LinFang1999] Table III)" in header
    assert f"{counted.mul} multiplications, {counted.add} additions" in header
    assert "M[16], 4 x 4: entry (i, j) is M[4*i + j]" in header
    assert "void scara_mass_matrix(const double q[4], double M[16]);" in header
    assert 'extern "C"' in header and "#ifndef ARMDYN_SCARA_H" in header
    assert "Friction: none given" in header
    puma = armdyn.Arm(with_friction(armdyn.load("puma560").robot))
    assert "Friction: of all joints" in export_c(puma, tmp_path, ["gravity"])[0].read_text()


def test_header_tells_in_which_frames_the_links_stand(tmp_path: Path) -> None:
    joint = armdyn.Joint(beta=-0.5, b=0.25, d=-0.0, theta=1.5, mass=1.0)
    turned = [[0.0, -1.0, 0.0, 0.1], [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.5], [0, 0, 0, 1]]
    robot = armdyn.Robot([joint], tool=turned, gravity=(0.0, -0.0, 9.81), name="a")
    header = export_c(armdyn.Arm(robot), tmp_path, ["pose", "gravity"])[0].read_text()
    assert "[rad], [N m]; beta -0.5, b 0.25, theta 1.5, d 0\n" in header
    assert "Frame of link 0 in the base frame: the same.\n" in header
    assert "Tip in the frame of link 1: [0 -1 0 0.1; 1 0 0 0; 0 0 1 0.5] [m].\n" in header
    assert "Gravity in the base frame [m/s^2]: 0, 0, 9.81.\n" in header


def test_two_exports_are_the_same_to_the_byte(tmp_path: Path) -> None:
    arm = armdyn.load("scara")
    one, two = (export_c(arm, tmp_path / k, ["udu", "pose"], parameters=True) for k in "ab")
    assert [p.read_bytes() for p in one] == [p.read_bytes() for p in two]


@pytest.mark.parametrize(
    ("quantity", "method"), [(k, m) for k in QUANTITIES for m in straight_methods(k)]
)
def test_parameters_at_run_time_give_what_an_arm_of_these_parameters_gives(
    quantity: str, method: str
) -> None:
    """Traced on one arm, fed with the parameters of another."""
    for family, n in (("mixed", 3), ("right angles", 2), ("rotational", 1)):
        robot = random_robot(family, n, 1)
        found = parametric(ProgramKey(chain_of(robot), quantity, method))
        joints = [
            replace(
                joint, mass=joint.mass * 1.7, com=(0.1 * i, -0.2, 0.3),
                inertia=tuple(1.3 * x for x in joint.inertia),
            )
            for i, joint in enumerate(robot.joints)
        ]  # fmt: skip
        other = armdyn.Arm(with_friction(replace(robot, joints=joints)))
        given = random_state(robot) | values(chain_of(other.robot))
        inputs = [np.reshape(given[slot.name], slot.shape) for slot in found.program.inputs]
        states = [given[name] for name in QUANTITIES[quantity].inputs]
        expected = other.function(quantity, method)(*states)
        several = expected if isinstance(expected, tuple) else (expected,)
        for a, b in zip(interpret(found.program, *inputs), several, strict=True):
            assert relative_error(a, b) < 1e-12, (family, n)


@needs_gcc
def test_compiled_code_with_parameters_takes_links_without_mass(tmp_path: Path) -> None:
    arm = armdyn.load("puma560")
    assert arm.robot.joints[0].mass == 0.0
    quantities = ["mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity", "friction"]
    quantities += ["coriolis_matrix", "kinetic_energy"]
    library = Library(export_c(arm, tmp_path, quantities, parameters=True))
    given = random_state(arm.robot) | values(chain_of(arm.robot))
    for quantity in quantities:
        program = parametric(ProgramKey(chain_of(arm.robot), quantity)).program
        inputs = [given[slot.name] for slot in program.inputs]
        got = library(quantity, inputs, [slot.shape for slot in program.outputs])
        expected = arm.function(quantity)(*(given[name] for name in QUANTITIES[quantity].inputs))
        assert relative_error(got[0], expected) < 1e-12, quantity
    default = (ctypes.c_double * 60).in_dll(library.library, "puma560_default_p")
    assert list(default) == arm.parameters.tolist()


def test_where_only_a_division_by_masses_is_left_it_is_said_or_refused(tmp_path: Path) -> None:
    heavy, quantities = armdyn.Arm(ROBOTS["mixed-3"]), ["kinetic_energy", "gravity"]
    asked = {"kinetic_energy": "link_sum"}
    header = export_c(heavy, tmp_path, quantities, parameters=True, methods=asked)[0]
    assert header.read_text().count("no link may have the mass 0") == 1
    with pytest.raises(RobotError, match="divides by the masses"):
        export_c(armdyn.load("puma560"), tmp_path, quantities, parameters=True, methods=asked)
    with pytest.raises(InputError, match="choose another method, or 'auto'"):
        export_c(heavy, tmp_path, quantities, parameters="minimal", methods=asked)


@pytest.mark.parametrize("name", ["scara", "mixed-3", "inclined slide-2"])
def test_no_quantity_has_to_divide_by_masses(name: str, tmp_path: Path) -> None:
    arm = armdyn.Arm(ROBOTS[name])
    header = export_c(arm, tmp_path, arm.quantities, parameters=True)[0]
    assert "no link may have the mass 0" not in header.read_text()
    quantities = [quantity for quantity in arm.quantities if quantity != "potential_energy"]
    header = export_c(arm, tmp_path, quantities, parameters="minimal")[0]
    assert "no link may have the mass 0" not in header.read_text()


def test_constants_of_inputs_become_sums_and_nothing_else_changes() -> None:
    def function(x: list[Node], p: list[Node]) -> list[object]:
        m, h = p
        c = h / m
        return [x[0] * (m * c + 2.0 * m), x[0] / (m + h), x[0] + (m * c) * c]

    program = trace(function, [Slot("x", (1,)), Slot("p", (2,))], [Slot("y", (3,))])
    linear = linear_constants(program, ["p"])
    for values_ in ([0.7, 2.0, 3.0], [-1.0, 0.5, 0.25]):
        assert evaluate(linear, values_) == pytest.approx(evaluate(program, values_), rel=1e-15)
    first = linear_constants(
        trace(lambda x, p: function(x, p)[0], program.inputs, [Slot("y", ())]), ["p"]
    )
    assert evaluate(first, [1.0, 0.0, 3.0]) == [3.0]  # the division is gone


def test_files_that_are_not_ours_are_kept_unless_forced(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    foreign = tmp_path / "planar2.c"
    foreign.write_text("/* mine */\n")
    with pytest.raises(FileError, match="was not written by armdyn"):
        export_c(arm, tmp_path, ["gravity"])
    assert [p.name for p in tmp_path.iterdir()] == ["planar2.c"]
    assert foreign.read_text() == "/* mine */\n"
    export_c(arm, tmp_path, ["gravity"], force=True)
    assert foreign.read_text().startswith(f"/* {MARK}")
    export_c(arm, tmp_path, ["mass_matrix"])
    assert "planar2_mass_matrix" in foreign.read_text()


@pytest.mark.parametrize("there", [False, True])
def test_a_failure_half_way_leaves_the_folder_as_it_was(there: bool, tmp_path, monkeypatch) -> None:
    arm, folder = armdyn.load("planar2"), tmp_path / "deep" / "out"
    before = {}
    if there:
        before = {p: p.read_bytes() for p in export_c(arm, folder, ["gravity"])}
    whole_file = _export_files.whole_file

    def failing(path: Path) -> Any:
        if path.name.endswith("_selftest.c"):
            raise FileError(path, "the disk is full.")
        return whole_file(path)

    monkeypatch.setattr(_export_files, "whole_file", failing)
    with pytest.raises(FileError, match="disk is full"):
        export_c(arm, folder, ["mass_matrix"])
    assert {p: p.read_bytes() for p in folder.glob("*")} == before
    assert (tmp_path / "deep").exists() == there


def test_what_cannot_be_exported_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    arm, out = armdyn.load("planar2"), tmp_path / "out"
    for functions in ("mass_matrix", [], ["gravity", "gravity"], 3, ["gravity", 3]):
        with pytest.raises(InputError):
            export_c(arm, out, functions)  # type: ignore[arg-type]
    with pytest.raises(MethodError, match="there is no quantity 'inertia'"):
        export_c(arm, out, ["inertia"])
    with pytest.raises(MethodError, match="choose one of: gravity"):
        export_c(arm, out, ["gravity"], methods={"bias": "auto"})
    for parameters in (False, True, "minimal"):  # sweeps are no straight-line code
        with pytest.raises(MethodError, match="no straight-line method of gravity 'rolled'"):
            export_c(arm, out, ["gravity"], methods={"gravity": "rolled"}, parameters=parameters)
    for option in ("single", "parameters", "force"):
        with pytest.raises(InputError, match="expected True or False"):
            export_c(arm, out, ["gravity"], **{option: 1})  # type: ignore[arg-type]
    for folder in ("", 3, None, "a\0b", b"out"):
        with pytest.raises(InputError, match="path of a folder"):
            export_c(arm, folder, ["gravity"])  # type: ignore[arg-type]
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="cannot be made a folder"):
        export_c(arm, tmp_path / "file", ["gravity"])
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_float_is_refused_where_it_keeps_no_digits(tmp_path: Path) -> None:
    light = armdyn.Joint(mass=1e-6, inertia=(1e-9, 0.0, 0.0, 1e-9, 0.0, 1e-9))
    heavy = armdyn.Joint(mass=1.0, b=1e-5, com=(0.3, 0.0, 0.0), inertia=(1, 0, 0, 1, 0, 1))
    arm = armdyn.Arm(armdyn.Robot([light, heavy], name="stiff"))
    with pytest.raises(NumericalError, match="in float"):
        export_c(arm, tmp_path / "out", ["forward_dynamics"], single=True)
    assert not (tmp_path / "out").exists()
    huge = trace(lambda x: [1e39 * x[0]], [Slot("x", (1,))], [Slot("y", (1,))])
    with pytest.raises(InputError, match="too large for a float"):
        c_source(huge, "f", single=True)


def test_prefixes_are_identifiers() -> None:
    for name in ("", "_", "--", "9", "while", "a b", "é"):
        assert prefix_of(name).isidentifier() and prefix_of(name)[0] != "_", name


def test_codegen_writes_what_export_c_writes(monkeypatch, capsys, tmp_path: Path) -> None:
    asked = ["codegen", "scara", "--functions", "mass_matrix, inverse_dynamics", "--float"]
    asked += ["--parameters", "--method", "mass_matrix=lin_fang_3"]
    status, out, err = run(monkeypatch, capsys, *asked, "--out", str(tmp_path / "a"), "--json")
    assert (status, err) == (0, "")
    paths = export_c(
        armdyn.load("scara"), tmp_path / "b", ["mass_matrix", "inverse_dynamics"], single=True,
        parameters=True, methods={"mass_matrix": "lin_fang_3"},
    )  # fmt: skip
    files = [Path(f) for f in json.loads(out)["files"]]
    assert [f.read_text() for f in files] == [p.read_text() for p in paths]
    status, out, _ = run(monkeypatch, capsys, *asked, "--out", str(tmp_path / "a"))
    assert status == 0 and "scara_selftest.c" in out


def test_codegen_says_what_is_wrong(monkeypatch, capsys, tmp_path: Path) -> None:
    out = ["--out", str(tmp_path / "out")]
    wrong = {
        "there is no quantity 'inertia'": ["--functions", "inertia"],
        "--functions is empty": ["--functions", ","],
        "there is no method of gravity 'x'": ["--functions", "gravity", "--method", "gravity=x"],
        "--method is 'x'": ["--functions", "gravity", "--method", "x"],
    }
    for words, options in wrong.items():
        status, _, err = run(monkeypatch, capsys, "codegen", "scara", *options, *out)
        assert status == 2 and words in err
    assert not (tmp_path / "out").exists()
    (tmp_path / "scara.h").write_text("mine")
    asked = ["codegen", "scara", "--functions", "gravity", "--out", str(tmp_path)]
    status, _, err = run(monkeypatch, capsys, *asked)
    assert status == 2 and "--force" in err
    assert run(monkeypatch, capsys, *asked, "--force")[0] == 0


@needs_gcc
@pytest.mark.parametrize("single", [False, True])
def test_sine_and_cosine_may_be_a_function_of_the_user(single: bool, tmp_path: Path) -> None:
    """It is called once for each angle whose sine and cosine are needed, and by its name alone."""
    arm = armdyn.Arm(ROBOTS["mixed-3"])
    paths = export_c(arm, tmp_path, ["mass_matrix", "inverse_dynamics"], single=single)
    kind, suffix = ("float", "f") if single else ("double", "")
    own = tmp_path / "own.c"
    body = f"calls++; *s = sin{suffix}(x); *c = cos{suffix}(x);"
    own.write_text(
        f"#include <math.h>\nint calls;\nvoid mine({kind} x, {kind} *s, {kind} *c);\n"
        f"void mine({kind} x, {kind} *s, {kind} *c)\n{{\n    {body}\n}}\n"
    )
    target = tmp_path / "own.so"
    compile_c((paths[1], own), target, "-fPIC", "-shared", "-DARMDYN_SINCOS=mine")
    changed, usual = Library(paths, single), Library(paths, single)
    changed.library = ctypes.CDLL(str(target))
    calls = ctypes.c_int.in_dll(changed.library, "calls")
    for quantity in ("mass_matrix", "inverse_dynamics"):
        program, state = arm.function(quantity).program, random_state(arm.robot)
        inputs = [state[slot.name] for slot in program.inputs]
        shapes = [slot.shape for slot in program.outputs]
        calls.value = 0
        ours, library = changed(quantity, inputs, shapes), usual(quantity, inputs, shapes)
        assert all(np.array_equal(a, b) for a, b in zip(ours, library, strict=True))
        angles = {step.args for step in program.code if step.op.value in ("sin", "cos")}
        assert calls.value == len(angles) > 0


@needs_gcc
def test_an_inline_sine_and_cosine_may_be_included(tmp_path: Path) -> None:
    arm = armdyn.load("planar2")
    paths = export_c(arm, tmp_path, ["gravity"])
    own = tmp_path / "own.h"
    own.write_text(
        "#include <math.h>\nstatic inline void mine(double x, double *s, double *c)\n"
        "{\n    *s = sin(x);\n    *c = cos(x);\n}\n"
    )
    options = ("-include", str(own), "-DARMDYN_SINCOS=mine")
    compile_c(paths[1:2], tmp_path / "own.so", "-fPIC", "-shared", *options)
    with pytest.raises(AssertionError, match="wrong"):  # a name that is no function
        compile_c(paths[1:2], tmp_path / "no", "-include", str(own), "-DARMDYN_SINCOS=wrong")
