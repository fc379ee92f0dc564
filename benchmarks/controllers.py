"""The period of a controller in C beside the bare inverse dynamics of the same arm.

    python benchmarks/controllers.py [--arms panda,ur5] [--float]

Both are compiled by `cc -O2` and called in turn, 30 times 20,000 calls each; the ratio is that of
the fastest rounds, in processor time. The observer of contacts adds the mass matrix and the
Coriolis matrix.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

import armdyn
from armdyn.control.controller import LAWS

MAIN = """\
#include <stdio.h>
#include <time.h>
#include "{control}.h"
#include "{arm}.h"

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

int main(void)
{{
    static {control} c;
    {real} q[{n}], qd[{n}], qdd[{n}], tau[{n}]{more};
    double best[2] = {{1e9, 1e9}}, sum = 0.0;
    int i, k, round;
    {control}_reset(&c);
    for (i = 0; i < {n}; i++) {{ q[i] = 0.3f + 0.1f * i; qd[i] = 0.1f; qdd[i] = 0.2f; }}
    for (round = 0; round < 30; round++) {{
        double t = now();
        for (k = 0; k < 20000; k++) {{
            q[0] = 0.3f + 1e-6f * k;
            {control}_step(&c, q, {given}{control_upper}_PERIOD, tau{outside});
            sum += tau[0];
        }}
        t = now() - t;
        best[0] = t < best[0] ? t : best[0];
        t = now();
        for (k = 0; k < 20000; k++) {{
            q[0] = 0.3f + 1e-6f * k;
            {arm}_inverse_dynamics(q, qd, qdd, tau);
            sum += tau[0];
        }}
        t = now() - t;
        best[1] = t < best[1] ? t : best[1];
    }}
    printf("%.1f %.1f %g\\n", 1e9 * best[0] / 20000, 1e9 * best[1] / 20000, sum);
    return 0;
}}
"""


def measured(name: str, law: str, single: bool, contact: float | None) -> tuple[float, float]:
    """Return nanoseconds of a period and of inverse dynamics."""
    arm = armdyn.load(name)
    limit = None if all(j.effort < 1e9 for j in arm.robot.joints) else 100.0
    controller = arm.controller(law, limit=limit, contact=contact)
    with tempfile.TemporaryDirectory() as folder:
        paths = [*controller.export_c(folder, single=single)]
        paths += arm.export_c(folder, ["inverse_dynamics"], single=single)
        control = next(p.stem for p in paths if p.name.endswith("_control.c"))
        sizes = {s.name: s.size for s in controller.design.law.references}
        real, outside = "float" if single else "double", contact is not None
        text = MAIN.format(
            control=control, arm=control.removesuffix("_control"), real=real, n=arm.n,
            given="".join(f"{x}, " for x in sizes), outside=", external" if outside else "",
            more="".join(f", {x}[{size}] = {{0}}" for x, size in sizes.items())
            + (f", external[{arm.n}]" if outside else ""),
            control_upper=control.upper(),
        )  # fmt: skip
        root = Path(folder)
        (root / "time.c").write_text(text)
        sources = ["time.c", f"{control}.c", f"{control.removesuffix('_control')}.c"]
        subprocess.run(["cc", "-O2", *sources, "-lm", "-o", "timed"], cwd=root, check=True)
        done = subprocess.run(["./timed"], cwd=root, capture_output=True, text=True, check=True)
        step, bare, _ = map(float, done.stdout.split())
    return step, bare


def main() -> None:
    parser = argparse.ArgumentParser(description="Periods of controllers in C.")
    parser.add_argument("--arms", default="panda,ur5,puma560,scara")
    parser.add_argument("--float", action="store_true")
    asked = parser.parse_args()
    print(f"{'arm':10}{'law':22}{'period [ns]':>12}{'inverse dynamics [ns]':>24}{'ratio':>8}")
    for name in asked.arms.split(","):
        for law in LAWS:
            for contact in (None, 10.0):
                step, bare = measured(name, law, asked.float, contact)
                words = law + (" + contacts" if contact else "")
                print(f"{name:10}{words:32}{step:10.0f}{bare:16.0f}{step / bare:12.2f}", flush=True)


if __name__ == "__main__":
    main()
