"""Results as tables, which `summary` and the command line show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from armdyn.identification.judge.advice import next_command
from armdyn.present.tables import Grid, card, percent

if TYPE_CHECKING:
    from armdyn.identification.judge.judgement import Finding
    from armdyn.identification.payload.payload import DriveGains, Payload
    from armdyn.identification.result import Result


def torque_errors(result: Result) -> Grid:
    """Return the errors of torques of every joint, and of all together."""
    held = "held out" if result.held_out else "of the fit"
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
    heads = (f"error {held}", "of the fit", "expected", "by parameters", "rms residual")
    return Grid(
        f"Errors of torques, {result.arm.name}",
        ("joint", *heads),
        1,
        tuple(rows),
        breaks=frozenset({len(rows) - 1}),
    )


def result_card(result: Result) -> str:
    """Return a result as notebooks show it: the verdict, errors, and what limits them."""
    where = "held out" if result.held_out else "of the fit"
    facts = {
        f"error {where}": percent(result.errors.total),
        "expected on other motions": percent(result.expected_total),
        "parameters": str(len(result.values)),
    }
    title = f"Identification of {result.arm.name}: {result.verdict}"
    return card(title, facts, torque_errors(result), (*result.reasons, *result.reservations))


def verdict_lines(result: Result, robot: str = "") -> list[str]:
    """Return the verdict as lines: what it is, why, what to do next; then all else.

    Args:
        result: of an identification.
        robot: the robot as the user called it, for the next command; its name if left out.
    """
    lines = [headline(result)]
    cause = result.cause
    if cause is not None:
        lines.append(f"most likely cause: {cause.what}{_fall(cause)}")
    if cause is not None or not result.passed:
        lines.append(f"next: {next_command(result, robot)}")
    lines += [f"  - {words}" for words in (*result.reasons, *result.reservations)]
    lines += [
        f"  - better explained: {finding.what}{_fall(finding)}; {finding.option}."
        for finding in result.findings
        if finding is not cause
    ]
    checked = zip(result.arm.joint_names, result.judgement.measures.gain_checked, strict=True)
    lines.append(
        f"Torque scale verified to: {', '.join(f'{name} {_within(x)}' for name, x in checked)}."
    )
    lines.append(
        f"Gravity: {HEADS[result.gravity_verdict]}, known to +-"
        f"{percent(float(result.gravity_error.max()))} (one standard deviation)."
    )
    lines.append("Validated for motions within" if result.usable else "Tested on motions within")
    return [*lines, *(f"  {line}" for line in result.box.words(result.arm.robot.joints))]


HEADS = {
    "passed": "passed",
    "usable": "usable, with reservations",
    "not passed": "failed validation",
}
"""Verdicts in the words of reports."""


def headline(result: Result) -> str:
    """Return the verdict and the error behind it in a line."""
    where = "data not used for the fit" if result.held_out else "the data of the fit"
    return f"{HEADS[result.verdict]}: torque error {result.errors.total:.2%} on {where}."


def _fall(finding: Finding) -> str:
    """Return how far a remedy lowers the error, in parentheses."""
    before, after = finding.error_before, finding.error_after
    return "" if before == after else f" (error {before:.1%} -> {after:.1%})"


def _within(x: float) -> str:
    return f"+-{100.0 * x:.2g}%" if x < 1.0 else "not at all"


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


def gain_values(found: DriveGains) -> Grid:
    """Return the gain of every drive."""
    columns = zip(found.joint_names, found.gains, found.std, found.known, strict=True)
    rows = tuple(
        (name, f"{gain:.5g}", f"{std:.2g}", "yes" if known else "no")
        for name, gain, std, known in columns
    )
    title = "Torque per ampere [N m/A or N/A]"
    return Grid(title, ("joint", "gain", "std", "known"), 1, rows, words_after=1)
