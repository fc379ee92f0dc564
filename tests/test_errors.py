"""Errors travel between processes, and show any value in one short line."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from armdyn import ArmdynError, FileError, InputError, MethodError, MissingExtraError
from armdyn.errors import shown

ERRORS = [
    FileError("arm.toml", "is empty."),
    InputError("`q` is wrong."),
    MethodError("kind", "mass", ["bias", "mass_matrix"]),
    MissingExtraError("pinocchio", "verify", "Comparing"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_are_pickled_whole(error: ArmdynError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a\nb", r"'a\nb'"),
        (10**5000, "<int>"),
        (Unprintable(), "<Unprintable>"),
        (np.eye(2), "array([[1., 0.], [0., 1.]])"),
        ("x" * 100, "'" + "x" * 76 + "..."),
    ],
    ids=["line break", "thousands of digits", "broken", "array", "long"],
)
def test_any_value_is_shown_in_one_short_line(value: object, text: str) -> None:
    assert shown(value) == text
