"""Plain arguments are accepted as they are meant, or refused by name."""

from __future__ import annotations

import math
import os
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armdyn import checks
from armdyn.errors import ArmdynError, InputError, MethodError, RobotError

MASKED = np.ma.array([1.0, 2.0], mask=[False, True])


class Hostile:
    """Raises whatever it is asked for."""

    def __array__(self, *_: object, **__: object) -> np.ndarray:
        raise RuntimeError

    def __index__(self) -> int:
        raise RuntimeError

    def __float__(self) -> float:
        raise RuntimeError

    def __fspath__(self) -> str:
        raise RuntimeError


NO_NUMBERS: list[Any] = [
    True, np.True_, np.array(True), None, "3", b"3", 1j, np.complex128(1), math.nan,
    np.float32("nan"),
    10**400, -(10**400), np.timedelta64(3, "s"), np.datetime64("2020-01-01"), np.ma.masked,
    np.ma.array(1.0, mask=True), [1.0], np.ones(1), np.eye(2), object(), {}, {1.0}, Hostile(),
    (x for x in [1.0]), len,
]  # fmt: skip


def label(value: object) -> str:
    """A name of a case that is the same in every process: no addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))[:60]


@pytest.mark.parametrize("value", NO_NUMBERS, ids=label)
@pytest.mark.parametrize("check", [checks.checked_number, checks.checked_whole])
def test_what_is_no_number_is_refused_by_name(check: Callable[..., object], value: object) -> None:
    most = {"most": 2**70} if check is checks.checked_whole else {}
    with (
        warnings.catch_warnings(),
        pytest.raises(InputError, match=r"`size` is .*expected") as error,
    ):
        warnings.simplefilter("error")
        check(value, "size", **most)
    assert error.value.argument == "size"


@pytest.mark.parametrize(
    "value",
    [2, 2.0, np.int8(2), np.uint64(2), np.float32(2), np.array(2.0), np.ma.array(2), Fraction(2)],
    ids=repr,
)
def test_numbers_of_all_types_are_numbers(value: object) -> None:
    number = checks.checked_number(value, "size")
    assert type(number) is float and number == 2.0


def test_bounds_of_numbers() -> None:
    inside: dict[str, float] = {"least": 0.0, "below": 1.0}
    assert checks.checked_number(0, "share", **inside) == 0.0
    with pytest.raises(InputError, match=r"`share` is 1, expected a number from 0 to below 1"):
        checks.checked_number(1, "share", **inside)
    with pytest.raises(InputError, match=r"`share` is -1, expected a number from 0"):
        checks.checked_number(-1, "share", least=0.0)
    with pytest.raises(InputError, match=r"`rate` is 0, expected a positive number"):
        checks.checked_positive(0, "rate")
    with pytest.raises(InputError, match=r"`rate` is inf, expected"):
        checks.checked_positive(math.inf, "rate")
    assert checks.checked_number(math.inf, "rate", above=0.0, infinite=True) == math.inf
    with pytest.raises(InputError, match=r"`rate` is nan, expected"):
        checks.checked_number(math.nan, "rate", above=0.0, infinite=True)


@pytest.mark.parametrize("value", [3, np.int16(3), np.array(3), np.uint8(3)], ids=repr)
def test_whole_numbers_of_all_types_are_whole_numbers(value: object) -> None:
    number = checks.checked_whole(value, "n", 1, 3)
    assert type(number) is int and number == 3


def test_bounds_of_whole_numbers() -> None:
    for wrong in (0, 4, 3.0, np.float64(2)):
        with pytest.raises(InputError, match=r"expected a whole number from 1 to 3"):
            checks.checked_whole(wrong, "n", 1, 3)
    with pytest.raises(InputError, match=r"`seed` is -1, expected a whole number from 0"):
        checks.checked_seed(-1)
    with pytest.raises(InputError, match=r"`seed`"):
        checks.checked_seed(10**400)


def test_flags_of_python_and_numpy_are_alike() -> None:
    for value in (True, np.True_, np.array(True)):
        assert checks.checked_flag(value, "strict") is True
    assert checks.checked_flag(np.False_, "strict") is False
    for wrong in (1, 0.0, "no", None, np.array([True]), np.ma.array(True, mask=True)):
        with pytest.raises(InputError, match=r"expected True or False"):
            checks.checked_flag(wrong, "strict")


def test_choices() -> None:
    assert checks.checked_choice("b", "mode", "ab") == "b"
    for wrong in ("c", None, 3, np.array(["a", "b"]), ["a"]):
        with pytest.raises(MethodError, match=r"there is no mode .*choose one of: a, b") as error:
            checks.checked_choice(wrong, "mode", "ab")
        assert (error.value.argument, error.value.choices) == ("mode", ("a", "b"))


def test_names() -> None:
    assert checks.checked_names(["a", "b"], "names") == ("a", "b")
    for wrong in ("ab", ["a", "a"], ["a", 1], {"a": 1, "b": 2}, {"a", "b"}, 3, b"ab", None):
        with pytest.raises(InputError, match=r"`names` is .*expected different names"):
            checks.checked_names(wrong, "names")
    with pytest.raises(InputError, match=r"expected 3 different names"):
        checks.checked_names(["a", "b"], "names", 3)


def test_mappings_functions_and_text() -> None:
    assert checks.checked_mapping({"a": 1}, "columns") == {"a": 1}
    for wrong in ("a", [("a", 1)], {1: 2}, None):
        with pytest.raises(InputError, match=r"`columns` is "):
            checks.checked_mapping(wrong, "columns")
    assert checks.checked_function(len, "rule") is len
    with pytest.raises(InputError, match=r"`rule` is 3, expected a function"):
        checks.checked_function(3, "rule")
    assert checks.checked_text("", "title", empty=True) == ""
    for wrong in ("", b"x", None, 3):
        with pytest.raises(InputError, match=r"`title` is "):
            checks.checked_text(wrong, "title")


def test_paths() -> None:
    assert checks.checked_path("a.csv") == checks.checked_path(Path("a.csv")) == Path("a.csv")
    for wrong in ("", "a\0b", b"a.csv", 3, None, Hostile(), os.scandir):
        with pytest.raises(InputError, match=r"`path` is .*, expected the path of a file") as error:
            checks.checked_path(wrong)
        assert error.value.argument == "path"


NO_ARRAYS: list[Any] = [
    MASKED, [MASKED, MASKED], [np.ma.masked, 1.0], [1j, 2.0], np.array([1j, 0]), ["1", "2"],
    np.array(["1", "2"]), [True, 2.0], [np.True_, 2.0], np.array([True, False]), [None, 1.0],
    np.array([1, 2], dtype="m8[s]"), np.array([1, 2], dtype="M8[s]"), [np.timedelta64(1, "s"), 2.0],
    np.zeros(2, dtype=[("a", float), ("b", float)]), [[1.0], [1.0, 2.0]], (x for x in [1.0, 2.0]),
    {1.0, 2.0}, {"a": 1.0}, [10**400, 0], [10**400, 0.5], [math.nan, 0], [math.inf, 0], 3.0, None,
    np.array(1.0), [], [1.0, 2.0, 3.0], [[1.0, 2.0]], object(), Hostile(), [Hostile(), 1.0], "12",
    b"12", np.array([1.0, object()]), np.array([np.longdouble("1e4000"), 0]),
]  # fmt: skip


@pytest.mark.parametrize("value", NO_ARRAYS, ids=label)
def test_what_is_no_array_of_numbers_is_refused_by_name(value: object) -> None:
    with warnings.catch_warnings(), pytest.raises(InputError, match=r"`gain` (is|has) ") as error:
        warnings.simplefilter("error")
        checks.checked_array(value, "gain", (2,))
    assert error.value.argument == "gain"


def test_arrays_are_copies_as_floats() -> None:
    given = np.arange(6, dtype=np.int16).reshape(3, 2).T
    array = checks.checked_array(given, "q", ("N", 3))
    assert array.dtype == np.float64 and array.flags.c_contiguous and array.flags.writeable
    np.testing.assert_array_equal(array, given)
    same = np.ones((2, 3))
    assert not np.shares_memory(checks.checked_array(same, "q", ("N", 3)), same)
    for value in ([10**20, 0], [1, Fraction(2)], np.ma.array([1.0, 2.0], mask=False), range(2)):
        np.testing.assert_array_equal(checks.checked_array(value, "q", (2,)), [*map(float, value)])


def test_shapes_of_arrays() -> None:
    with pytest.raises(InputError, match=r"has shape \(4,\), expected .* \(3,\) or \(N, 3\)\."):
        checks.checked_array(np.ones(4), "q", (3,), ("N", 3))
    with pytest.raises(InputError, match=r"has shape \(0, 3\)"):
        checks.checked_array(np.ones((0, 3)), "q", ("N", 3))
    assert checks.checked_array(np.ones((0, 3)), "q", ("N", 3), empty=True).shape == (0, 3)
    with pytest.raises(InputError, match=r"`q` has nan at index \(1, 0\), which is not finite"):
        checks.checked_array([[0.0], [math.nan]], "q", ("N", 1))


def test_numbers_of_joints() -> None:
    np.testing.assert_array_equal(checks.checked_per_joint(2, "kp", 3, least=0.0), [2.0] * 3)
    np.testing.assert_array_equal(checks.checked_per_joint([1, 2], "kp", 2), [1.0, 2.0])
    for wrong in (-1, [1, -1, 1], [1, 2], math.inf, True, [True] * 3, "1"):
        with pytest.raises(
            InputError, match=r"`kp` (is|has) .*expected a number from 0 or 3 of them"
        ):
            checks.checked_per_joint(wrong, "kp", 3, least=0.0)
    limits = checks.checked_per_joint(math.inf, "velocity", 2, above=0.0, infinite=True)
    assert np.isinf(limits).all()


def test_arrays_larger_than_the_memory_are_refused_before_they_are_made() -> None:
    endless = np.broadcast_to(np.float32(0), (10**12, 6))
    with pytest.raises(InputError, match=r"`q` would take 4.47e"):
        checks.checked_array(endless, "q", ("N", 6))


def test_the_class_of_the_error_can_be_chosen() -> None:
    with pytest.raises(RobotError, match=r"`mass` is None") as error:
        checks.checked_number(None, "mass", error=RobotError)
    assert error.value.argument == "mass"


def test_errors_about_no_argument_say_so() -> None:
    assert ArmdynError("x").argument is None


def test_checks_and_errors_do_not_import_numpy() -> None:
    code = "import armdyn.checks, armdyn.errors, sys; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
