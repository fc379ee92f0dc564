"""The page of an arm with a log in a real browser: its size, how soon it is ready, a frame's time.

    python benchmarks/page.py [--robot panda] [--seconds 20] [--rate 1000] [--rounds 5]
    python benchmarks/page.py --equal puma560,ur5,panda [--states 1000]

The second compares every quantity in the page with Python's; the exit status is 1 if one differs by
more than 1e-12 of its largest value.

The browser is a Chromium on this machine (ARMDYN_CHROMIUM names one), without a graphics card:
WebGL is computed by the processor too, in another process. A frame's own computing is what the
script of the page does for it: programs of the arm, numbers and curves; the commands of WebGL,
which wait where that process is busy, are counted beside it. Times begin where the browser begins
to load the page; those of frames are medians over frames. Of the rounds, the median and the best
are told: the first of them starts the process of the graphics.
"""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from base64 import b64decode, b64encode
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import armdyn

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox", "--no-first-run", "--disable-quic", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]  # fmt: skip
# Size of the window [pixels].
WINDOW = {"width": 1280, "height": 800}


def long_log(arm: armdyn.Arm, seconds: float, rate: float) -> armdyn.Log:
    """Return a log of a motion in all joints, with noise."""
    rng = np.random.default_rng(0)
    t = np.arange(0.0, seconds, 1.0 / rate)
    speeds = rng.uniform(0.5, 1.5, arm.n)
    middles = [(j.lower + j.upper) / 2 for j in arm.robot.joints]
    middle = np.where(np.isfinite(middles), middles, 0.0)
    q = middle + 0.5 * np.sin(np.outer(t, speeds))
    qd = 0.5 * speeds * np.cos(np.outer(t, speeds))
    tau = arm.inverse_dynamics(q, qd, -speeds * speeds * (q - middle))
    q = q + rng.normal(0.0, 1e-5, q.shape)
    tau = tau + rng.normal(0.0, 0.2, tau.shape)
    return armdyn.Log(t, q, qd=qd, tau=tau, joint_names=arm.joint_names)


def measured(browser: Any, path: Path) -> dict[str, float]:
    """Open the page once, play it for a while, and return its times [ms]."""
    context = browser.new_context(viewport=WINDOW)
    page = context.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("armdyn.times.picture > 0")
    told = page.evaluate("armdyn.times")
    page.evaluate("armdyn.play()")
    page.wait_for_timeout(3000)
    playing = page.evaluate("armdyn.times")
    context.close()
    return {
        "its script begins": told["script"],
        "ready": told["ready"],
        "first picture": told["picture"],
        "frame: own computing": playing["computing"],
        "frame: commands of WebGL": playing["drawing"],
        "between frames": playing["between"],
    }


# In the page: numbers come and go as text of their bytes.
EVALUATE = """([name, takes, n, states]) => {
  const bytes = Uint8Array.from(atob(states), c => c.charCodeAt(0));
  const given = new Float64Array(bytes.buffer);
  const count = given.length / (takes * n), found = [];
  for (let i = 0; i < count; i++) {
    const rows = Array.from({ length: takes }, (_, k) =>
      Array.from(given.subarray((i * takes + k) * n, (i * takes + k + 1) * n)));
    found.push(...[armdyn[name](...rows)].flat(9));
  }
  const out = new Uint8Array(Float64Array.from(found).buffer), parts = [];
  for (let k = 0; k < out.length; k += 4096) {
    parts.push(String.fromCharCode(...out.subarray(k, k + 4096)));
  }
  return btoa(parts.join(""));
}"""


def difference(page: Any, arm: armdyn.Arm, name: str, states: int) -> float:
    """Return the largest difference of a quantity, as a share of its largest value."""
    f = arm.function(name)
    takes = len(f.program.inputs)
    given = np.random.default_rng(1).uniform(-2.0, 2.0, (states, takes, arm.n))
    text = page.evaluate(EVALUATE, [name, takes, arm.n, b64encode(given.tobytes()).decode()])
    got = np.frombuffer(b64decode(text)).reshape(states, -1)
    value = f(*np.moveaxis(given, 1, 0))
    several = value if isinstance(value, tuple) else (value,)
    expected = np.hstack([x.reshape(states, -1) for x in several])
    size = float(np.abs(expected).max()) or 1.0  # friction may be 0 everywhere
    return float(np.abs(got - expected).max()) / size


def compared(browser: Any, robots: list[str], states: int, folder: Path) -> bool:
    """Print the worst quantity of each arm; return whether all are equal."""
    good = True
    for robot in robots:
        arm = armdyn.load(robot)
        arm.page(folder / "arm.html")
        context = browser.new_context()
        page = context.new_page()
        page.goto((folder / "arm.html").as_uri())
        found = {name: difference(page, arm, name, states) for name in arm.quantities}
        context.close()
        worst = max(found, key=lambda name: found[name])
        print(f"{robot}: {len(found)} quantities at {states} states, {found[worst]:.1e} ({worst})")
        good &= found[worst] <= 1e-12
    return good


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--robot", default="panda")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=1000.0)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--equal", default="", help="arms, by commas: compare their quantities")
    parser.add_argument("--states", type=int, default=1000)
    options = parser.parse_args()
    chromium = os.environ.get("ARMDYN_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), "")
    if not chromium:
        raise SystemExit("No Chromium on this machine; ARMDYN_CHROMIUM names one.")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        if options.equal:
            equal = compared(browser, options.equal.split(","), options.states, Path(folder))
            raise SystemExit(not equal)
        arm, path = armdyn.load(options.robot), Path(folder) / "page.html"
        long_log(arm, options.seconds, options.rate).page(path, arm)
        print(f"{arm.name}, {options.seconds:g} s at {options.rate:g} Hz")
        print(f"{'size':28}{path.stat().st_size / 1e6:10.2f} MB")
        rounds = [measured(browser, path) for _ in range(options.rounds)]
        browser.close()
    for name in rounds[0]:
        values = [found[name] for found in rounds]
        print(f"{name:28}{median(values):10.2f} ms (best {min(values):.2f})")


if __name__ == "__main__":
    main()
