"""Which groups of columns the data show: automatic relevance determination [MacKay1992].

From a fit with all groups, those are dropped that explain nothing, that have impossible values or
give others impossible values, and then the least significant one, until all are significant.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from armdyn.identification.fit.choice.evidence import Evidence, Group, Relevant

# A group stays if its significance is at least this, and this more for each further column.
SIGNIFICANT = 12.0
EACH = 2.0


def relevant(evidence: Evidence, groups: Sequence[Group]) -> Relevant:
    """Return the fit with the groups that are significant.

    Of a group whose columns are one term in several shapes, the best single shape is left.
    """
    found = everything(evidence, groups)
    while True:
        crowded = [g for g in found.groups if _crowds(g, found) and not g.forced]
        if crowded:
            evidence, found = _uncrowded(evidence, found, crowded[0].joint, groups)
            continue
        worst, least = None, 0.0
        for group in found.groups:
            if group.forced:
                continue
            spare = evidence.significance(found, group) - SIGNIFICANT
            spare -= EACH * (len(group.columns) - 1)
            values = found.values[list(group.columns)]
            if (values <= group.least).any() or (values >= group.most).any():
                spare = -math.inf
            if spare < least:
                worst, least = group, spare
        if worst is None:
            return found
        found = _without(evidence, found, worst, groups)


def everything(evidence: Evidence, groups: Sequence[Group]) -> Relevant:
    """Return the fit with all groups that explain anything, each in the shape that fits best."""
    found = evidence.fit(groups)
    for group in found.groups:
        found = _shaped(evidence, found, group, group)
    return evidence.fit(found.groups, found)


def _crowds(group: Group, found: Relevant) -> bool:
    """Whether a group goes with a negative value that no joint has."""
    return bool((found.values[list(group.beside)] < 0.0).any())


def _uncrowded(
    evidence: Evidence, found: Relevant, joint: int, groups: Sequence[Group]
) -> tuple[Evidence, Relevant]:
    """Return the best fit without a group of a joint, or with one of its negative values zero."""
    mine = [g for g in found.groups if g.joint == joint and _crowds(g, found)]
    tries = [(evidence, _without(evidence, found, g, groups)) for g in mine if not g.forced]
    for column in sorted({i for g in mine for i in g.beside if found.values[i] < 0.0}):
        zero = evidence.without(column)
        tries.append((zero, _reshaped(zero, zero.fit(found.groups, found), joint, groups)))
    # each fit has weights of its own: compare with the same ones
    return min(tries, key=lambda one: evidence.misfit(replace(one[1], weights=found.weights)))


def _without(evidence: Evidence, found: Relevant, gone: Group, groups: Sequence[Group]) -> Relevant:
    """Return the fit without a group; terms of its joint take the shape that fits best then."""
    left = evidence.fit([g for g in found.groups if g is not gone], found)
    return _reshaped(evidence, left, gone.joint, groups)


def _reshaped(evidence: Evidence, found: Relevant, joint: int, groups: Sequence[Group]) -> Relevant:
    """Return the fit with terms of a joint in the shape that fits best."""
    for group in found.groups:
        if group.joint == joint:
            shapes = next(g for g in groups if {*g.columns} >= {*group.columns})
            found = _shaped(evidence, found, group, shapes)
    return found


def _shaped(evidence: Evidence, found: Relevant, group: Group, shapes: Group) -> Relevant:
    """Return the fit with one column of a group of shapes in place of a group."""
    if group.joint < 0 or len(shapes.columns) == 1:
        return found
    singles = [replace(shapes, columns=(column,)) for column in shapes.columns]
    tries = [evidence.exchanged(found, group, one) for one in singles]
    return min(tries, key=evidence.misfit)
