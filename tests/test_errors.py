"""Errors travel between processes, and show any value in one short line."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from armdyn import (
    ArmdynError,
    FileError,
    InputError,
    LogError,
    MethodError,
    MissingExtraError,
    RobotError,
    RobotFileError,
)
from armdyn.errors import shown

ERRORS = [
    FileError("arm.toml", "is empty."),
    RobotFileError("arm.toml", "has no joints."),
    LogError("run.csv", "has no stamps.", 3),
    InputError("`q` is wrong."),
    InputError("`q` is wrong.", argument="q"),
    MethodError("quantity", "mass", ["bias", "mass_matrix"], argument="quantity"),
    MissingExtraError("pinocchio", "verify", "Comparing"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_are_pickled_whole(error: ArmdynError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
    assert again.argument == error.argument


def test_a_file_error_is_about_a_robot_only_if_its_file_describes_one() -> None:
    assert not issubclass(FileError, RobotError)
    assert issubclass(RobotFileError, FileError) and issubclass(RobotFileError, RobotError)
    assert issubclass(LogError, FileError) and issubclass(LogError, InputError)
    assert not issubclass(LogError, RobotError)
    assert str(LogError("run.csv", "has no stamps.", 3)) == "run.csv, line 3: has no stamps."


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
