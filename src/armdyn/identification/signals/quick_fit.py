"""A quick fit to windows of the logs, to see which band, delay and velocities a model explains.

The model has rotor inertias and all friction terms that do not depend on the load. The described
parameters are a weak prior: a ridge regression about them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.errors import InputError
from armdyn.identification.fit.columns import Column, Model, friction_column
from armdyn.identification.fit.gram import FOLDS, Gram, Mask, gram_of
from armdyn.identification.fit.rows import Rows, filtered_segments
from armdyn.identification.fit.solver import solution
from armdyn.identification.signals.decimation import decimation_filter
from armdyn.log.log import Log
from armdyn.log.rows import extremes, is_in_file, runs
from armdyn.log.signals import Prepared, prepare
from armdyn.log.trim import AT_REST
from armdyn.progress import silent
from armdyn.robot.friction import FRICTION_TERMS

# Kind of the columns of rotor inertias.
ROTOR = "rotor"

# Cut-off of the positions in multiples of the band of the rows: the low-pass leaves that band
# unchanged.
POSITIONS = 2.5


@dataclass(frozen=True)
class QuickFit:
    """How windows of the logs are taken and fitted.

    Attributes:
        logs: most logs that give windows; more do not change the band.
        samples: about the most samples of all windows: a fit of less than a second.
        seconds: length of a window of a long log [s], several periods of a slow motion.
        shortest: least length of a window [samples].
        longest: greatest length of a window [samples].
        stribeck: Stribeck velocity as a share of the greatest speed; the fit is quick because
            nothing is nonlinear.
        prior: weight of the described parameters, as a share of the data.
        rounds: of alternating between parameters and noise; four settle the noise to a per cent.
        least_noise: as a share of the rms torque; keeps weights of noiseless logs finite.
    """

    logs: int = 16
    samples: int = 1 << 16
    seconds: float = 16.0
    shortest: int = 1 << 12
    longest: int = 1 << 15
    stribeck: float = 0.05
    prior: float = 1e-2
    rounds: int = 4
    least_noise: float = 1e-6


QUICK = QuickFit()


class Fit(NamedTuple):
    """Values of the columns ``(p,)``, and the noise of every joint ``(n,)``, infinite at rest."""

    values: Array
    noise: Array


@dataclass(frozen=True, eq=False)
class Windows:
    """Windows of the logs, and the arm that moves in them.

    Attributes:
        arm: the arm.
        parts: the windows.
        highest: the highest cut-off that the logs allow [Hz].
        coupling: of the drives.
        extra: columns that the user supplies.
    """

    arm: Arm
    parts: Sequence[Log]
    highest: float
    coupling: Array | None
    extra: Sequence[Column]

    def prepared(
        self, cutoff: float, delay: float = 0.0, velocity: str = "differentiated"
    ) -> list[Prepared]:
        """Return the windows low-passed at a cut-off [Hz], without those that are too short."""
        long_enough: list[Prepared] = []
        for part in self.parts:
            try:
                long_enough.append(prepare(part, cutoff=cutoff, delay=delay, velocity=velocity))
            except InputError:
                continue
        return long_enough

    def model(self, prepared: Sequence[Prepared]) -> tuple[Model, Array]:
        """Return the model, and the greatest speeds of the drives ``(n,)``."""
        n = self.arm.n
        to_drives = np.eye(n) if self.coupling is None else np.linalg.inv(self.coupling)
        top = np.max(np.abs(extremes([one.qd @ to_drives for one in prepared])), axis=0)
        top = np.maximum(top, 1e-9)
        rotors = [Column(f"Jm{j + 1}", "", ROTOR, j, _acceleration(j)) for j in range(n)]
        friction = [
            friction_column(self.arm, j, kind, (QUICK.stribeck * float(top[j]),) * len(term.shape))
            for j in range(n)
            for kind, term in FRICTION_TERMS.items()
            if not term.load
        ]
        own = [*rotors, *friction, *self.extra]
        minimal, still = self.arm.minimal, np.zeros(n)
        return Model(self.arm, minimal, own, known_rotors=still, coupling=self.coupling), top

    def fit(self, prepared: Sequence[Prepared], width: float) -> tuple[Model, Fit]:
        """Return a fit of prepared windows in a band [Hz]."""
        model, top = self.model(prepared)
        return model, quick_fit(
            model, merged([quick_gram(*quick_rows(model, prepared, width, top))])
        )


def windows_of(logs: Sequence[Log]) -> list[Log]:
    """Return evenly spread windows of logs; short logs whole."""
    chosen = logs[:: -(-len(logs) // QUICK.logs)]
    total = sum(len(log) for log in chosen)
    made: list[Log] = []
    for log in chosen:
        length = int(np.clip(QUICK.seconds * log.rate, QUICK.shortest, QUICK.longest))
        most = max(QUICK.samples * len(log) // (total * length), 1)
        made += [_in_memory(log, a, b) for a, b in runs(len(log), most, length)]
    return made


def _in_memory(log: Log, a: int, b: int) -> Log:
    if not is_in_file(log.q):
        return log.part(a, b)
    assert log.tau is not None
    qd = None if log.qd is None else log.qd[a:b]
    return Log(log.t[a:b], log.q[a:b], qd, tau=log.tau[a:b], joint_names=log.joint_names)


def _acceleration(j: int) -> Callable[[Array, Array, Array], Array]:
    return lambda q, qd, qdd: qdd[:, j]


def quick_rows(
    model: Model, prepared: Sequence[Prepared], width: float, top: Array
) -> tuple[Rows, list[Mask]]:
    """Return the rows of windows, and in which of them each joint moves.

    Args:
        model: the columns.
        prepared: windows.
        width: band of the rows [Hz].
        top: greatest speeds ``(n,)``.
    """
    bands = [decimation_filter(one.rate, width) for one in prepared]
    rows = Rows(model, filtered_segments(prepared, bands, model))
    speeds = [part.at_centres(model.of_drives(part.qd)) for part in rows.parts]
    return rows, [np.abs(speed) > AT_REST * top for speed in speeds]


def quick_gram(rows: Rows, moving: Sequence[Mask]) -> Gram:
    """Return the Gram matrices of the moving rows, by folds."""
    torques = [part.filtered(part.tau) for part in rows.parts]
    return gram_of(rows, torques, moving, silent, blocks=FOLDS)


def merged(grams: Sequence[Gram]) -> Gram:
    """Return the sum of all blocks of some Gram matrices, as one block."""
    blocks = [
        np.concatenate(of_joint) for of_joint in zip(*(g.products for g in grams), strict=True)
    ]
    counts = np.concatenate([g.counts for g in grams])
    products = tuple(block.sum(axis=0, keepdims=True) for block in blocks)
    return replace(grams[0], products=products, counts=counts.sum(axis=0, keepdims=True))


def quick_fit(model: Model, gram: Gram) -> Fit:
    """Fit all columns, with joints weighted by their noise."""
    count = gram.counts[0]
    size = np.sqrt(_mean_squares(gram, np.zeros(gram.p)))
    floor = QUICK.least_noise * np.where(size > 0.0, size, float(size.max()) or 1.0)
    noise, values = np.where(count > 0, np.maximum(size, floor), np.inf), np.zeros(gram.p)
    for _ in range(QUICK.rounds):
        values = ridge(model, gram, noise)
        residual = np.sqrt(_mean_squares(gram, values))
        noise = np.where(count > 0, np.maximum(residual, floor), np.inf)
    return Fit(values, noise)


def _mean_squares(gram: Gram, values: Array) -> Array:
    """Return the mean squared residual of every joint ``(n,)``."""
    return gram.misfits(values)[0] / np.maximum(gram.counts[0], 1.0)


def ridge(model: Model, gram: Gram, noise: Array) -> Array:
    """Return values ``(p,)`` near the described ones, with joints weighted by noise."""
    (G,) = gram.weighted(noise)
    return solution(G, *quick_prior(model, G))[0]


def quick_prior(model: Model, G: Array) -> tuple[Array, Array]:
    """Return precision ``(p, p)`` and mean ``(p,)`` of the prior beside normal equations."""
    diagonal = np.diag(G)
    described = np.zeros(len(diagonal))
    described[: model.k] = model.base.values
    described[model.indices(ROTOR)] = [joint.rotor_inertia for joint in model.arm.robot.joints]
    return np.diag(np.where(diagonal > 0.0, QUICK.prior * diagonal, 1.0)), described
