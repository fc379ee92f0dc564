"""Quantities of a table in SI units: by the caller, by names, or by the steps of encoders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.log.columns import Table
from armdyn.log.options import ReadOptions, torque_factor
from armdyn.log.recognition.encoders import SAMPLE_ROWS, FoundUnits, found_units, units_by_steps
from armdyn.log.recognition.match import Matched
from armdyn.log.recognition.names import GRIPPER, REGISTERS, SYMBOLS, unit_in
from armdyn.log.recognition.patterns import meaning_in
from armdyn.log.recognition.units import (
    ANGLES,
    COUNTS,
    COUNTS_PER_TURN,
    NORMALISED,
    POSITION_UNITS,
    SI,
    UNITS,
)


def numbers_of(table: Table, role: str, match: Matched) -> list[Array]:
    """Return the columns of a quantity, or the one block of all joints."""
    for name in match.names[role]:
        if name in table.text:
            cell, line = table.text[name]
            raise LogError(table.path, f"{name!r} is {shown(cell)}, not a number.", line)
    rows = max(map(len, table.columns.values()), default=0)
    missing = np.zeros(0 if all(match.names[role]) else rows)  # an effort that a joint lacks
    return [table.columns[name] if name else missing for name in match.names[role]]


def joint_count(table: Table, match: Matched) -> int:
    """Return the number of joints that have positions."""
    q = numbers_of(table, "q", match)
    return q[0].shape[1] if q[0].ndim == 2 else len(q)


def block_of(table: Table, role: str, match: Matched) -> Array:
    """Return a quantity as one array ``(N, n)``."""
    parts = numbers_of(table, role, match)
    block = parts[0] if parts[0].ndim == 2 else _side_by_side(parts)
    n = joint_count(table, match)
    if block.shape[1] != n:
        raise LogError(
            table.path,
            f"{role!r} ({', '.join(match.names[role])}) has {block.shape[1]} joints, but there are "
            f"positions of {n}.",
        )
    return block


# Rows that are copied together, of all columns: they stay in the cache of a processor.
CACHED_ROWS = 1 << 11


def _side_by_side(columns: Sequence[Array]) -> Array:
    """Return columns ``(N,)`` as one array ``(N, n)``."""
    rows = len(columns[0])
    if len({column.shape for column in columns}) > 1:
        raise ValueError("columns of one quantity have different lengths")
    made = np.empty((rows, len(columns)))
    for a in range(0, rows, CACHED_ROWS):
        for j, column in enumerate(columns):
            made[a : a + CACHED_ROWS, j] = column[a : a + CACHED_ROWS]
    return made


def to_si(
    table: Table,
    blocks: dict[str, Array],
    match: Matched,
    units: PositionUnits,
    torque_unit: str | None = None,
) -> None:
    """Convert in place; a unit of torques is that of the caller, whatever names say."""
    for role, block in blocks.items():
        names = match.names[role]
        said = [_unit(table, name, role) for name in names]
        if role == "q_cmd" and not any(said):
            said = [_unit(table, name, "q") for name in match.names["q"]]
        factors = np.array([UNITS[role].get(unit, 1.0) if unit else 1.0 for unit in said])
        if any(name in table.scales for name in names):
            factors = np.array([table.scales.get(name, 1.0) for name in names])
        if role == "tau" and torque_unit is not None:
            factors = np.array([torque_factor(torque_unit)])
        is_position = role in ("q", "q_cmd")
        if units.factors is not None and (is_position or (role in ("qd", "qdd") and not any(said))):
            factors = units.factors
        if units.zeros is not None and is_position:
            block = blocks[role] = block - units.zeros
        if np.any(factors != 1.0):
            is_own = block.dtype == np.float64 and block.flags.owndata and block.flags.writeable
            is_own = is_own and not any(block is column for column in table.columns.values())
            # fresh memory takes longer than the product
            blocks[role] = np.multiply(block, factors, out=block if is_own else None)
        if units.offsets is not None and is_position:
            blocks[role] = blocks[role] + units.offsets


@dataclass(frozen=True)
class PositionUnits:
    """Units of the positions of a log.

    Attributes:
        factors: to SI units by joint; None for those of the names.
        zeros: the numbers at position 0; None if they are 0.
        option: of `Log.read` that says the same, if the unit was found by the numbers.
        is_known: whether a name, the caller or the numbers tell the unit.
        offsets: positions of zero by joint [rad]; None if they are 0.
    """

    factors: Array | None
    zeros: Array | None = None
    option: str = ""
    is_known: bool = True
    offsets: Array | None = None

    @staticmethod
    def of(
        table: Table, match: Matched, labels: Sequence[str], options: ReadOptions
    ) -> PositionUnits:
        """Return the units that the caller, the names or the steps of encoders tell.

        Raises:
            LogError: a name has a unit of unknown size, or the numbers may have two units.
        """
        n, names = len(labels), match.names["q"]
        if options.units is not None and options.units != NORMALISED:
            return PositionUnits(options.scales(n), options.zeros(n))
        if any(name in table.meanings for name in names):  # its reader has looked
            is_known = all(name in table.scales for name in names)
            is_normalised = is_known and table.said.get("units") == NORMALISED
            offsets = _middles(table, match, labels, options.joints) if is_normalised else None
            return PositionUnits(None, is_known=is_known, offsets=offsets)
        said = [_unit(table, name, "q") for name in names]
        strange = [
            name for name, unit in zip(names, said, strict=True) if unit not in (*ANGLES, SI, None)
        ]
        if strange and options.units is None:
            raise LogError(
                table.path,
                f"the unit of {strange[0]!r} is not known. Say what its numbers are: "
                f'units="deg", or one of {", ".join(POSITION_UNITS)}.',
            )
        if all(said) and options.units is None:
            return PositionUnits(None)
        block = block_of(table, "q", match)[:SAMPLE_ROWS]
        turning = [k for k in range(n) if not is_prismatic(options.joints, k, n)]
        columns = {labels[k]: block[:, k] for k in turning if len(said) < n or not said[k]}
        found: FoundUnits | None = None
        if options.units == NORMALISED:
            found = found_units(table.path, columns, is_normalised=True)
        elif _is_lerobot(names):
            found = found_units(table.path, columns, is_rounded=True)
        elif columns:
            is_register = all(REGISTERS.search(name) for name in names)
            found = units_by_steps(columns, is_register=is_register)
        if found is not None:
            table.notes += found.notes
            table.lost += found.doubts
        if found is None or not found.factors:
            return PositionUnits(None, option=found.unit if found else "", is_known=False)
        own = np.array([UNITS["q"].get(unit, 1.0) if unit else 1.0 for unit in said])
        factors = np.array(
            [found.factors.get(labels[k], own[k if len(own) == n else 0]) for k in range(n)]
        )
        zeros = np.zeros(n) + (COUNTS_PER_TURN / 2 if found.unit == COUNTS else 0.0)
        is_normalised = found.unit == NORMALISED
        offsets = _middles(table, match, labels, options.joints) if is_normalised else None
        return PositionUnits(factors, zeros if zeros.any() else None, found.unit, offsets=offsets)


def _middles(table: Table, match: Matched, labels: Sequence[str], joints: object) -> Array | None:
    """Return the positions of the arm at which normalised ones are 0; None if all are 0.

    LeRobot calibrates the range from stop to stop: -100 ... 100 has its zero in the middle of the
    described limits, 0 ... 100 of grippers at the lower one.
    """
    described = tuple(getattr(getattr(joints, "robot", None), "joints", ()))
    if len(described) != len(labels):
        return None
    limits = np.array([(joint.lower, joint.upper) for joint in described], dtype=np.float64)
    lowest = block_of(table, "q", match)[:SAMPLE_ROWS].min(axis=0)
    half = [bool(GRIPPER.search(k)) and x >= 0.0 for k, x in zip(labels, lowest, strict=True)]
    made = np.where(half, limits[:, 0], limits.mean(axis=1))
    made = np.where(np.isfinite(limits).all(axis=1), made, 0.0)
    each = [f"{k} {np.degrees(x):.4g}" for k, x in zip(labels, made, strict=True) if x]
    if not each:
        return None
    table.notes.append(
        "zero of normalised positions is put in the middle of the described limits, of grippers "
        f"from 0 on at the lower one [degrees]: {', '.join(each)}."
    )
    return made


def with_known_rates(table: Table, match: Matched, units: PositionUnits) -> Matched:
    """Leave out velocities of drives whose positions are in counts: nothing tells their unit."""
    names = dict(match.names)
    if units.zeros is not None:
        for role in ("qd", "qdd"):
            if role in names and not any(_unit(table, name, role) for name in names[role]):
                del names[role]
                table.notes.append(f"{role} is in the numbers of the drives and is left out.")
    return replace(match, names=names)


def tell_assumed(
    table: Table, first: Table, match: Matched, units: PositionUnits, q: Array
) -> None:
    """Note that positions are taken as radians, unless they are called q, as radians are."""
    if units.option or any(name in first.meanings for name in match.names["q"]):
        return  # it is told
    words = [m.word if (m := meaning_in(first, name)) else "" for name in match.names["q"]]
    if not len(q) or all(word in SYMBOLS["q"].split() for word in words):
        return
    low, high = (float(x) for x in (q.min(), q.max()))
    table.notes.append(
        f"nothing tells the unit of positions, {low:.3g} to {high:.3g}: taken as rad. "
        'To say so: units="rad".'
    )


def _is_lerobot(names: Sequence[str]) -> bool:
    """Whether columns are named as in datasets of LeRobot: elbow.pos, observation.state.elbow."""
    return all(name.endswith(".pos") or name.startswith("observation.state") for name in names)


def is_prismatic(joints: object, k: int, n: int) -> bool:
    """Whether joint k (from 0) of n of a described arm slides."""
    described = tuple(getattr(getattr(joints, "robot", None), "joints", ()))
    return len(described) == n and getattr(described[k], "kind", "") == "prismatic"


def _unit(table: Table, name: str, role: str) -> str | None:
    """Return the unit that the name of a column says, also of a name that is not understood."""
    meant = meaning_in(table, name)
    if name in table.meanings:
        return meant.unit if meant else None
    return (meant.unit if meant else None) or unit_in(name, role)
