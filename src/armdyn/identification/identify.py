"""`identify`: from logs of a moving arm to its parameters."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, TypeVar, cast

from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.blas import one_blas_thread
from armdyn.checks import checked_flag, checked_number, checked_per_joint, checked_whole
from armdyn.cluster import checked_client
from armdyn.errors import InputError
from armdyn.identification import arguments
from armdyn.identification.extra import Extra, Function, extra_columns
from armdyn.identification.judge.holdout import split
from armdyn.identification.pipeline import Options, run
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.log.rows import shared_scratch
from armdyn.log.trim import flipped, trimmed
from armdyn.motion.trajectory import checked_arm
from armdyn.progress import Progress, reporter
from armdyn.servo.logs import by_command
from armdyn.servo.result import ServoResult
from armdyn.servo.weigh import weigh

T = TypeVar("T")
Data = Log | str | os.PathLike[str]

# The smallest standard deviation of a torque [N m or N], and the smallest weight of a description.
# Both are divisors.
LEAST_DEVIATION = 1e-12
LEAST_PRIOR = 1e-9

# A larger number of samples per row is a mistake.
MOST_DECIMATED = 1_000_000_000


@shared_scratch()
def identify(
    arm: Arm,
    logs: Data | Sequence[Data],
    *,
    friction: bool | str | Sequence[str] = "auto",
    rotor: bool | str = "auto",
    physical: bool = True,
    holdout: float = 0.3,
    test: Data | Sequence[Data] | None = None,
    cutoff: float | None = None,
    decimate: int | None = None,
    dead_band: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    prior: float | None = None,
    robust: bool = True,
    extra: Sequence[Extra | tuple[str, Any, Function]] = (),
    coupling: ArrayLike | None = None,
    trim: float | tuple[float, float] | None = None,
    delay: float | str = "auto",
    tilt: bool | str = "auto",
    flip: Sequence[int | str] = (),
    gain: ArrayLike | None = None,
    torque_unit: str | None = None,
    ignore_torque: Sequence[int | str] = (),
    signal: str = "auto",
    kp: ArrayLike | None = None,
    servo: str | None = None,
    hung: Data | Sequence[Data] | None = None,
    hung_mass: float | None = None,
    hung_at: ArrayLike | None = None,
    order: Sequence[int | str] | None = None,
    progress: Progress | None = None,
    client: Any = None,
) -> Result | ServoResult:
    """Identify the dynamic parameters of an arm from logs of its motion.

    Args:
        arm: the geometry, and a first guess of the masses, which fills in what the data do not
            show.
        logs: one log or several with joint torques: logs, or paths of files that `Log.read`
            understands without options, patterns such as "runs/*.parquet", or folders. Their order
            does not matter, and logs that continue each other without a gap are joined. Files of
            more than 256 MB together are read block by block, like `Log.stream`, so they need not
            fit into memory.
        friction: "auto" fits viscous, Coulomb and constant friction of every joint, and further
            terms where the data show them clearly. True fits these three only, a list such as
            ``["viscous", "coulomb", "load"]`` its terms, False takes friction from the arm.
        rotor: "auto" fits the rotor inertias that the data show clearly, True all that are
            identifiable, False takes them from the arm.
        physical: constrain link inertias to be physically consistent.
        holdout: share at the end of every log that is not used for the fit, but to test it.
        test: whole logs to test the fit with, in place of `holdout`.
        cutoff: of the low-pass of positions [Hz]; if left out, four times the frequency up to
            which a model explains the torques.
        decimate: samples of a log that are filtered into one row; chosen from the band of the
            motion if left out.
        dead_band: rows of a joint below this speed are left out, for all joints or one each; 4 %
            of the joint's highest speed if left out.
        weights: standard deviations of the torques, for all joints or one each; found from the
            residuals if left out.
        prior: weight of the described masses: 1 trusts them to 50 %, 5 to 10 %; found
            from the data if left out.
        robust: down-weight torque outliers (Huber).
        extra: additional torque columns: (name, joint, function of q, qd, qdd); see `Extra`.
        coupling: K, ``(n, n)``, if measured torques are K times joint torques. Friction and rotors
            are then those of the drives, which turn with the speeds K^-T qd.
        trim: seconds to cut off at the start and at the end of every log; if left out, rest at both
            ends. 0 leaves logs whole.
        delay: seconds by which torques lag behind positions in the logs; "auto" finds it.
        tilt: "auto" turns gravity, by at most 15 degrees, if the data show clearly that the mount
            is tilted; False takes gravity from the arm.
        flip: joints, by numbers from 1 or names, whose torques have the opposite sign in the logs.
        gain: torque [N m or N] per unit of the logged torque or current, for all joints or one
            each, signs included; logs of currents need it.
        torque_unit: of the logged torques, in place of `gain`: a force and a length, such as
            "N cm", "kgf cm", "ozf in" or "lbf ft"; N m if left out, and another power of ten is
            found from the described masses.
        ignore_torque: joints, by numbers from 1 or names, whose torques are not used: their links
            are identified from the other joints, as far as these show them.
        signal: what torques are inferred from: "torque", "current", or "command": the errors of
            position servos, `q_cmd` - q. "auto" takes commands if the logs have no torques and no
            currents, but commands. With commands, the result is a
            `ServoResult`, and all options above but `flip`, which turns positions and commands
            then, are refused.
        kp: stiffness of position servos [N m/rad], for all joints or one each; this and all below
            but `progress` and `client` need commands.
        servo: type of the servos, such as "sts3215".
        hung: logs with a known mass on the arm; they fix the scale of servo errors.
        hung_mass: this mass [kg].
        hung_at: where it hangs, ``(3,)`` in the tip frame [m]; its origin if left out.
        order: the columns of the log, by numbers from 1 or names of joints, in the order of the
            arm: for each joint, the column that holds it.
        progress: called with (done, total, what) during each step.
        client: a `distributed.Client`, whose workers read the files, which they must find under
            the same paths, filter them, make the rows of the regression and reduce them to Gram
            matrices. Samples of more than 256 MB of files are in scratch files in the client's
            `TMPDIR`, which workers must find, too. The result has the same bits as without it.

    Returns:
        A `Result`; with `signal="command"`, a `ServoResult`.

    Raises:
        InputError: an argument is wrong or of the other signal, or the logs are too short or not
            of this arm.

    Examples:
        >>> arm = armdyn.load("planar2")
        >>> result = armdyn.identify(arm, "run.csv", friction=False)
        >>> result
        <Result: 'planar2', passed: torque error 0.08% on data not used for the fit.>
        >>> result.names
        ('U1_33', 'k1_x', 'k1_y', 'U2_33', 'k2_x', 'k2_y', 'Jm2')
        >>> result.values.round(2)
        array([1.33, 1.5 , 0.  , 0.33, 0.5 , 0.  , 0.  ])
    """
    values = locals()
    arm = checked_arm(arm, "Identified models")
    report = reporter(progress)
    cluster = checked_client(client)
    opened = list(arguments.opened_logs(arm, logs, "logs", True, cluster))
    if by_command(opened, values, signature(identify)):
        weighted = () if hung is None else arguments.opened_logs(arm, hung, "hung", False, cluster)
        return weigh(
            arm, cast("list[Log]", opened), kp=kp, servo=servo, hung_mass=hung_mass,
            hung=cast(Any, list(weighted)) or None, hung_at=hung_at,
            flip=arguments.checked_joints(flip, "flip", arm),
            order=_unless_none(arguments.checked_joints, order, "order", arm), progress=progress,
        )  # fmt: skip
    gains = arguments.checked_gain(gain, torque_unit, arm)
    reading: dict[str, Any] = {
        "long": True, "cluster": cluster, "gain": gains, "currents": torque_unit is None,
    }  # fmt: skip
    train_logs = arguments.checked_logs(arm, opened, "logs", **reading)
    test_logs = [] if test is None else arguments.checked_logs(arm, test, "test", **reading)
    options = Options(
        friction=arguments.checked_friction(friction),
        rotor=arguments.checked_rotor(rotor),
        physical=checked_flag(physical, "physical"),
        robust=checked_flag(robust, "robust"),
        cutoff=arguments.checked_cutoff(cutoff),
        decimate=_unless_none(checked_whole, decimate, "decimate", 1, MOST_DECIMATED),
        dead_band=_unless_none(checked_per_joint, dead_band, "dead_band", arm.n, least=0.0),
        weights=_unless_none(checked_per_joint, weights, "weights", arm.n, least=LEAST_DEVIATION),
        prior=_unless_none(checked_number, prior, "prior", least=LEAST_PRIOR),
        extra=extra_columns(arm, extra),
        coupling=_unless_none(arguments.checked_coupling, coupling, arm.n),
        trim=arguments.checked_trim(trim),
        delay=arguments.checked_delay(delay),
        tilt=arguments.checked_tilt(tilt),
        flip=arguments.checked_joints(flip, "flip", arm),
        gain=gains,
        ignored=arguments.checked_joints(ignore_torque, "ignore_torque", arm),
    )
    if len(options.ignored) == arm.n:
        raise InputError(
            "`ignore_torque` has all joints; nothing is left to identify from.",
            argument="ignore_torque",
        )
    share = checked_number(holdout, "holdout", least=0.0, below=1.0)
    train_logs, test_logs = (
        [trimmed(flipped(log, options.flip), options.trim) for log in given]
        for given in (train_logs, test_logs)
    )
    if test is None:
        train_logs, test_logs = split(train_logs, share)
    with one_blas_thread():
        return run(arm, train_logs, test_logs, options, report, cluster)


def identify_by_torques(arm: Arm, logs: Data | Sequence[Data], **options: Any) -> Result:
    """Identify an arm as `identify` does, from torques or currents only.

    Raises:
        InputError: like `identify`; or the logs are to be weighed by commands.
    """
    how: dict[str, Any] = {"signal": "torque", **options}
    result = identify(arm, logs, **how)
    if isinstance(result, ServoResult):
        raise InputError(
            '`signal` is "command", but this needs torques or currents.', argument="signal"
        )
    return result


def _unless_none(check: Callable[..., T], value: object, *given: Any, **limits: float) -> T | None:
    """Return a checked argument; None leaves it to the data."""
    return None if value is None else check(value, *given, **limits)
