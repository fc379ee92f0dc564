"""States: every quantity, method and function of arms, called with good, odd and wrong arrays.

Good states must be accepted; one of a batch, called alone by the `Function` itself, has the same
bits, and another method agrees within rounding. What is no state must be refused.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Any

import numpy as np

import armdyn
from armdyn import Arm, Function
from armdyn.errors import ArmdynError
from fuzz._finding import Finding, check, must

BASES = {"fixed": (), "translating": (3,), "moving": (6, 6)}
MOVING = ("inverse_dynamics", "forward_dynamics", "bias")
# Leading axes; threads work on batches of more than 512 states.
LEADS: list[tuple[int, ...]] = [
    *6 * [()], *6 * [(1,), (2,), (3,), (5,), (2, 3)], (17,), (17,), (0,), (2, 0), (600,),
]  # fmt: skip
# Differences between methods, relative to the largest entry or 1: rounding of a few joints; more
# where the mass matrix is inverted.
ROUNDING, INVERTED, SINGLE = 1e-10, 1e-7, 2e-3

Make = Callable[[np.ndarray, random.Random], Any]


def _changed(value: Any) -> Make:
    """Return a change of one entry."""

    def make(x: np.ndarray, rng: random.Random) -> np.ndarray:
        x = x.copy()
        if not x.size:
            return np.full((1, *x.shape[-1:]), value)
        x.flat[rng.randrange(x.size)] = value
        return x

    return make


def _strided(x: np.ndarray, rng: random.Random) -> np.ndarray:
    wide = np.full((*x.shape[:-1], 2 * x.shape[-1] + 1), np.nan)
    wide[..., 1::2] = x
    return wide[..., 1::2]


def _unaligned(x: np.ndarray, rng: random.Random) -> np.ndarray:
    raw = np.zeros(x.nbytes + 1, np.uint8)[1:].view(np.uint8)
    y = np.ndarray(x.shape, x.dtype, buffer=raw.data)
    y[...] = x
    return y


def _read_only(x: np.ndarray, rng: random.Random) -> np.ndarray:
    x = x.copy()
    x.flags.writeable = False
    return x


class _Array:
    """Something that is an array on demand."""

    def __init__(self, x: np.ndarray) -> None:
        self.x = x

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.x if dtype is None else self.x.astype(dtype)


GOOD: dict[str, Make] = {
    "array": lambda x, rng: x,
    "list": lambda x, rng: x.tolist() if x.size else x,
    "tuple": lambda x, rng: tuple(x.tolist()) if x.size else x,
    "list of arrays": lambda x, rng: list(x) if x.ndim > 1 and x.size else x,
    "Fortran": lambda x, rng: np.asfortranarray(x),
    "strided": _strided,
    "reversed": lambda x, rng: x[..., ::-1][..., ::-1],
    "backwards": lambda x, rng: x[::-1],
    "transposed": lambda x, rng: np.ascontiguousarray(x.T).T,
    "broadcast": lambda x, rng: np.broadcast_to(x[..., :1], x.shape),
    "whole numbers": lambda x, rng: np.round(x).astype(rng.choice(["i8", "i4", "i2", "i1"])),
    "unsigned": lambda x, rng: np.abs(np.round(x)).astype(rng.choice(["u8", "u4", "u2", "u1"])),
    "half": lambda x, rng: x.astype(np.float16),
    "single": lambda x, rng: x.astype(np.float32),
    "long": lambda x, rng: x.astype(np.longdouble),
    "big endian": lambda x, rng: x.astype(">f8"),
    "read-only": _read_only,
    "unaligned": _unaligned,
    "on demand": lambda x, rng: _Array(x),
    "zeros": lambda x, rng: x * 0.0,
    "minus zero": lambda x, rng: x * -0.0,
    "right angles": lambda x, rng: np.round(x) * (np.pi / 2),
    "tiny": lambda x, rng: x * rng.choice([1e-300, 5e-324, 1e-160, 1e-20]),
}
ODD: dict[str, Make] = {
    "huge": lambda x, rng: x * 10.0 ** rng.uniform(3, 307),
    "one huge": lambda x, rng: _changed(rng.choice([1e9, -1e16, 1e100, 1e155, -1.7e308]))(x, rng),
    "objects": lambda x, rng: x.astype(object),
    "decimals": lambda x, rng: [Decimal(1)] * x.shape[-1],
    "matrix": lambda x, rng: np.ma.array(x),
    "huge integers": lambda x, rng: [10 ** rng.randrange(400)] * x.shape[-1],
    "generator": lambda x, rng: (y for y in x.ravel().tolist()),
    "memory": lambda x, rng: memoryview(np.ascontiguousarray(x)) if x.size else x,
    "one of all": lambda x, rng: x[..., :1],
}
WRONG: dict[str, Make] = {
    "nan": _changed(np.nan),
    "inf": _changed(np.inf),
    "minus inf": _changed(-np.inf),
    "one short": lambda x, rng: np.zeros((*x.shape[:-1], x.shape[-1] - 1)),
    "one more": lambda x, rng: np.zeros((*x.shape[:-1], x.shape[-1] + 1)),
    "number": lambda x, rng: 0.5,
    "None": lambda x, rng: None,
    "text": lambda x, rng: rng.choice(["", "q", "0.1 0.2", b"0.1"]),
    "texts": lambda x, rng: ["0.1"] * x.shape[-1],
    "complex": lambda x, rng: x + 0j if x.size else 1j,
    "truth": lambda x, rng: np.ones(x.shape, bool) if x.size else True,
    "masked": lambda x, rng: np.ma.array(np.ones(x.shape[-1]), mask=True),
    "ragged": lambda x, rng: [[0.1], [0.1, 0.2, 0.3]],
    "dates": lambda x, rng: np.zeros(x.shape[-1], "M8[s]"),
    "structure": lambda x, rng: np.zeros(x.shape[-1], [("a", float)]),
    "set": lambda x, rng: {0.1, 0.2},
    "dict": lambda x, rng: dict.fromkeys(range(x.shape[-1]), 0.1),
    "object": lambda x, rng: object(),
    "function": lambda x, rng: len,
    "axes": lambda x, rng: np.zeros((1,) * 40 + x.shape[-1:]),
}


@dataclass
class Case:
    """A call: of a quantity by a method of an arm, with a kind of array for each input."""

    arm: str
    single: bool
    call: str
    quantity: str
    method: str
    options: dict[str, Any]
    lead: tuple[int, ...]
    kinds: list[str]
    out: str
    seed: int


@cache
def arm_of(name: str, single: bool) -> Arm:
    """Return a bundled arm, or a random one."""
    from support.robots import random_robot

    if name == "long":
        robot = armdyn.generic(12)
    elif "-" in name:
        family, n = name.split("-")
        robot = random_robot(family, int(n), 5)
        if family == "mixed":  # with friction that grows with the load
            first, *rest = robot.joints
            robot = replace(robot, joints=(replace(first, load_friction=0.1), *rest))
    else:
        robot = armdyn.load(name).robot
    return Arm(robot, dtype=np.float32 if single else np.float64)


# Arms, and whether all methods are tried: compiling those of large arms takes long.
ARMS = {
    "planar2": True, "mixed-3": True, "sliding first-2": True, "rotational-1": True,
    "right angles-4": False, "scara": False, "ur5": False,
}  # fmt: skip


@cache
def _quantities(name: str) -> tuple[str, ...]:
    return arm_of(name, False).quantities


@cache
def _methods(quantity: str) -> tuple[str, ...]:
    return ("auto", *armdyn.methods(quantity))


def case(rng: random.Random, target: str) -> Case:
    """Draw a call."""
    name = rng.choice(list(ARMS))
    all_methods = ARMS[name]
    quantity = rng.choice(_quantities(name))
    call = rng.choices(["method", "function", "gradient", "minimal"], [10, 6, 1, 1])[0]
    options: dict[str, Any] = {}
    if "jacobian" in quantity or quantity == "pose":
        options["frame"] = rng.choice(["tip", "tip", 0, 1])
    elif quantity.startswith(("inverse_dynamics", "forward_dynamics")):
        options["friction"] = rng.random() < 0.8
    if quantity in MOVING and rng.random() < 0.2 and all_methods:
        options["base"] = rng.choice(["translating", "moving"])
    kinds = [rng.choice(list(GOOD)) for _ in range(6)]
    if rng.random() < 0.4:
        kinds[rng.randrange(3)] = rng.choice([*ODD, *WRONG])
    # every function is compiled once: the other methods of a few kinds of calls only
    single, plain = rng.random() < 0.15, call in ("method", "function") and len(options) == 0
    is_tried = all_methods and not single and (plain or options.get("friction", False))
    method = rng.choice(_methods(quantity)) if is_tried and "base" not in options else "auto"
    out = rng.choices(["", "right", "wrong"], [8, 1, 1])[0]
    lead, seed = rng.choice(LEADS), rng.getrandbits(63)
    return Case(name, single, call, quantity, method, options, lead, kinds, out, seed)


@cache
def _function(
    name: str, single: bool, call: str, quantity: str, method: str, options: tuple[Any, ...]
) -> Function | None:
    """Return the function of a call; None if there is none."""
    arm = arm_of(name, single)
    try:
        if call == "minimal":
            return arm_of(name, False).minimal.function(quantity, method)
        f = arm.function(quantity, method, **dict(options))
        return f.vjp() if call == "gradient" else f
    except ArmdynError:
        return None


def run(case: Case) -> None:
    """Try a call."""
    key = (case.arm, case.single, case.call, case.quantity)
    options = tuple(case.options.items())
    f = _function(*key, case.method, options)
    if f is None:
        raise armdyn.MethodError("such function of", case.quantity, ())
    numbers = np.random.default_rng(case.seed)
    rng = random.Random(case.seed)
    slots = f.program.inputs
    kinds = case.kinds[: len(slots)]
    plain = [numbers.uniform(-3, 3, (*case.lead, slot.size)) for slot in slots]
    makers = [{**GOOD, **ODD, **WRONG}[kind] for kind in kinds]
    given = [make(x, rng) for make, x in zip(makers, plain, strict=True)]
    shapes = [(*case.lead, *slot.shape) for slot in f.program.outputs]
    outs, more = _outs(case, shapes, f)
    is_good = set(kinds) <= set(GOOD) and case.out != "wrong" and not f.dtype == np.float32
    try:
        result = _called(case, f, given, more)
    except ArmdynError as error:
        if is_good and _plain_answer(f, given, case.lead):
            raise Finding(f"a good call is refused: {error}") from error
        raise
    check(not set(kinds) & set(WRONG), f"accepted: {kinds}")
    check(case.out != "wrong", "a wrong `out` is accepted")
    results = result if isinstance(result, tuple) else (result,)
    if outs is not None:
        check(all(a is b for a, b in zip(results, outs, strict=True)), "`out` is not returned")
    for x, shape in zip(results, shapes, strict=True):
        check(np.isfinite(x).all(), "not finite")
        check(x.dtype == f.dtype, f"dtype {x.dtype}")
        check(x.shape == shape or set(kinds) & set(ODD), f"shape {x.shape}, expected {shape}")
    if set(kinds) <= set(GOOD):
        _compare(case, key, options, f, given, results)


def _outs(case: Case, shapes: list[tuple[int, ...]], f: Function) -> tuple[Any, dict[str, Any]]:
    """Return arrays for the results, and arguments of the call with them."""
    if not case.out or (case.call == "method" and len(shapes) > 1):
        case.out = ""
        return None, {}
    if case.out == "right":
        outs = tuple(np.full(shape, np.nan, f.dtype) for shape in shapes)
    else:
        wrong = [np.zeros((*shape, 2)) for shape in shapes]
        wrong[0] = wrong[0].astype([np.int64, np.float64, ">f8"][case.seed % 3])
        outs = tuple(wrong)
    return outs, {"out": outs if len(outs) > 1 else outs[0]}


def _called(case: Case, f: Function, given: list[Any], more: dict[str, Any]) -> Any:
    if case.call != "method":
        return f(*given, **more)
    options = dict(case.options)
    motion = BASES[options.pop("base", "fixed")]
    if motion:
        names = ("base_acceleration", "base_velocity")
        motions = given[-len(motion) :]
        if any(x is None for x in motions):  # None means that there is no motion
            raise armdyn.InputError("no motion of the base")
        options |= dict(zip(names, motions, strict=False))
        given = given[: -len(motion)]
    return getattr(arm_of(case.arm, case.single), case.quantity)(
        *given, method=case.method, **options, **more
    )


def _plain_answer(f: Function, given: list[Any], lead: tuple[int, ...]) -> bool:
    """Whether the same numbers in plain arrays have an answer."""
    try:
        f(*(np.array(np.asarray(x), dtype=np.float64) for x in given))
    except ArmdynError:
        return False
    return True


def _compare(
    case: Case, key: tuple[Any, ...], options: tuple[Any, ...], f: Function, given: list[Any],
    results: tuple[Any, ...],
) -> None:  # fmt: skip
    """Compare one state of the batch with the state alone, and with another method."""
    if 0 in case.lead:
        return
    at = tuple(case.seed % k for k in case.lead)
    arrays = [np.asarray(x).astype(f.dtype) for x in given]
    alone = [np.ascontiguousarray(x[at] if x.ndim > 1 else x) for x in arrays]
    with must("one state alone"):
        expected = f(*alone)
    for x, y in zip(results, expected if isinstance(expected, tuple) else (expected,), strict=True):
        check(np.array_equal(x[at], y), f"alone {y.tolist()}, in a batch {x[at].tolist()}")
    if case.call != "method" or case.seed % 2:
        return
    if case.single:
        other = _function(case.arm, False, "function", case.quantity, "auto", options)
        tolerance = SINGLE
    else:
        methods = _methods(case.quantity) if ARMS[case.arm] and not case.options.get("base") else ()
        method = methods[case.seed // 2 % len(methods)] if methods else "auto"
        other = _function(*key, method, options)
        tolerance = ROUNDING
    inverts = ("forward", "inverse_mass", "udu")
    if case.quantity.startswith(inverts):
        if case.single:
            return
        tolerance = INVERTED
    if other is None:
        return
    with must("another method"):
        found = other(*(x.astype(np.float64) for x in alone))
    for x, y in zip(results, found if isinstance(found, tuple) else (found,), strict=True):
        apart = np.abs(x[at] - y).max(initial=0.0)
        check(
            apart <= tolerance * max(1.0, np.abs(y).max(initial=0.0)),
            f"{case.method} and {other.method} are {apart:.3g} apart: {x[at].tolist()}",
        )
