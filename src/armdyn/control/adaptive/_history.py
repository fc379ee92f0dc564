"""`History`: what an adaptive controller measured and learnt, sample by sample."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """The samples of an adaptive controller in a run.

    Attributes:
        t: times ``(K,)`` [s].
        error: desired less measured positions ``(K, n)``, or ``(K, B, n)`` for a batch.
        values: minimal parameters ``(K, k)``, or ``(K, B, k)``, by `names`.
        parameters: those of links and drives ``(K, N)``, or ``(K, B, N)``, by `parameter_names`,
            if they are kept physically possible; else None.
        names: of the minimal parameters.
        parameter_names: of the parameters of links and drives.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> control = armdyn.AdaptiveControl(10.0, 5.0, [0.5, -0.2], model=arm)
        >>> run = armdyn.simulate(arm, until=0.1, torque=control, integrator="rk4", step=1e-3)
        >>> control.history
        <History: 100 samples of 6 parameters>
        >>> control.history.error[0]
        array([ 0.5, -0.2])
    """

    t: Array
    error: Array
    values: Array
    parameters: Array | None
    names: tuple[str, ...]
    parameter_names: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<History: {len(self.t)} samples of {len(self.names)} parameters>"
