"""JavaScript of a 7-axis arm in Node, beside a bare loop of as many multiplications.

    python benchmarks/javascript.py [--robot panda] [--rounds 20]

One state is gravity, mass matrix, inverse dynamics and Jacobian together. The bare loop multiplies
as often as their traced code, one product after the other. Both are timed in turns in one process;
the minimum of each counts.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import armdyn

QUANTITIES = ("gravity", "mass_matrix", "inverse_dynamics", "jacobian")
STATES = 2000

LOOP = """\
import { readFileSync } from "node:fs";
const { n, names, states, rounds, multiplications } = JSON.parse(readFileSync("task.json", "utf8"));
const functions = [];
for (const name of names) functions.push((await import(`./${name}.mjs`))[name]);
const takes = functions.map(f => f.length);
const row = () => Array.from({ length: n }, () => 4 * Math.random() - 2);
const rows = Array.from({ length: states }, () => [row(), row(), row()]);
let sink = 0;
function arm() {
  for (const state of rows) {
    for (let k = 0; k < functions.length; k++) {
      const found = functions[k](...state.slice(0, takes[k]));
      sink += typeof found[0] === "number" ? found[0] : found[0][0];
    }
  }
}
function bare() {
  for (const [q] of rows) {
    let product = q[0];
    for (let k = 0; k < multiplications; k++) product *= 1.0000001;
    sink += product;
  }
}
const timed = f => { const start = performance.now(); f(); return performance.now() - start; };
const best = [Infinity, Infinity];
for (let k = 0; k < rounds; k++) {
  [arm, bare].forEach((f, i) => { best[i] = Math.min(best[i], timed(f)); });
}
console.log(JSON.stringify(best.map(ms => ms / states)));
if (!Number.isFinite(sink)) process.exit(1);
"""


def measured(arm: armdyn.Arm, rounds: int) -> tuple[int, float, float]:
    """Return multiplications of a state, and milliseconds of a state: the arm, the bare loop."""
    functions = [arm.function(name) for name in QUANTITIES]
    multiplications = sum(f.operations.multiplications for f in functions)
    task = {
        "n": arm.n, "names": QUANTITIES, "states": STATES, "rounds": rounds,
        "multiplications": multiplications,
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for f in functions:
            (folder / f"{f.quantity}.mjs").write_text(f.source("javascript"), "utf-8")
        (folder / "task.json").write_text(json.dumps(task), "utf-8")
        (folder / "main.mjs").write_text(LOOP, "utf-8")
        done = subprocess.run(
            ["node", "main.mjs"], cwd=folder, capture_output=True, text=True, check=True
        )
    ours, bare = json.loads(done.stdout)
    return multiplications, ours, bare


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    if shutil.which("node") is None:
        raise SystemExit("Node is not installed; nothing to measure.")
    arm = armdyn.load(options.robot)
    multiplications, ours, bare = measured(arm, options.rounds)
    print(f"{arm.name}, {arm.n} joints: {', '.join(QUANTITIES)}")
    print(f"{multiplications} multiplications a state")
    print(f"{ours * 1e3:.2f} us a state, {ours / bare:.1f} times a bare loop ({bare * 1e3:.2f} us)")


if __name__ == "__main__":
    main()
