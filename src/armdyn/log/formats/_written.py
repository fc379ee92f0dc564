"""Column names for writing a log, chosen so that reading recognises every column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from armdyn.errors import InputError
from armdyn.log.columns._match import understood
from armdyn.log.columns._names import EXTRA, Meaning, meaning
from armdyn.log.columns._stamps import STEPS
from armdyn.log.storage._slices import extremes

if TYPE_CHECKING:
    from armdyn.log._log import Log

Array = NDArray[np.float64]

# Characters that no name of a column may have.
BREAKS = set("\r\n\0")


# Positions beyond this [rad] could be taken for degrees.
FAR = 3.0

# Beyond this median step [s], half of what is surely in seconds, stamps could be taken for those of
# another unit.
SLOW = STEPS[1] / 2


class WrittenColumns:
    """Single columns by name; rows are read slice by slice, also for a log in scratch files."""

    def __init__(self, log: Log) -> None:
        """Name the columns.

        Raises:
            InputError: the name of a joint or column cannot be written to a file.
        """
        names: dict[str, None] = {time_name(log): None}
        self._blocks: list[Array] = [log.t]
        effort = "current" if log.effort == "current" else "tau"
        far = is_far(log)
        for role, block in (("q", log.q), ("qd", log.qd), ("qdd", log.qdd), (effort, log.tau)):
            if block is not None:
                said = far and role == "q"
                names.update(dict.fromkeys(_name(role, joint, said) for joint in log.joint_names))
                self._blocks.append(block)
        for name, column in log.extra.items():
            parts = [name]
            if column.ndim == 2:
                parts = [f"{name}.{k}" for k in range(1, column.shape[1] + 1)]
            for part in parts:
                names[extra_name(part, names)] = None
            self._blocks.append(column)
        self.names = tuple(names)

    def rows(self, a: int, b: int) -> Array:
        """Return rows a to b of all columns, ``(b - a, k)``."""
        parts = [block[a:b] for block in self._blocks]
        return np.concatenate([p[:, None] if p.ndim == 1 else p for p in parts], axis=1)


def time_name(log: Log) -> str:
    """Return the name of the stamps, with the unit if their steps could be milliseconds."""
    return "t [s]" if log.median_step > SLOW else "t"


def is_far(log: Log) -> bool:
    """Whether positions could be taken for degrees unless a name says that they are not."""
    return bool(len(log.q)) and float(np.abs(extremes([log.q])).max()) > FAR


def extra_name(name: str, taken: Mapping[str, object]) -> str:
    """Return the name of an extra column, marked if it could be read as a quantity."""
    clear = understood(name) is None and not name.startswith(EXTRA) and name not in taken
    result = name if clear else f"{EXTRA}{name}"
    if result in taken or not name.strip() or set(name) & BREAKS:
        raise InputError(f"an extra column cannot be called {name!r} in a file; rename it.")
    return result


def _name(role: str, joint: str, said: bool) -> str:
    # Brackets hold the unit: they are added if the name of a joint could be misread, or the unit.
    plain, full = f"{role}_{joint}", f"{role}_{joint} [SI]"
    for name in (full,) if said else (plain, full):
        if meaning(name) == Meaning(role, joint) and not set(name) & BREAKS:
            return name
    raise InputError(
        f"the joint name {joint!r} cannot be a part of the name of a column; write an .npz file."
    )
