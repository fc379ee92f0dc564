"""[Mata2002] section 5.2: the PUMA along a straight line, Tables 6 and 7 compared with ours.

The paper does not give the inertias, the position of the tip, or the torques between the instants
at which they are known. So all plausible set-ups are run, to see whether any of them gives the
paper's numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armdyn.graph.count import Operations
from armdyn.present.tables import Grid
from armdyn.progress import Progress
from armdyn.robot.chain import chain_of
from armdyn_papers.measure import PARTS
from armdyn_papers.studies.puma_runs import (
    DECIMALS,
    DISTANCE,
    DURATION,
    INTERVAL,
    METHODS,
    ROBOT,
    SET_UPS,
    SPEED,
    TIP,
    TOLERANCE,
    Motion,
    SetUp,
    arm_of,
    moved,
)
from armdyn_papers.studies.study import SAME_SIZE, Finding, Verdict
from armdyn_papers.tables.mata_2002 import TABLE_6, TABLE_7

COLOURS = {"exact": "#0072b2", "linear": "#e69f00", "held": "#d55e00", "rounded": "#009e73"}
STYLES = {"rotors": "-", "no rotors": "--", "recalled": ":"}


def _draw(figure: Any, motions: Sequence[Motion]) -> None:
    """Draw one line per set-up with the elbow up: colours are torques, styles are inertias."""
    left, right = figure.subplots(1, 2)
    times = INTERVAL * np.arange(1, len(motions[0].errors) + 1)
    slowest = min(m.setup.speed for m in motions)
    joints = np.arange(1, len(TABLE_6) + 1)
    for m in motions:
        if m.setup.speed == slowest and m.setup.elbow == "up" and m.setup.restart is None:
            style = {
                "color": COLOURS[m.setup.torque],
                "linestyle": STYLES[m.setup.inertias],
                "label": str(m.setup),
            }
            left.plot(times, m.errors[:, 0].max(axis=1), **style)
            right.plot(joints, m.averages[0], marker=".", **style)
    printed = [row[0] for row in TABLE_6]
    right.plot(joints, printed, "ks", label="printed, Table 6")
    left.set_title("largest |q − q*| of all joints")
    left.set_xlabel("time [s]")
    right.set_title("average of |q − q*| over 5 s")
    right.set_xlabel("joint")
    right.set_xticks(joints)
    for axes in (left, right):
        axes.set_yscale("log")
        axes.set_ylabel("rad")
        axes.grid(alpha=0.3)
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower center", ncols=3)


QUANTITIES = ("positions [rad]", "velocities [rad/s]", "accelerations [rad/s²]")
PRINTED = "printed"
WALKER_ORIN = "CRBA, Walker and Orin"
PARTS_OF_CRBA = "walker_orin, newton_euler, cholesky"


@dataclass(frozen=True)
class Puma:
    """The results of the study: motions by set-up, and the cost of one evaluation per method."""

    motions: tuple[Motion, ...]
    operations: dict[str, Operations]
    name: str = "puma"

    @property
    def title(self) -> str:
        """The subject of the study."""
        return "The PUMA along a straight line, [Mata2002] section 5.2"

    def setup(self) -> list[str]:
        """Return the set-up, as paragraphs."""
        return [
            f"The tip goes straight from (0.50, 0.00, 0.05) towards (0.62, 0.30, 0.11) m without "
            f"turning, with the elbow up unless said, for {DURATION:g} s. Inverse dynamics gives "
            "the torques, and nothing else drives the simulation: Runge-Kutta-Fehlberg 4(5), "
            f"tolerance {TOLERANCE:g}, in intervals of {INTERVAL:g} s. Averages are over the "
            f"{DURATION / INTERVAL:.0f} instants after the start.",
            f"The paper prints no inertias. Here they are those of the bundled `{ROBOT}`, with its "
            "rotor inertias or without them (0.35 kg m² of link 1 stay), or “recalled”: heavier "
            "links, as remembered of the textbook of Angeles that the paper cites. **The recalled "
            "numbers are not sourced:** the book was not at hand, and a search of public texts and "
            "code found them nowhere. The tip is assumed "
            f"{TIP:g} m in front of the wrist. Torques between the instants are exact, linear, "
            f"held, or exact and rounded to {DECIMALS} decimals. Both speeds are run: the printed "
            "one, and the one that reaches the end point.",
        ]

    def grids(self) -> list[Grid]:
        """Return the numbers as tables."""
        return [
            self._evaluations(),
            self._likeness(),
            *(self._averages(k, title) for k, title in enumerate(QUANTITIES)),
            self._work(),
        ]

    def findings(self) -> list[Finding]:
        """Return what reproduces and what does not, judged from the numbers."""
        return [
            Finding(
                f"{SPEED:g} m/s for {DURATION:g} s lead from the first point to the last",
                "contradiction",
                f"the points are {DISTANCE:.4f} m apart, which is {DISTANCE / DURATION:.4f} m/s or "
                f"{DISTANCE / SPEED:.2f} s",
            ),
            Finding("Table 6: one row a joint", "doubtful", _coincidences()),
            _exponent(),
            self._rows(),
            self._errors(),
            self._growth(),
            self._counts(),
            self._differences(),
            self._same_results(),
            self._time(),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values for JSON."""
        return {
            "study": self.name,
            "title": self.title,
            "printed": {
                "Table 6": [list(row) for row in TABLE_6],
                "Table 7": {
                    name: {"seconds": run.seconds, "evaluations": run.evaluations}
                    for name, run in TABLE_7.items()
                },
            },
            "motions": [
                {
                    **asdict(m.setup),
                    "likeness": asdict(m.likeness),
                    "evaluations": m.evaluations,
                    "averages": m.averages.T.tolist(),
                    "parting": m.parting,
                    "growth": list(m.growth),
                }
                for m in self.motions
            ],
            "operations": {
                name: {"M": o.multiplications, "A": o.additions}
                for name, o in self.operations.items()
            },
            "findings": [finding.to_dict() for finding in self.findings()],
        }

    def draw(self, figure: Any) -> None:
        """Draw errors over time, and their averages beside Table 6."""
        _draw(figure, self.motions)

    def _evaluations(self) -> Grid:
        printed = (f"{TABLE_7[m].evaluations}" if m in TABLE_7 else "" for m in METHODS)
        rows = [
            (
                str(m.setup), *(str(m.evaluations[name]) for name in METHODS),
                f"{m.parting:.1g}", f"{m.growth[0]:.2f} … {m.growth[1]:.2f}",
            )
            for m in self.motions
        ]  # fmt: skip
        heads = ("set-up", *METHODS, "methods differ by [rad]", "errors grow at [1/s]")
        title = "Table 7 beside ours: evaluations of the dynamics"
        return Grid(title, heads, 1, ((PRINTED, *printed, "", ""), *rows))

    def _likeness(self) -> Grid:
        rows = [
            (str(m.setup), f"{like.factor:.3g}", f"{100 * like.off:.3g} %", f"{like.odd:.3g}")
            for m in self.motions
            for like in [m.likeness]
        ]
        heads = ("set-up", "factor", "then off by", "q̈ of row 5, printed beside ours")
        title = "Rows 4 and 5 of Table 6 as joints 2 and 3 of ours times a factor"
        return Grid(title, heads, 1, tuple(rows))

    def _averages(self, k: int, what: str) -> Grid:
        printed = tuple(f"{row[k]:.2e}" for row in TABLE_6)
        rows = [(str(m.setup), *(f"{x:.2e}" for x in m.averages[k])) for m in self.motions]
        heads = ("set-up", *(f"joint {i}" for i in range(1, len(printed) + 1)))
        title = f"Table 6 beside ours: average differences of {what}, GA"
        return Grid(title, heads, 1, ((PRINTED, *printed), *rows))

    def _work(self) -> Grid:
        least = self.operations["GA"].multiplications
        rows: list[tuple[str, ...]] = []
        for name, counted in self.operations.items():
            # the paper's CRBA is that of Walker and Orin
            run = None if name == "CRBA" else TABLE_7.get(name.split(",")[0])
            first = TABLE_7["GA"]
            took = run and run.seconds / run.evaluations
            beside = "" if not took else f"{took / (first.seconds / first.evaluations):.2f}"
            rows.append(
                (
                    name, METHODS.get(name, PARTS_OF_CRBA), "" if not run else f"{run.seconds:g}",
                    "" if not took else f"{1e3 * took:.3f}", beside, str(counted),
                    f"{counted.multiplications / least:.2f}",
                )
            )  # fmt: skip
        heads = (
            "method", "here", "printed s", "printed ms an evaluation", "beside GA",
            "operations on this arm", "M beside GA",
        )  # fmt: skip
        return Grid(
            "Processing time of Table 7, and operations of one evaluation", heads, 2, tuple(rows)
        )

    def _errors(self) -> Finding:
        ratios = {m.setup: m.averages[0] / _column(0) for m in self.motions}
        best = min(ratios, key=lambda s: float(np.abs(np.log(ratios[s])).max()))
        off = ratios[best]
        same = float(np.abs(np.log(off)).max()) <= np.log(SAME_SIZE)
        return Finding(
            "Table 6: average differences of positions",
            "same size" if same else "not reproduced",
            f"nearest is “{best}”, with {off.min():.2g} to {off.max():.2g} times the printed "
            "numbers. Over all set-ups those of joint 2 reach from "
            f"{min(m.averages[0, 1] for m in self.motions):.1g} to "
            f"{max(m.averages[0, 1] for m in self.motions):.1g} rad: they measure inertias, "
            "torques between instants and tolerance, not the method",
        )

    def _rows(self) -> Finding:
        told: list[str] = []
        for sourced in (False, True):
            own = [m for m in self.motions if (m.setup.inertias != "recalled") == sourced]
            if own:
                best = min(own, key=lambda m: m.likeness.off)
                like = best.likeness
                told.append(
                    f"“{best.setup}”, times {like.factor:.3g}, has joints 2 and 3 within "
                    f"{100 * like.off:.2g} % of these rows"
                    + (" (inertias not sourced)" if not sourced else "")
                )
        same = min(m.likeness.off for m in self.motions) < 0.05
        return Finding(
            "Table 6: rows 4 and 5 are joints 4 and 5",
            "doubtful" if same else "not reproduced",
            "they have the proportions of joints 2 and 3, elbow up: "
            + "; ".join(told)
            + ". The factor depends on what disturbs the motion; the proportions of errors that "
            "grow from small ones do not. No set-up has the other rows",
        )

    def _growth(self) -> Finding:
        q, qd, qdd = TABLE_6[3]
        rate = float(np.sqrt(qdd / q))
        sets = dict.fromkeys(m.setup.inertias for m in self.motions)
        near = {inertias: _range(self.motions, inertias) for inertias in sets}
        told = ", ".join(
            f"{low:.2f} to {high:.2f} ({inertias})" for inertias, (low, high) in near.items()
        )
        inside = any(low / SAME_SIZE <= rate <= high * SAME_SIZE for low, high in near.values())
        return Finding(
            f"Table 6, joint 4: differences grow {qd / q:.2f} times from positions to velocities, "
            f"and {qdd / qd:.2f} times to accelerations",
            "same size" if inside else "not reproduced",
            f"as errors do that grow like exp(λt) with λ = {rate:.2f}/s: nothing holds the arm to "
            f"its line. Linearised here, λ is {told}",
        )

    def _counts(self) -> Finding:
        wanted = TABLE_7["GA"].evaluations
        order = sorted(self.motions, key=lambda m: abs(np.log(m.evaluations["GA"] / wanted)))
        near = [m for m in order[:2] if _same_size(m.evaluations["GA"], wanted)]
        told = "; ".join(
            f"“{m.setup}” takes {m.evaluations['GA']}, with average differences up to "
            f"{m.averages[0].max():.2g} rad" for m in near
        )  # fmt: skip
        counts = [m.evaluations["GA"] for m in self.motions]
        return Finding(
            f"Table 7: {wanted} evaluations for GA",
            "same size" if near else "not reproduced",
            f"from {min(counts)} to {max(counts)}. Nearest: "
            + (told or "none within a factor of two")
            + ". No set-up has both the printed evaluations and the printed differences",
        )

    def _differences(self) -> Finding:
        split = [m for m in self.motions if len(set(m.evaluations.values())) > 1]
        verdict: Verdict = "not reproduced"
        if len(split) == len(self.motions):
            verdict = "reproduced"
        told = f"the same number for all methods in {len(self.motions) - len(split)} of "
        told += f"{len(self.motions)} set-ups"
        if split:
            told += (
                "; another only where the methods have parted by "
                f"{min(m.parting for m in split):.1g} rad or more, and the motion has nothing to "
                "do with the line any more"
            )
        counts = [run.evaluations for run in TABLE_7.values()]
        return Finding(
            f"Table 7: evaluations depend on the method, {min(counts)} to {max(counts)}",
            verdict,
            told,
        )

    def _same_results(self) -> Finding:
        held = [m for m in self.motions if m.setup.inertias == "rotors"]
        worst = max((m.parting for m in held), default=0.0)
        most = max(m.parting for m in self.motions)
        return Finding(
            "CRBA, ABA and GA give practically the same motion",
            "reproduced" if worst < TOLERANCE else "not reproduced",
            f"to {worst:.1g} rad with rotors; without them rounding grows to {most:.1g} rad",
        )

    def _time(self) -> Finding:
        ga, aba = self.operations["GA"], self.operations["ABA"]
        walker, ours = self.operations[WALKER_ORIN], self.operations["CRBA"]
        least = ga.multiplications < min(aba.multiplications, walker.multiplications)
        return Finding(
            "Table 7: GA takes the shortest time, as by its operations",
            "reproduced" if least else "not reproduced",
            f"by operations: GA takes {ga}, ABA {aba}, composite bodies of Walker and Orin "
            f"{walker}. With our algebra composite bodies take {ours}, and compiled they and ABA "
            "take less time than GA",
        )


def run_puma(progress: Progress | None = None, setups: Sequence[SetUp] = SET_UPS) -> Puma:
    """Run the study; takes a few seconds.

    Args:
        progress: called with (done, total, what) after each set-up.
        setups: the set-ups to run.
    """
    motions: list[Motion] = []
    for done, setup in enumerate(setups, 1):
        motions.append(moved(setup))
        if progress:
            progress(done, len(setups), "study puma")
    arm = arm_of("rotors")
    operations = {
        name: arm.function("forward_dynamics", method).operations
        for name, method in METHODS.items()
    }
    from_parts = PARTS["forward_dynamics from parts"]
    operations[WALKER_ORIN] = from_parts(PARTS_OF_CRBA, chain_of(arm.robot))
    return Puma(tuple(motions), operations)


def _same_size(x: float, y: float) -> bool:
    return 1 / SAME_SIZE <= x / y <= SAME_SIZE


def _column(k: int) -> Any:
    return np.array([row[k] for row in TABLE_6])


def _range(motions: Sequence[Motion], inertias: str) -> tuple[float, float]:
    rates = [rate for m in motions if m.setup.inertias == inertias for rate in m.growth]
    return min(rates), max(rates)


def _exponent() -> Finding:
    """Return what the table itself tells of the accelerations in row 5."""
    (q4, qd4, qdd4), (q5, qd5, qdd5) = TABLE_6[3:5]
    return Finding(
        "Table 6, row 5: accelerations",
        "contradiction",
        f"q̇/q is {qd5 / q5:.2f} and q̈/q̇ {qdd5 / qd5:.3f}, where row 4 has {qd4 / q4:.2f} and "
        f"{qdd4 / qd4:.2f}: of an error that grows like exp(λt) both are λ. Ten times the printed "
        f"number, {10 * qdd5:.2e}, would be right",
    )


def _coincidences() -> str:
    """Return as text which numbers of Table 6 agree to more digits than chance allows."""
    found: list[str] = []
    for k, what in enumerate(("q", "q̇", "q̈")):
        column = [row[k] for row in TABLE_6]
        for i, x in enumerate(column):
            for j in range(i + 1, len(column)):
                off = abs(x - column[j]) / x
                if off < 1e-5:
                    digits = "all" if off == 0.0 else f"{int(-np.log10(off))}"
                    found.append(f"{what} of joints {i + 1} and {j + 1} in {digits} digits")
    return "the same are " + ", ".join(found)
