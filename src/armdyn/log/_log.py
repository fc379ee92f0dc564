"""`Log`: what was measured on a moving arm, on the time stamps it was measured at."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armdyn.errors import InputError, shown
from armdyn.log._stored import part_of, runs

Array = NDArray[np.float64]
Effort = Literal["torque", "current", "none"]

# Between logs that are joined there is a hole of this many steps, so that none is filtered across.
STEPS_BETWEEN = 100

COLUMNS = ("t", "q", "qd", "qdd", "tau")

# Runs of samples of which the median step is taken, at most.
RUNS, RUN = 256, 4096


@dataclass(frozen=True, eq=False, repr=False)
class Log:
    """Samples of one motion: time stamps, positions, efforts, and what was done to read them.

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
        extra: all other columns ``(N,)`` or ``(N, k)`` by name.
        source: the file the log is from, for messages.
        notes: what was found and what was done, a sentence each.
    """

    t: Array
    q: Array
    qd: Array | None = None
    qdd: Array | None = None
    tau: Array | None = None
    joint_names: tuple[str, ...] = ()
    effort: Effort = "torque"
    extra: Mapping[str, Array] = field(default_factory=dict[str, Array])
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        t = _numbers("t", self.t, 1)
        q = _numbers("q", self.q, 2)
        shape = q.shape
        if len(t) != len(q):
            raise InputError(f"`t` has {len(t)} samples but `q` has {len(q)}.")
        if not len(t) or not shape[1]:
            raise InputError(f"`q` has the shape {shape}: a log has samples and joints.")
        late = np.flatnonzero(np.diff(t) <= 0)
        if len(late):
            k = int(late[0])
            raise InputError(
                f"`t` does not increase: sample {k + 1} is at {float(t[k + 1])!r} s, the one "
                f"before it at {float(t[k])!r} s."
            )
        self._set("t", t)
        self._set("q", q)
        for name in ("qd", "qdd", "tau"):
            value = getattr(self, name)
            if value is not None:
                value = _numbers(name, value, 2)
                if value.shape != shape:
                    raise InputError(f"`{name}` has the shape {value.shape}, but `q` has {shape}.")
                self._set(name, value)
        self._set("joint_names", _names(self.joint_names, shape[1]))
        if self.tau is None:
            self._set("effort", "none")
        elif self.effort not in ("torque", "current"):
            raise InputError(f"`effort` is {shown(self.effort)}, expected 'torque' or 'current'.")
        self._set("extra", MappingProxyType(_extra(self.extra, len(t))))
        self._set("notes", tuple(self.notes))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
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
    ) -> Log:
        """Read a .csv (.txt, .tsv), .npz, .mat or .parquet file.

        Columns are found by their names, in any order and case: the time by ``t``, ``time``,
        ``stamp``, ``sec`` and ``nanosec``, ...; and for each joint ``q1``, ``q_1``, ``q[0]``,
        ``q_<joint>``, ``position_<joint>``, ``<joint>.pos``, ...; in the same way velocities
        (``qd dq v vel velocity``), accelerations (``qdd ddq acc acceleration``), torques
        (``tau torque effort``) and currents (``i current``). A name may end in its unit,
        ``q1 [deg]`` or ``time_ms``. What is called target, command or reference is not taken.

        Args:
            path: the file, or several of them, which are joined by `concat`.
            joints: an `Arm`, or the names of the joints: which columns are wanted, in which order.
                With an arm, its limits tell degrees from radians. If left out, the joints are
                those of the file, in the order of the file.
            columns: names for what is not found by itself: ``{"t": "clock", "q": ["a1", "a2"]}``;
                a single name of q, qd, qdd, tau or current is that of an ``(N, n)`` array, or has a
                ``*`` where columns have the joint: ``"axis*_angle"``.
            units: of positions: "rad", "deg", "m" or "mm", for all joints or one each. If left out,
                what the names say, or else radians; positions that can only be degrees are refused.
            time_unit: "s", "ms", "us" or "ns". If left out, what the name says or the stamps
                themselves.
            torque: which effort to take: "torque", "current", "none", or "auto" for torques and,
                where there are none, currents.
            gear: for motor-side data, G of ``q_joint = G q_motor`` as ``(n,)`` ratios (a reduction
                of 100 is 1/100) or an ``(n, n)`` matrix with the couplings of the drives. Torques
                follow by the power that both sides share: ``tau_joint = inv(G).T tau_motor``.
            motor_side: which of q, qd, qdd, tau are on the motor side, if `gear` is given.
            delimiter: what separates columns of text; found by itself if left out.
            sort: put unordered rows in order, and keep the first of rows with equal stamps.
            missing: what to do with rows that have an empty cell or NaN: "error" or "drop".

        Raises:
            LogError: the file is not what it should be; says where, with the line of a text file.
            InputError: an option is wrong.
        """
        from armdyn.log._read import read_arrays

        options: dict[str, Any] = dict(
            joints=joints,
            columns=columns,
            units=units,
            time_unit=time_unit,
            torque=torque,
            gear=gear,
            motor_side=motor_side,
            delimiter=delimiter,
            sort=sort,
            missing=missing,
        )
        if isinstance(path, Sequence) and not isinstance(path, str):
            return cls.concat([cls(**read_arrays(one, **options)) for one in path])
        return cls(**read_arrays(path, **options))

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
    ) -> Log:
        """Read a log that is too long for memory, block by block.

        The arguments are those of `read`. Samples are kept in files without names in the folder for
        temporary files (`TMPDIR`), 8 bytes a number, for as long as the log is in use; `identify`
        keeps what it makes of them there, too, which is twice as much. Blocks of .csv, .npz and
        .parquet files are read one by one, a .mat file as a whole.

        Raises:
            LogError: the file is not what it should be; says where, with the line of a text file.
            InputError: an option is wrong.
            FileError: there is no room for temporary files.
        """
        from armdyn.log._long import stream_log

        return stream_log(
            path, joints=joints, columns=columns, units=units, time_unit=time_unit, torque=torque,
            gear=gear, motor_side=motor_side, delimiter=delimiter, missing=missing,
        )  # fmt: skip

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the log as .csv, .npz or .parquet: the whole file or, on any failure, nothing.

        Reading it again gives the same bits.
        """
        from armdyn.log.formats._write import write_log

        write_log(self, path)

    @property
    def n(self) -> int:
        """Number of joints."""
        return self.q.shape[1]

    @property
    def duration(self) -> float:
        """Time from the first sample to the last [s]."""
        return float(self.t[-1] - self.t[0])

    @cached_property
    def rate(self) -> float:
        """Samples per second, by the median step; 0 for a single sample.

        Of logs of more than a million samples, runs that are evenly spread over it are asked.
        """
        if len(self) < 2:
            return 0.0
        asked = runs(len(self), RUNS, RUN)
        return float(1.0 / np.median(np.concatenate([np.diff(self.t[a:b]) for a, b in asked])))

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        there = ", ".join(k for k in ("q", "qd", "qdd", "tau") if getattr(self, k) is not None)
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
        try:
            a = 0 if times.start is None else int(np.searchsorted(self.t, float(times.start)))
            b = len(self) if times.stop is None else int(np.searchsorted(self.t, float(times.stop)))
        except (TypeError, ValueError):
            raise InputError(f"{shown(times)} are not times in seconds.") from None
        return self.part(a, b)

    def part(self, a: int, b: int) -> Log:
        """Return samples a to b, without b, as a log."""
        a, b, _ = slice(a, b).indices(len(self))
        if b <= a:
            raise InputError(
                f"no samples are left: the log has {len(self)}, from {self.t[0]:.6g} s to "
                f"{self.t[-1]:.6g} s."
            )
        # What is part of a log has been checked and cannot be written to: it is not copied.
        made = cast(Log, object.__new__(type(self)))
        for name, value in vars(self).items():
            if name in COLUMNS and value is not None:
                value = part_of(value, a, b)
            elif name == "extra":
                value = MappingProxyType({k: v[a:b] for k, v in self.extra.items()})
            if name != "rate":  # found anew
                made._set(name, value)
        return made

    @staticmethod
    def concat(logs: Sequence[Log]) -> Log:
        """Return logs of the same arm as one, each behind the last after a hole in time.

        What not all of them have is left out: velocities, accelerations, extra columns.
        """
        logs = list(logs)
        if not logs:
            raise InputError("there are no logs to join.")
        first = logs[0]
        for log in logs[1:]:
            for what in ("joint_names", "effort"):
                if getattr(log, what) != getattr(first, what):
                    raise InputError(
                        f"logs of different arms cannot be joined: `{what}` is "
                        f"{getattr(first, what)} in {first.source or 'the first'} but "
                        f"{getattr(log, what)} in {log.source or 'another'}."
                    )
        hole = STEPS_BETWEEN / min(log.rate or 1.0 for log in logs)
        times = [first.t]
        for log in logs[1:]:
            times.append(log.t - log.t[0] + (times[-1][-1] + hole))
        common = [
            name
            for name, column in first.extra.items()
            if all(name in g.extra and g.extra[name].shape[1:] == column.shape[1:] for g in logs)
        ]
        return Log(
            np.concatenate(times),
            np.concatenate([g.q for g in logs]),
            *(_joined([getattr(g, k) for g in logs]) for k in ("qd", "qdd", "tau")),
            joint_names=first.joint_names,
            effort=first.effort,
            extra={k: np.concatenate([g.extra[k] for g in logs]) for k in common},
            source=" + ".join(g.source or "a log" for g in logs),
            notes=tuple(dict.fromkeys(note for g in logs for note in g.notes)),
        )

    def summary(self) -> str:
        """Return what the log holds as text."""
        about = self.to_dict()
        lines = [
            f"{self.source or 'log'}: {len(self)} samples, {self.duration:.4g} s at "
            f"{self.rate:.4g} Hz, {', '.join(about['measured'])}"
        ]
        for joint in about["joints"]:
            rms = joint.get("effort_rms")
            effort = "" if rms is None else f", rms {self.effort} {rms:.4g}"
            lines.append(
                f"{joint['name']}: from {joint['lowest']:.4g} to {joint['highest']:.4g}{effort}"
            )
        return "\n".join([*lines, *(f"- {note}" for note in self.notes)])

    def to_dict(self) -> dict[str, Any]:
        """Return what the log holds, without its samples, as plain data for JSON."""
        steps = np.diff(self.t) if len(self) > 1 else np.zeros(1)
        joints: list[dict[str, Any]] = []
        for j, name in enumerate(self.joint_names):
            row: dict[str, Any] = {
                "name": name,
                "lowest": float(self.q[:, j].min()),
                "highest": float(self.q[:, j].max()),
            }
            if self.tau is not None:
                row["effort_rms"] = float(np.sqrt(np.mean(self.tau[:, j] ** 2)))
            joints.append(row)
        return {
            "source": self.source,
            "samples": len(self),
            "duration": self.duration,
            "rate": self.rate,
            "shortest_step": float(steps.min()),
            "median_step": float(np.median(steps)),
            "longest_step": float(steps.max()),
            "effort": self.effort,
            "measured": [k for k in ("q", "qd", "qdd", "tau") if getattr(self, k) is not None],
            "joints": joints,
            "extra": list(self.extra),
            "notes": list(self.notes),
        }


def _joined(parts: Sequence[Array | None]) -> Array | None:
    there = [p for p in parts if p is not None]
    return np.concatenate(there) if len(there) == len(parts) else None


def _numbers(name: str, value: object, ndim: int) -> Array:
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InputError(f"`{name}` is {shown(value)}, expected numbers.") from None
    if array.ndim != ndim:
        shape = "(N,)" if ndim == 1 else "(N, n)"
        raise InputError(f"`{name}` has the shape {array.shape}, expected {shape}.")
    if not np.isfinite(array).all():
        where = np.argwhere(~np.isfinite(array))[0]
        raise InputError(f"`{name}` is {array[tuple(where)]} at sample {where[0]}, not a number.")
    array.flags.writeable = False
    return array


def _names(names: Sequence[str], n: int) -> tuple[str, ...]:
    if not names:
        return tuple(f"joint{i}" for i in range(1, n + 1))
    result = tuple(cast(Sequence[object], names))
    if isinstance(names, str) or not all(isinstance(name, str) for name in result):
        raise InputError(f"`joint_names` is {shown(names)}, expected names.")
    if len(result) != n or len(set(result)) != n:
        raise InputError(f"`joint_names` is {shown(names)}, expected {n} different names.")
    return cast(tuple[str, ...], result)


def _extra(extra: Mapping[str, object], rows: int) -> dict[str, Array]:
    result: dict[str, Array] = {}
    for name, value in extra.items():
        array = np.array(value, dtype=np.float64, order="C")
        if array.ndim not in (1, 2) or len(array) != rows:
            raise InputError(
                f"extra column {name!r} has the shape {array.shape}, expected {rows} samples."
            )
        array.flags.writeable = False
        result[name] = array
    return result
