"""Log files of each format: valid in many spellings, and broken.

What is read is read the same twice, as a whole and block by block, and survives being written in
every format. A file that is valid has the numbers that were written to it.
"""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from armdyn import Log
from armdyn.errors import InputError, LogError
from fuzz._finding import check, must
from support.mutations import mutated

WORDS = {
    "t": ["t", "time", "stamp", "Time", "time_s"],
    "q": ["q{j}", "q_{j}", "position_{j}", "joint_position.{j}", "actual_q_{j}", "Q[{j}]"],
    "qd": ["qd{j}", "dq_{j}", "velocity_{j}", "vel_{j}"],
    "qdd": ["qdd_{j}", "acc_{j}", "acceleration_{j}"],
    "tau": ["tau{j}", "tau_{j}", "effort_{j}", "torque_{j}", "torque_{j} [Nm]"],
    "current": ["current_{j}", "i_{j}", "current_{j} [A]"],
}
UNITS = ["", "", "", "", " [rad]", " [deg]", " [mm]", " [furlong]", "[]", " []]"]
ODD_NAMES = [
    "", "t", "q1", "target_q1", "x", "temperature", "q_", "[", "é", "a,b", "\0", "q" * 300, "nan",
]  # fmt: skip
ODD_CELLS = [
    "", "nan", "NaN", "inf", "1e400", "-", "1,5", "1.5.2", "abc", "0x10", "1_000", "٣", '"',
    '"1"', "1e",
    "true", "null", "1 2", " 1 ", "9" * 400, "a" * 5000, "-0.0", "5e-324", "1.7976931348623157e308",
]  # fmt: skip
ODD_NUMBERS = [np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e308, 1e-300, 1e15, -1.0, 720.0, 1e9]


@dataclass
class Case:
    """A file, the log in it if it is valid, options of reading, and what it is written as."""

    name: str
    data: bytes
    valid: dict[str, np.ndarray] | None
    options: dict[str, Any]
    way: str


def case(rng: random.Random, target: str) -> Case:
    """Draw a file."""
    odd = rng.random()
    columns, plain = _columns(rng, odd < 0.5)
    data = globals()[f"_{target}"](columns, rng, odd < 0.5)
    valid = plain if odd >= 0.75 else None
    if odd < 0.25 or 0.5 <= odd < 0.75:
        data = _damaged(data, rng)
    options: dict[str, Any] = {}
    if valid is None and rng.random() < 0.3:
        key = rng.choice(
            ["joints", "units", "time_unit", "torque", "missing", "sort", "gear", "delimiter"]
        )
        options[key] = rng.choice({
            "joints": [["1"], ["2", "1"], ["a", "b"], []], "units": ["rad", "deg", "mm", "x",
            ["rad", "m"]],
            "time_unit": ["s", "ms", "ns", "h"], "torque": ["torque", "current", "none", "x"],
            "missing": ["drop", "error", "x"], "sort": [True], "gear": [[1.0], [0.01, 0.02],
            [0.0], [[1, 0], [1, 1]]],
            "delimiter": [",", ";", "\t", "", "ab", "."],
        }[key])  # fmt: skip
    suffix = {"csv": rng.choice([".csv", ".csv", ".txt", ".tsv"])}.get(target, f".{target}")
    way = rng.choice(["csv", "npz", "parquet", "stream", "stream", ""])
    return Case(f"run{suffix}", data, valid, options, way)


def _columns(rng: random.Random, odd: bool) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return columns by name, and the log that they are if nothing is odd."""
    numbers = np.random.default_rng(rng.getrandbits(32))
    n, rows = rng.randint(1, 3), rng.choice([2, 3, 10, 40] if not odd else [1, 2, 3, 10, 40])
    t = np.arange(rows) * rng.choice([0.001, 0.01, 0.1]) + rng.choice([0.0, 0.0, 1e3])
    plain = {"t": t, "q": numbers.uniform(-1.5, 1.5, (rows, n))}
    for role in ("qd", "qdd", rng.choice(["tau", "current"])):
        if rng.random() < 0.6:
            plain[role] = numbers.normal(size=(rows, n))
    columns = {rng.choice(WORDS["t"]): t}
    for role, block in plain.items():
        word = rng.choice(WORDS[role])
        for j in range(n if role != "t" else 0):
            columns[word.format(j=j + 1)] = block[:, j]
    if not odd:
        return columns, plain
    for _ in range(rng.randint(1, 3)):
        name = rng.choice(list(columns))
        column = columns[name].copy()
        match rng.randrange(8):
            case 0:
                del columns[name]
                columns = columns or {"x": column}
            case 1:
                columns[name + rng.choice(UNITS)] = columns.pop(name)
            case 2:
                columns[rng.choice(ODD_NAMES)] = columns.pop(name)
            case 3:
                column[rng.randrange(rows)] = rng.choice(ODD_NUMBERS)
                columns[name] = column
            case 4:
                columns[name] = column * 10.0 ** rng.randint(-12, 12)
            case 5:
                columns[name] = np.full(rows, rng.choice(ODD_NUMBERS))
            case 6:
                columns[name] = column[
                    rng.choice([slice(None, None, -1), slice(0, 1), slice(0, 0)])
                ]
                columns[name] = np.resize(columns[name], rows) if columns[name].size else column
            case _:
                columns[name] = np.round(column, 1)
    return columns, plain


def _csv(columns: dict[str, np.ndarray], rng: random.Random, odd: bool) -> bytes:
    comma = rng.choice([",", ",", ";", "\t", " "] if odd else [",", ";", "\t"])
    rows = [list(map(repr, row)) for row in np.column_stack([*columns.values()]).tolist()]
    head = [name if comma not in name else f'"{name}"' for name in columns]
    lines = [head, *rows]
    if odd:
        for _ in range(rng.randint(0, 3)):
            line = rng.choice(lines)
            if line:
                line[rng.randrange(len(line))] = rng.choice(ODD_CELLS)
        if rng.random() < 0.3:
            lines.insert(
                rng.randrange(len(lines) + 1), rng.choice([[], ["#"], ["# a comment"], ["x"] * 9])
            )
    end = rng.choice(["\n", "\n", "\r\n", "\r"] if odd else ["\n", "\r\n"])
    text = end.join(comma.join(line) for line in lines) + rng.choice([end, ""])
    encodings = ["utf-8", "utf-8-sig", "utf-16", "latin-1"] if odd else ["utf-8", "utf-8-sig"]
    return text.encode(rng.choice(encodings), "replace")


def _npz(columns: dict[str, np.ndarray], rng: random.Random, odd: bool) -> bytes:
    arrays: dict[str, Any] = {name.replace("/", "_"): x for name, x in columns.items()}
    if odd:
        name = rng.choice(list(arrays))
        arrays[name] = rng.choice([
            arrays[name].astype(np.float32), arrays[name].astype(">f8"), arrays[name][None],
            np.array(1.0), np.zeros((2, 2, 2)), arrays[name].astype("U"), arrays[name] + 1j,
            np.array(["a", None], object), np.zeros(0), arrays[name][:-1], arrays[name] > 0,
            np.zeros(3, [("a", float)]), np.zeros(3, "M8[ns]"), np.asfortranarray(np.ones((3, 2))),
        ])  # fmt: skip
    file = io.BytesIO()
    save = rng.choice([np.savez, np.savez_compressed])
    save(file, **{f"x{k}" if not name or "\0" in name or name == "file" else name: x
                  for k, (name, x) in enumerate(arrays.items())})  # fmt: skip
    if odd and rng.random() < 0.2:
        with zipfile.ZipFile(file, "a") as extra:
            name = rng.choice(["y.npy", "../up.npy", "notes.txt", "a/b.npy"])
            extra.writestr(zipfile.ZipInfo(name), b"\x93NUMPY" * 3)
    return file.getvalue()


def _mat(columns: dict[str, np.ndarray], rng: random.Random, odd: bool) -> bytes:
    from scipy.io import savemat

    # a name is an identifier of at most 31 letters, and one row is no longer a column
    arrays: dict[str, Any] = {
        re.sub(r"[^0-9A-Za-z_]+", "_", name.partition(" ")[0]).strip("_")[:31] or "x": np.resize(
            x, max(len(x), 2)
        )
        for name, x in columns.items()
    }
    if odd:
        arrays[rng.choice(list(arrays))] = rng.choice([
            "text", np.array([["a"], [1.0]], object), {"x": np.ones(3)}, np.eye(3), np.float32(1),
            np.zeros((0, 3)), np.ones((2, 2, 2)), np.array([1 + 1j]), np.arange(5, dtype=np.int16),
        ])  # fmt: skip
    if rng.random() < 0.3:
        arrays = {"log": arrays}
    file = io.BytesIO()
    savemat(file, arrays, do_compression=rng.random() < 0.5, oned_as=rng.choice(["row", "column"]))
    return b"MATLAB 5.0 MAT-file".ljust(116) + file.getvalue()[116:]  # without the time


def _parquet(columns: dict[str, np.ndarray], rng: random.Random, odd: bool) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrays: dict[str, Any] = {name: pa.array(x) for name, x in columns.items()}
    rows = len(next(iter(arrays.values())))
    if odd:
        arrays[rng.choice(list(arrays))] = rng.choice([
            pa.array([None] * rows, pa.float64()), pa.array(["x"] * rows), pa.array([[1.0]] * rows),
            pa.array(range(rows), pa.timestamp("ns")), pa.array([True] * rows),
            pa.array([1] * rows, pa.int8()),
            pa.array(["a"] * rows).dictionary_encode(), pa.array([{"a": 1.0}] * rows),
            pa.nulls(rows),
            pa.array([1.5] * rows, pa.float32()), pa.array([10**18] * rows, pa.int64()),
        ])  # fmt: skip
    file = io.BytesIO()
    compression = rng.choice(["none", "snappy", "zstd", "gzip"])
    pq.write_table(
        pa.table(arrays), file, compression=compression, row_group_size=rng.choice([None, 2, 7])
    )
    return file.getvalue()


def _damaged(data: bytes, rng: random.Random) -> bytes:
    match rng.randrange(5):
        case 0:
            return mutated(data, rng)
        case 1:
            return data[: rng.randrange(len(data) + 1)]
        case 2:
            at = rng.randrange(len(data) + 1)
            return data[:at] + rng.randbytes(rng.choice([1, 4, 100])) + data[at:]
        case 3:
            return data + data[rng.randrange(len(data)) :]
        case _:
            changed = bytearray(data)
            for _ in range(rng.choice([1, 1, 3, 30])):
                changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            return bytes(changed)


def run(case: Case) -> None:
    """Read a file, and check what was read."""
    path = Path(case.name)
    path.write_bytes(case.data)
    if case.valid is not None:
        with must("a valid log"):
            log = Log.read(path, **case.options)
        _check_valid(log, case.valid)
    else:
        log = Log.read(path, **case.options)
    with must("read once more"):
        again = Log.read(path, **case.options)
    _check_same(log, again, "read twice")
    for name in ("t", "q", "qd", "qdd", "tau"):
        column = getattr(log, name)
        check(column is None or np.isfinite(column).all(), f"{name} is not finite")
    check((np.diff(log.t) > 0).all(), "time does not increase")
    check(log.summary(), "no summary")
    json.dumps(log.to_dict(), allow_nan=False)
    if case.way == "stream" and "sort" not in case.options:
        try:
            _check_same(Log.stream(path, **case.options), replace(log, qdd=None), "block by block")
        except LogError:
            check(False, "block by block, it is refused")
    elif case.way in ("csv", "npz", "parquet"):
        other = Path(f"other.{case.way}")
        try:
            log.save(other)
        except InputError:  # the name of a column does not go into a file
            return
        with must("written and read"):
            found = Log.read(other, joints=log.joint_names)  # numbers are put in order
        _check_same(found, log, f"written as {case.way}")


def _check_same(a: Log, b: Log, what: str) -> None:
    for name in ("t", "q", "qd", "qdd", "tau"):
        x, y = (
            None if v is None else np.asarray(v[:]) for v in (getattr(a, name), getattr(b, name))
        )
        check(
            (x is None) == (y is None) and (x is None or np.array_equal(x, y)),
            f"{what}: {name} differs",
        )
    check(
        a.joint_names == b.joint_names and a.effort == b.effort, f"{what}: joints or effort differ"
    )


def _check_valid(log: Log, valid: dict[str, np.ndarray]) -> None:
    tau = valid.get("tau", valid.get("current"))
    for name, expected in {**valid, "tau": tau}.items():
        if name != "current" and expected is not None:
            found = getattr(log, name)
            check(
                found is not None and np.array_equal(found, expected),
                f"{name} is not what was written",
            )
