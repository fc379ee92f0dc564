"""The steps of a program as IR: single operations, and sines and cosines of many angles at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from armdyn.kernel.ir._fuse import Fused, Step
from armdyn.kernel.ir._sincos import SLOW, out_of_range, sincos
from armdyn.kernel.ir._writer import Writer
from armdyn.scalar import Op


def operation(w: Writer, step: Step, a: Sequence[str]) -> str:
    """Emit one operation on values; not an input, sine or cosine."""
    if isinstance(step, Fused):
        x = w.neg(a[0]) if step.minus_product else a[0]
        return w.muladd(x, a[1], w.neg(a[2]) if step.minus_addend else a[2])
    match step.op:
        case Op.CONST:
            return w.const(step.value)
        case Op.ADD:
            return w.add(*a)
        case Op.SUB:
            return w.sub(*a)
        case Op.MUL:
            return w.mul(*a)
        case Op.DIV:
            return w.div(*a)
        case Op.NEG:
            return w.neg(*a)
        case Op.SQRT:
            return w.call("llvm.sqrt", *a)
        case Op.SIGN:
            return _sign(w, *a)
        case Op.ABS:
            return w.call("llvm.fabs", *a)
        case Op.MAX:
            return w.select(w.greater(a[0], a[1]), a[0], a[1])
        case Op.SELECT:
            return w.select(w.greater(a[0], w.const(0.0)), a[1], a[2])
        case Op.COPYSIGN:
            return w.call("llvm.copysign", *a)
        case Op.INPUT | Op.SIN | Op.COS:
            raise AssertionError(f"{step.op} is no single operation")


def _sign(w: Writer, x: str) -> str:
    zero = w.const(0.0)
    # these two comparisons, unlike < and >, raise no floating-point exception for NaN
    rest = w.new(f"fcmp oeq {w.type} {x}, {zero}")
    none = w.new(f"fcmp uno {w.type} {x}, {x}")
    one = w.call("llvm.copysign", w.const(1.0), x)
    return w.select(rest, zero, w.select(none, x, one))


def sincos_of_all(
    w: Writer, values: Sequence[str], lanes: int, label: str
) -> list[tuple[str, str]]:
    """Emit sine and cosine of values; a single state packs several of them into one vector.

    Args:
        w: emits the function.
        values: the angles.
        lanes: number of lanes of a vector register.
        label: makes the labels of this call unique.
    """
    if w.width > 1:
        return _tested_once(w, values, label)
    v = w.resized(min(lanes, _power_of_two(len(values))))
    packed = _tested_once(v, _gathered(v, values), label)
    return [
        (_lane(v, packed[j // v.width][0], j), _lane(v, packed[j // v.width][1], j))
        for j in range(len(values))
    ]


def _tested_once(w: Writer, xs: Sequence[str], label: str) -> list[tuple[str, str]]:
    """Emit sine and cosine of values, with one range check for all of them."""
    far = out_of_range(w, xs[0])
    for x in xs[1:]:
        far = w.new(f"or {w.flag} {far}, {out_of_range(w, x)}")
    if w.width > 1:
        far = w.new(f"call i1 @llvm.vector.reduce.or.v{w.width}i1({w.flag} {far})")
    places = range(0, w.width * len(xs), w.width)
    memory = [f"%{name}{label}" for name in ("xs", "ss", "cs")]
    w.at_entry(f"{name} = {w.codegen.array(w.width * len(xs))}" for name in memory)
    w.branch(far, f"far{label}", f"near{label}", rare=True)
    w.begin(f"near{label}")
    near = [sincos(w, x) for x in xs]
    w.jump(f"both{label}")
    w.begin(f"far{label}")
    for x, at in zip(xs, places, strict=True):
        w.store(x, memory[0], at)
    w.do(f"call void @{SLOW}(ptr {', ptr '.join(memory)}, i64 {w.width * len(xs)})")
    slow = [(w.load(memory[1], at), w.load(memory[2], at)) for at in places]
    w.jump(f"both{label}")
    w.begin(f"both{label}")

    def either(a: str, b: str) -> str:
        return w.phi(w.type, (a, f"near{label}"), (b, f"far{label}"))

    both = zip(near, slow, strict=True)
    return [(either(fast[0], careful[0]), either(fast[1], careful[1])) for fast, careful in both]


def angles_by_level(steps: Sequence[Step | None]) -> list[list[int]]:
    """Return the arguments of sines and cosines by depth; depth 0 depends on no other sine."""
    level: list[int] = []
    angles: dict[int, dict[int, None]] = {}
    for step in steps:
        if step is None:  # a fused product: the fused step reads its factors directly
            level.append(0)
            continue
        depth = max((level[arg] for arg in step.args), default=0)
        if isinstance(step, Fused) or step.op not in (Op.SIN, Op.COS):
            level.append(depth)
        else:
            level.append(depth + 1)
            angles.setdefault(depth, {})[step.args[0]] = None
    return [list(angles[depth]) for depth in sorted(angles)]


def backward_slice(
    steps: Sequence[Step | None], roots: Sequence[int], known: Collection[int]
) -> set[int]:
    """Return the steps that the roots depend on, except those already known."""
    needed: set[int] = set()
    stack = list(roots)
    while stack:
        k = stack.pop()
        step = steps[k]
        if k not in known and k not in needed and step is not None:
            needed.add(k)
            stack += step.args
    return needed


def _gathered(v: Writer, values: Sequence[str]) -> list[str]:
    """Pack scalars into the lanes of vectors; the last scalar fills the remaining lanes."""
    if v.width == 1:
        return list(values)
    vectors: list[str] = []
    for start in range(0, len(values), v.width):
        packed = "poison"
        for lane in range(v.width):
            value = values[min(start + lane, len(values) - 1)]
            lane_of = f"{v.element.name} {value}, i32 {lane}"
            packed = v.new(f"insertelement {v.type} {packed}, {lane_of}")
        vectors.append(packed)
    return vectors


def _lane(v: Writer, value: str, j: int) -> str:
    """Return lane j, counted over all vectors, from the vector that holds it."""
    if v.width == 1:
        return value
    return v.new(f"extractelement {v.type} {value}, i32 {j % v.width}")


def _power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()
