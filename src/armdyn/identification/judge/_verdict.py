"""Whether an identification is reliable, and if not, why not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from armdyn.identification.judge._excitation import Excitation
from armdyn.identification.judge._holdout import Errors
from armdyn.log import Log, extremes

# Largest expected error of torques on other motions, and largest error on data held out.
EXPECTED_ERROR = 0.15
TORQUE_ERROR = 0.25

# A joint with a smaller range [rad or m] is at rest. A torque that varies less, relative to its
# size, is constant.
RESTING = 1e-3
CONSTANT = 1e-9


def faults(
    names: Sequence[str],
    logs: Sequence[Log],
    counts: Sequence[int],
    excitation: Excitation,
    errors: Errors | None,
) -> tuple[str, ...]:
    """Return the reasons against relying on the result, a sentence each."""
    reasons = [*still_joints(names, logs), *constant_torques(names, logs)]
    for name, count in zip(names, counts, strict=True):
        if not count:
            reasons.append(
                f"{name} has no samples above the dead band of velocity; move it faster."
            )
    if excitation.expected_error > EXPECTED_ERROR:
        worst = names[int(np.argmax(excitation.per_joint))]
        reasons.append(
            "the motion is under-exciting: on other motions within its ranges torques are expected "
            f"to be wrong by {excitation.expected_error:.0%} (at most {EXPECTED_ERROR:.0%}), of "
            f"{worst} most. Move all joints through more of their ranges, faster and not "
            "together; `armdyn excite` makes such a motion. Or use several logs."
        )
    if errors is not None and not errors.total <= TORQUE_ERROR:
        reasons.append(
            f"on data not used for the fit torques are wrong by {errors.total:.0%} "
            f"(at most {TORQUE_ERROR:.0%})."
        )
    return tuple(reasons)


def still_joints(names: Sequence[str], logs: Sequence[Log]) -> list[str]:
    """Return a sentence for every joint that never moves."""
    low, high = extremes([log.q for log in logs])
    return [
        f"{name} never moves (its range is {width:.2g}): its friction, and what only its motion "
        "shows, cannot be known."
        for name, width in zip(names, (high - low).tolist(), strict=True)
        if width < RESTING
    ]


def constant_torques(names: Sequence[str], logs: Sequence[Log]) -> list[str]:
    """Return a sentence for every joint whose torque never changes."""
    low, high = extremes([log.tau for log in logs if log.tau is not None])
    size = np.maximum(-low, high)
    return [
        f"the torque of {name} is constant ({float(low[j]):.3g}): it was not measured, or the "
        "column is the wrong one."
        for j, name in enumerate(names)
        if high[j] - low[j] <= CONSTANT * max(float(size[j]), 1.0)
    ]
