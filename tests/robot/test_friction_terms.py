"""The table of friction terms: fields, slopes, and which terms hold a joint at rest."""

from __future__ import annotations

from dataclasses import fields

import pytest

from armdyn import Joint
from armdyn.robot.friction import FRICTION_TERMS

SPEEDS = (-1.7, -0.2, 0.3, 2.5)
STEP = 1e-6


@pytest.mark.parametrize("name", FRICTION_TERMS)
def test_coefficients_and_shapes_are_fields_of_joint(name: str) -> None:
    defaults = {field.name: field.default for field in fields(Joint)}
    for field in (name, *FRICTION_TERMS[name].shape):
        assert defaults[field] == 0.0


@pytest.mark.parametrize("name", FRICTION_TERMS)
def test_slopes_are_derivatives_of_the_columns(name: str) -> None:
    term = FRICTION_TERMS[name]
    shape = (0.8,) * len(term.shape)
    for v in SPEEDS:
        s = 1.0 if v > 0.0 else -1.0
        ahead, behind = (float(term.column(v + h, s, *shape)) for h in (STEP, -STEP))
        assert float(term.slope(v, s, *shape)) == pytest.approx((ahead - behind) / (2 * STEP))


def test_only_friction_against_both_directions_is_dry() -> None:
    assert [name for name, term in FRICTION_TERMS.items() if term.dry] == [
        "coulomb", "load_friction", "stribeck",
    ]  # fmt: skip
