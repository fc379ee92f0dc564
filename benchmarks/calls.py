"""How long warm calls of two source trees take: ratios of the second tree to the first.

    python benchmarks/calls.py BEFORE/src AFTER/src [--rounds 10] [--restarts 4] [--robots ur5 ...]
    python benchmarks/calls.py BEFORE/src AFTER/src --instructions

Three ways to call: a function of one state, `f(q)`; the method of an arm, `arm.gravity(q)`; and a
function of a batch. Each tree has its own process, and both measure all cases in turns, so both
meet the slow spells of the machine. Times also change by some percent with the addresses of arrays
and of the stack, which would be the same in every process of a tree. So processes are started anew,
each time with other addresses. The minimum of each tree counts.

With `--instructions`, Valgrind counts the instructions of a call instead. They do not depend on
what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from timeit import Timer
from typing import IO, Any

ROBOTS = ("planar2", "scara", "puma560", "ur5", "panda")
QUANTITIES = (
    "mass_matrix", "inverse_dynamics", "gravity", "forward_dynamics", "bias", "jacobian",
    "pose", "coriolis_matrix", "kinetic_energy", "udu", "inverse_dynamics_derivatives",
)  # fmt: skip
WAYS = {"f(q)": "f({})", "arm.method(q)": "arm.{quantity}({})", "f(batch)": "f({})"}
# A call alone in a loop may happen to be predicted badly by the processor, at a cost of some 5 ns.
# The same call elsewhere in a program is not, so several loops are tried.
LOOPS = ("{0}", "x = {0}", "{0}; {0}", "x = {0}; y = {0}; {0}")
BATCH = "f(batch)"
STATES = 512

SECONDS = 2e-4  # of one measurement
REPEATS = 3
CALLS = 100  # whose instructions are counted
PADDING = "ARMDYN_PADDING"  # an environment variable, whose length shifts the stack
MARK = "getppid"  # a function of the C library: Valgrind writes its counts at each call of it

Case = tuple[str, str, str]


def sources(robots: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Return what `load` takes for each robot: a name or a file, and the last link."""
    from arms import PUBLISHED, published

    found: dict[str, tuple[str, str | None]] = {}
    for name in robots:
        file, tip = PUBLISHED.get(name, (name, None))
        found[Path(name).stem] = (str(published(file)) if name in PUBLISHED else file, tip)
    return found


def save(folder: Path, robots: str) -> None:
    """Save robots in the first tree: the second, if newer, reads what it has written."""
    import armdyn

    for name, (source, tip) in json.loads(robots).items():
        armdyn.save(armdyn.load(source, tip=tip), folder / f"{name}.toml")


def cases(folder: Path, quantities: Sequence[str]) -> Iterator[tuple[Case, list[Loop]]]:
    """Yield the cases of some quantities of all robots in a folder, warm."""
    import numpy as np

    import armdyn

    rng = np.random.default_rng(len(os.environ[PADDING]))
    for path in sorted(folder.glob("*.toml")):
        arm = armdyn.load(path)
        for quantity in quantities:
            f = arm.function(quantity)
            for way, call in WAYS.items():
                names: dict[str, Any] = {"arm": arm, "f": f}
                for slot in f.program.inputs:
                    states = STATES if way == BATCH else 1
                    begin, count = 2 * int(rng.integers(256)), states * slot.size
                    array = rng.uniform(-1, 1, 512 + count)[begin : begin + count]
                    names[slot.name] = array.reshape(-1, slot.size) if way == BATCH else array
                text = call.format(", ".join([*names][2:]), quantity=quantity)
                loops = [Loop(loop.format(text), loop.count("{0}"), names) for loop in LOOPS]
                yield (path.stem, quantity, way), loops[: 1 if way == BATCH else None]


class Loop:
    """Some calls in a loop."""

    def __init__(self, text: str, calls: int, names: dict[str, Any]) -> None:
        self._timer = Timer(text, globals=names)
        self._calls = calls
        self._timer.timeit(3)

    def run(self, n: int) -> None:
        self._timer.timeit(n)

    def seconds(self, calls: int) -> float:
        """Return the seconds of a call, measured over some."""
        n = max(1, calls // self._calls)
        return min(self._timer.repeat(REPEATS, n)) / (n * self._calls)


def measure(folder: Path, *quantities: str) -> None:
    """Print the cases; then, for each line of the standard input, the seconds of their calls."""
    found = list(cases(folder, quantities))
    timed = [(loops, int(SECONDS / loops[0].seconds(20))) for _, loops in found]
    print(json.dumps([case for case, _ in found]), flush=True)
    for _ in sys.stdin:
        best = [min(loop.seconds(calls) for loop in loops) for loops, calls in timed]
        print(json.dumps(best), flush=True)


def count(folder: Path, *quantities: str) -> None:
    """Call each case once and then `CALLS` times more, with marks between for Valgrind."""
    found = list(cases(folder, quantities))
    print(json.dumps([case for case, _ in found]), flush=True)
    for _, loops in found:
        for n in (1, 1 + CALLS):
            os.getppid()
            loops[0].run(n)
            os.getppid()


class Tree:
    """A process that measures one source tree."""

    def __init__(self, source: Path, asked: Sequence[str], which: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, "measure", *asked],
            env=environment(source, which),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.cases: list[Case] = [tuple(case) for case in self._answer()]

    def _answer(self) -> Any:
        output: IO[str] | None = self._process.stdout
        line = output.readline() if output else ""
        if not line:
            raise SystemExit("the process of a tree has failed")
        return json.loads(line)

    def round(self) -> dict[Case, float]:
        assert self._process.stdin
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return dict(zip(self.cases, self._answer(), strict=True))

    def close(self) -> None:
        self._process.communicate()


def environment(source: Path, which: int = 0) -> dict[str, str]:
    """The settings of a tree's process number `which`."""
    # The C library keeps freed memory: page faults of large results would hide all else.
    keep = {f"MALLOC_{name}_THRESHOLD_": str(2**25) for name in ("MMAP", "TRIM")}
    where = {"PYTHONPATH": str(source.resolve()), PADDING: "x" * (which * 208)}
    return {**os.environ, **keep, **where}


def minima(
    trees: list[Path], asked: Sequence[str], restarts: int, rounds: int
) -> list[dict[Case, float]]:
    """Return the seconds of a call of each case, for both trees."""
    best: list[dict[Case, float]] = [{}, {}]
    for which in range(restarts):
        processes = [Tree(source, asked, which) for source in trees]
        for k in range(rounds):
            for tree in (0, 1) if k % 2 else (1, 0):
                for case, seconds in processes[tree].round().items():
                    best[tree][case] = min(seconds, best[tree].get(case, seconds))
        for process in processes:
            process.close()
    return best


def instructions(source: Path, asked: Sequence[str]) -> dict[Case, float]:
    """Return the instructions of a call of each case of a tree."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "counts")
        options = f"-q --tool=callgrind --dump-before={MARK} --callgrind-out-file={output}".split()
        done = subprocess.run(
            ["valgrind", *options, sys.executable, __file__, "count", *asked],
            env=environment(source), stdout=subprocess.PIPE, text=True, check=True,
        )  # fmt: skip
        found = json.loads(done.stdout.splitlines()[0])
        # Files are numbered; every second one has the calls between two marks.
        numbers = sorted(int(path.suffix[1:]) for path in output.parent.glob("counts.*"))
        totals = [_total(output.with_suffix(f".{k}")) for k in numbers]
    between = totals[1::2]
    return {
        tuple(case): (between[2 * k + 1] - between[2 * k]) / CALLS for k, case in enumerate(found)
    }


def _total(path: Path) -> int:
    match = re.search(r"^(?:summary|totals): (\d+)", path.read_text(), re.MULTILINE)
    assert match
    return int(match.group(1))


def report(figures: list[dict[Case, float]], unit: str, scale: float) -> None:
    """Print both figures and their ratio for each case, then median and worst of each way."""
    before, after = figures
    common = [case for case in before if case in after]
    for way in WAYS:
        ratios: dict[Case, float] = {}
        print(f"\n{way}: {unit} before, after, ratio")
        for case in (case for case in common if case[2] == way):
            ratios[case] = after[case] / before[case]
            old, new = scale * before[case], scale * after[case]
            print(f"  {case[0]:10} {case[1]:30} {old:9.1f} {new:9.1f} {ratios[case]:7.3f}")
        worst = max(ratios, key=lambda case: ratios[case])
        slower = sum(ratio > 1.03 for ratio in ratios.values())
        print(
            f"  {way}: median {statistics.median(ratios.values()):.3f}, worst "
            f"{ratios[worst]:.3f} ({worst[0]} {worst[1]}), {slower} of {len(ratios)} above 1.03"
        )


def main() -> None:
    parts = {"save": save, "measure": measure, "count": count}  # in the process of a tree
    if len(sys.argv) > 1 and sys.argv[1] in parts:
        parts[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
        return
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("before", type=Path, help="folder that has the package armdyn")
    parser.add_argument("after", type=Path, help="the same of the tree to compare with it")
    parser.add_argument("--rounds", type=int, default=10, help="of each process")
    parser.add_argument("--restarts", type=int, default=4, help="how often processes are started")
    parser.add_argument("--robots", nargs="+", default=ROBOTS, help="ur5, panda, names, files")
    parser.add_argument("--quantities", nargs="+", default=QUANTITIES)
    parser.add_argument("--instructions", action="store_true", help="count with Valgrind")
    options = parser.parse_args()

    trees = [options.before, options.after]
    with tempfile.TemporaryDirectory() as folder:
        robots = json.dumps(sources(options.robots))
        command = [sys.executable, __file__, "save", folder, robots]
        subprocess.run(command, env=environment(options.before), check=True)
        asked = [folder, *options.quantities]
        if options.instructions:
            report([instructions(tree, asked) for tree in trees], "instructions", 1.0)
        else:
            report(minima(trees, asked, options.restarts, options.rounds), "ns", 1e9)


if __name__ == "__main__":
    main()
