"""Logs whose torques have another sign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from armdyn.arrays import Array
from armdyn.log.log import Log
from armdyn.log.rows import FileRows, blocks, is_in_file


def flipped(log: Log, joints: Sequence[int]) -> Log:
    """Return a log with the torques of some joints, numbers from 0, of opposite sign."""
    if not joints or log.tau is None:
        return log
    sign = np.ones(log.n)
    sign[list(joints)] = -1.0
    names = ", ".join(log.joint_names[j] for j in joints)
    note = f"the torques of {names} have the opposite sign, as asked for."
    return replace(log, tau=_times(log.tau, sign), notes=(*log.notes, note))


def _times(tau: Array, sign: Array) -> Array:
    """Return torques times signs, in memory or in a file, like the input."""
    if not is_in_file(tau):
        return tau * sign
    made = FileRows(len(sign))
    for a, b in blocks(len(tau)):
        made.append(tau[a:b] * sign)
    return cast(Array, made)
