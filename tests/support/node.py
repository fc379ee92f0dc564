"""JavaScript, run by Node: many functions at many states in one process."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

NODE = shutil.which("node") or shutil.which("nodejs")

needs_node = pytest.mark.skipif(NODE is None, reason="Node is not installed: no JavaScript is run")

# Evaluates each function at all rows of its inputs, and writes all numbers one after the other.
LOOP = """\
import { readFileSync, writeFileSync } from "node:fs";
const numbers = path => { const b = readFileSync(path);
  return new Float64Array(b.buffer.slice(b.byteOffset, b.byteOffset + b.length)); };
for (const { module, name, key, sizes, states } of JSON.parse(readFileSync("tasks.json", "utf8"))) {
  const f = (await import(`./${module}`))[name], given = numbers(`${key}.in`), found = [];
  const width = sizes.reduce((a, b) => a + b, 0);
  for (let k = 0; k < states; k++) {
    let at = k * width;
    found.push(...[f(...sizes.map(size => given.subarray(at, at += size)))].flat(Infinity));
  }
  writeFileSync(`${key}.out`, new Float64Array(found));
}
"""


def run_node(folder: Path, script: str, *arguments: str) -> str:
    """Run a module in a folder and return what it prints."""
    assert NODE is not None
    (folder / "main.mjs").write_text(script, "utf-8")
    done = subprocess.run(
        [NODE, "main.mjs", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def evaluated(
    folder: Path, calls: Mapping[str, tuple[str, str, Sequence[np.ndarray]]]
) -> dict[str, np.ndarray]:
    """Return the results ``(states, numbers)`` of calls: source, name of the function, states."""
    tasks = []
    for key, (source, name, states) in calls.items():
        (folder / f"{key}.mjs").write_text(source, "utf-8")
        np.hstack(states).astype(float).tofile(folder / f"{key}.in")
        sizes = [state.shape[1] for state in states]
        count = len(states[0])
        task = {"module": f"{key}.mjs", "name": name, "key": key, "sizes": sizes, "states": count}
        tasks.append(task)
    (folder / "tasks.json").write_text(json.dumps(tasks), "utf-8")
    run_node(folder, LOOP)
    found = {key: np.fromfile(folder / f"{key}.out") for key in calls}
    return {key: x.reshape(len(calls[key][2][0]), -1) for key, x in found.items()}
