"""The benchmark's bookkeeping, and that it runs; how long anything takes is not tested."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import numpy as np
import pytest

import armdyn
import arms
from armdyn.cli.app import main
from armdyn.errors import ArmdynError, FileError, MethodError, MissingExtraError
from armdyn.graph.count import Operations, count
from armdyn.graph.program import Program, verify
from armdyn.present.pictures import check_picture
from armdyn.scalar import Op
from arms import arm_named
from comparison import measure, run
from comparison.kinematics import measure_kinematics
from comparison.limit import block_function, moving, work
from comparison.measure import exponent
from comparison.planning import measure_planning
from comparison.presentation import duration, grids
from comparison.results import OURS, Benchmark, Growth, Imports, Limit, Times, Work
from peers import pinocchio
from peers.eaik import EAIKArm
from peers.peer import Offer, Task, disagreement
from peers.pinocchio import PinocchioPython
from timing import Job, best_times

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

TINY = run.Settings(
    robots=("planar2",), kinds=("mass_matrix",), peers=(), chains=(), batch=100, threaded=0,
    rounds=0, seconds=0.0, paths=0,
)  # fmt: skip


def run_verb(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", "bench", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_script_and_verb_are_one_tool(monkeypatch, capsys) -> None:
    script = str(BENCHMARKS / "bench.py")
    for words, status, text in (
        (["--quick", "--kinds", "udu"], 2, "there is no kind 'udu'"),
        (["--help"], 0, "--markdown"),
    ):
        done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True)
        shown = done.stdout + done.stderr
        assert (done.returncode, text in shown, "Traceback" in shown) == (status, True, False)
        ended, out, err = run_verb(monkeypatch, capsys, *words)
        assert ended == status and text in out + err


@pytest.mark.parametrize("words", [("--quick",), ("--help",), ()])
def test_without_a_clone_the_verb_says_how_to_get_the_benchmarks(
    monkeypatch, capsys, tmp_path: Path, words
) -> None:
    """In a wheel, `armdyn` is not in a folder `src`; in a source archive it may be, alone."""
    for package in (tmp_path / "site-packages/armdyn", tmp_path / "src/armdyn"):
        monkeypatch.setattr(armdyn, "__file__", str(package / "__init__.py"))
        status, out, err = run_verb(monkeypatch, capsys, *words)
        assert (status, out) == (2, "")
        assert err.startswith("error: the benchmarks are in the repository")
        assert "clone" in err and "make bench" in err


def test_times_are_for_one_state_and_the_best_of_the_rounds(monkeypatch) -> None:
    samples = iter([9e-3, 8e-3, 4e-3, 6e-3, 5e-3])  # a trial, its repetition, three rounds
    monkeypatch.setattr("timeit.Timer.timeit", lambda self, number: next(samples) * number)
    taken = best_times({"job": Job(lambda: None, (), states=4)}, seconds=0.0, least_rounds=3)
    assert taken == {"job": pytest.approx(1e-3)}


def test_jobs_are_called_in_turn_with_their_arguments() -> None:
    called: list[object] = []
    jobs = {
        "a": Job(lambda x, *, out: called.append((x, out)), (1,), 1, {"out": 2}),
        "b": Job(lambda: called.append("b"), ()),
    }
    best_times(jobs, seconds=0.0)
    last_a = len(called) - 1 - called[::-1].index((1, 2))
    first_b = called.index("b")
    assert first_b < last_a  # b ran before the last round of a


def test_ratio_says_how_many_times_slower_another_is() -> None:
    times = Times({OURS: 2.0, "other": 6.0}, {"third": "it disagrees"})
    assert times.ratio("other") == 3.0
    assert times.ratio("third") is None


def test_exponent_is_fitted_to_the_large_sizes_only() -> None:
    sizes = (6, 12, 50, 100)
    assert exponent(sizes, [1.0, 12.0**1.5, 50.0**1.5, 100.0**1.5], 12) == pytest.approx(1.5)
    assert exponent(sizes, [1.0, 1.0, 1.0, 1.0], 100) is None


def test_fraction_is_the_least_time_over_the_time_taken() -> None:
    limit = Limit(64, 1e-8, 2e-8, 1e-10, 3e-9, Work(graph=50, instructions=80))
    assert (limit.graph_fraction, limit.fraction) == pytest.approx((0.5, 0.8))
    assert limit.rows_fraction == pytest.approx(1.1)


def test_program_that_moves_rows_has_the_shape_and_constants_of_the_function() -> None:
    f = armdyn.load("puma560").function("regressor", friction=False)
    given, rows = f.program, moving(f.program)
    assert isinstance(given, Program) and (rows.inputs, rows.outputs) == (
        given.inputs,
        given.outputs,
    )
    assert count(verify(rows)) == Operations(add=count(rows).add) and count(rows).add > 100
    fixed = [given.code[k].value if given.code[k].op is Op.CONST else None for k in given.results]
    assert fixed == [
        rows.code[k].value if rows.code[k].op is Op.CONST else None for k in rows.results
    ]
    assert len(set(rows.results)) == len(set(given.results))


def test_instructions_of_a_block_hold_the_multiplications_of_the_graph_and_of_sines() -> None:
    f = armdyn.load("puma560").function("forward_dynamics", friction=False)
    ir = f.source("llvm")
    counted = work(ir, f.operations)
    assert counted is not None
    assert counted.graph == f.operations.mul + f.operations.div + f.operations.sqrt
    assert counted.instructions > counted.graph
    body = block_function(ir)
    assert body is not None and body.count("@armdyn_block(") == 1
    assert work(ir.replace("armdyn_block", "other"), f.operations) is None
    looping = ir.replace("= fmul ", "= phi i64 [ 0, %entry ]\n  %x = fmul ")
    assert work(looping, f.operations) is None


def test_an_answer_that_is_off_is_refused_and_solving_may_lose_the_condition() -> None:
    expected = (np.ones((3, 2)),)
    assert disagreement("mass_matrix", expected, (np.ones((3, 2)),), 1.0) is None
    off = (np.ones((3, 2)) + 1e-7,)
    assert "1.0e-07" in str(disagreement("mass_matrix", expected, off, 1e9))
    assert disagreement("forward_dynamics", expected, off, 1e9) is None
    nothing = (np.full((3, 2), np.nan),)
    assert disagreement("forward_dynamics", expected, nothing, 1e9) is not None
    assert "shapes" in str(disagreement("mass_matrix", expected, (np.ones(3),), 1.0))


class Wrong:
    """A library that is fast and wrong."""

    name, version, note = "wrong", "0", "nothing"

    def arm(self, arm: armdyn.Arm) -> Wrong:
        return self

    def offers(self, task: Task) -> list[Offer]:
        shape = (len(task.states[0]), *task.function.program.outputs[0].shape)
        return [Offer("batch", Job(lambda: None, ()), lambda: (np.zeros(shape),))]


def test_a_library_that_disagrees_is_not_timed(monkeypatch, capsys) -> None:
    monkeypatch.setitem(run.PEERS, "casadi", Wrong)
    found = run.run_benchmark(replace(TINY, peers=("casadi",)))
    (cell,) = found.cells
    assert "wrong" not in cell.batch.seconds and "not timed" in cell.batch.refused["wrong"]
    assert found.disagreements[0].startswith("wrong, mass_matrix of planar2: its answers differ")
    assert "refused" not in str([g.rows for g in grids(found)])  # it has no column at all
    monkeypatch.setattr("bench.QUICK", replace(TINY, peers=("casadi",)))
    status, _, err = run_verb(monkeypatch, capsys, "--quick")
    assert status == 1 and "disagreement: wrong, mass_matrix of planar2" in err


def test_what_is_absent_is_said(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "casadi", None)
    monkeypatch.setitem(arms.PUBLISHED, "ur5", ("nowhere.urdf", None))
    found = run.run_benchmark(replace(TINY, robots=("ur5",), peers=("casadi",)))
    assert not found.cells and not found.peers
    assert [note.split(" was ")[0] for note in found.notes] == ["casadi", "ur5"]
    assert "armdyn[casadi]" in found.notes[0] and "armdyn[bench]" in found.notes[1]


def test_inverse_kinematics_is_measured_with_and_without_another_library(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "eaik", None)
    notes: list[str] = []
    rows, others = measure_kinematics(("planar2", "puma560"), 40, 0.0, notes)
    assert [row.robot for row in rows] == ["puma560"] and not others
    assert list(rows[0].times.seconds) == [OURS] and rows[0].compared == 0
    assert len(notes) == 1 and "armdyn[bench]" in notes[0]


def test_sets_of_solutions_are_compared_whole_turns_aside() -> None:
    arm = armdyn.load("puma560")
    poses = arm.pose(np.linspace(0.1, 1.2, 18).reshape(3, 6))
    found = arm.inverse_kinematics_all(poses, limits=False)

    class Other:
        """Finds ours, but one of the second pose, and one too many of the third."""

        def IK(self, pose: np.ndarray) -> SimpleNamespace:
            k = int(np.abs(poses - pose).max(axis=(-1, -2)).argmin())
            Q = found.q[k][found.valid[k]] + 2 * np.pi * (k == 0)
            Q = Q[1:] if k == 1 else np.vstack([Q, Q[:1] + 0.1]) if k == 2 else Q
            return SimpleNamespace(Q=Q, is_LS=[False] * len(Q))

    theirs = EAIKArm(Other(), np.eye(3))
    assert [theirs.same_sets(poses[:k], found) for k in (1, 2, 3)] == [1, 1, 1]


def test_a_missing_compiler_and_missing_headers_are_said(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(ArmdynError, match=r"needs a compiler.*no-such-compiler"):
        pinocchio._compile(tmp_path / "x.so", [], tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    with pytest.raises(ArmdynError, match=r"header pinocchio/multibody\.hpp"):
        pinocchio._include_folders(tmp_path / "pinocchio" / "__init__.py")


def test_a_compiler_that_fails_is_quoted(monkeypatch, tmp_path) -> None:
    compiler = tmp_path / "broken"
    compiler.write_text("#!/bin/sh\necho 'x.cpp: fatal error: no luck' >&2\nexit 1\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    with pytest.raises(ArmdynError, match="fatal error: no luck"):
        pinocchio._compile(tmp_path / "x.so", [], tmp_path)


@pytest.mark.parametrize("quantity", run.QUANTITIES)
def test_pinocchio_in_python_is_found_equal(quantity) -> None:
    arm = arm_named("puma560")
    f = arm.function(quantity, friction=False)
    states = measure.states_of(arm, f, 20)
    kept, refused = measure.checked_offers(arm, f, {"pin": PinocchioPython().arm(arm)}, states)
    assert not refused and kept["pin"]


@pytest.mark.slow
def test_pinocchio_in_cpp_compiles_and_is_found_equal() -> None:
    if not any(shutil.which(name) for name in pinocchio.COMPILERS):
        pytest.skip("there is no C++ compiler")
    peer = pinocchio.PinocchioCpp()
    for arm in (arm_named("puma560"), armdyn.Arm(armdyn.generic(4, 2))):
        theirs = {peer.name: peer.arm(arm)}
        for quantity in run.QUANTITIES:
            f = arm.function(quantity, friction=False)
            states = measure.states_of(arm, f, 20)
            kept, refused = measure.checked_offers(arm, f, theirs, states)
            assert not refused
            assert len(kept.get(peer.name, ())) == len(pinocchio.ALGORITHMS.get(quantity, ()))


@pytest.mark.parametrize("quantity", ["mass_matrix", "inverse_dynamics", "forward_dynamics"])
def test_mujoco_is_found_equal(quantity) -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    from peers.mujoco import MuJoCo

    for robot in (armdyn.generic(4, 2), armdyn.load("scara").robot):
        arm = armdyn.Arm(robot)
        f = arm.function(quantity, friction=False)
        states = measure.states_of(arm, f, 20)
        kept, refused = measure.checked_offers(arm, f, {"mj": MuJoCo().arm(arm)}, states)
        assert not refused and kept["mj"]


def test_mujoco_says_which_arm_it_does_not_take() -> None:
    pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")
    from peers.mujoco import MuJoCo

    light = armdyn.Robot([armdyn.Joint(rotor_inertia=1.0)], name="massless")
    with pytest.raises(ArmdynError, match="does not take the arm 'massless'"):
        MuJoCo().arm(armdyn.Arm(light))


def test_targets_are_judged_by_their_direction() -> None:
    verdict = _targets()["Verdict"]
    assert verdict("speed", 2.0, True, 2.5).met and not verdict("time", 2.0, False, 2.5).met
    assert verdict("speed", 2.0, True, None).met is None


def test_targets_come_from_what_was_measured() -> None:
    times = tuple(Times({OURS: n * 1.0, "Pinocchio C++": n * 30.0}) for n in (12, 30, 100))
    growth = Growth("forward_dynamics", (12, 30, 100), times, 1.0, 12)
    found = Benchmark({}, {}, {}, 1, (), (growth,), (), (), Imports(3.0, 1.0), ()).to_dict()
    told = {v.what: (v.measured, v.met) for v in _targets()["verdicts"](found)}
    assert told["import armdyn over import numpy"] == (3.0, False)
    assert told["exponent of forward_dynamics on n, from 12 joints on"] == (1.0, True)
    over = "forward_dynamics of a chain of 100, batch, one core, over Pinocchio C++"
    assert told[over] == (pytest.approx(30.0), True)


def _targets() -> dict:
    return run_path(str(BENCHMARKS / "targets.py"))


def test_durations_have_a_unit_that_suits() -> None:
    assert [duration(x) for x in (2.0, 1.5e-3, 4.25e-6, 33.3e-9)] == [
        "2 s", "1.5 ms", "4.25 µs", "33.3 ns",
    ]  # fmt: skip


def test_unknown_choices_are_refused_before_any_work(monkeypatch, capsys, tmp_path) -> None:
    with pytest.raises(MethodError, match="no peer 'drake'"):
        run.Settings(peers=("drake",))
    status, _, err = run_verb(monkeypatch, capsys, "--quick", "--kinds", "udu")
    assert status == 2 and "there is no kind 'udu'" in err
    status, _, err = run_verb(monkeypatch, capsys, "--quick", "--chains", "6,-1")
    assert status == 2 and "--chains has '-1'" in err
    with pytest.raises(FileError, match=r"\.png, \.svg, \.pdf"):
        check_picture(tmp_path / "times.gif")
    with pytest.raises(FileError, match="no folder"):
        check_picture(tmp_path / "nowhere" / "times.svg")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"armdyn\[plot\]"):
        check_picture(tmp_path / "times.svg")


@pytest.mark.slow
def test_bench_writes_tables_json_page_and_picture(monkeypatch, capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    settings = replace(TINY, peers=("pinocchio", "casadi"), chains=(2,), rounds=1)
    monkeypatch.setattr(run, "START_ARM", "planar2")
    monkeypatch.setattr("bench.QUICK", settings)
    names = ("times.json", "times.svg", "page.md")
    files = [tmp_path / name for name in names]
    words = zip(("--out", "--plot", "--markdown"), map(str, files), strict=True)
    status, out, err = run_verb(
        monkeypatch, capsys, "--quick", *(w for pair in words for w in pair)
    )
    assert (status, err) == (0, "")
    told = json.loads(files[0].read_text())
    (cell,) = told["cells"]
    assert cell["robot"] == "planar2" and set(cell["one"]["seconds"]) >= {OURS, "CasADi"}
    ratio = cell["one"]["seconds"]["CasADi"] / cell["one"]["seconds"][OURS]
    assert cell["one"]["ratios"]["CasADi"] == pytest.approx(ratio)
    assert cell["limit"]["fraction"] > cell["limit"]["graph_fraction"] > 0
    assert cell["limit"]["moving_seconds"] > 0
    assert cell["limit"]["work"]["graph"] == 1 and cell["operations"].startswith("1M")
    assert [growth["n"] for growth in told["growth"]] == [[2]] * 3
    assert told["starts"][0]["compile"] > 0 and told["imports"]["ratio"] > 0
    assert "<svg" in files[1].read_text()[:2000]
    page = files[2].read_text()
    assert (
        "![Times of armdyn and others](times.svg)" in page and "| planar2 | mass_matrix |" in page
    )
    assert "One state in a call from Python" in out and "planar2" in out
    assert sorted(path.name for path in Path(tmp_path).iterdir()) == sorted(names)


def test_time_optimal_motions_are_timed_beside_toppra(monkeypatch) -> None:
    pytest.importorskip("toppra")
    monkeypatch.setattr(run, "measure_planning", lambda paths, seconds: measure_planning(2, 0.0))
    found = run.run_benchmark(replace(TINY, kinds=(), paths=2))
    assert found.planning is not None and not found.disagreements
    assert set(found.planning.times.seconds) == {OURS, "toppra"}
    assert found.planning.difference < 0.05
    (told,) = (grid.text() for grid in grids(found) if "Time-optimal" in grid.title)
    assert "batches of 2" in told and found.to_dict()["planning"]["times"]["ratios"]["toppra"] > 0.0
