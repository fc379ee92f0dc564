"""Files of ROS 2 recordings: MCAP, SQLite (rosbag2) and folders of them, message by message."""

from __future__ import annotations

import mmap
import re
import sqlite3
import struct
import zlib
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.errors import LogError, shown
from armdyn.files import check_regular, imported
from armdyn.log.arrays import inflation_error, largest_size
from armdyn.log.columns import one_line

MCAP, SQLITE = ".mcap", ".db3"
METADATA = "metadata.yaml"


@dataclass(frozen=True, eq=False)
class Channel:
    """A topic with the type of its messages.

    Attributes:
        topic: its name.
        kind: type of the messages, such as ``sensor_msgs/msg/JointState``.
        encoding: of the messages; ROS 2 writes "cdr".
        definition: text of the message definition, if the file has one.
    """

    topic: str
    kind: str
    encoding: str
    definition: str = ""


# One message: its topic, the time at which it was recorded [ns], and its bytes.
Message = tuple[Channel, int, bytes]
# Messages that are handed on together, for speed.
BATCH = 4096


def bag_files(path: Path, lost: list[str]) -> list[Path]:
    """Return the files of a recording in the order of recording; a file is its own recording."""
    if not path.is_dir():
        return [path]
    check_regular(path / METADATA, "a recording", LogError)
    text = (path / METADATA).read_text(encoding="utf-8", errors="replace")
    listed = re.findall(r"^\s*-\s*['\"]?([^'\"\n]+\.(?:mcap|db3))['\"]?\s*$", text, re.M)
    names = [Path(name).name for name in dict.fromkeys(listed)]
    there = [path / name for name in names if (path / name).is_file()]
    gone = [name for name in names if path / name not in there]
    if gone and there:
        lost.append(f"files of the recording are missing: {', '.join(map(shown, gone))}.")
    if not there:
        raise LogError(
            path / METADATA,
            f"names no {MCAP} or {SQLITE} file that is there; `ros2 bag reindex {path.name}` makes "
            "it new, and `zstd -d` decompresses files of *.zstd.",
        )
    for one in there:
        check_regular(one, "a recording", LogError)
    return there


def messages(
    path: Path, is_wanted: Callable[[Channel], bool], lost: list[str]
) -> Generator[list[Message]]:
    """Yield the messages of the topics that are wanted, some at a time, in the order of recording.

    Args:
        path: a file, or the folder of a recording.
        is_wanted: called once for every topic of every file.
        lost: gets a sentence on parts of the recording that are not there.

    Raises:
        LogError: a file is not a recording, or is damaged.
    """
    for file in bag_files(path, lost):
        read = _sqlite if file.suffix.lower() == SQLITE else _mcap
        try:
            yield from read(file, is_wanted, lost)
        except (struct.error, sqlite3.Error, ValueError, IndexError, zlib.error) as error:
            if isinstance(error, LogError):
                raise
            advice = (
                f'sqlite3 {file.name} ".recover" | sqlite3 recovered.db3'
                if read is _sqlite
                else f"mcap recover {file.name} -o recovered.mcap"
            )
            raise LogError(
                file, f"is a damaged recording ({one_line(error)}). What can be saved: `{advice}`."
            ) from error


# MCAP: records of an opcode, a length and a body; chunks are compressed sequences of records.

MAGIC = b"\x89MCAP0\r\n"
FOOTER, SCHEMA, CHANNEL, MESSAGE, CHUNK, DATA_END = 0x02, 0x03, 0x04, 0x05, 0x06, 0x0F
_RECORD = struct.Struct("<BQ")
_MESSAGE = struct.Struct("<H4xQ8x")


class _Mcap:
    """The topics of a file that is being read."""

    def __init__(self, path: Path, is_wanted: Callable[[Channel], bool]) -> None:
        self._path = path
        self._is_wanted = is_wanted
        self._schemas: dict[int, tuple[str, str, str]] = {}
        self._wanted: dict[int, Channel | None] = {}
        self.is_complete = False

    def records(self, data: Any, at: int, end: int, depth: int = 0) -> Iterator[list[Message]]:
        """Yield the messages between two places of the file or of a chunk."""
        batch: list[Message] = []
        while at + _RECORD.size <= end:
            kind, size = _RECORD.unpack_from(data, at)
            body, at = at + _RECORD.size, at + _RECORD.size + size
            if at > end and not (kind == CHUNK and depth == 0):
                break
            if kind == MESSAGE:
                number, time = _MESSAGE.unpack_from(data, body)
                channel = self._wanted.get(number)
                if channel is not None:
                    batch.append((channel, time, data[body + _MESSAGE.size : at]))
                    if len(batch) == BATCH:
                        yield batch
                        batch = []
            elif kind == CHUNK and depth == 0:
                yield batch
                batch = []
                yield from self._chunk(data, body, min(at, end), at <= end)
            elif kind == SCHEMA:
                (number,) = struct.unpack_from("<H", data, body)
                name, after = _text(data, body + 2)
                encoding, after = _text(data, after)
                self._schemas[number] = name, encoding, _text(data, after)[0]
            elif kind == CHANNEL:
                self._add(data, body)
            elif kind in (DATA_END, FOOTER):
                self.is_complete = True
                break
        yield batch

    def _add(self, data: Any, body: int) -> None:
        number, schema = struct.unpack_from("<HH", data, body)
        if number in self._wanted:
            return
        topic, after = _text(data, body + 4)
        kind, form, definition = self._schemas.get(schema, ("", "", ""))
        channel = Channel(
            topic, kind, _text(data, after)[0], definition if form == "ros2msg" else ""
        )
        self._wanted[number] = channel if self._is_wanted(channel) else None

    def _chunk(self, data: Any, body: int, end: int, is_whole: bool) -> Iterator[list[Message]]:
        size, checksum = struct.unpack_from("<QI", data, body + 16)
        compression, after = _text(data, body + 28)
        (stored,) = struct.unpack_from("<Q", data, after)
        begin = after + 8
        if not compression:
            if is_whole and checksum and zlib.crc32(data[begin : begin + stored]) != checksum:
                raise ValueError(f"the checksum of the chunk at byte {body} is wrong")
            yield from self.records(data, begin, min(begin + stored, end), 1)
            return
        if not is_whole or begin + stored > end:
            return
        plain = self._decompressed(data[begin : begin + stored], compression, size)
        if checksum and zlib.crc32(plain) != checksum:
            raise ValueError(f"the checksum of the chunk at byte {body} is wrong")
        yield from self.records(plain, 0, len(plain), 1)

    def _decompressed(self, packed: bytes, compression: str, size: int) -> bytes:
        """Return a chunk in plain form, of the size that it declares."""
        if compression not in ("zstd", "lz4"):
            raise ValueError(f"the compression {shown(compression)} is unknown")
        if size > largest_size(self._path):
            raise inflation_error(self._path)
        arrow = imported("pyarrow", "reading compressed MCAP files", "formats")
        try:
            plain = arrow.Codec(compression).decompress(packed, size, asbytes=True)
        except (arrow.ArrowException, OSError, MemoryError) as error:
            raise ValueError(f"a chunk cannot be decompressed: {one_line(error)}") from error
        if len(plain) != size:
            raise ValueError(f"a chunk has {len(plain)} bytes, not {size}")
        return plain


def _mcap(
    path: Path, is_wanted: Callable[[Channel], bool], lost: list[str]
) -> Iterator[list[Message]]:
    with path.open("rb") as file:
        if file.read(len(MAGIC)) != MAGIC:
            raise LogError(path, "is not an MCAP file: it does not begin as one.")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            reading = _Mcap(path, is_wanted)
            yield from reading.records(data, len(MAGIC), len(data))
            if not reading.is_complete:
                lost.append(
                    f"{path.name} is cut off after {len(data)} bytes: the recording was not closed."
                )


def _text(data: Any, at: int) -> tuple[str, int]:
    """Return a text with its length before it, and the place after it."""
    (size,) = struct.unpack_from("<I", data, at)
    end = at + 4 + size
    if end > len(data):
        raise ValueError(f"a text at byte {at} ends after the file")
    return data[at + 4 : end].decode("utf-8", "replace"), end


# SQLite: tables of topics and messages.


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace")


def _sqlite(
    path: Path, is_wanted: Callable[[Channel], bool], lost: list[str]
) -> Iterator[list[Message]]:
    with path.open("rb") as file:
        head = file.read(100).ljust(100, b"\0")
    page, pages = struct.unpack(">H10xI", head[16:32])
    # SQLite takes what is missing of the last page for zeros. A page of 1 means 65536 bytes.
    if path.stat().st_size < (65536 if page == 1 else page) * pages:
        raise ValueError(f"it is cut off after {path.stat().st_size} bytes")
    journal = path.with_name(path.name + "-wal")
    mode = "ro" if journal.exists() and journal.stat().st_size else "ro&immutable=1"
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    with closing(sqlite3.connect(uri, uri=True)) as base:
        # No cell is longer than the file, and no expression of a hostile schema is trusted.
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(path.stat().st_size, 1 << 16))
        base.execute("PRAGMA trusted_schema=OFF")
        base.text_factory = _decoded
        kinds = dict(base.execute("SELECT name, type FROM sqlite_master"))
        if kinds.get("topics") != "table" or kinds.get("messages") != "table":
            raise LogError(path, "is not a recording of rosbag2: no tables `topics`, `messages`.")
        definitions: dict[object, object] = {}
        if kinds.get("message_definitions") == "table":
            definitions = dict(
                base.execute(
                    "SELECT topic_type, encoded_message_definition FROM message_definitions "
                    "WHERE encoding = 'ros2msg'"
                )
            )
        wanted: dict[object, Channel] = {}
        for number, *words in base.execute(
            "SELECT id, name, type, serialization_format FROM topics"
        ):
            topic, kind, encoding = map(str, words)
            channel = Channel(topic, kind, encoding, str(definitions.get(kind, "")))
            if is_wanted(channel):
                wanted[number] = channel
        marks = ", ".join("?" * len(wanted))
        rows = base.execute(
            f"SELECT topic_id, timestamp, data FROM messages WHERE topic_id IN ({marks}) "
            "ORDER BY timestamp",
            [*wanted],
        )
        while batch := rows.fetchmany(BATCH):
            if not all(type(time) is int and type(data) is bytes for _, time, data in batch):
                raise ValueError("a message is not of bytes with a time")
            yield [(wanted[number], time, data) for number, time, data in batch]
