"""`fleet`: logs of many arms and days to one table, in steps that survive a crash.

Every finished row is a small file beside the table, named by what it was made from: the logs, the
robot, the options and the version of armdyn. A second start reads these files, and computes the
rest. Drift and the table are computed from all rows at the end.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import inspect
import json
import os
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import PurePosixPath
from typing import Any, cast

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.checks import checked_mapping, checked_path, checked_whole
from armdyn.cluster import AHEAD, Cluster, checked_client, local_client
from armdyn.errors import ArmdynError, InputError, shown
from armdyn.identification.identify import identify
from armdyn.monitoring.drift import add_drift
from armdyn.monitoring.page import page_html
from armdyn.monitoring.sources import (
    LogSource,
    check_output,
    find_logs,
    joined_address,
    make_folder,
    plain_address,
    read_bytes,
    write_bytes,
)
from armdyn.monitoring.table import check_suffix, columns_of, grid_of, table_bytes
from armdyn.monitoring.work import READING, Row, Unit, row_of, stamp_of, units_of
from armdyn.present.html import check_page
from armdyn.present.tables import card
from armdyn.progress import Progress, reporter
from armdyn.robot.formats.toml import toml_text
from armdyn.writing import write_whole

# Changes of what a stored row means make another key; the first is 1.
RECORDS = 1

# Arguments of `identify` that a fleet has no use for, or that cannot be stored in a key.
NOT_OPTIONS = ("arm", "logs", "test", "extra", "coupling", "progress", "client")


class Fleet:
    """The rows of a fleet, a dictionary for each arm and day, in their order.

    Attributes:
        arm: the described arm.
        pattern: where the logs are.
        rows: results of each arm and day, with "arm", "day", "verdict", "torque_error", "drift";
            "error" tells why logs failed, and is None otherwise.
        missing: arms and days that other parts of a job array have not finished.
        rotor: whether rotor inertias were identified.

    Examples:
        >>> armdyn.fleet("run*.csv", "planar2", friction=False, physical=False)
        <Fleet of 'planar2': 1 rows, 0 arms drift, 0 rows failed>
    """

    def __init__(
        self, arm: Arm, pattern: str, rows: Sequence[Row], missing: Sequence[str], rotor: bool
    ) -> None:
        self.arm, self.pattern = arm, pattern
        self.rows, self.missing = tuple(rows), tuple(missing)
        self.rotor = rotor

    @property
    def drifting(self) -> tuple[str, ...]:
        """Arms that changed beyond their error bars from one row to the next."""
        return tuple(dict.fromkeys(row["arm"] for row in self.rows if row["drift"]))

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows of logs that failed."""
        return tuple(row for row in self.rows if row["error"] is not None)

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns of the table by name, for a data frame.

        Returns:
            Lists of equal length; None where a row has no value.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.fleet("run*.csv", arm, friction=False, physical=False)
            >>> result.columns()["verdict"]
            ['passed']
        """
        return columns_of(self.rows, self.arm.joint_names)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table as .parquet or .csv: the whole file or, on any failure, nothing.

        Args:
            path: the file, or an address of fsspec.

        Raises:
            FileError: the suffix is unknown, or the file cannot be written.
            MissingExtraError: Parquet needs pyarrow.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.fleet("run*.csv", arm, friction=False, physical=False)
            >>> result.save("table.csv")
        """
        address = plain_address(checked_address(path, "path"))
        check_suffix(address)
        write_bytes(address, table_bytes(address, self.rows, self.arm.joint_names))

    def page(self, path: str | os.PathLike[str]) -> None:
        """Write a page with small drawings of every arm over its days, drifting arms first.

        Args:
            path: of the page, .html.

        Raises:
            FileError: the file cannot be written.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.fleet("run*.csv", arm, friction=False, physical=False)
            >>> result.page("fleet.html")
        """
        check_page(path)
        text = page_html(self.arm, self.rotor, self.rows, self.pattern)
        write_whole(checked_path(path), text)

    def summary(self) -> str:
        """Return the table as text, rows that drift or failed first.

        Returns:
            Some lines of text.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> result = armdyn.fleet("run*.csv", arm, friction=False, physical=False)
            >>> print(result.summary())
            1 rows
            arm  day    verdict  torque error  expected  gravity  what changed
            ...
        """
        return grid_of(self.rows).text()

    def _repr_html_(self) -> str:
        facts = {"rows": str(len(self.rows)), "arms that drift": str(len(self.drifting)),
                 "rows that failed": str(len(self.failed))}  # fmt: skip
        return card(f"Fleet of {self.arm.name}", facts, grid_of(self.rows))

    def __repr__(self) -> str:
        waiting = f", {len(self.missing)} missing" if self.missing else ""
        return (
            f"<Fleet of {self.arm.name!r}: {len(self.rows)} rows{waiting}, "
            f"{len(self.drifting)} arms drift, {len(self.failed)} rows failed>"
        )


def fleet(
    pattern: str | os.PathLike[str],
    robot: Arm | str | os.PathLike[str],
    *,
    out: str | os.PathLike[str] | None = None,
    workers: int | None = None,
    client: Any = None,
    part: str | tuple[int, int] | None = None,
    reading: Mapping[str, Any] | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Fleet:
    """Identify every arm of a fleet on every day, and tell what drifts.

    The folder below the part of the pattern without wildcards is the arm: "arm7" of
    "logs/arm7/2026-03-01/run.csv" for "logs/*/". The day is that of the first time stamp if stamps
    count from 1970 (UTC), else a date in the path below that folder, else each log is a day of its
    own, in the order of names. All logs of an arm and a day make one row.

    Args:
        pattern: where the logs are: folders, files or patterns, local or of fsspec.
        robot: the arm of all logs, or its file.
        out: the table, .parquet or .csv, local or of fsspec. Finished rows are stored in the folder
            of the same name with the suffix .rows, and not computed again; None stores nothing.
        workers: number of local processes; this one if left out.
        client: a `distributed.Client`, whose workers must find local logs under the same paths.
        part: (i, n) or "i/n": do only the i-th of n parts of the work, for job arrays. The table is
            written by the part that finds all rows.
        reading: options of `Log.read`.
        progress: called with (done, total, what).
        options: options of `identify`, but for `test`, `extra` and `coupling`.

    Returns:
        The rows; see `Fleet`.

    Raises:
        InputError: an argument is wrong, or no log matches.
        FileError: the table cannot be written.
        MissingExtraError: a package for the address, the table or the workers is not installed.

    Examples:
        >>> result = armdyn.fleet("run*.csv", "planar2", friction=False, physical=False)
        >>> result
        <Fleet of 'planar2': 1 rows, 0 arms drift, 0 rows failed>
        >>> result.rows[0]["verdict"], result.rows[0]["drift"]
        ('passed', [])
    """
    report = reporter(progress)
    i, n = _checked_part(part)
    if workers is not None and client is not None:
        raise InputError("`workers` and `client` both say who does the work: give one.")
    arm = robot if isinstance(robot, Arm) else load(cast("str", robot))
    _check_names(options, [x for x in inspect.signature(identify).parameters
                           if x not in NOT_OPTIONS], "of identify")  # fmt: skip
    given: Mapping[str, Any] = {} if reading is None else reading
    reading = checked_mapping(given, "reading", what="options of Log.read")
    _check_names(reading, list(READING), "of Log.read")
    where = plain_address(checked_address(pattern, "pattern"))
    logs = find_logs(where)
    store = _Store(arm, reading, options, out)
    with ExitStack() as stack:
        if workers is not None:
            client = stack.enter_context(local_client(workers))
        cluster = checked_client(client)
        units = units_of(logs, _stamps(arm, logs, reading, store, cluster, report))
        mine = units[i - 1 :: n]
        stored = {unit: store.get(unit) for unit in units}
        left = [unit for unit in mine if stored[unit] is None]
        done = len(mine) - len(left)
        report(done, len(mine), "arms and days")
        each = _each(row_of, [(arm, unit, reading, options) for unit in left], cluster, _lost)
        for unit, row in zip(left, each, strict=True):
            stored[unit] = row
            store.put(unit, row)
            done += 1
            report(done, len(mine), "arms and days")
    for unit in units:  # others may have finished them meanwhile
        stored[unit] = stored[unit] or store.get(unit)
    rows = [row for unit in units if (row := stored[unit]) is not None]
    missing = [f"{unit.arm}, {unit.day}" for unit in units if stored[unit] is None]
    rotor = options.get("rotor") is not False
    add_drift(arm, rotor, rows)
    made = Fleet(arm, where, rows, missing, rotor)
    if out is not None and not missing:
        made.save(out)
    return made


def checked_address(value: object, name: str) -> str:
    """Return a path or an address as text."""
    checked_path(value, name, what="a path or an address")
    return os.fspath(cast("str | os.PathLike[str]", value))


def _checked_part(part: object) -> tuple[int, int]:
    """Return the number of the part from 1, and the number of parts."""
    if part is None:
        return 1, 1
    words: Any = part.split("/") if isinstance(part, str) else part
    with suppress(InputError, TypeError, ValueError):
        i, n = (int(x) if isinstance(part, str) else x for x in words)
        n = checked_whole(n, "n", 1)
        return checked_whole(i, "i", 1, n), n
    raise InputError(
        f"`part` is {shown(part)}, expected i/n with i from 1 to n, such as 3/8.", argument="part"
    )


def _check_names(options: Mapping[str, Any], known: Sequence[str], whose: str) -> None:
    """Refuse options that a fleet does not have."""
    for name in options:
        if name not in known:
            raise InputError(
                f"`{name}` is no option of a fleet; options {whose} are {', '.join(known)}.",
                argument=name,
            )


class _Store:
    """Finished rows in small files, each by the key of what it was made from."""

    def __init__(
        self, arm: Arm, reading: Mapping[str, Any], options: Mapping[str, Any], out: object
    ) -> None:
        self._folder: str | None = None
        self._common = [
            RECORDS, importlib.metadata.version("armdyn"), toml_text(arm.robot),
            _keyed(reading), _keyed(options),
        ]  # fmt: skip
        if out is None:
            return
        address = plain_address(checked_address(out, "out"))
        check_suffix(address)
        check_output(address)
        self._folder = str(address).removesuffix(PurePosixPath(address).suffix) + ".rows"
        make_folder(self._folder)

    def get(self, unit: Unit) -> Row | None:
        """Return the row of a unit; None if it is not finished."""
        return self.read(self._key(unit))

    def put(self, unit: Unit, row: Row) -> None:
        """Store a row, unless another try may give another one."""
        if not row.pop("again", False):
            self.write(self._key(unit), row)

    def read(self, key: str) -> Any:
        """Return what is stored under a key, None if nothing complete is there."""
        if self._folder is None:
            return None
        data = read_bytes(joined_address(self._folder, f"{key}.json"))
        try:
            found = None if data is None else json.loads(data)
        except ValueError:
            return None
        if not isinstance(found, dict):
            return None
        stored = cast("dict[str, Any]", found)
        return stored["row"] if stored.get("key") == key else None

    def write(self, key: str, row: Any) -> None:
        """Store plain data under a key."""
        if self._folder is not None:
            data = json.dumps({"key": key, "row": row}, allow_nan=False).encode()
            write_bytes(joined_address(self._folder, f"{key}.json"), data)

    def key(self, *parts: object) -> str:
        """Return the key of plain data, with the robot, the options and the version."""
        return hashlib.sha256(json.dumps([*self._common, *parts]).encode()).hexdigest()[:40]

    def _key(self, unit: Unit) -> str:
        logs = [(log.address, log.size, log.version) for log in unit.logs]
        return self.key(unit.arm, unit.day, unit.source, logs)


def _keyed(options: Mapping[str, Any]) -> str:
    """Return options as text that is the same for the same values."""
    plain = {
        name: value.tolist() if isinstance(value, np.ndarray) else value
        for name, value in options.items()
    }
    return json.dumps(plain, sort_keys=True, default=repr)


def _stamps(
    arm: Arm,
    logs: Sequence[LogSource],
    reading: Mapping[str, Any],
    store: _Store,
    cluster: Cluster | None,
    report: Progress,
) -> list[float | None]:
    """Return the first stamps of logs; they are stored together."""
    key = store.key("stamps", [(log.address, log.size, log.version) for log in logs])
    stored: list[float | None] | None = store.read(key)
    if stored is not None and len(stored) == len(logs):
        return stored
    made: list[float | None] = []
    for stamp in _each(stamp_of, [(arm, log, reading) for log in logs], cluster, _no_stamp):
        made.append(stamp)
        report(len(made), len(logs), "time stamps")
    store.write(key, made)
    return made


def _each(
    function: Callable[..., Any],
    arguments: Sequence[tuple[Any, ...]],
    cluster: Cluster | None,
    lost: Callable[[tuple[Any, ...], ArmdynError], Any],
) -> Iterator[Any]:
    """Yield what a function makes of each list of arguments, in order, here or on workers.

    `lost` makes the result of a task that the cluster gave up, of its arguments and the error.
    """
    if cluster is None:
        yield from (function(*one) for one in arguments)
        return
    waiting: deque[tuple[Any, Any]] = deque()

    def first() -> Any:
        given, future = waiting.popleft()
        try:
            return cluster.result(future)
        except ArmdynError as error:
            if cluster.client.status != "running":
                raise
            return lost(given, error)

    for one in arguments:
        waiting.append((one, cluster.submit(function, *one)))
        if len(waiting) >= AHEAD * max(cluster.count, 1):
            yield first()
    while waiting:
        yield first()


def _lost(given: tuple[Any, ...], error: ArmdynError) -> Row:
    unit: Unit = given[1]
    return {
        "arm": unit.arm, "day": unit.day, "day_from": unit.source, "logs": len(unit.logs),
        "error": str(error), "again": True,
    }  # fmt: skip


def _no_stamp(given: tuple[Any, ...], error: ArmdynError) -> None:
    return None
