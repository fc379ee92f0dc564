"""The steps of a program as IR: single operations, fused ones, and mirrored matrices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple, TypeAlias

from armdyn.graph.program import Instruction, Program
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.loops import counted
from armdyn.kernel.ir.sincos import SLOW, out_of_range, sincos
from armdyn.kernel.ir.tiles import Tile, load_tile
from armdyn.kernel.ir.writer import Writer
from armdyn.scalar import Op

# Fuse multiplications and additions here: the same choice for every width and LLVM version.
#
# A product that only one sum reads is fused into it. A product that is read twice stays separate:
# fused into both sums, it would be computed twice.


class Fused(NamedTuple):
    """(+/-) a b (+/-) c, rounded once."""

    args: tuple[int, int, int]
    minus_product: bool = False
    minus_addend: bool = False


# One step of a kernel.
Step: TypeAlias = Instruction | Fused


def fused(program: Program, fma: bool) -> list[Step | None]:
    """Return the program's steps with products fused into sums; None for a fused product."""
    steps: list[Step | None] = list(program.code)
    if not fma:
        return steps
    reads = Counter(arg for step in program.code for arg in step.args)
    reads.update(program.results)
    depth = _depth(program.code)
    for k, step in enumerate(program.code):
        if step.op not in (Op.ADD, Op.SUB):
            continue
        left, right = step.args
        free = [
            side for side in (left, right) if program.code[side].op is Op.MUL and reads[side] == 1
        ]
        if not free:
            continue
        # of two products, fuse the one that is ready later: the sum waits for it anyway
        product = max(free, key=lambda side: (depth[side], side))
        a, b = program.code[product].args
        difference = step.op is Op.SUB
        steps[product] = None
        steps[k] = Fused(
            (a, b, left if product == right else right),
            minus_product=difference and product == right,
            minus_addend=difference and product == left,
        )
    return steps


def _depth(code: Sequence[Instruction]) -> list[int]:
    depth: list[int] = []
    for step in code:
        depth.append(1 + max((depth[arg] for arg in step.args), default=-1))
    return depth


# The steps of a program as IR: single operations, and sines and cosines of many angles at once.


def operation(w: Writer, step: Step, a: Sequence[str]) -> str:
    """Emit one operation on values; not an input, sine or cosine."""
    if isinstance(step, Fused):
        x = w.neg(a[0]) if step.minus_product else a[0]
        return w.muladd(x, a[1], w.neg(a[2]) if step.minus_addend else a[2])
    if step.op is Op.CONST:
        return w.const(step.value)
    if step.op in INTRINSIC:
        return w.call(INTRINSIC[step.op], *a)
    return RULES[step.op](w, *a)


def _sign(w: Writer, x: str) -> str:
    zero = w.const(0.0)
    # these two comparisons, unlike < and >, raise no floating-point exception for NaN
    rest = w.new(f"fcmp oeq {w.type} {x}, {zero}")
    none = w.new(f"fcmp uno {w.type} {x}, {x}")
    one = w.call("llvm.copysign", w.const(1.0), x)
    return w.select(rest, zero, w.select(none, x, one))


def _larger(w: Writer, a: str, b: str) -> str:
    return w.select(w.greater(a, b), a, b)


def _selected(w: Writer, x: str, a: str, b: str) -> str:
    return w.select(w.greater(x, w.const(0.0)), a, b)


INTRINSIC = {Op.SQRT: "llvm.sqrt", Op.ABS: "llvm.fabs", Op.COPYSIGN: "llvm.copysign"}

# The operations on values that are no call of an intrinsic function.
RULES: dict[Op, Callable[..., str]] = {
    Op.ADD: Writer.add, Op.SUB: Writer.sub, Op.MUL: Writer.mul, Op.DIV: Writer.div,
    Op.NEG: Writer.neg, Op.SIGN: _sign, Op.MAX: _larger, Op.SELECT: _selected,
}  # fmt: skip


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
    v = w.resized(min(lanes, 1 << (len(values) - 1).bit_length()))  # a power of two
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


# The lower triangle of a matrix that was computed above its diagonal: its mirror image, or zero.
#
# The mirror image is copied in tiles that are transposed in registers. If the size of the matrix is
# not a multiple of the width, the last tiles overlap the previous ones; their entries above the
# diagonal are then in a tile that is already symmetric.


def mirror_function(name: str, n: int, codegen: Codegen) -> str:
    """Return a function that copies the upper triangle of an n x n matrix into the lower one."""
    w = Writer(codegen.width, codegen)
    w.begin("entry")
    size = codegen.width
    if n < size:
        with counted(w, "row", 0, n) as row, counted(w, "column", 0, n) as column:
            one = w.resized(1)
            above, below = (_place(w, n, i, k) for i, k in ((row.i, column.i), (column.i, row.i)))
            is_below = w.new(f"icmp sgt i64 {column.i}, {row.i}")
            where = w.new(f"select i1 {is_below}, ptr {below}, ptr {above}")
            one.store(one.load(above, 0), where, 0)
    else:
        full = n - n % size
        if full > size:  # tiles that touch neither the diagonal nor the last columns
            with counted(w, "down", size, full, size) as down:
                with counted(w, "along", 0, full, size) as along:
                    inside = w.new(f"icmp slt i64 {along.i}, {down.i}")
                    w.branch(inside, "tile", "none")
                    w.begin("tile")
                    _tile(w, n, down.i, along.i)
                    w.jump("none")
                    w.begin("none")
        with counted(w, "diagonal", 0, full, size) as diagonal:
            _tile(w, n, diagonal.i, diagonal.i, on_diagonal=True)
        if full < n:
            last = str(n - size)
            with counted(w, "last", 0, full, size) as loop:
                _tile(w, n, last, loop.i)
            _tile(w, n, last, last, on_diagonal=True)
    w.do("ret void")
    return w.text(f"internal void @{name}(ptr noalias nocapture %m) noinline nounwind")


def zero_function(name: str, n: int, codegen: Codegen) -> str:
    """Return a function that writes zeros below the diagonal of an n x n matrix."""
    w = Writer(1, codegen)
    w.begin("entry")
    with counted(w, "row", 0, n) as row, counted(w, "column", 0, n) as column:
        place = _place(w, n, row.i, column.i)
        is_below = w.new(f"icmp slt i64 {column.i}, {row.i}")
        w.store(w.select(is_below, w.const(0.0), w.load(place, 0)), place, 0)
    w.do("ret void")
    return w.text(f"internal void @{name}(ptr noalias nocapture %m) noinline nounwind")


def _tile(w: Writer, n: int, i: str, k: str, on_diagonal: bool = False) -> None:
    """Emit the copy of the tile at (i, k); on the diagonal only of the entries below it."""
    size = w.width
    columns = load_tile(w, _place(w, n, k, i), n, Tile(0, size))
    target = _place(w, n, i, k)
    for r, value in enumerate(columns):
        if on_diagonal:
            there = w.load(target, r * n)
            value = w.shuffle(value, there, [c if c < r else size + c for c in range(size)])
        w.store(value, target, r * n)


def _place(w: Writer, n: int, i: str, k: str) -> str:
    row = w.new(f"mul i64 {i}, {n}")
    at = w.new(f"add i64 {row}, {k}")
    return w.address_of("%m", at)
