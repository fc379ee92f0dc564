"""Measurements of what [Lin1991] recommends for simulation: LDL^T and Adams-Bashforth, order 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from armdyn.present.tables import Grid
from armdyn.progress import Progress
from armdyn_papers.studies.integrator_runs import (
    DURATION,
    FIXED,
    INTEGRATORS,
    METHODS,
    START,
    STEPS,
    SYSTEMS,
    TOLERANCES,
    Falling,
    Series,
    Solver,
    fall,
    solvers,
)
from armdyn_papers.studies.study import SAME_SIZE, Finding

COLOURS = {"ab4": "#d55e00", "rk4": "#e69f00", "rk45": "#0072b2", "dop853": "#009e73"}


def _draw(figure: Any, falls: Sequence[Falling]) -> None:
    """Draw one panel per arm: lines with dots are LDL^T, circles are Cholesky."""
    fields: list[Any] = figure.subplots(1, len(falls), sharey=True).ravel().tolist()
    for axes, arm in zip(fields, falls, strict=True):
        for series in arm.series:
            x = [p.evaluations for p in series.points]
            y = [p.error for p in series.points]
            style: dict[str, Any] = {"marker": ".", "linewidth": 1.2}
            if series.solver != "LDLᵀ":
                style = {"marker": "o", "linestyle": "", "fillstyle": "none"}
            axes.plot(
                x, y, color=COLOURS[series.integrator],
                label=f"{series.integrator}, {series.solver}", **style,
            )  # fmt: skip
        axes.axhline(arm.certain, color="black", linestyle=":", linewidth=0.8)
        axes.set_title(f"falling PUMA, {'with' if arm.rotors else 'without'} rotors")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("evaluations of the dynamics")
        axes.grid(alpha=0.3)
    fields[0].set_ylabel("error at the end [rad]; dotted: of the reference")
    figure.legend(*fields[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)


ERRORS = (1e-2, 1e-4, 1e-6, 1e-8, 1e-10)

# Errors this many times above the known error of the reference are not affected by it.
CLEAR = 1e3


@dataclass(frozen=True)
class Integrators:
    """The results of the study: the falling arm with and without rotors, and its linear systems."""

    falls: tuple[Falling, ...]
    solvers: dict[bool, tuple[Solver, ...]]
    name: str = "integrators"

    @property
    def title(self) -> str:
        """The subject of the study."""
        return "Integrators and linear solvers, the closing remark of [Lin1991]"

    def setup(self) -> list[str]:
        """Return the set-up, as paragraphs."""
        start = ", ".join(f"{x:.0f}" for x in np.rad2deg(START))
        certain = ", ".join(f"{f.certain:.1g} rad {_rotors(f.rotors)}" for f in self.falls)
        return [
            "[Lin1991] closes with advice from a numerical experiment that is not shown: solve the "
            "linear equations by LDLᵀ, and integrate by the Adams-Bashforth method of order four.",
            f"Here the bundled `puma560` is let go at ({start})° and falls for {DURATION:g} s "
            "without friction, with its rotor inertias (a slow and smooth motion) and without them "
            "(a fast one). The error is the largest one of a joint at the end, beside `dop853` at "
            f"its finest, which is certain to {certain}. The work is counted in evaluations of the "
            "dynamics: `ab4`, started by Runge-Kutta, takes one a step, `rk4` four. `rk45` and "
            "`dop853` choose their steps.",
            "LDLᵀ is here UDUᵀ, the same factors from the last joint to the first, by the method "
            "`mass_matrix_udu`; Cholesky's factors are those of `gibbs_appell`. Errors of "
            f"solutions are relative, as root mean squares over {SYSTEMS} systems of the motion, "
            "against solutions in exact fractions.",
        ]

    def grids(self) -> list[Grid]:
        """Return the numbers as tables."""
        return [*(self._work(f) for f in self.falls), *(self._systems(r) for r in self.solvers)]

    def findings(self) -> list[Finding]:
        """Return what reproduces and what does not, judged from the numbers."""
        return [self._beside_rk4(), self._beside_all(), self._factors()]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values for JSON."""
        return {
            "study": self.name,
            "title": self.title,
            "falls": [asdict(f) for f in self.falls],
            "solvers": [
                {"rotors": rotors, **asdict(solver)}
                for rotors, found in self.solvers.items()
                for solver in found
            ],
            "findings": [finding.to_dict() for finding in self.findings()],
        }

    def draw(self, figure: Any) -> None:
        """Draw errors over evaluations."""
        _draw(figure, self.falls)

    def of(self, rotors: bool, integrator: str, solver: str = "LDLᵀ") -> Series:
        """Return the integrations by one integrator and one solver."""
        return next(
            s for f in self.falls for s in f.series
            if (s.rotors, s.integrator, s.solver) == (rotors, integrator, solver)
        )  # fmt: skip

    def _work(self, f: Falling) -> Grid:
        rows: list[tuple[str, ...]] = []
        for s in f.series:
            needed = (s.needed(error) for error in ERRORS)
            order = f"{s.order(CLEAR * f.certain):.2f}" if s.integrator in FIXED else ""
            told = ("" if x is None else f"{x:.0f}" for x in needed)
            rows.append((s.integrator, s.solver, *told, order, str(s.failed)))
        heads = ("integrator", "solver", *(f"{e:.0e} rad" for e in ERRORS), "order", "unstable")
        title = (
            f"Evaluations for an error at the end, {_rotors(f.rotors)} (blank: beyond the runs); "
            "order observed, and how many of the steps tried were too long"
        )
        return Grid(title, heads, 2, tuple(rows))

    def _systems(self, rotors: bool) -> Grid:
        rows = tuple(
            (
                s.name, "" if s.operations is None else str(s.operations),
                "" if s.operations is None else str(s.operations.div),
                f"{s.single:.2g}", f"{s.double:.2g}",
            )
            for s in self.solvers[rotors]
        )  # fmt: skip
        heads = ("solver", "operations", "of these divisions", "error, single", "error, double")
        return Grid(f"Six linear equations, {_rotors(rotors)}", heads, 1, rows)

    def _beside_rk4(self) -> Finding:
        ratios = [
            b / a
            for f in self.falls
            for error in ERRORS
            if (a := self.of(f.rotors, "ab4").needed(error)) is not None
            and (b := self.of(f.rotors, "rk4").needed(error)) is not None
        ]
        unstable = [sum(self.of(f.rotors, x).failed for f in self.falls) for x in ("ab4", "rk4")]
        return Finding(
            "Adams-Bashforth is preferable, beside Runge-Kutta of the same order",
            "reproduced" if min(ratios) > 1.0 else "not reproduced",
            f"rk4 takes {min(ratios):.2f} to {max(ratios):.2f} times the evaluations of ab4 for "
            f"the same error. Of the longest steps tried {unstable[0]} are unstable with ab4, "
            f"{unstable[1]} with rk4",
        )

    def _beside_all(self) -> Finding:
        told: list[str] = []
        winners: list[str] = []
        for f in self.falls:
            won: dict[str, list[str]] = {}
            for error in ERRORS:
                needed = {name: self.of(f.rotors, name).needed(error) for name in INTEGRATORS}
                known = {name: x for name, x in needed.items() if x is not None}
                best = min(known, key=lambda name: known[name])
                won.setdefault(best, []).append(f"{error:.0e}")
            winners += won
            listed = ", ".join(
                f"{name} for {', '.join(errors)} rad" for name, errors in won.items()
            )
            told.append(f"{_rotors(f.rotors)} {listed}")
        return Finding(
            "Adams-Bashforth is preferable, beside integrators that choose their steps",
            "reproduced" if set(winners) == {"ab4"} else "not reproduced",
            f"fewest evaluations: {'; '.join(told)}",
        )

    def _factors(self) -> Finding:
        pairs = {r: tuple(_named(found, x) for x in METHODS) for r, found in self.solvers.items()}
        told = ", ".join(
            f"{ldl.single:.2g} and {cholesky.single:.2g} {_rotors(rotors)}"
            for rotors, (ldl, cholesky) in pairs.items()
        )
        ldl, cholesky = (s.operations for s in next(iter(pairs.values())))
        assert ldl is not None and cholesky is not None
        apart = max(
            abs(a / b - 1.0)
            for f in self.falls
            for name in INTEGRATORS
            for error in ERRORS
            if (a := self.of(f.rotors, name, "LDLᵀ").needed(error)) is not None
            and (b := self.of(f.rotors, name, "Cholesky").needed(error)) is not None
        )
        cheaper = ldl.multiplications + ldl.sqrt < cholesky.multiplications + cholesky.sqrt
        as_good = all(a.single < SAME_SIZE * b.single for a, b in pairs.values())
        return Finding(
            "LDLᵀ is preferable, beside Cholesky",
            "reproduced" if cheaper and as_good else "not reproduced",
            f"for its cost: {ldl} with {ldl.div} divisions, against {cholesky} with "
            f"{cholesky.div}. Not for its accuracy: errors in single precision are {told}, and "
            f"the evaluations for an error differ by {100 * apart:.1g} % at most",
        )


def run_integrators(
    progress: Progress | None = None,
    steps: Sequence[int] = STEPS,
    tolerances: Sequence[float] = TOLERANCES,
) -> Integrators:
    """Run the study; takes a few seconds.

    Args:
        progress: called with (done, total, what) after each part.
        steps: numbers of steps of `ab4` and `rk4`, each twice the previous one.
        tolerances: of `rk45` and `dop853`, coarsest first.
    """
    falls: list[Falling] = []
    systems: dict[bool, tuple[Solver, ...]] = {}
    for done, rotors in enumerate((True, False), 1):
        falls.append(fall(rotors, steps, tolerances))
        systems[rotors] = solvers(rotors)
        if progress:
            progress(done, 2, "study integrators")
    return Integrators(tuple(falls), systems)


def _rotors(rotors: bool) -> str:
    return "with rotors" if rotors else "without rotors"


def _named(found: Sequence[Solver], name: str) -> Solver:
    return next(s for s in found if s.name == name)
