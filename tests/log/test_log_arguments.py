"""Columns and options of a log that are no numbers, names or units are refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn import InputError, Log, LogError
from support.logs import text, written
from support.says import Said, facts, says

T = np.arange(4) / 4
Q = np.arange(8.0).reshape(4, 2)
MASKED = np.ma.masked_array(Q, mask=[[0, 0], [0, 1], [0, 0], [0, 0]])


@pytest.mark.parametrize("name", ["q", "qd", "qdd", "tau"])
@pytest.mark.parametrize(
    ("value", "words"),
    [
        (MASKED, "masked entries"),
        (Q + 1j, "complex numbers"),
        (Q > 3, "truth values"),
        (Q.astype(str), "text"),
        (Q.astype("datetime64[s]"), "dates or durations"),
        (Q.astype("timedelta64[ms]"), "dates or durations"),
        ([[10**400, 0]] * 4, "expected real numbers"),
        ([["1", "2"]] * 4, "text"),
        ([[1, 2], [3]], "expected real numbers"),
        (object(), "expected real numbers"),
        (Q * np.nan, "nan"),
    ],
)
def test_samples_that_are_no_real_numbers_are_refused(name: str, value: Any, words: str) -> None:
    columns = {"q": Q, name: value}
    with pytest.raises(InputError, match=words) as caught:
        Log(T, **columns)
    assert caught.value.argument == name


def test_array_that_could_be_masked_but_is_not_is_taken() -> None:
    log = Log(np.ma.masked_array(T), np.ma.masked_array(Q))
    np.testing.assert_array_equal(log.q, Q)
    assert type(log.q) is np.ndarray


@pytest.mark.parametrize("unit", ["ns", "us", "ms", "s"])
def test_durations_are_converted_by_their_unit(unit: str) -> None:
    steps = {"ns": 250_000_000, "us": 250_000, "ms": 250, "s": 1}[unit]
    log = Log(np.arange(4) * np.timedelta64(steps, unit), Q)
    np.testing.assert_allclose(log.t, np.arange(4) * (1.0 if unit == "s" else 0.25), rtol=1e-15)
    assert log.notes == ()


@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
def test_dates_count_from_the_first_sample(unit: str) -> None:
    first = np.datetime64("2026-03-01T12:00:00.5", unit)
    log = Log(first + np.arange(4) * np.timedelta64(4, "ms"), Q)
    np.testing.assert_allclose(log.t, [0.0, 0.004, 0.008, 0.012], rtol=1e-12)
    assert says(log.notes[0], "2026-03-01T12:00:00.", "first")


@pytest.mark.parametrize(
    ("t", "words"),
    [
        (np.array(["2026-01-01", "NaT", "2026-01-03", "2026-01-04"], "datetime64[D]"), "NaT"),
        (np.arange(4).astype("timedelta64"), "unit"),
        (np.arange(4).astype("timedelta64[M]"), "seconds"),
        (np.ma.masked_array(T, mask=[0, 0, 1, 0]), "masked entries"),
        (T[::-1], "does not increase"),
        (T + 0j, "complex"),
        (["0", "1", "2", "3"], "text"),
        (T[:, None], "shape"),
    ],
)
def test_stamps_that_are_no_times_are_refused(t: Any, words: Said) -> None:
    with pytest.raises(InputError, match=facts(words)):
        Log(t, Q)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        ("columns", "q"),
        ("columns", {"q": 3}),
        ("columns", {"q": [1, 2]}),
        ("columns", {"speed": "q1"}),
        ("columns", {3: "q1"}),
        ("columns", ["q"]),
        ("units", 3),
        ("units", "grad"),
        ("units", [3, "rad"]),
        ("units", ["rad"]),
        ("delimiter", 3),
        ("delimiter", b","),
        ("delimiter", "::"),
        ("delimiter", '"'),
        ("time_unit", 3),
        ("time_unit", np.zeros(2)),
        ("torque", None),
        ("missing", 1),
        ("sort", "yes"),
        ("motor_side", 3),
        ("motor_side", ["q", "x"]),
        ("joints", 3),
        ("joints", ["a", "a"]),
        ("gear", np.ma.masked_array([1.0, 2.0], mask=[0, 1])),
        ("gear", [1.0, 2.0 + 1j]),
        ("gear", ["1", "2"]),
        ("gear", [1.0, np.nan]),
        ("gear", [1.0, 0.0]),
        ("gear", np.zeros(3)),
    ],
)
def test_wrong_options_of_reading_are_refused_by_name(
    argument: str, value: Any, tmp_path: Path
) -> None:
    path = tmp_path / "run.csv"
    Log(T, Q / 10).save(path)
    with pytest.raises(InputError) as caught:
        Log.read(path, **{argument: value})
    assert f"`{argument}" in str(caught.value)
    if argument != "sort":
        with pytest.raises(InputError):
            Log.stream(path, **{argument: value})


@pytest.mark.parametrize("number", ["\u0663", "\uff11", "1_000", "\u0967.5"])
@pytest.mark.parametrize("rows", [1, 200])
def test_digits_of_other_scripts_are_no_numbers(number: str, rows: int, tmp_path: Path) -> None:
    lines = ["t,q1", *(f"{k},0.{k}" for k in range(rows)), f"{rows},{number}", f"{rows + 1},1"]
    path = tmp_path / "run.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(LogError, match="not a number") as caught:
        Log.read(path)
    assert caught.value.line == rows + 2


def test_column_of_text_that_is_named_for_positions_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("t,state\n0,idle\n1,idle\n")
    with pytest.raises(LogError, match="'state' is 'idle', not a number"):
        Log.read(path, columns={"q": "state"})


def test_parts_are_cut_by_numbers_only() -> None:
    log = Log(T, Q)
    for wrong in (slice("0", None), slice(None, np.zeros(2)), slice(1j, None), slice(True, None)):
        with pytest.raises(InputError):
            log[wrong]
    for a, b in ((0.5, 2), ("0", 2), (None, 2), (True, 2)):
        with pytest.raises(InputError):
            log.part(a, b)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=facts("list of logs")):
        Log.concat([log, "run.csv"])  # type: ignore[list-item]


def test_the_arm_of_a_log_is_its_second_argument(tmp_path: Path) -> None:
    path = written(tmp_path, text("t,q_2,q_1", "0,1,2", ".1,2,3"))
    arm = armdyn.load("planar2")
    for log in (Log.read(path, arm), Log.read(path, robot=arm)):
        assert log.joint_names == arm.joint_names
        np.testing.assert_array_equal(log.q, [[2, 1], [3, 2]])
    with pytest.raises(InputError, match="give one"):
        Log.read(path, arm, joints=arm)
    for wrong in (3, "planar2", ["1", "2"]):
        with pytest.raises(InputError, match=r"expected an armdyn\.Arm"):
            Log.read(path, wrong)
