"""Recordings of ROS 2 (MCAP, rosbag2): joint states and commands, keyed by the names of joints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.log.columns import ROWS, Table, assigned, is_measured
from armdyn.log.ros.cdr import (
    KNOWN,
    NAMES,
    POSITIONS,
    Samples,
    Stamps,
    Types,
    decoded,
    form_of,
    short_name,
    types_of,
)
from armdyn.log.ros.storage import Channel, messages

SECOND = 1_000_000_000  # [ns]
STAMP = ("header.stamp.sec", "header.stamp.nanosec")
TRAJECTORY = "trajectory_msgs/JointTrajectory"
CONTROLLER = "control_msgs/JointTrajectoryControllerState"
DESCRIPTION = "robot_description"
TEXT = "std_msgs/String"

# Commands are used if they begin within this share of the samples; samples before are left out.
LATEST_COMMAND = 0.1

# How many topics or joints a message shows.
MOST_NAMES = 20

# If topics have the same joints, the first of these types is taken.
PREFERRED = ("sensor_msgs/JointState", "control_msgs/DynamicJointState")


def read_rosbag(
    path: Path, joints: Sequence[str] | None, columns: Mapping[str, str | Sequence[str]]
) -> Table:
    """Read the joint states of a recording, and the commands of their controllers."""
    recording = _Recording(path, columns)
    parts = list(recording.blocks())
    plan = _plan(recording, _survey(parts), joints)
    merged: dict[str, list[Samples]] = {}
    for part in parts:
        for topic, samples in part.items():
            merged.setdefault(topic, []).extend(samples)
    return plan.table(merged)


def rosbag_blocks(
    path: Path, joints: Sequence[str] | None, columns: Mapping[str, str | Sequence[str]]
) -> Iterator[Table]:
    """Yield a recording block by block; as a whole if joints of several topics are joined."""
    recording = _Recording(path, columns)
    plan = _plan(recording, _survey(recording.blocks()), joints)
    if len(plan.sources) > 1:
        yield read_rosbag(path, joints, columns)
        return
    rest = plan
    for part in _Recording(path, columns).blocks():
        table = rest.table(part)
        if len(table.columns[STAMP[0]]):
            yield table
            rest = replace(plan, notes=[], lost=[])
    if rest is plan:
        yield plan.table({})  # no sample at all, which is told when it is read


def robot_description(path: Path) -> str | None:
    """Return the URDF of the robot that a recording has, None if it has none.

    Args:
        path: a file, or the folder of a recording.

    Raises:
        LogError: it is not a recording, or is damaged.
    """
    found = messages(path, _is_description, [])
    with closing(found):
        for _, _, data in chain.from_iterable(found):
            try:
                return form_of(data, TEXT, KNOWN).texts["data"][0]
            except ValueError as error:
                raise LogError(path, f"/{DESCRIPTION} cannot be decoded: {error}.") from error
    return None


def _is_description(channel: Channel) -> bool:
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


class _Recording:
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
        self.has_description |= _is_description(channel)
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


def _said(names: Iterable[str]) -> str:
    """Return names of topics or joints for a message: on one line, not too many."""
    words = [shown(name)[1:-1] for name in names]
    more = [f"... and {len(words) - MOST_NAMES} more"] if len(words) > MOST_NAMES else []
    return ", ".join([*words[:MOST_NAMES], *more])


def topics_in_words(topics: Mapping[str, str]) -> str:
    """Return topics with their types, not too many."""
    return _said(f"{name} ({kind})" for name, kind in sorted(topics.items())) or "no topics"


# What a recording has.

# A topic and the set of joints of its messages.
_Key = tuple[str, frozenset[str]]


@dataclass
class _Survey:
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

    counts: Counter[_Key] = field(default_factory=Counter[_Key])
    names: dict[_Key, tuple[str, ...]] = field(default_factory=dict[_Key, tuple[str, ...]])
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


def _survey(
    parts: Iterator[dict[str, list[Samples]]] | Sequence[dict[str, list[Samples]]],
) -> _Survey:
    result = _Survey()
    for part in parts:
        for topic, found in part.items():
            for samples in sorted(found, key=lambda one: int(one.rows[0])):
                result.add(topic, samples)
    return result


# What of it becomes the log.


@dataclass(frozen=True)
class _Source:
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
            role: np.concatenate([_of_labels(one, role, self.labels) for one in parts])[order]
            for role in roles
        }
        return times[order], values


def _of_labels(samples: Samples, role: str, labels: Sequence[str]) -> Array:
    if role not in samples.values:
        return np.full((len(samples.rows), len(labels)), np.nan)
    if samples.names == tuple(labels):
        return samples.values[role]
    return samples.values[role][:, [samples.names.index(name) for name in labels]]


@dataclass(frozen=True)
class _Plan:
    """What of a recording becomes the log; commands are times [ns] and positions ``(K, n)``."""

    path: Path
    sources: list[_Source]
    joints: tuple[str, ...]
    roles: list[str]
    commands: tuple[Stamps, Array] | None
    notes: list[str]
    lost: list[str]

    def table(self, samples: Mapping[str, Sequence[Samples]]) -> Table:
        """Return the rows of samples."""
        base, *others = self.sources
        times, values = base.rows(samples.get(base.topic, ()), self.roles)
        blocks = {role: np.full((len(times), len(self.joints)), np.nan) for role in self.roles}
        for role, block in blocks.items():
            block[:, base.places] = values[role]
        inside = np.ones(len(times), bool)
        for other in others:
            t, more = other.rows(samples.get(other.topic, ()), self.roles)
            t, first = np.unique(t, return_index=True)
            inside &= (times >= t[0]) & (times <= t[-1])
            for role, block in blocks.items():
                for j, column in zip(other.places, more[role][first].T, strict=True):
                    # Differences of stamps are exact in a double, stamps since 1970 are not.
                    block[:, j] = np.interp(times - t[0], t - t[0], column)
        if self.commands is not None:
            at, q_cmd = self.commands
            inside &= times >= at[0]
            blocks["q_cmd"] = q_cmd[np.searchsorted(at, times, side="right") - 1]
        if not inside.all():
            times, blocks = times[inside], {role: block[inside] for role, block in blocks.items()}
        columns = {
            STAMP[0]: (times // SECOND).astype(float),
            STAMP[1]: (times % SECOND).astype(float),
        }
        result = Table(self.path, columns | blocks, joint_names=self.joints)
        result.notes += self.notes
        result.lost += self.lost
        return result


def _plan(recording: _Recording, survey: _Survey, joints: Sequence[str] | None) -> _Plan:
    path, notes = recording.path, list[str]()
    lost = list(dict.fromkeys(recording.lost))
    for topic, faults in recording.faults.items():
        if faults:
            cause = faults.most_common(1)[0][0]
            lost.append(
                f"{faults.total()} messages of {_said([topic])} cannot be decoded and are left "
                f"out: {cause}."
            )
    if not survey.counts:
        raise LogError(
            path,
            f"has no joint states; it has {topics_in_words(recording.topics)}. Expected a topic of "
            f"sensor_msgs/msg/JointState. {' '.join(lost)}".rstrip(),
        )
    sources, names = _sources(recording, survey, joints, notes)
    roles = ["q"]
    for role, word in (("qd", "velocities"), ("tau", "efforts")):
        gone = [
            label for one in sources for label in one.labels
            if (one.topic, role, label) not in survey.finite
        ]  # fmt: skip
        if not gone:
            roles.append(role)
        elif len(gone) < len(names):
            notes.append(
                f"{word} are left out: {_said(gone)} have none; joints=[...] without them "
                "keeps those of the others."
            )
    for one in sources:
        if not one.is_stamped:
            notes.append(
                f"headers of {_said([one.topic])} have no time stamps; times of recording are "
                "used, which are later by the delay of the network."
            )
    base = sources[0]
    commands = _commands(survey, recording.topics, base, sources, names, notes)
    if recording.unread:
        unread = sorted(set(recording.unread))
        notes.append(f"topics that were not asked for are left out: {_said(unread)}.")
    if recording.has_description:
        notes.append(
            "the recording has a URDF of the robot: armdyn.log.ros.rosbag.robot_description(path) "
            "returns it."
        )
    return _Plan(path, sources, names, roles, commands, notes, lost)


def _sources(
    recording: _Recording, survey: _Survey, joints: Sequence[str] | None, notes: list[str]
) -> tuple[list[_Source], tuple[str, ...]]:
    """Return where the joints are read from, and their names."""
    path = recording.path
    kinds = recording.topics
    ranks = {
        topic: PREFERRED.index(kinds[topic]) if kinds[topic] in PREFERRED else len(PREFERRED)
        for topic, _ in survey.counts
    }
    by_count = sorted(
        survey.counts,
        key=lambda key: (
            any(ranks[other] < ranks[key[0]] and names >= key[1] for other, names in survey.counts),
            -survey.counts[key],
            -len(key[1]),
            survey.names[key],
            key[0],
        ),
    )

    def source(key: _Key, labels: Sequence[str], places: Sequence[int]) -> _Source:
        return _Source(key[0], tuple(labels), tuple(places), key[0] in survey.stamped)

    if joints is None:
        key = by_count[0]
        there = [name for name in survey.names[key] if (key[0], "q", name) in survey.finite]
        still = [name for name in survey.names[key] if name not in there]
        if not there:
            raise LogError(path, f"no position of {_said([key[0]])} is a number.")
        if still:
            notes.append(f"joints without positions are left out: {_said(still)}.")
        others = [
            f"{_said([topic])} ({survey.counts[topic, names]} messages of "
            f"{_said(survey.names[topic, names])})"
            for topic, names in by_count[1:]
            if not (topic == key[0] and names > key[1])
        ]
        if others:
            notes.append(
                f"joints are those of {_said([key[0]])}, which has most messages; not read: "
                f"{'; '.join(others[:MOST_NAMES])}. "
                f'columns={{"topic": "..."}} or joints=[...] chooses others.'
            )
        return [source(key, there, range(len(there)))], tuple(there)
    found = _joined(by_count, joints) or _alike(path, by_count, survey, joints, notes)
    sources = [source(key, labels, places) for key, labels, places in found]
    if len(sources) > 1:
        notes.append(
            f"joints of {_said(one.topic for one in sources[1:])} are interpolated linearly to the "
            f"stamps of {_said([sources[0].topic])}; samples outside of the common time are left "
            "out."
        )
    elif len({topic for topic, _ in by_count}) > 1:
        notes.append(f"joints are those of {_said([sources[0].topic])}.")
    return sources, tuple(joints)


def _joined(
    by_count: Sequence[_Key], joints: Sequence[str]
) -> list[tuple[_Key, list[str], list[int]]]:
    """Return topics that have all joints, the one with most of them first; none if some lack."""
    left = set(joints)
    result: list[tuple[_Key, list[str], list[int]]] = []
    while left:
        key = max(by_count, key=lambda key: len(left & key[1]))
        if not left & key[1]:
            return []
        places = [j for j, name in enumerate(joints) if name in left & key[1]]
        result.append((key, [joints[j] for j in places], places))
        left -= key[1]
    return result


def _alike(
    path: Path,
    by_count: Sequence[_Key],
    survey: _Survey,
    joints: Sequence[str],
    notes: list[str],
) -> list[tuple[_Key, list[str], list[int]]]:
    """Return the topic whose joints have similar names.

    Raises:
        LogError: there is none, or more than one.
    """
    fits = [(key, *assigned(survey.names[key], joints)) for key in by_count]
    found = [(key, labels, words) for key, labels, words in fits if labels is not None]
    if len({(key[0], *labels) for key, labels, _ in found}) == 1:
        key, labels, words = found[0]
        notes.append(words)
        return [(key, labels, [*range(len(joints))])]
    there = "; ".join(
        f"{_said([topic])} has {_said(survey.names[topic, names])}"
        for topic, names in by_count[:MOST_NAMES]
    )
    what = "more than one topic may have" if found else "no topic has"
    raise LogError(
        path,
        f"{what} the joints {_said(joints)}: {there}. joints=[...] takes names of the file, "
        'columns={"topic": "..."} chooses a topic.',
    )


# Commands of controllers.


def _commands(
    survey: _Survey,
    topics: Mapping[str, str],
    base: _Source,
    sources: Sequence[_Source],
    joints: Sequence[str],
    notes: list[str],
) -> tuple[Stamps, Array] | None:
    """Return the commands of all joints: times [ns] and positions."""
    labels = [""] * len(joints)
    for one in sources:
        for j, label in zip(one.places, one.labels, strict=True):
            labels[j] = label
    usable = {
        topic: [one for one in found if set(labels) <= set(one.names)]
        for topic, found in survey.commands.items()
    }
    counts = {
        topic: (topics.get(topic) == CONTROLLER, sum(len(one.rows) for one in found))
        for topic, found in usable.items()
        if found
    }
    if not counts:
        return None
    topic = max(counts, key=lambda name: (counts[name], name))
    found = usable[topic]
    recorded = np.concatenate([one.recorded for one in found])
    stamps = np.concatenate([one.stamps for one in found])
    delays = np.concatenate([one.delays for one in found])
    q_cmd = np.concatenate([_of_labels(one, "q_cmd", labels) for one in found])
    # A stamp of zero means now; the clock of the headers may be that of a simulation.
    shift = survey.shift.get(base.topic, 0) if base.is_stamped else 0
    begin = np.where((stamps == 0) | (not base.is_stamped), recorded + shift, stamps)
    times = begin + delays
    if delays.any():
        kept = _not_replaced(recorded, begin, times)
        times, q_cmd = times[kept], q_cmd[kept]
    order = np.argsort(times, kind="stable")
    times, q_cmd = times[order], q_cmd[order]
    first, last = (time + shift for time in survey.spans[base.topic])
    if times[0] > first + LATEST_COMMAND * (last - first):
        notes.append(
            f"commands of {_said([topic])} are left out: the first is "
            f"{(times[0] - first) / SECOND:.3g} s after the first joint state."
        )
        return None
    others = sorted(name for name in survey.commands if name != topic)
    also = f"; not used: {_said(others)}" if others else ""
    what = "points of trajectories" if topics.get(topic) == TRAJECTORY else "commands"
    notes.append(
        f"q_cmd are {what} of {_said([topic])}, each until the next one, and samples before the "
        f"first are left out{also}."
    )
    return times, q_cmd


def _not_replaced(recorded: Stamps, begin: Stamps, times: Stamps) -> NDArray[np.bool_]:
    """Return the points of trajectories that come before a later trajectory begins."""
    _, first, message = np.unique(recorded, return_index=True, return_inverse=True)
    earliest = np.minimum.accumulate(begin[first][::-1])[::-1]
    following = np.append(earliest[1:], np.iinfo(np.int64).max)
    return times <= following[message]
