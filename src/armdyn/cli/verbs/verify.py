"""`armdyn verify`: all methods against each other and Pinocchio, or single precision."""

from __future__ import annotations

from dataclasses import asdict

import typer

from armdyn.arm.verify import Check, Precision, Verification, single_precision
from armdyn.arm.verify import verify as verify_arm
from armdyn.cli.console import JsonOption, complain, print_json, progress_bar, show
from armdyn.cli.option_names import flag, option
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.present.tables import Grid, Toned

NOT_COMPARED = 'Pinocchio was not compared: it is not installed (pip install "armdyn[verify]").'


def verify(
    robot: RobotOptions,
    n_states: int | None = option(
        "Number of random states.", name="--states", shown="20; 1000 with --float"
    ),
    single: bool = flag("--float", "Measure the error of single precision (float32) instead."),
    seed: int = option("Seed of the random states.", default=0),
    as_json: JsonOption = False,
) -> None:
    """Cross-check all methods at random states; exit status 1 if one disagrees."""
    arm, _ = open_arm(robot)
    if single:
        with progress_bar(as_json=as_json) as progress:
            found = single_precision(arm, 1000 if n_states is None else n_states, seed, progress)
        if as_json:
            print_json(asdict(found))
        else:
            show(_losses(found))
        return
    with progress_bar(as_json=as_json) as progress:
        verification = verify_arm(arm, 20 if n_states is None else n_states, seed, progress)
    if as_json:
        checks = [_plain(check) for check in verification.checks]
        print_json({**asdict(verification), "passed": verification.passed, "checks": checks})
    else:
        show(_grid(verification))
    if verification.pinocchio is None:
        complain(NOT_COMPARED)
    if verification.passed:
        complain(f"all {len(verification.checks)} methods agree.")
    else:
        complain(f"disagreement: {', '.join(verification.offenders)}.")
        raise typer.Exit(1)


def _losses(found: Precision) -> Grid:
    rows = tuple(
        (
            loss.quantity, loss.method, f"{loss.largest_entry:.3g}",
            f"{loss.largest_difference:.1e}", f"{loss.largest:.1e}", f"{loss.rms:.1e}",
        )
        for loss in found.losses
    )  # fmt: skip
    return Grid(
        f"What float32 loses, {found.robot}, {found.n_states} random states (seed {found.seed}); "
        "relative to the largest entry of the result at a state. The mass matrix has a condition "
        f"number of {found.condition:.0f} (median); forward dynamics loses more as it grows",
        ("quantity", "method", "largest entry [SI]", "largest error [SI]", "largest, relative",
         "rms, relative"),
        2,
        rows,
    )  # fmt: skip


def _plain(check: Check) -> dict[str, object]:
    """Return a check as plain data for JSON; there, quantities are called "kind"."""
    told = asdict(check)
    return {"kind": told.pop("quantity"), **told, "passed": check.passed}


def _grid(verification: Verification) -> Grid:
    second = verification.pinocchio
    rows: list[tuple[str, ...]] = []
    breaks: set[int] = set()
    previous = ""
    for k, c in enumerate(verification.checks):
        if previous and c.quantity != previous:
            breaks.add(k)
        error = "" if c.pinocchio_error is None else f"{c.pinocchio_error:.1e}"
        other = (error,) if second else ()
        verdict = "agrees" if c.passed else Toned("DISAGREES", "bad")
        rows.append(
            (
                c.quantity if c.quantity != previous else "", c.method, c.against, f"{c.error:.1e}",
                *other, f"{c.tolerance:.0e}", verdict,
            )
        )  # fmt: skip
        previous = c.quantity
    return Grid(
        f"Largest relative differences, {verification.robot}, "
        f"{verification.n_states} random states (seed {verification.seed})"
        + (f"; beside Pinocchio {second}" if second else ""),
        ("quantity", "method", "compared with", "difference",
         *(("to Pinocchio",) if second else ()), "tolerance", "verdict"),
        3,
        tuple(rows),
        breaks=frozenset(breaks),
    )  # fmt: skip
