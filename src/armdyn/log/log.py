"""`Log`: measurements of a moving arm at their recorded time stamps.

Its methods import what reads, writes and summarises logs (8 to 19 ms): these modules use `Log`, or
are not needed for a log of arrays.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arrays import Array
from armdyn.checks import checked_choice, checked_number, checked_path, checked_text, checked_whole
from armdyn.errors import InputError, shown
from armdyn.log.options import (
    ReadOptions,
    checked_episodes,
    checked_extra,
    checked_joint_names,
    checked_notes,
    checked_samples,
    checked_stamps,
)
from armdyn.log.rows import first_not_before, part_of, part_of_episodes, runs

Effort = Literal["torque", "current", "none"]

COLUMNS = ("t", "q", "qd", "qdd", "tau", "q_cmd", "current", "load")

# For a longer log, the median step is taken from RUNS runs of RUN samples each.
RUNS, RUN = 256, 4096


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Samples of one motion: time stamps, positions, efforts, and notes on how they were read.

    Arrays are float64, of N samples and n joints, and cannot be written to. SI units and radians,
    on the joint side of the drives.

    Attributes:
        t: time stamps ``(N,)`` [s], strictly increasing, as they were recorded: steps may differ.
        q: positions ``(N, n)``.
        qd: measured velocities ``(N, n)``, or None.
        qdd: measured accelerations ``(N, n)``, or None.
        tau: torques ``(N, n)``, or the motor currents [A] if `effort` is "current", or None.
        joint_names: the names of the joints, base first.
        effort: what `tau` holds: "torque", "current" or "none".
        q_cmd: commanded positions ``(N, n)``, the goals of the position controllers, or None.
        current: motor currents ``(N, n)`` [A], also beside torques, or None.
        load: load registers of servo drives ``(N, n)``, in the numbers of the drive, or None.
        episodes: a slice of samples for each motion that was recorded without interruption.
        extra: all other columns ``(N,)`` or ``(N, k)`` by name.
        source: the file of the log, for messages.
        notes: findings and changes while reading, one sentence each.
        origin: the recorder's clock at ``t = 0`` [s]; 0 if stamps are as recorded.
        command: the command line that reads the file in the same way without guessing.

    Examples:
        >>> t = np.arange(100) / 100
        >>> q = np.sin(np.outer(t, [1.0, 2.0]))
        >>> log = armdyn.Log(t, q, tau=3 * q, joint_names=("shoulder", "elbow"))
        >>> log
        <Log: 100 samples of 2 joints, 0.99 s at 100 Hz, q, tau>
        >>> len(log[0.2:0.5])
        30
    """

    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    _: KW_ONLY
    joint_names: tuple[str, ...] = ()
    effort: Effort = "torque"
    q_cmd: Array | None = None
    current: Array | None = None
    load: Array | None = None
    episodes: list[slice] = field(default_factory=list[slice])
    extra: Mapping[str, Array] = field(default_factory=dict[str, Array])
    source: str = ""
    notes: tuple[str, ...] = ()
    origin: float = 0.0
    command: str = ""

    def __post_init__(self) -> None:
        t, notes, began = checked_stamps(self.t)
        q = checked_samples(self.q, "q")
        shape = q.shape
        if len(t) != len(q):
            raise InputError(f"`t` has {len(t)} samples but `q` has {len(q)}.", argument="t")
        if not len(t) or not shape[1]:
            raise InputError(f"`q` has the shape {shape}: a log has samples and joints.")
        self._set("t", t)
        self._set("q", q)
        effort = "none"
        if self.tau is not None:
            effort = checked_choice(self.effort, "effort", ("torque", "current"), error=InputError)
        elif self.current is not None:
            effort = "current"
            self._set("tau", self.current)
        self._set("effort", effort)
        for name in COLUMNS[2:]:
            value = getattr(self, name)
            if value is not None and (name != "current" or effort != "current"):
                self._set(name, checked_samples(value, name, shape))
        if effort == "current":
            self._set("current", self.tau)
        self._set("joint_names", checked_joint_names(self.joint_names, shape[1]))
        self._set("episodes", checked_episodes(self.episodes, len(t)))
        self._set("extra", MappingProxyType(checked_extra(self.extra, len(t))))
        self._set("source", checked_text(self.source, "source", empty=True))
        self._set("notes", (*checked_notes(self.notes), *notes))
        self._set("origin", checked_number(self.origin, "origin") + began)
        self._set("command", checked_text(self.command, "command", empty=True))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "extra": dict(self.extra)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        extra = state["extra"]
        for array in (*(state[name] for name in COLUMNS), *extra.values()):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False  # pickled arrays forget it
        for name, value in {**state, "extra": MappingProxyType(extra)}.items():
            self._set(name, value)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        robot: object = None,
        *,
        joints: object = None,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        units: str | Sequence[str] | None = None,
        time_unit: str | None = None,
        torque: str = "auto",
        gear: ArrayLike | None = None,
        motor_side: Sequence[str] = ("q", "qd", "qdd", "tau"),
        delimiter: str | None = None,
        sort: bool = False,
        missing: str = "error",
        torque_unit: str | None = None,
    ) -> Log:
        """Read a log: CSV or other text, NPZ, MAT, Parquet, HDF5, LeRobot, MCAP or rosbag2.

        Columns are found by their names, in any order and case: the time by ``t``, ``time``,
        ``stamp``, ``sec`` and ``nanosec``, ...; and for each joint ``q1``, ``q_1``, ``q[0]``,
        ``q_<joint>``, ``position_<joint>``, ``<joint>.pos``, ...; in the same way velocities
        (``qd dq v vel velocity``), accelerations (``qdd ddq acc acceleration``), torques
        (``tau torque effort``) and currents (``i current``). A name may end in its unit,
        ``q1 [deg]`` or ``time_ms``. Commanded positions, ``q_cmd_<joint>``, ``target_<joint>``,
        ``goal_<joint>``, ``action.<joint>``, ..., are never taken for positions: they become
        `q_cmd` if every joint has one. A column ``episode_index`` numbers motions that do not
        continue each other; their clocks may restart.

        Args:
            path: the file, or the folder of a LeRobot dataset or of a rosbag2 recording; or several
                of them, which are joined by `concat`.
            robot: the `Arm` of the log; the same as `joints`.
            joints: an `Arm` or joint names: selects the joints and their order. With an arm, its
                limits tell degrees from radians. If left out, the joints are those of the file, in
                the order of the file.
            columns: names of columns that are not found automatically, such as
                ``{"t": "clock", "q": ["a1", "a2"]}``. A single name for q, qd, qdd, tau, current,
                q_cmd or load means an ``(N, n)`` array, or is a pattern of one column for each
                joint, with ``*``, ``?`` and ``[...]``: ``"A?_ActPos*"``. ``"topic"`` chooses
                the topic of a recording of ROS 2, where ``"q"`` names its joints in the order of
                the arm. ``{"t": "50 Hz"}`` is the rate of a file without stamps.
            units: of positions: "rad", "deg", "mrad", "rev", "m", "mm", "counts" (4096 a turn,
                zero at 2048) or "rev/65536" (an encoder of 65536 steps for a turn of the joint),
                for all joints or one each, or "m100_100" for positions that LeRobot normalises to
                -100 ... 100. If left out, taken from the column names or the steps of
                encoders, else radians; positions that cannot be radians are refused.
            time_unit: "s", "ms", "us" or "ns". If left out, taken from the column name or inferred
                from the stamps.
            torque: which effort to take: "torque", "current", "none", or "auto" for torques or,
                if there are none, currents.
            gear: for motor-side data, G of ``q_joint = G q_motor`` as ``(n,)`` ratios (a reduction
                of 100 is 1/100) or an ``(n, n)`` matrix with the couplings of the drives. Torques
                follow because power is the same on both sides: ``tau_joint = inv(G).T tau_motor``.
            motor_side: which of q, qd, qdd, tau are on the motor side, if `gear` is given.
            delimiter: separator of text columns; detected if left out.
            sort: sort the rows by time, and keep the first of rows with equal stamps.
            missing: what to do with rows that have an empty cell or NaN: "error" or "drop".
            torque_unit: of torques: a force and a length, such as "N cm" or "kgf cm". If left out,
                taken from the column names, else N m.

        Returns:
            The log, in SI units.

        Raises:
            LogError: the file is not what it should be; says where, with the line of a text file.
            InputError: an option is wrong.

        Examples:
            >>> lines = ["time_ms,angle_1 [deg],torque_1", "0,0,1", "4,90,2", "8,180,3"]
            >>> with open("run.csv", "w") as file:
            ...     print(*lines, sep=chr(10), file=file)
            >>> log = armdyn.Log.read("run.csv")
            >>> log.t, log.q[:, 0] / np.pi
            (array([0.   , 0.004, 0.008]), array([0. , 0.5, 1. ]))
        """
        from armdyn.log.reading import read_arrays

        if robot is not None and joints is not None:
            raise InputError("`robot` and `joints` are both given; give one.", argument="robot")
        if robot is not None and not hasattr(robot, "joint_names"):
            raise InputError(
                f"`robot` is {shown(robot)}, expected an armdyn.Arm; load one by armdyn.load().",
                argument="robot",
            )
        options = ReadOptions.checked(
            joints=joints if robot is None else robot,
            columns=columns,
            units=units,
            time_unit=time_unit,
            torque=torque,
            gear=gear,
            motor_side=motor_side,
            delimiter=delimiter,
            sort=sort,
            missing=missing,
            torque_unit=torque_unit,
        )
        if isinstance(path, Sequence) and not isinstance(path, str):
            files = [checked_path(one, "path", what="the path of a log") for one in path]
            return cls.concat([cls(**read_arrays(file, options)) for file in files])
        file = checked_path(path, "path", what="the path of a log")
        return cls(**read_arrays(file, options))

    @staticmethod
    def stream(
        path: str | os.PathLike[str],
        *,
        joints: object = None,
        columns: Mapping[str, str | Sequence[str]] | None = None,
        units: str | Sequence[str] | None = None,
        time_unit: str | None = None,
        torque: str = "auto",
        gear: ArrayLike | None = None,
        motor_side: Sequence[str] = ("q", "qd", "qdd", "tau"),
        delimiter: str | None = None,
        missing: str = "error",
        torque_unit: str | None = None,
    ) -> Log:
        """Read a log that is too long for memory, block by block.

        The samples go to unnamed files in the folder for temporary files (`TMPDIR`), 8 bytes per
        number, as long as the log is in use. `identify` also stores its prepared samples there,
        which take twice as much. A MAT file is read as a whole.

        Args:
            path: the file.
            joints: as for `read`.
            columns: as for `read`.
            units: as for `read`.
            time_unit: as for `read`.
            torque: as for `read`.
            gear: as for `read`.
            motor_side: as for `read`.
            delimiter: as for `read`.
            missing: as for `read`.
            torque_unit: as for `read`.

        Returns:
            The log, in SI units; its arrays are memory maps.

        Raises:
            LogError: the file is not a log of an arm; says where, with the line of a text file.
            InputError: an option is wrong.
            FileError: there is no space for temporary files.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> log.save("run.csv")
            >>> long = armdyn.Log.stream("run.csv")
            >>> long.q[50:52]  # read from the scratch file
            array([[0.4794, 0.8415],
                   [0.4882, 0.8521]])
        """
        from armdyn.log.reading import stream_log

        file = checked_path(path, "path", what="the path of a log")
        options = ReadOptions.checked(
            joints=joints, columns=columns, units=units, time_unit=time_unit, torque=torque,
            gear=gear, motor_side=motor_side, delimiter=delimiter, sort=False, missing=missing,
            torque_unit=torque_unit,
        )  # fmt: skip
        return stream_log(file, options)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the log in the format of the suffix: the whole file or, on any failure, nothing.

        Formats are CSV, NPZ and Parquet. Reading the file gives the same bits.

        Args:
            path: the file; its suffix is .csv, .npz or .parquet.

        Raises:
            FileError: the suffix is unknown, or the file cannot be written.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> log.save("run.npz")
            >>> bool((armdyn.Log.read("run.npz").q == log.q).all())
            True
        """
        from armdyn.log.formats import write_log

        write_log(self, checked_path(path))

    def page(
        self,
        path: str | os.PathLike[str] | None,
        arm: Any,
        *,
        meshes: bool = False,
        packages: Sequence[str | os.PathLike[str]] = (),
    ) -> Any:
        """Write an HTML page in which an arm moves as in the log; it needs no network.

        Args:
            path: of the page; None returns it, and a notebook shows it.
            arm: the `Arm` of the log.
            meshes: draw the meshes of the robot's file, as `Arm.page` does.
            packages: folders in which meshes are looked for, besides that of the robot's file.

        Returns:
            The page if `path` is None, else None.

        Raises:
            InputError: the log and the arm have different numbers of joints.
            FileError: the file cannot be written.

        Examples:
            >>> arm = armdyn.load("planar2")
            >>> t = np.arange(200) / 100
            >>> armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0]))).page("log.html", arm)
        """
        draw = getattr(arm, "page", None)
        if draw is None or not hasattr(arm, "gravity"):  # logs and runs have pages too
            raise InputError(
                f"`arm` is {shown(arm)}, expected an armdyn.Arm; load one by armdyn.load().",
                argument="arm",
            )
        return draw(path, log=self, meshes=meshes, packages=packages)

    @property
    def measured(self) -> list[str]:
        """Names of the quantities that the log has: "q", "qd", ..."""
        there = [name for name in COLUMNS[1:] if getattr(self, name) is not None]
        return [name for name in there if name != "current" or self.effort != "current"]

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def median_step(self) -> float:
        """The median time step [s]; 0 for a single sample.

        For logs of more than a million samples it is taken from evenly spread runs.
        """
        if len(self) < 2:
            return 0.0
        asked = runs(len(self), RUNS, RUN)
        return float(np.median(np.concatenate([np.diff(self.t[a:b]) for a, b in asked])))

    @property
    def rate(self) -> float:
        """Sampling rate [Hz], from the median step; 0 for a single sample."""
        step = self.median_step
        return min(1.0 / step, sys.float_info.max) if step else 0.0

    def __len__(self) -> int:
        return len(self.t)

    def _repr_html_(self) -> str:
        from armdyn.log.summary import log_card

        return log_card(self)

    def __repr__(self) -> str:
        there = ", ".join(self.measured)
        source = f" of {self.source}" if self.source else ""
        return (
            f"<Log{source}: {len(self)} samples of {self.n} joints, {self.duration:.4g} s at "
            f"{self.rate:.4g} Hz, {there}>"
        )

    def __getitem__(self, times: slice) -> Log:
        """Return the samples with ``t0 <= t < t1`` as ``log[t0:t1]``, in seconds of `t`."""
        if not isinstance(times, slice) or times.step is not None:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise InputError(
                f"a log is cut by times, log[t0:t1], got {shown(times)}; by sample numbers "
                "use log.part(a, b)."
            )
        ends = [
            None if time is None else checked_number(time, name, infinite=True, what="a time [s]")
            for name, time in (("t0", times.start), ("t1", times.stop))
        ]
        a = 0 if ends[0] is None else first_not_before(self.t, ends[0])
        b = len(self) if ends[1] is None else first_not_before(self.t, ends[1])
        return self.part(a, b)

    def part(self, a: int, b: int) -> Log:
        """Return samples a to b, excluding b, as a log.

        Args:
            a: index of the first sample.
            b: index after the last sample.

        Returns:
            The samples a to b - 1.

        Raises:
            InputError: there is no sample between `a` and `b`.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> log.part(10, 20)
            <Log: 10 samples of 2 joints, 0.09 s at 100 Hz, q>
        """
        a, b = (checked_whole(k, name, -sys.maxsize) for k, name in ((a, "a"), (b, "b")))
        a, b, _ = slice(a, b).indices(len(self))
        if b <= a:
            raise InputError(
                f"no samples are left: the log has {len(self)}, from {self.t[0]:.6g} s to "
                f"{self.t[-1]:.6g} s."
            )
        # Columns are already checked and read-only, so parts are not copied.
        made = cast(Log, object.__new__(type(self)))
        for one in fields(self):
            value = getattr(self, one.name)
            if one.name in COLUMNS and value is not None:
                value = part_of(value, a, b)
            elif one.name == "extra":
                value = MappingProxyType({k: v[a:b] for k, v in self.extra.items()})
            elif one.name == "episodes":
                value = part_of_episodes(self.episodes, a, b)
            made._set(one.name, value)
        return made

    @staticmethod
    def concat(logs: Sequence[Log]) -> Log:
        """Join logs of the same arm into one, with gaps in time between them.

        Velocities, accelerations and extra columns that some logs lack are left out.

        Args:
            logs: the logs, in order.

        Returns:
            One log.

        Raises:
            InputError: the logs have different joints, or there is none.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> both = armdyn.Log.concat([log, log])
            >>> len(both), round(both.duration, 3)
            (200, 2.98)
        """
        from armdyn.log.many import concatenated

        return concatenated(logs)

    def to_dict(self) -> dict[str, Any]:
        """Return a summary of the log as plain numbers and strings, for tables and JSON.

        Returns:
            Numbers and strings by their names.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> log.to_dict()["samples"], log.to_dict()["joints"][1]
            (100, {'name': 'joint2', 'lowest': 0.0, 'highest': 0.9999...})
        """
        from armdyn.log.summary import data_of

        return data_of(self)

    def summary(self) -> str:
        """Return a summary of the log as text: samples, rate, a line per joint, the notes.

        Returns:
            Some lines of text.

        Examples:
            >>> t = np.arange(100) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])))
            >>> print(log.summary())
            log: 100 samples, 0.99 s at 100 Hz, q
            joint1: from 0 to 0.836
            joint2: from 0 to 1
        """
        from armdyn.log.summary import text_of

        return text_of(self)


# `LongLog`: a log whose columns lie in scratch files.


@dataclass(frozen=True, eq=False, repr=False)
class LongLog(Log):
    """A log with its columns in scratch files: ``log.q[a:b]`` reads samples a to b.

    `Log.stream` makes it and checks its samples. `identify` takes it like any other log, and so do
    `save`, `summary` and `to_dict`. It has no measured accelerations and no extra columns.
    """

    def __post_init__(self) -> None:
        if self.effort == "current":
            self._set("current", self.tau)
        self._set("episodes", checked_episodes(self.episodes, len(self.t)))
