"""Functions of arms as machine code: threads, `out`, pickling, long programs, languages, cache."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

import armdyn
from armdyn.graph.interpret import interpret
from armdyn.kernel import kernel as _cached_kernel
from armdyn.kernel.batch import LEAST_STATES, wanted_threads
from armdyn.kernel.cache import Cache
from armdyn.kernel.targets.choice import target
from armdyn.programs import evaluate as _evaluate
from support.robots import random_robots, relative_error
from support.says import facts

PUMA = armdyn.load("puma560")
QUANTITIES = ("mass_matrix", "inverse_dynamics", "forward_dynamics", "gravity", "udu", "pose")
RNG = np.random.default_rng(3)


def states(f: armdyn.Function, n_states: int) -> list[np.ndarray]:
    return [RNG.uniform(-1, 1, (n_states, slot.size)) for slot in f.program.inputs]


def parts(result: object) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)  # type: ignore[return-value]


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_machine_code_equals_the_interpreted_program(quantity: str) -> None:
    for robot in [PUMA.robot, *random_robots(seed=6, sizes=(2, 5))[::3]]:
        f = armdyn.Arm(robot).function(quantity)
        given = states(f, 40)
        for got, expected in zip(parts(f(*given)), interpret(f.program, *given), strict=True):
            assert relative_error(got, expected) < (
                1e-9 if quantity == "forward_dynamics" else 1e-14
            )


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_bits_do_not_depend_on_threads_or_batch(quantity: str) -> None:
    f = PUMA.function(quantity)
    given = states(f, 3 * LEAST_STATES + 5)
    one = parts(f(*given, threads=1))
    for threads in (2, 3, 7):
        for a, b in zip(one, parts(f(*given, threads=threads)), strict=True):
            assert np.array_equal(a, b)
    for k in (0, 17, len(given[0]) - 1):
        for a, b in zip(one, parts(f(*(x[k] for x in given))), strict=True):
            assert np.array_equal(a[k], b)


def test_out_may_be_an_input() -> None:
    f = PUMA.function("inverse_dynamics")
    q, qd, qdd = states(f, 2 * LEAST_STATES + 1)
    expected = f(q, qd, qdd)
    for k in range(3):
        given = [q.copy(), qd.copy(), qdd.copy()]
        target = given[k]
        assert f(*given, out=target, threads=2) is target
        assert np.array_equal(target, expected)


def test_function_and_arm_survive_pickling() -> None:
    f = PUMA.function("mass_matrix")
    q = states(f, 3)[0]
    expected = f(q)
    again = pickle.loads(pickle.dumps(f))
    assert np.array_equal(again(q), expected) and again.method == f.method
    assert np.array_equal(pickle.loads(pickle.dumps(PUMA)).mass_matrix(q), expected)


def test_another_process_rebuilds_a_function_with_the_same_bits() -> None:
    f = PUMA.function("inverse_dynamics")
    given = states(f, 100)
    expected = f(*given)
    assert isinstance(expected, np.ndarray)
    code = (
        "import pickle, sys; f, given = pickle.load(sys.stdin.buffer);"
        "sys.stdout.buffer.write(f(*given).tobytes())"
    )
    sent = pickle.dumps((f, given))
    done = subprocess.run([sys.executable, "-c", code], input=sent, capture_output=True, check=True)
    assert done.stdout == expected.tobytes()


# Everything that is made for the processor, the code that programs share among it.
ON_ANOTHER_PROCESSOR = """
import numpy as np, armdyn
from armdyn.kernel.targets.choice import target
rng, parts = np.random.default_rng(3), lambda x: x if isinstance(x, tuple) else (x,)
arm = armdyn.load("stanford")
for quantity in ("mass_matrix", "inverse_dynamics", "udu", "potential_energy"):
    f = arm.function(quantity)
    w = target().vector_bytes // 8
    for count in (0, 1, w - 1, w, w + 1, 1000, 40_000):
        states = [rng.uniform(-2, 2, (count, slot.size)) for slot in f.program.inputs]
        expected = parts(f.kernel(*states))
        for call in (f, getattr(arm, quantity)):
            for _ in range(2):
                for a, b in zip(parts(call(*states)), expected, strict=True):
                    assert np.array_equal(a, b), (quantity, count)
            for k in {0, count - 1} if count else ():
                for a, b in zip(parts(call(*(x[k] for x in states))), expected, strict=True):
                    assert np.array_equal(a, b[k]), (quantity, count)
    states[-1][-1, -1] = np.nan
    try:
        f(*states)
    except armdyn.InputError:
        continue
    raise AssertionError(quantity)
print(target().cpu, target().vector_bytes // 8)
"""


@pytest.mark.parametrize(("cpu", "width"), [("x86-64", 2), ("x86-64-v3", 4)])
@pytest.mark.parametrize("fastcall", ["on", "off"])
def test_lesser_processors_give_the_same_bits_by_every_way_in(
    cpu: str, width: int, fastcall: str
) -> None:
    try:
        target(cpu)
    except armdyn.InputError:
        pytest.skip(f"this machine cannot stand for {cpu}")
    done = subprocess.run(
        [sys.executable, "-c", ON_ANOTHER_PROCESSOR],
        env={**os.environ, "ARMDYN_CPU": cpu, "ARMDYN_FASTCALL": fastcall},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stdout.split() == [cpu, str(width)], done.stderr


def test_threads_may_make_the_first_call_at_once() -> None:
    arm = armdyn.Arm(armdyn.generic(4, seed=8))
    q = RNG.uniform(-1, 1, 4)
    start = Barrier(8)

    def first(method: bool) -> bytes:
        start.wait()
        return b"".join((arm.mass_matrix(q) if method else shared(q)).tobytes() for _ in range(20))

    shared = arm.function("mass_matrix")
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(first, [True, False] * 4))
    assert found == {armdyn.Arm(arm.robot).mass_matrix(q).tobytes() * 20}


def test_program_too_long_to_compile_is_interpreted(monkeypatch) -> None:
    monkeypatch.setattr(_evaluate, "LONGEST_COMPILED", 10)
    arm = armdyn.Arm(armdyn.load("stanford").robot)
    f = arm.function("inverse_dynamics")
    given = states(f, 4)
    assert np.array_equal(f(*given), interpret(f.program, *given)[0])
    out = np.empty((4, 6))
    assert f(*given, out=out) is out and np.array_equal(out, f(*given))


def test_program_of_too_many_results_is_interpreted_however_few_its_steps(monkeypatch) -> None:
    """Sliding joints that are parallel have a regressor of hardly anything but zeros."""
    slides = [armdyn.Joint(kind="prismatic", mass=1.0) for _ in range(4)]
    f = armdyn.Arm(armdyn.Robot(slides)).function("regressor")
    assert len(f.program.code) < 100 < len(f.program.results) == 160
    monkeypatch.setattr(_evaluate, "LONGEST_COMPILED", 100)
    given = states(f, 3)
    assert f.kernel is None and np.array_equal(f(*given), interpret(f.program, *given)[0])


@pytest.mark.parametrize(
    ("language", "mark"),
    [
        ("python", "def gravity(q):"),
        ("c", "const double q[6]"),
        ("llvm", "define "),
        ("jax", "import jax.numpy"),
        ("casadi", "import casadi"),
    ],
)
def test_source_speaks_the_language(language: str, mark: str) -> None:
    assert mark in PUMA.function("gravity").source(language)


def test_compiled_code_is_kept_and_loaded(monkeypatch, tmp_path) -> None:
    folder = tmp_path / "cache"
    armdyn.load("puma560").function("mass_matrix")  # what is traced would be kept, too
    monkeypatch.setenv("ARMDYN_CACHE", str(folder))
    monkeypatch.setenv("ARMDYN_FASTCALL", "off")  # and the code of fastcalls
    q = RNG.uniform(-1, 1, 6)
    expected = armdyn.load("puma560").mass_matrix(q)
    assert len(Cache(folder).entries()) == 1

    def refuse(*_: object) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(_cached_kernel, "object_code", refuse)
    assert np.array_equal(armdyn.load("puma560").mass_matrix(q), expected)
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:-1] + b"x")  # spoilt: not to be run
    with pytest.raises(AssertionError, match="compiled again"):
        armdyn.load("puma560").mass_matrix(q)


@pytest.mark.parametrize("threads", [0, -1, True, 1.5, "two", "2", [1]])
def test_wrong_number_of_threads_is_named(threads) -> None:
    with pytest.raises(armdyn.InputError, match=facts("`threads`", "at least")):
        PUMA.function("gravity")(np.zeros(6), threads=threads)


def test_threads_by_environment(monkeypatch) -> None:
    monkeypatch.setenv("ARMDYN_THREADS", "3")
    assert wanted_threads() == 3 and wanted_threads(2) == 2
    assert wanted_threads(np.int64(2)) == 2  # type: ignore[arg-type]
    for wrong in ("many", "0", "-1", "1.5", "9" * 5000):
        monkeypatch.setenv("ARMDYN_THREADS", wrong)
        with pytest.raises(armdyn.InputError, match=facts("ARMDYN_THREADS", "at least")):
            wanted_threads()
    monkeypatch.delenv("ARMDYN_THREADS")
    assert wanted_threads() >= 1


def test_importing_armdyn_does_not_load_llvm() -> None:
    code = "import sys, armdyn; sys.exit('llvmlite' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("count", [1, 5, 700, 40_000])
def test_several_results_go_to_several_arrays(count: int) -> None:
    f = PUMA.function("inverse_dynamics_derivatives")
    states = np.random.default_rng(4).uniform(-1, 1, (3, count, 6))
    expected = f(*states)
    room = np.full((3, count, 6, 6), np.nan)
    given = f(*states, out=tuple(room))
    assert all(np.shares_memory(x, row) for x, row in zip(given, room, strict=True))
    assert np.array_equal(room, expected)


def test_results_that_share_memory_are_refused() -> None:
    f = PUMA.function("inverse_dynamics_derivatives")
    room = np.zeros((3, 6, 6))
    with pytest.raises(armdyn.InputError, match="overlap"):
        f(*np.zeros((3, 6)), out=(room[0], room[1], room[0]))


@pytest.mark.parametrize("strides", [(0, 48, 8), (8, 48, 8), (288, 8, 8), (288, 40, 8)])
def test_results_that_overlap_each_other_are_refused(strides: tuple[int, ...]) -> None:
    room = np.lib.stride_tricks.as_strided(np.zeros(200), (4, 6, 6), strides)
    for call in (PUMA.mass_matrix, PUMA.function("mass_matrix")):
        with pytest.raises(armdyn.InputError, match=facts("`out`", "memory")):
            call(np.zeros((4, 6)), out=room)


def test_results_go_to_slices_in_any_order() -> None:
    q = RNG.uniform(-1, 1, (4, 6))
    expected = PUMA.mass_matrix(q)
    room = np.zeros((6, 8, 9, 2))
    for out in (room[:, ::2, ::-1][..., 2:8, 0].transpose(1, 0, 2), room[1:, 2:8, 1:7, 1][:4]):
        assert PUMA.mass_matrix(q, out=out) is out and np.array_equal(out, expected)
    assert PUMA.mass_matrix(q[:0], out=room[:0, :6, :6, 0]).shape == (0, 6, 6)
    one = np.zeros((3, 6, 6))[::2][:1]
    assert np.array_equal(PUMA.mass_matrix(q[:1], out=one), expected[:1])
