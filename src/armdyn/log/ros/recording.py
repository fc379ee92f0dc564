"""What a recording of ROS 2 has: topics of joints, their messages, commands and clocks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.log.columns import ROWS
from armdyn.log.recognition.names import is_measured
from armdyn.log.ros.cdr import (
    KNOWN,
    NAMES,
    POSITIONS,
    Samples,
    Stamps,
    Types,
    decoded,
    short_name,
    types_of,
)
from armdyn.log.ros.storage import Channel, messages

SECOND = 1_000_000_000  # [ns]
DESCRIPTION = "robot_description"
TEXT = "std_msgs/String"
# How many topics or joints a message shows.
MOST_NAMES = 20


def is_description(channel: Channel) -> bool:
    """Whether a topic has the description of the robot."""
    named = channel.topic.rsplit("/", 1)[-1] == DESCRIPTION
    return named and short_name(channel.kind) == TEXT


def _types(channel: Channel) -> Types | None:
    """Return the definitions for a topic of joints; None if it is another topic."""
    kind = short_name(channel.kind)
    if channel.encoding != "cdr" or kind == TEXT:
        return None
    if kind in KNOWN:
        return KNOWN
    if "State" not in kind or not channel.definition:
        return None
    types = KNOWN | types_of(kind, channel.definition)
    fields = {(name, array) for _, name, array in types[kind]}
    named = any((name, 0) in fields for name in NAMES)
    return types if named and any((name, 0) in fields for name in POSITIONS) else None


class Recording:
    """A recording that is being read.

    Attributes:
        topics: types of all topics.
        lost: parts that could not be read.
        faults: messages that could not be decoded, by topic and cause.
    """

    def __init__(self, path: Path, columns: Mapping[str, str | Sequence[str]]) -> None:
        self.path = path
        wanted = columns.get("topic", ())
        self._wanted = {wanted} if isinstance(wanted, str) else set(wanted)
        self.topics: dict[str, str] = {}
        self.unread: list[str] = []
        self.lost: list[str] = []
        self.faults: dict[str, Counter[str]] = {}
        self.has_description = False
        self._types: dict[Channel, Types] = {}

    def _is_wanted(self, channel: Channel) -> bool:
        self.topics[channel.topic] = short_name(channel.kind)
        self.has_description |= is_description(channel)
        types = _types(channel)
        if types is None:
            return False
        if self._wanted and channel.topic not in self._wanted:
            self.unread.append(channel.topic)
            return False
        self._types[channel] = types
        return True

    def blocks(self) -> Iterator[dict[str, list[Samples]]]:
        """Yield the numbers of joints by topic, of a limited number of messages at a time."""
        raw: dict[Channel, tuple[list[bytes], list[int]]] = {}
        count = 0
        for batch in messages(self.path, self._is_wanted, self.lost):
            for channel, time, data in batch:
                if channel not in raw:
                    raw[channel] = [], []
                texts, times = raw[channel]
                texts.append(data)
                times.append(time)
            count += len(batch)
            if count >= ROWS:
                yield self._decoded(raw)
                raw, count = {}, 0
        yield self._decoded(raw)
        gone = sorted(self._wanted - set(self.topics))
        if gone:
            raise LogError(
                self.path, f"has no topic {shown(gone[0])}; it has {topics_in_words(self.topics)}."
            )

    def _decoded(
        self, raw: Mapping[Channel, tuple[list[bytes], list[int]]]
    ) -> dict[str, list[Samples]]:
        result: dict[str, list[Samples]] = {}
        for channel, (texts, times) in raw.items():
            faults = self.faults.setdefault(channel.topic, Counter())
            found = decoded(texts, times, channel.kind, self._types[channel], faults)
            if not is_measured(channel.topic):
                found = [_as_commands(one) for one in found if "q" in one.values]
            result.setdefault(channel.topic, []).extend(found)
        return result


def _as_commands(samples: Samples) -> Samples:
    """Return joint states on a topic of commands as commands."""
    return replace(samples, values={"q_cmd": samples.values["q"]})


def in_words(names: Iterable[str]) -> str:
    """Return names of topics or joints for a message: on one line, not too many."""
    words = [shown(name)[1:-1] for name in names]
    more = [f"... and {len(words) - MOST_NAMES} more"] if len(words) > MOST_NAMES else []
    return ", ".join([*words[:MOST_NAMES], *more])


def topics_in_words(topics: Mapping[str, str]) -> str:
    """Return topics with their types, not too many."""
    return in_words(f"{name} ({kind})" for name, kind in sorted(topics.items())) or "no topics"


# What a recording has.

# A topic and the set of joints of its messages.
Key = tuple[str, frozenset[str]]


@dataclass
class Survey:
    """What a recording has.

    Attributes:
        counts: messages with positions, by topic and the set of their joints.
        names: the joints of such a set in the order of the first message.
        commands: commands by topic.
        stamped: topics whose headers have stamps.
        finite: quantities of joints with at least one number, by topic.
        shift: by topic, how far the stamps are ahead of the times of recording [ns].
        spans: by topic, the first and last time of recording [ns].
    """

    counts: Counter[Key] = field(default_factory=Counter[Key])
    names: dict[Key, tuple[str, ...]] = field(default_factory=dict[Key, tuple[str, ...]])
    commands: dict[str, list[Samples]] = field(default_factory=dict[str, list[Samples]])
    stamped: set[str] = field(default_factory=set[str])
    finite: set[tuple[str, str, str]] = field(default_factory=set[tuple[str, str, str]])
    shift: dict[str, int] = field(default_factory=dict[str, int])
    spans: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def add(self, topic: str, samples: Samples) -> None:
        """Count the messages of a topic."""
        if np.any(samples.stamps):
            self.stamped.add(topic)
            self.shift.setdefault(topic, int(np.median(samples.stamps - samples.recorded)))
        first, last = int(samples.recorded.min()), int(samples.recorded.max())
        before = self.spans.get(topic, (first, last))
        self.spans[topic] = min(first, before[0]), max(last, before[1])
        for role, values in samples.values.items():
            there = np.flatnonzero(np.isfinite(values).any(axis=0)).tolist()
            self.finite |= {(topic, role, samples.names[k]) for k in there}
        if "q_cmd" in samples.values:
            one = replace(samples, values={"q_cmd": samples.values["q_cmd"]})
            self.commands.setdefault(topic, []).append(one)
        if "q" in samples.values:
            key = topic, frozenset(samples.names)
            self.counts[key] += len(samples.rows)
            self.names.setdefault(key, samples.names)


def survey_of(
    parts: Iterator[dict[str, list[Samples]]] | Sequence[dict[str, list[Samples]]],
) -> Survey:
    """Return what the messages of a recording have."""
    result = Survey()
    for part in parts:
        for topic, found in part.items():
            for samples in sorted(found, key=lambda one: int(one.rows[0])):
                result.add(topic, samples)
    return result


@dataclass(frozen=True)
class Source:
    """Joints that are read from a topic: their names there, and their places in the log."""

    topic: str
    labels: tuple[str, ...]
    places: tuple[int, ...]
    is_stamped: bool

    def rows(
        self, found: Sequence[Samples], roles: Sequence[str]
    ) -> tuple[Stamps, dict[str, Array]]:
        """Return the times [ns] and numbers of all messages that have these joints, in order."""
        parts = [one for one in found if "q" in one.values and set(self.labels) <= set(one.names)]
        n = len(self.labels)
        if not parts:
            return np.zeros(0, np.int64), {role: np.zeros((0, n)) for role in roles}
        recorded = np.concatenate([one.recorded for one in parts])
        times = np.concatenate([one.stamps for one in parts]) if self.is_stamped else recorded
        order = np.argsort(recorded, kind="stable")
        values = {
            role: np.concatenate([of_labels(one, role, self.labels) for one in parts])[order]
            for role in roles
        }
        return times[order], values


def of_labels(samples: Samples, role: str, labels: Sequence[str]) -> Array:
    """Return a quantity of joints in their order; NaN where it is not there."""
    if role not in samples.values:
        return np.full((len(samples.rows), len(labels)), np.nan)
    if samples.names == tuple(labels):
        return samples.values[role]
    return samples.values[role][:, [samples.names.index(name) for name in labels]]
