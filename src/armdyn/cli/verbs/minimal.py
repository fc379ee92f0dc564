"""`armdyn minimal`: the minimal parameters of an arm."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

from armdyn.arm.arm import Arm
from armdyn.cli.console import JsonOption, complain, plain, print_json, show
from armdyn.cli.option_names import flag
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError, RobotWarning
from armdyn.minimal.other_sets import OtherSet
from armdyn.minimal.parameters import MinimalParameters
from armdyn.minimal.terms import written
from armdyn.present.tables import Grid

# What a part of the set determines alone.
Part: TypeAlias = Literal["gravity", "inertia"]


def minimal(
    robot: RobotOptions,
    rotor: bool = flag("--rotor", "Include rotor inertias."),
    friction: bool = flag("--friction", "Include friction."),
    gravity_only: bool = flag("--gravity-only", "Only the parameters of the gravity torques."),
    inertia_only: bool = flag("--inertia-only", "Only the parameters of the mass matrix."),
    khalil_gautier: bool = flag(
        "--khalil-gautier", "Use the base parameters of Khalil and Gautier."
    ),
    latex: bool = flag("--latex", "Print LaTeX."),
    as_json: JsonOption = False,
) -> None:
    """Compute the identifiable (base) parameters of an arm."""
    part = gravity_only or inertia_only
    if gravity_only and inertia_only:
        raise InputError("--gravity-only and --inertia-only: choose one; without both, both show.")
    if latex and (as_json or khalil_gautier or part):
        raise InputError("--latex prints the whole set; it goes with --rotor and --friction only.")
    if khalil_gautier and (part or rotor or friction):
        raise InputError("--khalil-gautier is the set of the links alone; leave the others out.")
    only: Part | None = "gravity" if gravity_only else "inertia" if inertia_only else None
    arm, _ = open_arm(robot)
    found = _minimal(arm, rotor, friction)
    if latex:
        show(*found.latex().splitlines())
    elif khalil_gautier:
        _show_other(arm, found, as_json)
    elif as_json:
        print_json(_as_json(arm, found, only))
    else:
        _show(arm, found, only)


def _minimal(arm: Arm, rotor: bool, friction: bool) -> MinimalParameters:
    """Return the minimal set; print its warnings, which are also in its notes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        found = arm.minimal_with(rotor=rotor, friction=friction)
    for note in found.notes:
        complain(f"warning: {note}")
    return found


def _as_json(arm: Arm, found: MinimalParameters, only: Part | None) -> dict[str, Any]:
    names, units, values = found.names, found.units, found.values.tolist()
    chosen = [k for k, name in enumerate(names) if only is None or _mark(name, _names(found, only))]
    return {
        "name": arm.name,
        "n": arm.n,
        "parameters": found.parameter_names,
        "minimal": [
            {
                "name": names[k],
                "value": values[k],
                "unit": units[k],
                "carrier": found.carriers[k],
                "expression": found.expression(names[k]),
                "coefficients": _nonzero(found, found.matrix[k]),
            }
            for k in chosen
        ],
        "invisible": [
            {"link": s.link, "parameters": s.parameters, "seen_in": s.seen_in, "why": s.why}
            for s in (found.invisible if arm.robot.is_serial else ())
        ],
        "gravity_only": found.gravity_only,
        "inertia_only": _other_as_json(found, found.inertia_only()),
        "kappas": _other_as_json(found, found.kappas()) if arm.robot.is_serial else [],
        "closed_form": found.closed_form,
        "notes": found.notes,
    }


def _other_as_json(found: MinimalParameters, other: OtherSet) -> list[dict[str, Any]]:
    values = (other.matrix @ found.parameters).tolist()
    rows = zip(other.names, values, other.units, other.matrix, strict=True)
    return [
        {"name": name, "value": value, "unit": unit, "coefficients": _nonzero(found, row)}
        for name, value, unit, row in rows
    ]


def _nonzero(found: MinimalParameters, row: Any) -> dict[str, float]:
    return {p: x for p, x in zip(found.parameter_names, row.tolist(), strict=True) if x}


def _names(found: MinimalParameters, only: Part) -> tuple[str, ...]:
    return found.gravity_only if only == "gravity" else found.inertia_only().names


def _show(arm: Arm, found: MinimalParameters, only: Part | None) -> None:
    count, matrix, rest = len(found.parameter_names), found.inertia_only(), found.gravity_only
    sizes = {
        None: f"{len(found)} minimal parameters, of {count} parameters; the inertia matrix alone "
        f"depends on {len(matrix.names)}, torques at rest on {len(rest)}.",
        "gravity": f"{len(rest)} minimal parameters that the arm at rest depends on",
        "inertia": f"{len(matrix.names)} minimal parameters of the inertia matrix alone",
    }
    show(f"{arm.name}: {sizes[only]}")
    rows: list[tuple[str, ...]] = []
    for k, name in enumerate(found.names):
        if only is not None and not _mark(name, _names(found, only)):
            continue
        combination = written(found.matrix[k], found.parameter_names)
        words = found.expression(name).partition("]: ")[2]
        marks = (_mark(name, matrix.names), _mark(name, rest))
        value, unit = f"{found.values[k]:.6g}", f" {found.units[k]}"
        rows.append((name, value, unit, *marks, f"{combination} ", words))
    heads = ("name", "value", " unit", "in M", "at rest ", "combination", "what it is")
    show("", Grid("", heads, 1, tuple(rows), words_after=2))
    if only != "gravity":
        _show_combinations(
            found,
            matrix,
            [k for k, name in enumerate(matrix.names) if name not in found.names],
            "Of the inertia matrix alone, about the point in which the axes up to the joint meet:",
        )
    if not arm.robot.is_serial:
        return
    kappas = found.kappas()
    _show_combinations(
        found, kappas, range(len(kappas.names)), "The kappas of [Lin1994] (53), (54):"
    )
    if only is None:
        show("", "What no torque can tell:")
        show(*(f"  {plain(str(statement))}" for statement in found.invisible))


def _mark(name: str, part: tuple[str, ...]) -> str:
    """Return a cross if a part of the set has a name; the other name if it has it changed."""
    changed = f"{name}C"
    return "x " if name in part else f"{changed} " if changed in part else ""


def _show_combinations(
    found: MinimalParameters, other: OtherSet, chosen: Sequence[int], title: str
) -> None:
    """Show combinations with their values and in minimal parameters; nothing if there are none."""
    if not chosen:
        return
    values = other.matrix @ found.parameters
    rows = tuple(
        (
            other.names[k],
            f"{values[k]:.6g}",
            f" {other.units[k]}",
            f"{written(other.matrix[k], found.parameter_names)} ",
            written(other.change[k], found.names),
        )
        for k in chosen
    )
    heads = ("name", "value", " unit", "combination", "in minimal parameters")
    show("", title, "", Grid("", heads, 1, rows, words_after=2))


def _show_other(arm: Arm, found: MinimalParameters, as_json: bool) -> None:
    other = found.khalil_gautier()
    if not as_json:
        title = f"{arm.name}: {len(other.names)} base parameters after Khalil and Gautier"
        _show_combinations(found, other, range(len(other.names)), title)
        return
    values = (other.matrix @ found.parameters).tolist()
    rows = zip(other.names, values, other.matrix.tolist(), strict=True)
    print_json(
        {
            "name": arm.name,
            "khalil_gautier": [
                {"name": name, "value": value, "coefficients": row} for name, value, row in rows
            ],
            "parameters": found.parameter_names,
            "minimal": found.names,
            "change": other.change.tolist(),
        }
    )
