"""`identify`: from logs of a moving arm to its parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence

from numpy.typing import ArrayLike

from armdyn._progress import Progress, reporter
from armdyn.arm import Arm
from armdyn.errors import InputError, shown
from armdyn.identification._arguments import (
    checked_coupling,
    checked_factor,
    checked_logs,
    flag,
    per_joint,
)
from armdyn.identification._pipeline import Options, run
from armdyn.identification._result import Result
from armdyn.identification.fit._columns import Extra, Function, extra_columns
from armdyn.identification.judge._holdout import split
from armdyn.log import Log

Data = Log | str | os.PathLike[str]


def identify(
    arm: Arm,
    logs: Data | Sequence[Data],
    *,
    friction: bool = True,
    rotor: bool = False,
    physical: bool = True,
    holdout: float = 0.3,
    test: Data | Sequence[Data] | None = None,
    cutoff: float | None = None,
    decimate: int | None = None,
    dead_band: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    prior: float | None = None,
    robust: bool = True,
    stribeck: bool = False,
    extra: Sequence[Extra | tuple[str, int | str, Function]] = (),
    coupling: ArrayLike | None = None,
    progress: Progress | None = None,
) -> Result:
    """Identify the dynamic parameters of an arm from logs of its motion.

    Args:
        arm: its geometry, and masses as far as they are known: they count where the data say
            nothing.
        logs: one log or several, of torques on the joint side: logs, or paths of files that
            `Log.read` understands by itself. Files of more than 256 MB are read as `Log.stream`
            does, and memory then holds blocks of samples and the filtered rows, not the log.
        friction: fit viscous, Coulomb and constant friction; else the arm's own counts as known.
        rotor: fit rotor inertias where they can be told apart; else the arm's own count as known.
        physical: look for links that are bodies which can exist.
        holdout: share at the end of every log that is not used for the fit, but to test it.
        test: whole logs to test the fit with, in place of `holdout`.
        cutoff: of the low-pass of positions [Hz]; chosen from their spectrum if left out.
        decimate: samples of a log that are filtered into one row; by the band of the motion if
            left out.
        dead_band: rows of a joint below this speed are left out, for all joints or one each; a
            tenth of the joint's rms speed, at most 0.05, if left out.
        weights: standard deviations of the torques, for all joints or one each; found from the
            residuals if left out.
        prior: weight of the arm's described masses: 1 trusts them to a half, 5 to a tenth; found
            from the data if left out.
        robust: pull in outliers of the torques.
        stribeck: fit Stribeck friction where it shows, its speed from a grid.
        extra: columns (name, joint, function of q, qd, qdd) that a torque has beside all this.
        coupling: K, ``(n, n)``, if measured torques are K times joint torques.
        progress: called with (done, total, what) during each step.

    Raises:
        InputError: an argument is wrong, or the logs are too short or not of this arm.
    """
    if not isinstance(arm, Arm):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"`arm` is {shown(arm)}, expected an armdyn.Arm.")
    train_logs = checked_logs(arm, logs, "logs", long=True)
    test_logs = [] if test is None else checked_logs(arm, test, "test", long=True)
    options = Options(
        friction=flag("friction", friction),
        rotor=flag("rotor", rotor),
        physical=flag("physical", physical),
        robust=flag("robust", robust),
        stribeck=flag("stribeck", stribeck),
        cutoff=cutoff,
        decimate=checked_factor(decimate),
        dead_band=None if dead_band is None else per_joint(arm, "dead_band", dead_band, 0.0),
        weights=None if weights is None else per_joint(arm, "weights", weights, 1e-12),
        prior=None if prior is None else float(per_joint(arm, "prior", prior, 1e-9)[0]),
        extra=tuple(extra_columns(arm, extra)),
        coupling=checked_coupling(arm, coupling),
    )
    if test is None:
        train_logs, test_logs = split(train_logs, holdout)
    return run(arm, train_logs, test_logs, options, reporter(progress))
