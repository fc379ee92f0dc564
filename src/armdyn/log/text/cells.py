"""Cells of text files that are no numbers but have them: dates, lists, names of joints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from armdyn.files import number_in

# Kinds of cells.
NUMBER, DATE, LIST, NAMES, TEXT = "number", "date", "list", "names", "text"

_DATE = re.compile(
    r"^(?:(?:(\d{4})[-/.](\d\d?)[-/.](\d\d?)|(\d\d?)\.(\d\d?)\.(\d{4}))[T ]+)?"
    r"(\d\d?):(\d\d):(\d\d)(?:[.,](\d{1,9}))?\s*(Z|UTC|[+-]\d\d:?\d\d)?$"
)
# Lists as Python, JSON and NumPy print them: [1.0, 2.0], (1.0, 2.0), array('d', [1.0, 2.0]).
_LIST = re.compile(r"^(?:array\(\s*'\w'\s*,\s*)?[\[(]([^\[\](){}]*)[\])]\)?$")
_NAME = re.compile(r"^(.*)name[_.\[]?(\d+)\]?$", re.I)
_QUANTITY = re.compile(r"^(.*)(position|velocity|effort)[_.\[]?(\d+)\]?$", re.I)

# Fields of a message of joint states, one after the other, as `ros2 topic echo --csv` prints them.
STAMP_FIELDS = ("header.stamp.sec", "header.stamp.nanosec", "header.frame_id")
STATE_FIELDS = ("position", "velocity", "effort")

DAY, HOUR, MINUTE = 86_400, 3600, 60
# Day number of 1970-01-01 of `datetime.date`.
EPOCH_DAY = 719_163


def kind_of(cell: str) -> str:
    """Return the kind of a cell; numbers may have decimal commas."""
    if number_in(cell.replace(",", ".")) is not None:
        return NUMBER if number_in(cell) is not None else TEXT
    if ":" in cell and _DATE.match(cell):
        return DATE
    items = _items(cell)
    if items and all(number_in(x) is not None for x in items):
        return LIST
    return NAMES if items and ("'" in cell or '"' in cell) else TEXT  # [N m] is a unit


def _items(cell: str) -> list[str]:
    """Return the items of a list of numbers or words; none if a cell is no list."""
    found = _LIST.match(cell) if cell[:1] in ("[", "(", "a") else None
    if found is None:
        return []
    return [x.strip("'\"") for x in re.split(r"\s*,\s*|\s+", found[1].strip(" ,")) if x]


@dataclass(frozen=True)
class Flattening:
    """How to turn rows with dates and lists into rows of numbers.

    Attributes:
        kinds: of the cells of a row.
        widths: numbers in each cell.
        joints: names of the joints that a cell of each row lists; empty if none does.
        names: of the columns of numbers.
        words: names of the columns of words.
        stamps: name of the first column of dates; "" if there is none.
    """

    kinds: tuple[str, ...]
    widths: tuple[int, ...]
    joints: tuple[str, ...]
    names: tuple[str, ...]
    words: tuple[str, ...]
    stamps: str

    @staticmethod
    def of(names: Sequence[str], row: Sequence[str]) -> Flattening | None:
        """Return how to flatten rows like the first one; None if they have neither."""
        kinds = tuple(map(kind_of, row))
        if len(names) != len(row) or not {DATE, LIST} & set(kinds):
            return None
        lists = [_items(cell) for cell, kind in zip(row, kinds, strict=True) if kind == NAMES]
        widths = tuple(
            len(_items(cell)) if kind == LIST else int(kind in (NUMBER, DATE) or not cell)
            for cell, kind in zip(row, kinds, strict=True)
        )
        joints = next((tuple(x) for x in lists if len(x) in widths and len(set(x)) == len(x)), ())
        made: list[str] = []
        for name, kind, width in zip(names, kinds, widths, strict=True):
            labels = joints if len(joints) == width else range(width)
            made += [f"{name}_{k}" for k in labels] if kind == LIST else [name] * width
        stamps = next((k for k, kind in zip(names, kinds, strict=True) if kind == DATE), "")
        words = tuple(
            name for name, kind, cell in zip(names, kinds, row, strict=True)
            if kind == TEXT and cell
        )  # fmt: skip
        return Flattening(kinds, widths, joints, tuple(made), words, stamps)

    def numbers(self, cells: Sequence[str], decimal_comma: bool) -> tuple[list[str], str]:
        """Return the numbers of a row as text, and what is wrong with it, or ""."""
        result: list[str] = []
        for cell, kind, width in zip(cells, self.kinds, self.widths, strict=True):
            if kind == DATE:
                found = _DATE.match(cell)
                if found is None and cell:
                    return [], f"has {cell!r}, expected a date and a time"
                result.append("" if found is None else str(_nanoseconds(found)))
            elif kind == LIST:
                items = _items(cell)
                if len(items) != width:
                    return [], f"has a list of {len(items)} numbers, expected {width}"
                result += items
            elif kind == NAMES and self.joints and len(_items(cell)) == len(self.joints):
                if tuple(_items(cell)) != self.joints:
                    return [], f"has the joints {', '.join(_items(cell))}, expected " + ", ".join(
                        self.joints
                    )
            elif width:
                result.append(cell.replace(",", ".") if decimal_comma else cell)
        return result, ""


@lru_cache(maxsize=64)
def _seconds_to(year: int, month: int, day: int) -> int:
    return (date(year, month, day).toordinal() - EPOCH_DAY) * DAY


def _nanoseconds(found: re.Match[str]) -> int:
    """Return a date as nanoseconds since 1970, a time alone as nanoseconds since midnight."""
    y, m, d, d2, m2, y2, hours, minutes, seconds, fraction, zone = found.groups()
    whole = int(hours) * HOUR + int(minutes) * MINUTE + int(seconds)
    try:
        if y or y2:
            whole += _seconds_to(int(y or y2), int(m or m2), int(d or d2))
    except ValueError:  # the 31st of June
        return 0
    if zone and zone[0] in "+-":
        offset = int(zone[1:3]) * HOUR + int(zone[-2:]) * MINUTE
        whole += offset if zone[0] == "-" else -offset
    return whole * 1_000_000_000 + int((fraction or "0").ljust(9, "0"))


def named_by_cells(names: Sequence[str], row: Sequence[str]) -> list[str]:
    """Return names of columns with the joints that other cells name.

    Tables of ROS have the names of joints in each row: `name0`, ..., `position0`, ...
    """
    joints = {
        (found[1], found[2]): cell
        for name, cell in zip(names, row, strict=True)
        if (found := _NAME.match(name)) and cell and kind_of(cell) == TEXT
    }
    if not joints or len(set(joints.values())) < len(joints):
        return list(names)
    return [
        f"{found[1]}{found[2]}_{joints[found[1], found[3]]}"
        if (found := _QUANTITY.match(name)) and (found[1], found[3]) in joints
        else name
        for name in names
    ]


def names_of_joint_states(row: Sequence[str]) -> list[str]:
    """Return the names of the columns of joint states without a header; none for other rows."""
    begin = len(STAMP_FIELDS)
    count, rest = divmod(len(row) - begin, 1 + len(STATE_FIELDS))
    joints = row[begin : begin + count]
    is_state = count > 0 and not rest and len({*joints}) == count
    if not is_state or any(kind_of(x) == NUMBER for x in joints):
        return []
    if any(kind_of(x) != NUMBER for x in (*row[:2], *row[begin + count :])):
        return []
    each = [f"{field}_{joint}" for field in STATE_FIELDS for joint in joints]
    return [*STAMP_FIELDS, *(f"name{k}" for k in range(count)), *each]
