"""Friction as a function of speeds and of the torques that gears transmit."""

from __future__ import annotations

from functools import partial

from armdyn.algorithms.friction import friction_under_load as law
from armdyn.graph import Program, Slot, trace
from armdyn.robot import Chain


def friction_under_load(chain: Chain) -> Program:
    """Trace friction with the inputs qd and load."""
    n = (chain.n,)
    inputs = [Slot("qd", n), Slot("load", n)]
    return trace(partial(law, chain), inputs, [Slot("tau", n)], name="friction")
