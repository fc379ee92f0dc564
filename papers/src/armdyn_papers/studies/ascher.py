"""[Mata2002] section 5.1: two links of very different size, in single and double precision.

The arm is released at rest at 180 angles of joint 2. Differences between single and double
precision are rounding noise, so the 180 angles are also shifted by fractions of their distance. A
number of the paper is reproduced if it lies within the range over all shifts, and not reproduced if
it lies far outside.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.algorithms.table import QUANTITIES
from armdyn.algorithms.vector import scale_symmetric
from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.present.tables import Grid
from armdyn.progress import Progress
from armdyn.robot.chain import chain_of
from armdyn_papers.studies import as_printed
from armdyn_papers.studies.single import Algorithm, Array, falling
from armdyn_papers.studies.study import Finding, Spread
from armdyn_papers.tables.mata_2002 import TABLE_5


def _draw(
    figure: Any, angles: Array, double: Array, single: Mapping[str, Array], condition: Array
) -> None:
    """Draw accelerations of joint 1 in both precisions, a panel per way, and condition numbers."""
    fields: list[Any] = figure.subplots(2, 3, sharex=True).ravel().tolist()
    turned = np.rad2deg(angles)
    values = [double[:, 0], *(found[:, 0] for found in single.values())]
    low, high = min(v.min() for v in values), max(v.max() for v in values)
    margin = 0.05 * (high - low)
    for axes, (label, found) in zip(fields, single.items(), strict=False):
        axes.plot(turned, found[:, 0], linewidth=0.8, color="#0072b2", label="single")
        axes.plot(
            turned, double[:, 0], linewidth=1.2, color="#d55e00", linestyle="--", label="double"
        )
        axes.set_ylim(low - margin, high + margin)
        axes.set_title(label, fontsize=9)
    fields[0].legend(loc="lower right")
    fields[-1].plot(turned, condition, color="black")
    fields[-1].set_title("condition number of the inertia matrix", fontsize=9)
    for axes in (fields[0], fields[3]):
        axes.set_ylabel("acceleration of joint 1 [rad/s²]")
    for axes in fields[3:]:
        axes.set_xlabel("joint 2 [degrees]")
        axes.set_xticks(range(0, 361, 90))


ROBOT = "ascher2"
STEPS = 180
SHIFTS = 50

# The rows of Table 5 say q̈₂; its caption says joint 1.
JOINT = 2

# Link 2 weighs 10 kg; the printed "0.00" can be read in other ways.
OTHER_MASSES = (1.0, 100.0)

STORED = "M and bias exact, stored in single"


@dataclass(frozen=True)
class Variant:
    """A way to compute accelerations: the corresponding column of Table 5, and the algorithm."""

    label: str
    printed: str | None
    run: Algorithm


def _own(method: str) -> Algorithm:
    return QUANTITIES["forward_dynamics"].methods[method].run


VARIANTS = (
    Variant("ABA, link frames: articulated_body", "ABA", _own("articulated_body")),
    Variant("ABA, base frame", "ABA", as_printed.articulated_in_base_frame),
    Variant("CRBA, Gauss-Jordan", "CRBA", as_printed.composite_bodies),
    Variant("CRBA, UDUᵀ: mass_matrix_udu", None, _own("mass_matrix_udu")),
    Variant("GA, Gauss-Jordan", "GA", as_printed.gibbs),
    Variant("GA, Cholesky: gibbs_appell", None, _own("gibbs_appell")),
    Variant("DeNOC: denoc", None, _own("denoc")),
)
LINK_ABA, BASE_ABA, CRBA, CRBA_UDU, GA, GA_CHOLESKY, DENOC = (v.label for v in VARIANTS)


@dataclass(frozen=True)
class Row:
    """Differences between double and single precision of one way [rad/s^2], joint 2.

    `first_joint` is the largest difference of joint 1. `agreement` is the largest difference, in
    double precision, from the compiled method that armdyn chooses.
    """

    label: str
    printed: str | None
    maximum: Spread
    absolute: Spread
    signed: Spread
    first_joint: float
    agreement: float


@dataclass(frozen=True)
class Ascher:
    """The results of the study.

    Attributes:
        rows: one row per way.
        angles: of joint 2, ``(180,)``.
        double: accelerations in double precision, ``(180, 2)``.
        single: the same in single precision, by way.
        condition: numbers of the inertia matrix.
        other_masses: largest differences of CRBA, by other masses of link 2 [kg].
    """

    rows: tuple[Row, ...]
    angles: Array
    double: Array
    single: Mapping[str, Array]
    condition: Array
    other_masses: Mapping[float, Spread]
    name: str = "ascher"

    @property
    def title(self) -> str:
        """The subject of the study."""
        return "Single against double precision, [Mata2002] section 5.1"

    def __getitem__(self, label: str) -> Row:
        """Return the row of a variant."""
        return next(row for row in self.rows if row.label == label)

    def setup(self) -> list[str]:
        """Return the set-up, as paragraphs."""
        low, high = self.condition.min(), self.condition.max()
        masses = ", ".join(f"{x} at most with {m:g} kg" for m, x in self.other_masses.items())
        return [
            f"The bundled arm `{ROBOT}`: links of 0.02 and 2 m, 0.02 m wide, 0.1 and 10 kg, at "
            f"rest with joint 1 at 0 and joint 2 at {STEPS} angles two degrees apart; no torques, "
            "gravity across the links. The inertia matrix has condition numbers from "
            f"{low:.3g} to {high:.3g}. The mass of link 2 is not legible in the copy at hand; "
            "10 kg is that of equal density, and the differences do not tell: those of CRBA would "
            f"be {masses}.",
            "Every operation is done in IEEE single precision, those on constants of the links "
            "included. In brackets is the range over "
            f"{SHIFTS} runs whose angles are shifted by parts of two degrees: it says how "
            "much of a number is accident. The paper's averages have no bars for absolute values, "
            f"so both are given. “{STORED}” rounds the exact matrix and bias once, and "
            "solves in double precision.",
        ]

    def grids(self) -> list[Grid]:
        """Return the numbers as a table."""
        heads = (
            "way", "printed max", "max", "printed average", "mean absolute", "signed mean",
            "joint 1 max", "in double",
        )  # fmt: skip
        rows = tuple(
            (
                row.label, *_printed_first(row), str(row.maximum), *_printed_second(row),
                str(row.absolute), str(row.signed), f"{row.first_joint:.3g}",
                f"{row.agreement:.1g}",
            )
            for row in self.rows
        )  # fmt: skip
        title = (
            "Table 5 beside ours: differences of q̈₂ [rad/s²], and of the ways among each other in "
            "double precision"
        )
        return [Grid(title, heads, 1, rows)]

    def findings(self) -> list[Finding]:
        """Return what reproduces and what does not, judged from the numbers."""
        crba, ga = self[CRBA], self[GA]
        link, base = self[LINK_ABA], self[BASE_ABA]
        printed = TABLE_5
        ours = self[CRBA_UDU]
        floor = self[STORED].absolute
        return [
            Finding(
                "Table 5: joint 1 (caption), q̈₂ (rows)",
                "contradiction",
                "both joints have nearly the same differences: CRBA at most "
                f"{crba.first_joint:.3g} in joint 1, {crba.maximum.value:.3g} in joint 2",
            ),
            Finding(
                f"CRBA: max {printed['CRBA'].maximum:g}",
                crba.maximum.verdict(printed["CRBA"].maximum),
                f"{crba.maximum}",
            ),
            Finding(
                f"CRBA: average {printed['CRBA'].average:g}",
                crba.absolute.verdict(printed["CRBA"].average),
                f"{crba.absolute} as a mean of absolute values",
            ),
            Finding(
                f"GA: max {printed['GA'].maximum:g}",
                ga.maximum.verdict(printed["GA"].maximum),
                f"{ga.maximum}",
            ),
            Finding(
                f"GA: average {printed['GA'].average:g}",
                ga.absolute.verdict(printed["GA"].average),
                f"{ga.absolute} as a mean of absolute values; rounding exact M and bias once "
                f"gives {floor}; {_signed(ga, printed['GA'].average)}",
            ),
            Finding(
                f"ABA: max {printed['ABA'].maximum:g}",
                link.maximum.verdict(printed["ABA"].maximum),
                f"{link.maximum} in link frames: {printed['ABA'].maximum / link.maximum.value:.0f} "
                f"times better than printed. Written in base coordinates it is {base.maximum}, and "
                f"the printed number {base.maximum.verdict(printed['ABA'].maximum)}",
            ),
            Finding(
                f"ABA: average {printed['ABA'].average:g}",
                link.absolute.verdict(printed["ABA"].average),
                f"{link.absolute} in link frames, {base.absolute} in base coordinates, as a mean "
                f"of absolute values; in base coordinates, {_signed(base, printed['ABA'].average)}",
            ),
            Finding(
                "GA differs less than CRBA",
                "reproduced" if _better(ga, crba) else "not reproduced",
                f"max {_times(crba.maximum, ga.maximum)} and mean absolute "
                f"{_times(crba.absolute, ga.absolute)} times less; printed are "
                f"{printed['CRBA'].maximum / printed['GA'].maximum:.2g} and "
                f"{printed['CRBA'].average / printed['GA'].average:.2g}",
            ),
            Finding(
                "GA's matrix and bias are more stable than those of composite bodies",
                "reproduced" if _better(ga, ours) else "not reproduced",
                f"other composite bodies, solved by UDUᵀ, have {ours.absolute} against "
                f"{ga.absolute} of GA: the order of operations decides, not the family",
            ),
            Finding(
                "ABA differs least of the three",
                "reproduced" if _better(link, ga) and _better(link, crba) else "not reproduced",
                f"mean absolute {link.absolute} in link frames, and {self[DENOC].absolute} for "
                f"DeNOC, which the paper does not have; in base coordinates the advantage is gone: "
                f"{base.absolute}",
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain values for JSON."""
        return {
            "study": self.name,
            "title": self.title,
            "printed": {name: asdict(column) for name, column in TABLE_5.items()},
            "rows": [asdict(row) for row in self.rows],
            "other_masses": [
                {"mass": m, "maximum": asdict(x)} for m, x in self.other_masses.items()
            ],
            "condition": {"min": float(self.condition.min()), "max": float(self.condition.max())},
            "findings": [finding.to_dict() for finding in self.findings()],
            "q2": self.angles.tolist(),
            "double": self.double.tolist(),
            "single": {label: qdd.tolist() for label, qdd in self.single.items()},
        }

    def draw(self, figure: Any) -> None:
        """Draw what [Mata2002] Fig. 2 shows."""
        shown = {label: self.single[label] for label in (LINK_ABA, BASE_ABA, CRBA, GA, DENOC)}
        _draw(figure, self.angles, self.double, shown, self.condition)


def run_ascher(progress: Progress | None = None) -> Ascher:
    """Run the study; takes about a second."""
    arm = load(ROBOT)
    q = _positions()
    exact = arm.forward_dynamics(q, 0 * q, 0 * q)
    rows: list[Row] = []
    single: dict[str, Array] = {}
    for done, variant in enumerate(VARIANTS, 1):
        double, found = (
            falling(variant.run, chain_of(arm.robot), q, p) for p in (np.float64, np.float32)
        )
        single[variant.label] = found[:STEPS]
        rows.append(_row(variant.label, variant.printed, double, found, exact))
        if progress:
            progress(done, len(VARIANTS), "study ascher")
    rows.append(_row(STORED, None, exact, _stored(arm, q), exact))
    condition = np.linalg.cond(arm.mass_matrix(q[:STEPS]))
    masses = {mass: _crba_with(arm, mass, q) for mass in OTHER_MASSES}
    return Ascher(tuple(rows), q[:STEPS, 1], exact[:STEPS], single, condition, masses)


def _positions() -> NDArray[np.float64]:
    """Return the angles of the paper, then the shifted ones: ``(SHIFTS * STEPS, 2)``."""
    step = 360.0 / STEPS
    shifts = np.linspace(0.0, step, SHIFTS, endpoint=False)
    angles = np.deg2rad(shifts[:, None] + step * np.arange(STEPS)).ravel()
    return np.stack([0 * angles, angles], axis=1)


def _crba_with(arm: Arm, mass: float, q: NDArray[np.float64]) -> Spread:
    """Return the largest differences of CRBA for another mass and inertia of link 2."""
    chain = chain_of(arm.robot)
    first, second = chain.links
    assert isinstance(second.m, float)
    I = scale_symmetric(mass / second.m, second.I)
    other = replace(chain, links=(first, replace(second, m=mass, I=I)))
    double, found = (
        falling(as_printed.composite_bodies, other, q, p) for p in (np.float64, np.float32)
    )
    return _row(CRBA, None, double, found, double).maximum


def _stored(arm: Arm, q: NDArray[np.float64]) -> Array:
    exact = arm.mass_matrix(q), arm.bias(q, 0 * q)
    M, bias = (x.astype(np.float32).astype(np.float64) for x in exact)
    return np.linalg.solve(M, -bias[..., None])[..., 0]


def _row(label: str, printed: str | None, double: Array, found: Array, exact: Array) -> Row:
    off = double - found
    parts = off[:, JOINT - 1].reshape(SHIFTS, STEPS)
    absolute = np.abs(parts)
    return Row(
        label,
        printed,
        _spread(absolute.max(axis=1)),
        _spread(absolute.mean(axis=1)),
        _spread(parts.mean(axis=1)),
        float(np.abs(off[:STEPS, 0]).max()),
        float(np.abs(double - exact).max()),
    )


def _spread(runs: Array) -> Spread:
    return Spread(float(runs[0]), float(runs.min()), float(runs.max()))


def _better(a: Row, b: Row) -> bool:
    return a.absolute.highest < b.absolute.lowest


def _times(a: Spread, b: Spread) -> str:
    return f"{a.value / b.value:.2g}"


def _signed(row: Row, printed: float) -> str:
    inside = row.signed.verdict(printed) == "reproduced"
    return (
        f"the signed mean is {row.signed}: the printed number would "
        f"{'be' if inside else 'not be'} within what chance gives"
    )


def _printed_first(row: Row) -> tuple[str]:
    return (f"{TABLE_5[row.printed].maximum:g}" if row.printed else "",)


def _printed_second(row: Row) -> tuple[str]:
    return (f"{TABLE_5[row.printed].average:g}" if row.printed else "",)
