"""The number of values in the columns of a Parquet file, by its footer.

pyarrow ends the process on some damaged descriptions of columns, so the few numbers that bound the
memory of a file are read here. A footer is a structure in the compact protocol of Thrift.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

# The end of a file: the length of the footer in 4 bytes, and these.
MAGIC = b"PAR1"
TAIL = 8
# Structures in structures that are read: a guard against damaged files; footers have six.
DEEPEST = 32

# Types of the protocol, and bytes of those with a fixed size.
FIXED = {1: 0, 2: 0, 3: 1, 7: 8}
INTEGERS = (4, 5, 6)
BINARY, LIST, SET, MAP, STRUCTURE = 8, 9, 10, 11, 12

# Numbers of the fields on the way to the values: FileMetaData.row_groups, RowGroup.columns,
# ColumnChunk.meta_data, ColumnMetaData.path_in_schema and ColumnMetaData.num_values.
ROW_GROUPS, COLUMNS, META, PATH, VALUES = 4, 1, 3, 3, 5


def values_by_column(path: Path) -> Counter[str]:
    """Return the number of values of each column of numbers, by its path with points.

    Raises:
        ValueError: the footer is damaged.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - TAIL, 0))
        tail = file.read(TAIL)
        length = int.from_bytes(tail[:4], "little")
        if tail[4:] != MAGIC or length > size - TAIL:
            raise ValueError("it has no footer")
        file.seek(size - TAIL - length)
        reader = _Reader(file.read(length))
    try:
        return reader.values()
    except IndexError:
        raise ValueError("its footer is cut off") from None


@cache
def _usual_column() -> re.Pattern[bytes]:
    """Return what matches a ColumnChunk as it is usually written: a fast way through a footer.

    The groups are the list of the parts of its name, and the number of values. Fields before and
    between them have a fixed order; statistics follow, of numbers, flags, short texts, and short
    lists of numbers or of structures of these. Alternatives begin with different bytes, so that a
    match takes a time of the length.
    """

    def heads(*kinds: int) -> bytes:
        codes = (16 * field + kind for field in range(1, 16) for kind in kinds)
        return b"[%b]" % b"".join(b"\\x%02x" % code for code in codes)

    def items(kind: int, item: bytes) -> bytes:
        some = (b"\\x%02x(?:%b){%d}" % (16 * k + kind, item, k) for k in range(5))
        return b"(?:%b)" % b"|".join(some)

    number = b"[\\x80-\\xff]*[\\x00-\\x7f]"
    text = b"(?:%b)" % b"|".join(b"\\x%02x.{%d}" % (k, k) for k in range(25))
    numbers = heads(*INTEGERS) + number
    lists = heads(LIST) + items(INTEGERS[2], number)
    fields = b"(?:%b)*" % b"|".join([numbers, heads(1, 2), heads(BINARY) + text, lists])
    inner = heads(STRUCTURE) + fields + b"\\x00"
    several = heads(LIST) + items(STRUCTURE, b"(?:%b)*\\x00" % numbers)
    # file_offset, meta_data; type, encodings, path_in_schema, codec, num_values; the rest of both
    return re.compile(
        b"\\x26%b\\x1c\\x15%b\\x19%b" % (number, number, items(INTEGERS[1], number))
        + b"\\x19(%b)\\x15%b\\x16(%b)" % (items(BINARY, text), number, number)
        + b"(?:%b|%b|%b)*\\x00(?:%b)*\\x00" % (numbers, inner, several, numbers),
        re.S,
    )


class _Reader:
    """Reads a footer from its first byte to its last."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at: int = 0
        self._usual = _usual_column()

    def values(self) -> Counter[str]:
        """Return the number of values of each column."""
        result: Counter[str] = Counter()
        for field, kind in self._fields():
            if field != ROW_GROUPS or kind != LIST:
                self._skip(kind)
                continue
            for _ in self._structures():
                for inner, inner_kind in self._fields():
                    if inner != COLUMNS or inner_kind != LIST:
                        self._skip(inner_kind)
                        continue
                    for _ in self._structures():
                        self._add_column(result)
        return result

    def _add_column(self, result: Counter[str]) -> None:
        if found := self._usual.match(self._data, self._at):
            self._at = found.start(1)
            name = ".".join(self._texts())
            self._at = found.start(2)
            result[name] += self._integer() >> 1
            self._at = found.end()
            return
        for field, kind in self._fields():
            if field != META or kind != STRUCTURE:
                self._skip(kind)
                continue
            name, count = "", 0
            for inner, inner_kind in self._fields():
                if inner == PATH and inner_kind == LIST:
                    name = ".".join(self._texts())
                elif inner == VALUES and inner_kind in INTEGERS:
                    count = self._integer() >> 1  # counts are not negative
                    self._skip_structure(0)  # statistics follow
                    break
                else:
                    self._skip(inner_kind)
            result[name] += count

    def _fields(self) -> Iterator[tuple[int, int]]:
        """Yield number and type of the fields of a structure; the caller reads their values."""
        field = 0
        while True:
            head = self._data[self._at]
            self._at += 1
            if not head:
                return
            if head >> 4:
                field += head >> 4
            else:
                field = self._integer() >> 1
            yield field, head & 15

    def _list(self) -> tuple[int, int]:
        """Return the number of items of a list, and their type."""
        head = self._data[self._at]
        self._at += 1
        return (head >> 4 if head < 0xF0 else self._integer()), head & 15

    def _structures(self) -> Iterator[None]:
        """Yield for each structure of a list; the caller reads it."""
        count, kind = self._list()
        if kind != STRUCTURE:
            raise ValueError("its footer is damaged")
        for _ in range(count):
            yield

    def _texts(self) -> Iterator[str]:
        count, kind = self._list()
        if kind != BINARY:
            raise ValueError("its footer is damaged")
        for _ in range(count):
            size = self._integer()
            yield self._data[self._at : self._at + size].decode("utf-8", "replace")
            self._at += size

    def _integer(self) -> int:
        """Return an integer of seven bits a byte, without sign."""
        data, at = self._data, self._at
        byte = data[at]
        value, shift = byte & 127, 7
        while byte > 127:
            at += 1
            byte = data[at]
            value |= (byte & 127) << shift
            shift += 7
            if shift > 70:
                raise ValueError("its footer is damaged")
        self._at = at + 1
        return value

    def _skip_structure(self, depth: int) -> None:
        """Skip the rest of a structure; this is most of a footer, so common types are read here."""
        data, at = self._data, self._at
        while head := data[at]:
            at += 1
            if head < 16:  # the number of the field is a number of its own
                while data[at] > 127:
                    at += 1
                at += 1
            kind = head & 15
            if kind in INTEGERS:
                while data[at] > 127:
                    at += 1
                at += 1
            elif kind == BINARY and data[at] < 128:
                at += 1 + data[at]
            elif kind > 2:
                self._at = at
                self._skip(kind, depth + 1)
                at = self._at
        self._at = at + 1

    def _skip(self, kind: int, depth: int = 0, *, is_item: bool = False) -> None:
        if kind in INTEGERS:
            self._integer()
        elif kind in FIXED:
            self._at += 1 if is_item and kind < 3 else FIXED[kind]
        elif kind == BINARY:
            size = self._integer()
            self._at += size
        elif depth > DEEPEST:
            raise ValueError("its footer is damaged")
        elif kind == STRUCTURE:
            self._skip_structure(depth)
        elif kind in (LIST, SET):
            count, inner = self._list()
            for _ in range(count):
                self._skip(inner, depth + 1, is_item=True)
                self._data[self._at - 1]  # an end before the list's own is an error
        elif kind == MAP:
            count = self._integer()
            kinds = self._data[self._at] if count else 0
            self._at += 1 if count else 0
            for _ in range(count):
                self._skip(kinds >> 4, depth + 1, is_item=True)
                self._skip(kinds & 15, depth + 1, is_item=True)
                self._data[self._at - 1]
        else:
            raise ValueError("its footer is damaged")
