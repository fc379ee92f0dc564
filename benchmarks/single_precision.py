"""Single precision beside double: how much faster, how far off, and whether bits stay the same.

    python benchmarks/single_precision.py [speed] [errors] [bits] [sines] [--arms ur5 panda ...]

- speed: float32 and float64 in turns, one thread, results into given memory; the best of many
  runs, by the clock of the thread, which stands still while other programs run.
- errors: largest and rms difference to float64 at states that are exact in float32, beside the
  largest entry of all results of a state; rms over the states, of the largest difference of each.
- bits: results of states alone, in batches of any size and place, in threads, with strides,
  reversed, misaligned and streamed: all must be those of one batch.
- sines: sine and cosine of every float from 1e-4 to 1e5 rad, beside those of doubles.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from time import thread_time
from typing import Any

import numpy as np

from armdyn.graph.program import Slot
from armdyn.graph.trace import trace
from armdyn.kernel.element import FLOAT
from armdyn.kernel.kernel import compile_program
from armdyn.scalar import cos, sin
from arms import arm_named
from timing import Job, best_times

ARMS = ("ur5", "panda", "puma560")
QUANTITIES = (
    "gravity", "mass_matrix", "inverse_dynamics", "forward_dynamics",
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives",
)  # fmt: skip
COUNTS = (4096, 100_000)
RUNS = 25
# Differences of the prototype, largest of 4096 states (of 65,536 for forward dynamics), by arm.
EXPECTED = {
    "ur5": (3e-7, 2e-7, 1e-6, 1e-5, 7e-7, 2e-6),
    "panda": (8e-7, 5e-7, 1e-6, 5e-5, 2e-6, 1e-5),
    "puma560": (3e-7, 9e-8, 2e-6, 2e-6, 2e-6, 2e-6),
}
# States whose bits are compared, for each arm and quantity.
COMPARED = 130

# Floats whose sines are computed at once.
AT_ONCE = 2**20

Result = tuple[np.ndarray, ...]


def states(f: Any, count: int, seed: int = 0) -> list[np.ndarray]:
    """Return random states that are exact in float32: angles of a turn, the rest up to 3."""
    rng = np.random.default_rng(seed)
    reach = {"q": np.pi}
    return [
        rng.uniform(-1, 1, (count, slot.size)).astype(np.float32)
        * np.float32(reach.get(slot.name, 3.0))
        for slot in f.program.inputs
    ]


def parts(result: Any) -> Result:
    """Return the arrays of a result."""
    return result if isinstance(result, tuple) else (result,)


def speed(arms: list[str]) -> None:
    """Print the times of both types of numbers and their ratios."""
    print(f"{'ns a state, float64 -> float32':52}", *(f"{n:>20} states" for n in COUNTS))
    for name in arms:
        double = arm_named(name)
        for quantity in QUANTITIES:
            pair = [x.function(quantity) for x in (double, double.astype(np.float32))]
            cells = [_ratio(pair, count) for count in COUNTS]
            print(f"{name:10} {quantity:41}", *cells, flush=True)


def _ratio(pair: list[Any], count: int) -> str:
    jobs: dict[str, Job] = {}
    options = {"threads": 1} if count > 20_000 else {}
    for name, f in zip(("double", "single"), pair, strict=True):
        given = [x.astype(f.dtype) for x in states(f, count)]
        jobs[name] = Job(f, given, count, {"out": f(*given, threads=1), **options})
    double, single = (1e9 * x for x in best_times(jobs, 0.0, RUNS, thread_time).values())
    return f"{double:9.1f} -> {single:6.1f}  {double / single:5.2f}x"


def errors(arms: list[str]) -> None:
    """Print the differences to double."""
    print("differences to float64: the largest, and rms")
    for name in arms:
        double = arm_named(name)
        for quantity in QUANTITIES:
            exact, f = double.function(quantity), double.astype(np.float32).function(quantity)
            given = states(f, 65_536)
            flat = [
                np.concatenate([x.reshape(len(x), -1).astype(float) for x in parts(g(*given))], 1)
                for g in (f, exact)
            ]
            off = np.abs(flat[0] - flat[1]).max(axis=1) / np.abs(flat[1]).max(axis=1)
            rms, some = np.sqrt(np.mean(off**2)), off[:4096].max()
            seen = off.max() if quantity == "forward_dynamics" else some
            found = f"{some:.1e} of 4096 states, {off.max():.1e} of 65,536, rms {rms:.1e}"
            if name in EXPECTED:
                once = EXPECTED[name][QUANTITIES.index(quantity)]
                found += f"; {seen / once:.1f} times the prototype's {once:.0e}"
            print(f"{name:10} {quantity:32} {found}", flush=True)


def bits(arms: list[str]) -> int:
    """Compare bits; return the number of differences."""
    compared = differing = 0
    for name in [*arms, "generic30"]:
        arm = arm_named(name).astype(np.float32)
        for quantity in QUANTITIES[:5]:
            method = "rolled" if name == "generic30" and quantity in ROLLED else "auto"
            if name == "generic30" and method == "auto":
                continue
            f = arm.function(quantity, method)
            given = states(f, 40_000, seed=1)
            whole = parts(f(*given, threads=1))
            for rows, got in ways(f, given):
                for a, b in zip(got, whole, strict=True):
                    x, y = (np.ascontiguousarray(z).view(np.int32) for z in (a, b[rows]))
                    same = (x.reshape(len(y), -1) == y.reshape(len(y), -1)).all(axis=1)
                    compared += len(same)
                    differing += int((~same).sum())
        print(f"{name}: {compared} compared so far, {differing} differ", flush=True)
    return differing


ROLLED = ("inverse_dynamics", "mass_matrix")


def ways(f: Any, given: list[np.ndarray]) -> Iterator[tuple[np.ndarray, Result]]:
    """Yield indices of states, and their results computed in another way."""
    rng = np.random.default_rng(2)
    rows = rng.choice(len(given[0]), COMPARED, replace=False)
    some = [x[rows] for x in given]
    alone = [parts(f(*(x[k] for x in some))) for k in range(len(rows))]
    yield rows, tuple(np.array(x) for x in zip(*alone, strict=True))
    called = [parts(f.kernel(*(x[k] for x in some))) for k in range(len(rows))]
    yield rows, tuple(np.array(x) for x in zip(*called, strict=True))
    yield rows, parts(f(*some))
    for size in (1, 3, 7, 8, 9, 15, 16, 17, 33):
        at = int(rng.integers(len(given[0]) - size))
        part = np.arange(at, at + size)
        yield part, parts(f(*(x[at : at + size] for x in given)))
    every = np.arange(len(given[0]))[:: len(given[0]) // COMPARED]
    yield every, tuple(x[every] for x in parts(f(*given, threads=3)))
    yield every, parts(f(*(x[:: len(given[0]) // COMPARED] for x in given)))
    yield rows[::-1], parts(f(*(x[::-1] for x in some)))
    yield rows, parts(f(*(np.repeat(x, 2, axis=1)[:, ::2] for x in some)))
    yield rows, parts(f(*map(_misaligned, some)))
    yield rows, parts(f(*(x.reshape(2, -1, x.shape[1]) for x in some), out=_outs(f, rows)))
    loop = f.kernel.checked_loop
    before, loop.most_unstreamed = loop.most_unstreamed, 0
    try:
        several = [np.concatenate([x] * 5) for x in some]
        results = parts(f(*several, threads=1))
        yield np.tile(rows, 5), results
    finally:
        loop.most_unstreamed = before


def _outs(f: Any, rows: np.ndarray) -> Any:
    """Return memory for results in two halves, which begins anywhere within a cache line."""
    made: list[np.ndarray] = []
    for k, slot in enumerate(f.program.outputs):
        shape = (2, len(rows) // 2, *slot.shape)
        made.append(np.empty(int(np.prod(shape)) + 5, np.float32)[3 + k :][: np.prod(shape)])
        made[-1] = made[-1].reshape(shape)
    return made[0] if len(made) == 1 else tuple(made)


def _misaligned(x: np.ndarray) -> np.ndarray:
    place = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.float32).reshape(x.shape)
    place[...] = x
    return place


def sines() -> bool:
    """Print the largest errors of sine and cosine; return whether one exceeds a unit."""
    outputs = [Slot("s", ()), Slot("c", ())]
    both = trace(lambda x: (sin(x[0]), cos(x[0])), [Slot("x", ())], outputs)
    kernel = compile_program(both, element=FLOAT)
    first, past = (int(np.float32(x).view(np.int32)) for x in (1e-4, 1e5))
    worst = dict.fromkeys(("sin", "cos"), (0.0, 0.0))
    for begin in range(first, past + 1, AT_ONCE):
        x = np.arange(begin, min(begin + AT_ONCE, past + 1), dtype=np.int32).view(np.float32)
        wide = x.astype(np.float64)
        for name, got, exact in zip(worst, kernel(x), (np.sin(wide), np.cos(wide)), strict=True):
            off = np.abs(got - exact) / np.spacing(np.abs(exact).astype(np.float32))
            k = int(np.argmax(off))
            worst[name] = max(worst[name], (float(off[k]), float(x[k])))
    count = past + 1 - first
    for name, (off, at) in worst.items():
        print(f"{name} of {count} floats from 1e-4 to 1e5: at most {off:.3f} ulp, at {at!r}")
    return max(worst.values())[0] > 1.0


def main() -> int:
    """Run what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", default=["speed", "errors", "bits", "sines"])
    parser.add_argument("--arms", nargs="+", default=list(ARMS), metavar="ARM")
    options = parser.parse_args()
    failed = 0
    if "speed" in options.what:
        speed(options.arms)
    if "errors" in options.what:
        errors(options.arms)
    if "bits" in options.what:
        failed = bits(options.arms)
    if "sines" in options.what:
        failed += sines()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
