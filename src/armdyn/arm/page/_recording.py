"""A recorded motion for the page: samples, and torques that the model predicts for them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.present import packed_column

Array = NDArray[np.float64]

# More samples are thinned out: they would fill the page and no screen.
MOST_SAMPLES = 40_000


@dataclass(frozen=True, eq=False)
class Recording:
    """A motion to be shown.

    Attributes:
        t: times ``(N,)`` [s].
        q: positions ``(N, n)``.
        qd: velocities ``(N, n)``.
        tau: torques of the drives ``(N, n)``, or None.
        predicted: torques of the model ``(N, n)``, or None.
        spans: times (from, to) between which the model's torques are known.
        about: what it is, for the head of the page.
        notes: what a reader of the page should know, a sentence each.
        marks: whether joints have the colour of their residual torque, measured less predicted.
    """

    t: Array
    q: Array
    qd: Array
    tau: Array | None = None
    predicted: Array | None = None
    spans: tuple[tuple[float, float], ...] = ()
    about: str = ""
    notes: tuple[str, ...] = field(default=())
    marks: bool = False

    def thinned(self, most: int = MOST_SAMPLES) -> Recording:
        """Return the recording with about `most` samples or fewer, the last one among them."""
        stride = -(-len(self.t) // most)
        if stride == 1:
            return self
        kept = np.union1d(np.arange(0, len(self.t), stride), len(self.t) - 1)
        note = f"The page has one sample of {stride} of this recording."
        return Recording(
            self.t[kept], self.q[kept], self.qd[kept],
            None if self.tau is None else self.tau[kept],
            None if self.predicted is None else self.predicted[kept],
            self.spans, self.about, (*self.notes, note), self.marks,
        )  # fmt: skip

    def data(self) -> dict[str, Any]:
        """Return the numbers as plain data for the page."""
        return {
            "t": packed_column(np.asarray(self.t, dtype=float)),
            "q": _columns(self.q),
            "qd": _columns(self.qd),
            "tau": None if self.tau is None else _columns(self.tau),
            "predicted": None if self.predicted is None else _columns(self.predicted),
            "spans": [list(span) for span in self.spans],
            "marks": self.marks,
        }


def _columns(values: Array) -> list[list[object]]:
    return [packed_column(np.ascontiguousarray(values[:, k])) for k in range(values.shape[1])]
