"""Results in words and tables, as `summary`, the command line and reports show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from armdyn.identification.judge.advice import next_command
from armdyn.present.tables import Grid, card, number, percent
from armdyn.robot.joint import Joint

if TYPE_CHECKING:
    from armdyn.findings import Finding
    from armdyn.identification.payload.payload import DriveGains, Payload
    from armdyn.identification.result import Result

# Verdicts in the words of reports.
HEADS = {
    "passed": "passed",
    "usable": "usable, with reservations",
    "not passed": "failed validation",
}


class Units(NamedTuple):
    """Units of a joint."""

    position: str
    speed: str
    acceleration: str
    torque: str


def units_of(joint: Joint) -> Units:
    """Return the units of a revolute or prismatic joint."""
    x, torque = ("rad", "N m") if joint.is_revolute else ("m", "N")
    return Units(x, f"{x}/s", f"{x}/s²", torque)


def tested_on(result: Result) -> str:
    """Return which data the result is judged on."""
    return "data not used for the fit" if result.held_out else "the data of the fit"


def torque_errors(result: Result) -> Grid:
    """Return the errors of torques of every joint, and of all together."""
    columns = zip(
        result.arm.joint_names, result.errors.per_joint, result.train_errors.per_joint,
        result.expected_error, result.parameter_error, result.sigma, strict=True,
    )  # fmt: skip
    rows = [
        (name, *(percent(x) for x in errors), f"{sigma:.3g}") for name, *errors, sigma in columns
    ]
    total = (
        result.errors.total, result.train_errors.total, result.expected_total,
        result.excitation.expected_error,
    )  # fmt: skip
    rows.append(("all", *map(percent, total), ""))
    heads = ("joint", _error_head(result), "of the fit", "expected", "by parameters",
             "rms residual")  # fmt: skip
    title, last = f"Errors of torques, {result.arm.name}", frozenset({len(rows) - 1})
    return Grid(title, heads, 1, tuple(rows), breaks=last)


def _error_head(result: Result) -> str:
    return "error held out" if result.held_out else "error of the fit"


def facts_of(result: Result) -> dict[str, str]:
    """Return the most important numbers by their names."""
    weak, p = len(result.weak), len(result.values)
    seconds = sum(source.duration for source in result.about.sources if not source.held_out)
    return {
        _error_head(result): percent(result.errors.total),
        "error of the fit": percent(result.train_errors.total),
        "expected on other motions": percent(result.expected_total),
        "parameters known to 30 %": f"{p - weak} of {p}",
        "of data in the fit": f"{number(seconds, 3)} s",
    }


def result_card(result: Result) -> str:
    """Return a result as notebooks show it: the verdict, errors, and what limits them."""
    title = f"Identification of {result.arm.name}: {HEADS[result.verdict]}"
    notes = (*result.reasons, *result.reservations)
    return card(title, facts_of(result), torque_errors(result), notes)


def verdict_lines(result: Result, robot: str = "") -> list[str]:
    """Return the verdict as lines: what it is, why, what to do next; then all else.

    Args:
        result: of an identification.
        robot: the robot as the user called it, for the next command; its name if left out.
    """
    cause = result.cause
    head = next_steps(result, robot)
    lines = [headline(result), *(f"{label}: {words}" for label, words in head.items())]
    lines += [
        f"  - {words}"
        for words in (*result.reasons, *result.reservations)
        if cause is None or not words.startswith(cause.what)
    ]
    lines += [
        f"  - better explained: {finding.what}{_fall(finding)}; {finding.option}."
        for finding in result.findings
        if finding is not cause
    ]
    scales = zip(result.arm.joint_names, result.judgement.measures.gain_checked, strict=True)
    verified = [
        f"{name} +-{100.0 * x:.2g}%" if x < 1.0 else f"{name} not verifiable" for name, x in scales
    ]
    return [
        *lines,
        f"Torque scale verified to: {', '.join(verified)}.",
        gravity_line(result),
        "Validated for motions within" if result.usable else "Tested on motions within",
        *(f"  {line}" for line in result.box.words(result.arm.robot.joints)),
    ]


def headline(result: Result) -> str:
    """Return the verdict and the error behind it in a line."""
    error = f"torque error {result.errors.total:.2%} on {tested_on(result)}"
    applied = not result.passed and result.cause is not None and result.cause.applied
    corrected = ", after a correction of the log that has to be confirmed" if applied else ""
    return f"{HEADS[result.verdict]}: {error}{corrected}."


def next_steps(result: Result, robot: str = "") -> dict[str, str]:
    """Return the cause, if there is one, and the next command, if there is something to mend."""
    steps: dict[str, str] = {}
    if result.cause is not None:
        label = "note" if result.passed else "most likely cause"
        steps[label] = f"{result.cause.what}{_fall(result.cause)}"
    return steps | ({"next": next_command(result, robot)} if steps or not result.passed else {})


def gravity_line(result: Result) -> str:
    """Return the verdict on gravity alone in a line."""
    deviation = percent(result.gravity_error.max())
    return f"Gravity alone: {HEADS[result.gravity_verdict]}, standard deviation {deviation}."


def _fall(finding: Finding) -> str:
    """Return how far a remedy lowers the error, in parentheses."""
    before, after = finding.error_before, finding.error_after
    return "" if before == after else f" (error {before:.1%} -> {after:.1%})"


def load_values(payload: Payload) -> Grid:
    """Return mass, centre of mass and inertia of a load."""
    load = payload.load
    rows = [("mass", "kg", f"{load.mass:.5g}", f"{payload.mass_std:.2g}")]
    for axis, x, std in zip("xyz", load.com, payload.com_std.tolist(), strict=True):
        rows.append((f"centre {axis}", "m", f"{x:.5g}", f"{std:.2g}"))
    for name, x in zip(("xx", "xy", "xz", "yy", "yz", "zz"), load.inertia, strict=True):
        rows.append((f"inertia {name}", "kg m^2", f"{x:.5g}", ""))
    title = f"Load at the tip of {payload.arm.name}"
    return Grid(title, ("", "unit", "value", "std"), 2, tuple(rows))


def gain_values(gains: DriveGains) -> Grid:
    """Return the gain of every drive."""
    columns = zip(gains.joint_names, gains.gains, gains.std, gains.known, strict=True)
    rows = tuple(
        (name, f"{gain:.5g}", f"{std:.2g}", "yes" if known else "no")
        for name, gain, std, known in columns
    )
    title = "Torque per ampere [N m/A or N/A]"
    return Grid(title, ("joint", "gain", "std", "known"), 1, rows, words_after=1)
