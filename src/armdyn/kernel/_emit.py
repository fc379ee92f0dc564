"""A program as LLVM IR: a kernel for one state, a kernel for a block of states, and their loop.

Both kernels are free of loops and do the same operations in the same order, so that a state gives
the same bits alone and in any batch. They take a pointer for each input and each output, to arrays
as NumPy keeps them, and inputs and outputs may not overlap.
"""

from __future__ import annotations

from collections.abc import Sequence

from armdyn.graph import Program
from armdyn.kernel._fma import Fused, Step, fused
from armdyn.kernel._host import Host
from armdyn.kernel._loop import loop_function
from armdyn.kernel._rows import Tile, load_tile, load_tiles, store_tile, store_tiles
from armdyn.kernel._sincos import SLOW, out_of_range, sincos, slow_function
from armdyn.kernel._text import Writer, vector
from armdyn.scalar import Op

ONE = "armdyn_one"
BLOCK = "armdyn_block"
LOOP = "armdyn_loop"

INTRINSICS = {"llvm.fma": 3, "llvm.fabs": 1, "llvm.sqrt": 1, "llvm.copysign": 2}


def emit(program: Program, host: Host) -> str:
    """Return the module of a program, whose function `LOOP` is the inner loop of a gufunc.

    What is loaded of it has to be given the C library first; see `slow_function`.
    """
    steps = fused(program, host.fma)
    parts = [_declarations(host.width), slow_function(host.fma)]
    parts.append(_Body(program, steps, host, 1).function(ONE))
    parts.append(_Body(program, steps, host, host.width).function(BLOCK))
    parts.append(loop_function(program, host.width, LOOP, ONE, BLOCK))
    return "\n".join(parts)


def _declarations(width: int) -> str:
    lines: list[str] = []
    w = 1
    while w <= width:
        suffix = "f64" if w == 1 else f"v{w}f64"
        for name, arity in INTRINSICS.items():
            given = ", ".join([vector(w)] * arity)
            lines.append(f"declare {vector(w)} @{name}.{suffix}({given})")
        if w > 1:
            lines.append(f"declare i1 @llvm.vector.reduce.or.v{w}i1(<{w} x i1>)")
        w *= 2
    return "\n".join(lines) + "\n"


class _Body:
    """One kernel: the program in values of a width, 1 or that of the machine."""

    def __init__(
        self, program: Program, steps: Sequence[Step | None], host: Host, width: int
    ) -> None:
        self._program = program
        self._steps = steps
        self._lanes = host.width
        self._w = Writer(width, host.fma)
        self._values: dict[int, str] = {}
        self._columns: dict[int, str] = {}
        self._trig: dict[tuple[Op, int], str] = {}
        self._places = [
            (f"%i{j}", slot, column)
            for j, slot in enumerate(program.inputs)
            for column in range(slot.size)
        ]
        self._waiting = _stores(program, width)

    def function(self, name: str) -> str:
        """Return the text of the function."""
        w = self._w
        w.label("entry")
        for level, angles in enumerate(_angles_by_level(self._steps)):
            self._make(sorted(_cone(self._steps, angles, self._values)))
            self._all_sincos(angles, level)
        self._make(range(len(self._steps)))
        w.do("ret void")
        slots = (*self._program.inputs, *self._program.outputs)
        n_inputs = len(self._program.inputs)
        names = [f"%i{k}" if k < n_inputs else f"%o{k - n_inputs}" for k in range(len(slots))]
        given = ", ".join(f"ptr noalias nocapture {x}" for x in names)
        head = f"define internal void @{name}({given}) noinline nounwind {{"
        return "\n".join([head, *w.lines, "}"]) + "\n"

    def _make(self, indices: Sequence[int]) -> None:
        for k in indices:
            step = self._steps[k]
            if step is not None and k not in self._values:
                self._values[k] = self._value(step)
                self._store_what_is_ready(k)

    def _value(self, step: Step) -> str:
        w = self._w
        a = [self._values[arg] for arg in step.args]
        if isinstance(step, Fused):
            x = w.neg(a[0]) if step.minus_product else a[0]
            return w.muladd(x, a[1], w.neg(a[2]) if step.minus_addend else a[2])
        match step.op:
            case Op.INPUT:
                return self._input(int(step.value))
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
            case Op.SIN | Op.COS:
                return self._trig[step.op, step.args[0]]
            case Op.SQRT:
                return w.call("llvm.sqrt", *a)
            case Op.SIGN:
                return self._sign(*a)

    def _sign(self, x: str) -> str:
        w = self._w
        zero = w.const(0.0)
        # these two comparisons, unlike < and >, raise no flag for what is no number
        rest = w.new(f"fcmp oeq {w.type} {x}, {zero}")
        none = w.new(f"fcmp uno {w.type} {x}, {x}")
        one = w.call("llvm.copysign", w.const(1.0), x)
        return w.select(rest, zero, w.select(none, x, one))

    def _input(self, position: int) -> str:
        base, slot, column = self._places[position]
        if self._w.width == 1:
            return self._w.load(base, column)
        if position not in self._columns:
            tile = next(t for t in load_tiles(self._w.width, slot.size) if column in t.columns)
            values = load_tile(self._w, base, slot.size, tile)
            for k, value in zip(tile.columns, values, strict=True):
                self._columns[position - column + k] = value
        return self._columns[position]

    def _store_what_is_ready(self, k: int) -> None:
        for store in self._waiting.get(k, ()):
            store.missing.discard(k)
            if not store.missing:
                values = [self._values[r] for r in store.results]
                if self._w.width == 1:
                    self._w.store(values[0], store.base, store.tile.start)
                else:
                    store_tile(self._w, values, store.base, store.n, store.tile)

    def _all_sincos(self, angles: Sequence[int], level: int) -> None:
        """Write sine and cosine of angles; a single state has several of them in one vector."""
        w = self._w
        values = [self._values[k] for k in angles]
        if w.width > 1:
            pairs = _sincos_of_all(w, values, level)
        else:
            v = w.resized(min(self._lanes, _power_of_two(len(values))))
            packed = _sincos_of_all(v, _gathered(v, values), level)
            pairs = [
                (_lane(v, packed[j // v.width][0], j), _lane(v, packed[j // v.width][1], j))
                for j in range(len(values))
            ]
        for angle, (s, c) in zip(angles, pairs, strict=True):
            self._trig[Op.SIN, angle], self._trig[Op.COS, angle] = s, c


def _sincos_of_all(w: Writer, xs: Sequence[str], level: int) -> list[tuple[str, str]]:
    """Write sine and cosine of values, with one test of range for all of them."""
    far = out_of_range(w, xs[0])
    for x in xs[1:]:
        far = w.new(f"or {w.flag} {far}, {out_of_range(w, x)}")
    if w.width > 1:
        far = w.new(f"call i1 @llvm.vector.reduce.or.v{w.width}i1({w.flag} {far})")
    places = range(0, w.width * len(xs), w.width)
    memory = [f"%{name}{level}" for name in ("xs", "ss", "cs")]
    for k, name in enumerate(memory):  # behind the label of the function's first block
        w.lines.insert(1 + k, f"  {name} = alloca [{w.width * len(xs)} x double], align 64")
    w.do(f"br i1 {far}, label %far{level}, label %near{level}, !prof !0")
    w.label(f"near{level}")
    near = [sincos(w, x) for x in xs]
    w.do(f"br label %both{level}")
    w.label(f"far{level}")
    for x, at in zip(xs, places, strict=True):
        w.store(x, memory[0], at)
    w.do(f"call void @{SLOW}(ptr {', ptr '.join(memory)}, i64 {w.width * len(xs)})")
    slow = [(w.load(memory[1], at), w.load(memory[2], at)) for at in places]
    w.do(f"br label %both{level}")
    w.label(f"both{level}")

    def either(a: str, b: str) -> str:
        return w.new(f"phi {w.type} [ {a}, %near{level} ], [ {b}, %far{level} ]")

    both = zip(near, slow, strict=True)
    return [(either(fast[0], careful[0]), either(fast[1], careful[1])) for fast, careful in both]


class _Store:
    """A tile of an output that is stored as soon as its columns are there."""

    def __init__(self, base: str, n: int, tile: Tile, results: Sequence[int]) -> None:
        self.base, self.n, self.tile, self.results = base, n, tile, results
        self.missing = set(results)


def _stores(program: Program, width: int) -> dict[int, list[_Store]]:
    """Return, for each instruction that is a result, the tiles that wait for it."""
    waiting: dict[int, list[_Store]] = {}
    at = 0
    for j, slot in enumerate(program.outputs):
        results = program.results[at : at + slot.size]
        at += slot.size
        single = [Tile(k, 1) for k in range(slot.size)]
        for tile in single if width == 1 else store_tiles(width, slot.size):
            wanted = [results[k] for k in tile.columns]
            store = _Store(f"%o{j}", slot.size, tile, wanted)
            for k in store.missing:
                waiting.setdefault(k, []).append(store)
    return waiting


def _angles_by_level(steps: Sequence[Step | None]) -> list[list[int]]:
    """Return the arguments of sines and cosines, those first that depend on no other sine."""
    level: list[int] = []
    angles: dict[int, dict[int, None]] = {}
    for step in steps:
        if step is None:  # a product inside a fused step, which reads its factors itself
            level.append(0)
            continue
        depth = max((level[arg] for arg in step.args), default=0)
        if isinstance(step, Fused) or step.op not in (Op.SIN, Op.COS):
            level.append(depth)
        else:
            level.append(depth + 1)
            angles.setdefault(depth, {})[step.args[0]] = None
    return [list(angles[depth]) for depth in sorted(angles)]


def _cone(steps: Sequence[Step | None], roots: Sequence[int], known: dict[int, str]) -> set[int]:
    """Return the steps that the roots need and that are not known yet."""
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
    """Return scalars in the lanes of vectors, the last one repeated where lanes are left."""
    if v.width == 1:
        return list(values)
    vectors: list[str] = []
    for start in range(0, len(values), v.width):
        packed = "poison"
        for lane in range(v.width):
            value = values[min(start + lane, len(values) - 1)]
            packed = v.new(f"insertelement {v.type} {packed}, double {value}, i32 {lane}")
        vectors.append(packed)
    return vectors


def _lane(v: Writer, value: str, j: int) -> str:
    """Return lane j, counted over vectors, of the vector it is in."""
    if v.width == 1:
        return value
    return v.new(f"extractelement {v.type} {value}, i32 {j % v.width}")


def _power_of_two(n: int) -> int:
    return 1 << (n - 1).bit_length()
