"""Messages of ROS 2 in their encoding, CDR: many messages of one form are decoded at once."""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array

Stamps = NDArray[np.int64]

# Definitions of messages, as ROS writes them: the fields of a type in their order.

# A field: its type, its name, and None for one value, 0 for a sequence, k for an array of k.
Field = tuple[str, str, int | None]
Types = dict[str, tuple[Field, ...]]

_FIELD = re.compile(r"^([\w/]+)(?:<=\d+)?(\[(?:<=)?(\d*)\])?\s+(\w+)(?!\s*=)(?:\s.*)?$")


def types_of(kind: str, definition: str) -> Types:
    """Return the types of a message definition and of all types that it uses."""
    types: Types = {}
    name = short_name(kind)
    for k, part in enumerate(re.split(r"^=+\s*$", definition, flags=re.M)):
        lines = part.strip().splitlines()
        if k:
            if not lines or not lines[0].startswith("MSG:"):
                continue
            name = short_name(lines.pop(0)[4:].strip())
        package = name.partition("/")[0]
        types[name] = tuple(_fields(lines, package))
    return types


def short_name(kind: str) -> str:
    """Return the name of a type without the folder of its definition: sensor_msgs/JointState."""
    return kind.replace("/msg/", "/")


def _fields(lines: Sequence[str], package: str) -> Iterator[Field]:
    for line in lines:
        found = _FIELD.match(line.partition("#")[0].strip())
        if found is None:
            continue
        kind, array, count, name = found[1], found[2], found[3], found[4]
        if kind == "Header":
            kind = "std_msgs/Header"
        elif kind not in SIZES and kind not in TEXTS and "/" not in kind:
            kind = f"{package}/{kind}"
        bounded = array is not None and "<=" in array
        yield short_name(kind), name, None if array is None else 0 if bounded else int(count or 0)


SIZES = {
    "bool": ("u1", 1), "byte": ("u1", 1), "char": ("u1", 1), "int8": ("i1", 1), "uint8": ("u1", 1),
    "int16": ("i2", 2), "uint16": ("u2", 2), "int32": ("i4", 4), "uint32": ("u4", 4),
    "float32": ("f4", 4), "int64": ("i8", 8), "uint64": ("u8", 8), "float64": ("f8", 8),
}  # fmt: skip
TEXTS = ("string",)

# What is read of the types that hold joints. All versions of a type begin with these fields.
_TIME = "int32 sec\nuint32 nanosec"
_POINT = (
    "float64[] positions\nfloat64[] velocities\nfloat64[] accelerations\nfloat64[] effort\n"
    "builtin_interfaces/Duration time_from_start"
)
DEFINITIONS = {
    "builtin_interfaces/Time": _TIME,
    "builtin_interfaces/Duration": _TIME,
    "std_msgs/Header": "builtin_interfaces/Time stamp\nstring frame_id",
    "std_msgs/String": "string data",
    "sensor_msgs/JointState": (
        "Header header\nstring[] name\nfloat64[] position\nfloat64[] velocity\nfloat64[] effort"
    ),
    "control_msgs/InterfaceValue": "string[] interface_names\nfloat64[] values",
    "control_msgs/DynamicJointState": (
        "Header header\nstring[] joint_names\nInterfaceValue[] interface_values"
    ),
    "trajectory_msgs/JointTrajectoryPoint": _POINT,
    "trajectory_msgs/JointTrajectory": (
        "Header header\nstring[] joint_names\nJointTrajectoryPoint[] points"
    ),
    # Former versions call these two desired and actual.
    "control_msgs/JointTrajectoryControllerState": (
        "Header header\nstring[] joint_names\n"
        "trajectory_msgs/JointTrajectoryPoint reference\n"
        "trajectory_msgs/JointTrajectoryPoint feedback"
    ),
}
KNOWN: Types = {
    name: fields
    for kind, lines in DEFINITIONS.items()
    for name, fields in types_of(kind, lines).items()
}

# The form of a message: where its numbers are.

# Types in types that are read: a guard against definitions that contain themselves.
DEEPEST = 20


@dataclass
class Form:
    """Places of the numbers and texts of a message by the names of their fields.

    Attributes:
        numbers: first byte, type and count of the numbers of a field.
        texts: the texts of a field.
        fixed: first and last byte of what makes the form: counts and texts.
    """

    numbers: dict[str, tuple[int, str, int]] = field(
        default_factory=dict[str, tuple[int, str, int]]
    )
    texts: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    fixed: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])

    def values(self, *names: str) -> tuple[int, str, int] | None:
        """Return the place of the first of these fields that is there and not empty."""
        return next((self.numbers[k] for k in names if self.numbers.get(k, (0, "", 0))[2]), None)


class _Walk:
    """A walk through the bytes of a message."""

    def __init__(self, data: bytes, types: Types) -> None:
        if data[:4] == b"\x28\xb5\x2f\xfd":
            raise ValueError("messages are compressed; `ros2 bag convert` writes them plain")
        if len(data) < 4 or data[0] or data[1] not in (0, 1, 6, 7):
            raise ValueError("the encoding is not CDR")
        self._data = data
        self._types = types
        self._order = "<" if data[1] % 2 else ">"
        self._widest = 4 if data[1] > 1 else 8
        self._at = 4
        self.form = Form()

    def message(self, kind: str, prefix: str = "", depth: int = 0) -> None:
        """Walk through a message of a type."""
        if kind not in self._types or depth > DEEPEST:
            raise ValueError(f"the type {kind} is not defined")
        for part, name, array in self._types[kind]:
            path = f"{prefix}{name}"
            count = 1 if array is None else array or self._count()
            if part in SIZES:
                code, size = SIZES[part]
                self.form.numbers[path] = self._skip(size, count), self._order + code, count
            elif part in TEXTS:
                self._check(4 * count)
                self.form.texts[path] = [self._text() for _ in range(count)]
            elif array is None:
                self.message(part, f"{path}.", depth + 1)
            else:
                self._check(count)
                for k in range(count):
                    self.message(part, f"{path}.{k}.", depth + 1)

    def _check(self, size: int) -> None:
        if self._at + size > len(self._data):
            raise ValueError("a message is cut off")

    def _skip(self, size: int, count: int = 1) -> int:
        if count:
            self._at += -(self._at - 4) % min(size, self._widest)
        self._check(size * count)
        begin, self._at = self._at, self._at + size * count
        return begin

    def _count(self) -> int:
        begin = self._skip(4)
        self.form.fixed.append((begin, self._at))
        (count,) = struct.unpack_from(f"{self._order}I", self._data, begin)
        return count

    def _text(self) -> str:
        begin = self._skip(1, self._count())
        self.form.fixed.append((begin, self._at))
        return self._data[begin : self._at].rstrip(b"\0").decode("utf-8", "replace")


def form_of(data: bytes, kind: str, types: Types) -> Form:
    """Return the form of a message.

    Raises:
        ValueError: it is not a message of this type.
    """
    walk = _Walk(data, types)
    walk.message(short_name(kind))
    return walk.form


# The joints of messages: names, and where the numbers of each joint are.

NAMES = ("name", "joint_names", "names")
POSITIONS = ("position", "positions", "feedback.positions", "actual.positions")
FIELDS = {
    "q": POSITIONS,
    "qd": ("velocity", "velocities", "feedback.velocities", "actual.velocities"),
    "tau": ("effort", "efforts", "feedback.effort", "actual.effort"),
    "q_cmd": ("reference.positions", "desired.positions"),
}
INTERFACES = {"q": "position", "qd": "velocity", "tau": "effort"}


@dataclass(frozen=True)
class Joints:
    """Joints of a message: for each quantity the type and the first byte of each joint's number.

    Attributes:
        names: of the joints.
        places: by quantity.
        delay: first byte and type of seconds and nanoseconds after the stamp; None if none.
    """

    names: tuple[str, ...]
    places: dict[str, tuple[str, NDArray[np.int64]]]
    delay: tuple[tuple[int, str, int], tuple[int, str, int]] | None = None


def joints_of(form: Form) -> list[Joints]:
    """Return the joints of a message; one for every point of a trajectory.

    Raises:
        ValueError: there are not as many numbers as joints, or a joint is named twice.
    """
    names = tuple(next((form.texts[k] for k in NAMES if k in form.texts), ()))
    if len(set(names)) != len(names):
        raise ValueError("a joint is named twice")
    if any(key.startswith("interface_values.") for key in form.texts):
        return [_interfaces(form, names)]
    if any(key.startswith("points.") for key in form.numbers):
        return list(_points(form, names))
    places = {role: _places(form, names, *fields) for role, fields in FIELDS.items()}
    return [Joints(names, {role: place for role, place in places.items() if place})]


def _places(form: Form, names: Sequence[str], *fields: str) -> tuple[str, NDArray[np.int64]] | None:
    found = form.values(*fields)
    if found is None:
        return None
    begin, code, count = found
    if count != len(names):
        raise ValueError(f"{fields[0]} has {count} numbers for {len(names)} joints")
    return code, begin + np.arange(count) * np.dtype(code).itemsize


def _points(form: Form, names: tuple[str, ...]) -> Iterator[Joints]:
    k = 0
    while f"points.{k}.positions" in form.numbers:
        place = _places(form, names, f"points.{k}.positions")
        after = f"points.{k}.time_from_start"
        if place is not None:
            delay = form.numbers[f"{after}.sec"], form.numbers[f"{after}.nanosec"]
            yield Joints(names, {"q_cmd": place}, delay)
        k += 1


def _interfaces(form: Form, names: Sequence[str]) -> Joints:
    """Return the joints that have a position, and the quantities that all of these have."""
    there: dict[str, dict[str, int]] = {role: {} for role in INTERFACES}
    code = ""
    for k, name in enumerate(names):
        words = form.texts.get(f"interface_values.{k}.interface_names", [])
        begin, code, count = form.numbers.get(f"interface_values.{k}.values", (0, code, 0))
        if count != len(words):
            raise ValueError(f"{count} values for {len(words)} interfaces")
        for role, word in INTERFACES.items():
            if word in words:
                there[role][name] = begin + words.index(word) * np.dtype(code).itemsize
    moving = tuple(there["q"])
    places = {
        role: (code, np.array([found[name] for name in moving], np.int64))
        for role, found in there.items()
        if moving and set(moving) <= set(found)
    }
    return Joints(moving, places)


# Many messages at once.


@dataclass(frozen=True)
class Samples:
    """Numbers of joints from messages of one topic.

    Attributes:
        names: of the joints.
        rows: the numbers of the messages in their topic.
        recorded: times of recording [ns].
        stamps: times in the headers [ns]; 0 if there are none.
        delays: times after the stamp at which the numbers hold [ns].
        values: ``(N, n)`` by quantity.
    """

    names: tuple[str, ...]
    rows: Stamps
    recorded: Stamps
    stamps: Stamps
    delays: Stamps
    values: dict[str, Array]


def decoded(
    raw: Sequence[bytes], recorded: Sequence[int], kind: str, types: Types, faults: Counter[str]
) -> list[Samples]:
    """Return the numbers of messages of one topic.

    Messages with the same counts and texts are decoded together.

    Args:
        raw: the messages.
        recorded: times of recording [ns].
        kind: type of the messages.
        types: definitions.
        faults: counts the messages that cannot be decoded, by cause.
    """
    lengths = np.fromiter(map(len, raw), np.int64, len(raw))
    times = np.array([min(time, _LATEST) for time in recorded], np.int64)
    result: list[Samples] = []
    for length in np.unique(lengths):
        left = np.flatnonzero(lengths == length)
        packed = b"".join([raw[k] for k in left.tolist()] if len(left) < len(raw) else raw)
        table = np.frombuffer(packed, np.uint8).reshape(len(left), length)
        forms = 0
        while len(left):
            forms += 1
            some = table if forms <= MOST_FORMS else table[:1]
            same = np.ones(1, bool)
            try:
                form = form_of(raw[int(left[0])], kind, types)
                same = _alike(some, form)
                rows = left[: len(same)][same]
                result += _samples(some[same], form, rows, times[rows])
            except ValueError as error:
                faults[str(error)] += int(same.sum())
            if len(same) == 1:
                left, table = left[1:], table[1:]
            else:
                left, table = left[~same], table[~same]
    return result


# Forms of messages of one length that are looked for among all others, which takes time for each;
# recordings have one or two.
MOST_FORMS = 32

_LATEST = np.iinfo(np.int64).max


def _alike(table: NDArray[np.uint8], form: Form) -> NDArray[np.bool_]:
    """Return which messages have the form of the first."""
    same = (table[:, :4] == table[0, :4]).all(axis=1)
    for begin, end in _joined(form.fixed):
        same &= (table[:, begin:end] == table[0, begin:end]).all(axis=1)
    return same


def _joined(ranges: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return ranges of bytes, those that touch as one."""
    result: list[tuple[int, int]] = []
    for begin, end in ranges:
        if result and result[-1][1] == begin:
            result[-1] = result[-1][0], end
        else:
            result.append((begin, end))
    return result


def _samples(
    table: NDArray[np.uint8], form: Form, rows: Stamps, recorded: Stamps
) -> Iterator[Samples]:
    stamps = np.zeros(len(rows), np.int64)
    if "header.stamp.sec" in form.numbers:
        stamps = _time(
            table, form.numbers["header.stamp.sec"], form.numbers["header.stamp.nanosec"]
        )
    for one in joints_of(form):
        values = {role: _numbers(table, *place) for role, place in one.places.items()}
        delays = np.zeros(len(rows), np.int64) if one.delay is None else _time(table, *one.delay)
        if values:
            yield Samples(one.names, rows, recorded, stamps, delays, values)


def _numbers(table: NDArray[np.uint8], code: str, begin: NDArray[np.int64]) -> Array:
    size = np.dtype(code).itemsize
    if len(begin) and begin[-1] - begin[0] == size * (len(begin) - 1):
        part = table[:, begin[0] : begin[-1] + size]
    else:
        part = table[:, (begin[:, None] + np.arange(size)).ravel()]
    return np.ascontiguousarray(part).view(code).astype(np.float64)


def _time(
    table: NDArray[np.uint8], seconds: tuple[int, str, int], nanoseconds: tuple[int, str, int]
) -> Stamps:
    parts: list[Any] = [
        np.ascontiguousarray(table[:, begin : begin + 4]).view(code)[:, 0].astype(np.int64)
        for begin, code, _ in (seconds, nanoseconds)
    ]
    return parts[0] * 1_000_000_000 + parts[1]
