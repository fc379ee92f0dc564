"""Memory of the viewer and of its page while a recording plays, with tabs that come and go.

    python benchmarks/viewer.py --minutes 20

prints a table, and the growth from the first third to the last one. Needs the extra "view",
playwright and a Chromium (ARMDYN_CHROMIUM names one). At the end the viewer is interrupted: it must
have printed no traceback.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import armdyn

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from support.browser import FLAGS, chromium

# Milliseconds that a page may take on a machine that is busy.
PATIENCE = 240_000


def log_of(arm: armdyn.Arm, path: Path) -> None:
    t = np.arange(0.0, 20.0, 1e-3)
    speeds = np.array([0.5, 0.7, 0.9, 0.6, 1.1, 0.8, 1.3])
    q = np.array([0, 0, 0, -1.6, 0, 1.8, 0]) + 0.5 * np.sin(np.outer(t, speeds))
    tau = arm.gravity(q) + 0.1 * np.random.default_rng(0).standard_normal(q.shape)
    armdyn.Log(t, q, tau=tau, joint_names=arm.joint_names).save(path)


def resident(pid: int) -> float:
    """Memory of a process [MB]."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", text)[0]) / 1024


def heap(session) -> float:
    """Memory of the page's script after a collection [MB]."""
    session.send("HeapProfiler.collectGarbage")
    found = session.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in found if one["name"] == "JSHeapUsedSize") / 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--looks", type=int, default=24, help="how often memory is looked at")
    given = parser.parse_args()
    minutes, looks = given.minutes, given.looks
    # what was started in the background ignores interrupts, and so would the viewer
    signal.signal(signal.SIGINT, signal.default_int_handler)
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        arm = armdyn.load("panda")
        log_of(arm, Path(folder, "log.csv"))
        command = [sys.executable, "-m", "armdyn", "view", "panda", "log.csv", "--loop"]
        server = subprocess.Popen(
            [*command, "--no-browser"], cwd=folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        url = re.search(r"http://\S+", server.stdout.readline())[0]
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        context = browser.new_context(viewport={"width": 480, "height": 320})
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("[data-torque]")
        session = context.new_cdp_session(page)
        session.send("Performance.enable")
        start, rows = time.monotonic(), []
        print("   minute   server [MB]   page [MB]   shown", flush=True)
        for look in range(looks + 1):
            until = start + 60 * minutes * look / looks
            page.wait_for_timeout(max(0.0, 1000 * (until - time.monotonic())))
            row = (time.monotonic() - start) / 60, resident(server.pid), heap(session)
            rows.append(row)
            shown = page.locator("[data-number=tip]").inner_text()
            print(f"{row[0]:9.2f} {row[1]:13.1f} {row[2]:11.1f}   tip {shown}", flush=True)
            if look % 3 == 1:  # two tabs at once, and one that closes
                other = context.new_page()
                other.goto(url)
                other.wait_for_selector("[data-torque]")
                other.close()
            elif look % 3 == 2:  # a page that comes back
                page.reload()
                page.wait_for_selector("[data-torque]")
        browser.close()
        server.send_signal(signal.SIGINT)
        out, err = server.communicate(timeout=60)
    numbers = np.array(rows)
    part = len(numbers) // 3
    for k, name in ((1, "server"), (2, "page")):
        first, last = numbers[part : 2 * part, k].mean(), numbers[-part:, k].mean()
        print(f"{name}: {first:.1f} MB in the second third, {last:.1f} MB in the last one")
    print(f"interrupted: status {server.returncode}, said {out.strip()!r}")
    print("a traceback was printed" if "Traceback" in err else "no traceback")


if __name__ == "__main__":
    main()
