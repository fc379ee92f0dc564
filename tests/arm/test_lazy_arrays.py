"""Dask arrays in, Dask arrays out: lazy, in the same chunks, with the bits of NumPy arrays."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.arm import dask_arrays as _task
from armdyn.arm.dask_arrays import BlockTask
from armdyn.kernel.call.vectorcall import has_function
from armdyn.programs.sized_lru import SizedLRU

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")

ARM = armdyn.load("planar2")
UR5 = armdyn.load("ur5")
STATES = np.random.default_rng(0).uniform(-2.0, 2.0, (4, 60, 6))


def states(arm: armdyn.Arm, quantity: str, frame: Any = None) -> list[Any]:
    count = len(arm.function(quantity).program.inputs)
    return [x[:, : arm.n] for x in STATES[:count]]


def same(lazy: Any, plain: Any) -> bool:
    listed, expected = (x if isinstance(x, tuple) else (x,) for x in (lazy, plain))
    return len(listed) == len(expected) and all(
        isinstance(a, da.Array)
        and a.shape == b.shape
        and a.dtype == b.dtype
        and np.array_equal(np.asarray(a.compute(scheduler="sync")), b)
        for a, b in zip(listed, expected, strict=True)
    )


@pytest.mark.parametrize("quantity", ARM.quantities)
def test_every_quantity_is_lazy_and_has_the_same_bits(quantity: str) -> None:
    given = states(ARM, quantity)
    lazy = [da.from_array(x, chunks=(25, 2)) for x in given]
    method = getattr(ARM, quantity)
    result = method(*lazy)
    first = result[0] if isinstance(result, tuple) else result
    assert first.chunks[0] == (25, 25, 10)
    assert same(result, method(*given))
    assert same(ARM.function(quantity)(*lazy), method(*given))


def test_leading_axes_broadcast_and_keep_their_chunks() -> None:
    q, qd = STATES[:2]
    a, b = da.from_array(q, chunks=(40, 6)), da.from_array(qd, chunks=(40, 6))
    product = UR5.bias(a[:, None], b[None, :7])
    assert product.chunks == ((40, 20), (7,), (6,))
    assert same(product, UR5.bias(q[:, None], qd[None, :7]))
    assert same(UR5.bias(a, qd[0]), UR5.bias(q, qd[0]))  # one is a NumPy array
    assert same(UR5.bias(q, b), UR5.bias(q, qd))
    assert same(UR5.bias(a, b.rechunk((25, 6))), UR5.bias(q, qd))
    assert same(UR5.gravity(a.rechunk((30, 4))), UR5.gravity(q))  # joints in several chunks
    assert same(UR5.gravity(a[0]), UR5.gravity(q[0]))  # one state
    assert same(UR5.bias(a[:0], qd[:1]), UR5.bias(q[:0], qd[:1]))  # none
    assert same(UR5.gravity((10 * a).astype(int)), UR5.gravity((10 * q).astype(int)))


def test_moving_bases_loads_and_frames() -> None:
    q, qd, qdd, motion = STATES
    lazy = [da.from_array(x, chunks=(25, 6)) for x in STATES]
    for options in (
        {"base_acceleration": 3},
        {"base_acceleration": 3, "base_velocity": 6},
        {"base_velocity": 6},
    ):
        there = {name: lazy[3][:, :size] for name, size in options.items()}
        here = {name: motion[:, :size] for name, size in options.items()}
        plain = UR5.inverse_dynamics(q, qd, qdd, **here)
        assert same(UR5.inverse_dynamics(*lazy[:3], **there), plain)
        assert same(UR5.inverse_dynamics(q, qd, qdd, **there), plain)
    assert same(UR5.friction(lazy[1], load=lazy[2]), UR5.friction(qd, load=qdd))
    assert same(UR5.pose(lazy[0], 3), UR5.pose(q, 3))
    base = UR5.minimal
    assert same(base.regressor(*lazy[:3]), base.regressor(q, qd, qdd))


def test_inverse_kinematics() -> None:
    q = STATES[0]
    poses = UR5.pose(q)
    lazy = da.from_array(poses, chunks=(25, 4, 4))
    assert same(UR5.inverse_kinematics(lazy), UR5.inverse_kinematics(poses))
    start = np.clip(q + 0.1, -3.0, 3.0)
    found = UR5.inverse_kinematics(poses, start)
    assert same(UR5.inverse_kinematics(lazy, start), found)
    assert same(UR5.inverse_kinematics(poses, da.from_array(start, chunks=(9, 6))), found)
    branches, plain = UR5.inverse_kinematics_all(lazy), UR5.inverse_kinematics_all(poses)
    assert branches.q.chunks[0] == (25, 25, 10)
    for name in ("q", "valid", "margin"):
        assert same(getattr(branches, name), getattr(plain, name))
    panda = armdyn.load("panda")
    poses, given = panda.pose(np.full(7, 0.4)), np.linspace(-0.5, 0.5, 5)
    branches = panda.inverse_kinematics_all(poses, redundancy=da.from_array(given, chunks=2))
    assert same(branches.q, panda.inverse_kinematics_all(poses, redundancy=given).q)


def test_tokens_depend_on_the_description_alone() -> None:
    tokenize = dask.base.tokenize
    q = da.from_array(STATES[0], chunks=(25, 6), name="states")
    again = armdyn.load("ur5")
    assert tokenize(UR5, ensure_deterministic=True) == tokenize(again, ensure_deterministic=True)
    assert tokenize(UR5) != tokenize(armdyn.load("panda"))
    assert UR5.gravity(q).name == again.gravity(q).name
    assert UR5.gravity(q).name != UR5.gravity(2.0 * q).name
    assert UR5.gravity(q).name != armdyn.load("puma560").gravity(q).name
    assert UR5.mass_matrix(q, method="renaud").name != UR5.mass_matrix(q, method="denoc").name
    heavier = armdyn.load("ur5").robot
    joints = [*heavier.joints[:-1], armdyn.Joint(mass=7.0)]
    assert tokenize(UR5) != tokenize(armdyn.Arm(armdyn.Robot(joints, name="ur5")))


def test_a_process_keeps_tasks_it_has_unpickled(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = SizedLRU(3 * _task.CODE_BYTES)  # two tasks, each with its program
    monkeypatch.setattr(_task, "PROGRAMS", kept)
    names = ("gravity", "mass_matrix", "udu")
    tasks = [pickle.dumps(BlockTask(x, ARM.function(x), {"threads": 1})) for x in names]
    first = pickle.loads(tasks[0])
    assert pickle.loads(tasks[0]) is first
    assert np.array_equal(first(STATES[0, :, :2]), ARM.gravity(STATES[0, :, :2]))
    pickle.loads(tasks[1])
    pickle.loads(tasks[2])
    assert 2 * _task.CODE_BYTES < kept.cost <= 3 * _task.CODE_BYTES
    assert pickle.loads(tasks[0]) is not first


def test_nothing_is_computed_or_compiled_before_it_is_asked_for() -> None:
    arm = armdyn.load("planar2")
    broken = da.from_delayed(dask.delayed(lambda: 1 / 0)(), (5, 2), float)
    assert arm.gravity(broken).shape == (5, 2)
    assert not has_function(arm.gravity)  # machine code is made on workers


REAL = "real numbers of shape (..., 6) for robot 'ur5'"
BAD: dict[str, tuple[Callable[[Any], Any], str, str | None]] = {
    "unknown chunks": (
        lambda q: UR5.gravity(q[q[:, 0] > 0]),
        f"`q` is a Dask array with chunks of unknown sizes, its shape is (nan, 6); expected {REAL}."
        " Call its method `compute_chunk_sizes` first.",
        "q",
    ),
    "objects": (
        lambda q: UR5.gravity(q.astype(object)),
        f"`q` is a Dask array of object, expected {REAL}. `astype(float)` converts numbers that are"
        " stored as objects or text.",
        "q",
    ),
    "complex": (
        lambda q: UR5.gravity(q.astype(complex)),
        f"`q` is a Dask array of complex128, expected {REAL}.",
        "q",
    ),
    "truth values": (
        lambda q: UR5.gravity(q > 0),
        f"`q` is a Dask array of bool, expected {REAL}.",
        "q",
    ),
    "another collection": (
        lambda q: UR5.gravity(dask.delayed(1)),
        f"expected a Dask array: {REAL}.",
        "q",
    ),
    "shape": (
        lambda q: UR5.gravity(q[:, :3]),
        "`q` has shape (60, 3), expected (6,) or (..., 6) for robot 'ur5'.",
        "q",
    ),
    "broadcasting": (
        lambda q: UR5.bias(q, q[:7]),
        "the leading axes of the states do not broadcast: q (60, 6), qd (7, 6).",
        None,
    ),
    "out": (
        lambda q: UR5.gravity(q, out=np.zeros((60, 6))),
        "`out` is given, but results of Dask arrays are lazy and fill no array; leave it out, and "
        "compute or store the result.",
        "out",
    ),
    "threads": (
        lambda q: UR5.function("gravity")(q, threads=-1),
        "`threads` is -1",
        "threads",
    ),
    "base": (
        lambda q: UR5.bias(q, q, base_velocity=q[q[:, 0] > 0]),
        "`base_velocity` is a Dask array with chunks of unknown sizes",
        "base_velocity",
    ),
    "poses": (
        lambda q: UR5.inverse_kinematics(q),
        "`pose` has shape (60, 6), expected a 4x4 pose",
        "pose",
    ),
    "option of poses": (
        lambda q: UR5.inverse_kinematics(UR5.pose(q), tolerance=-1.0),
        "`tolerance` is -1.0, expected a positive number.",
        "tolerance",
    ),
    "start": (
        lambda q: UR5.inverse_kinematics(UR5.pose(q), q[:3]),
        "`start` has shape (3, 6), expected numbers of shape (6,) or (60, 6).",
        "start",
    ),
    "no redundancy": (
        lambda q: UR5.inverse_kinematics_all(UR5.pose(q), redundancy=q[:, 0]),
        "`redundancy` is for arms with a joint to spare; robot 'ur5' has none.",
        "redundancy",
    ),
    "a block that is not finite": (
        lambda q: UR5.gravity(da.where(q == STATES[0, 30, 2], np.nan, q)).compute(scheduler="sync"),
        "`q` has nan at index (5, 2); a state must be finite. Drop or mend such rows first. (An "
        "index counts within one chunk of the Dask arrays.)",
        "q",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_errors(what: str) -> None:
    call, text, argument = BAD[what]
    with pytest.raises(armdyn.InputError) as caught:
        call(da.from_array(STATES[0], chunks=(25, 6)))
    assert text in str(caught.value)
    assert caught.value.argument == argument


def test_dask_is_imported_by_nobody_else() -> None:
    code = (
        "import sys, armdyn; arm = armdyn.load('planar2'); arm.gravity([0.1, 0.2])\n"
        "arm.gravity([[0.1, 0.2]]); print([m for m in sys.modules if m.startswith('dask')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
