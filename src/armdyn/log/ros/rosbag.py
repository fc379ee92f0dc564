"""Recordings of ROS 2 (MCAP, rosbag2): joint states and commands, keyed by the names of joints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.log.columns import Table, assigned, likely_joints
from armdyn.log.recognition.patterns import as_list, matching
from armdyn.log.recognition.suggest import in_python, pattern_of
from armdyn.log.ros.cdr import KNOWN, Samples, Stamps, form_of
from armdyn.log.ros.commands import commands_of
from armdyn.log.ros.recording import (
    DESCRIPTION,
    MOST_NAMES,
    SECOND,
    TEXT,
    Key,
    Recording,
    Source,
    Survey,
    in_words,
    is_description,
    survey_of,
    topics_in_words,
)
from armdyn.log.ros.storage import messages

STAMP = ("header.stamp.sec", "header.stamp.nanosec")


# If topics have the same joints, the first of these types is taken.
PREFERRED = ("sensor_msgs/JointState", "control_msgs/DynamicJointState")


def read_rosbag(
    path: Path, joints: Sequence[str] | None, columns: Mapping[str, str | Sequence[str]]
) -> Table:
    """Read the joint states of a recording, and the commands of their controllers."""
    recording = Recording(path, columns)
    parts = list(recording.blocks())
    plan = _plan(recording, survey_of(parts), joints, columns.get("q"))
    merged: dict[str, list[Samples]] = {}
    for part in parts:
        for topic, samples in part.items():
            merged.setdefault(topic, []).extend(samples)
    return plan.table(merged)


def rosbag_blocks(
    path: Path, joints: Sequence[str] | None, columns: Mapping[str, str | Sequence[str]]
) -> Iterator[Table]:
    """Yield a recording block by block; as a whole if joints of several topics are joined."""
    recording = Recording(path, columns)
    plan = _plan(recording, survey_of(recording.blocks()), joints, columns.get("q"))
    if len(plan.sources) > 1:
        yield read_rosbag(path, joints, columns)
        return
    rest = plan
    for part in Recording(path, columns).blocks():
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
    found = messages(path, is_description, [])
    with closing(found):
        for _, _, data in chain.from_iterable(found):
            try:
                return form_of(data, TEXT, KNOWN).texts["data"][0]
            except ValueError as error:
                raise LogError(path, f"/{DESCRIPTION} cannot be decoded: {error}.") from error
    return None


# What of it becomes the log.


@dataclass(frozen=True)
class _Plan:
    """What of a recording becomes the log; commands are times [ns] and positions ``(K, n)``."""

    path: Path
    sources: list[Source]
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
        result = Table(self.path, columns | blocks, joint_names=self.joints, chosen=("q",))
        result.notes += self.notes
        result.lost += self.lost
        return result


def _plan(
    recording: Recording,
    survey: Survey,
    joints: Sequence[str] | None,
    said: str | Sequence[str] | None,
) -> _Plan:
    path, notes = recording.path, list[str]()
    lost = list(dict.fromkeys(recording.lost))
    for topic, faults in recording.faults.items():
        if faults:
            cause = faults.most_common(1)[0][0]
            lost.append(
                f"{faults.total()} messages of {in_words([topic])} cannot be decoded and are left "
                f"out: {cause}."
            )
    if not survey.counts:
        raise LogError(
            path,
            f"has no joint states; it has {topics_in_words(recording.topics)}. Expected a topic of "
            f"sensor_msgs/msg/JointState. {' '.join(lost)}".rstrip(),
        )
    sources, names = _sources(recording, survey, joints, said, notes)
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
                f"{word} are left out: {in_words(gone)} have none; joints=[...] without them "
                "keeps those of the others."
            )
    for one in sources:
        if not one.is_stamped:
            notes.append(
                f"headers of {in_words([one.topic])} have no time stamps; times of recording are "
                "used, which are later by the delay of the network."
            )
    base = sources[0]
    commands = commands_of(survey, recording.topics, base, sources, names, notes)
    if recording.unread:
        unread = sorted(set(recording.unread))
        notes.append(f"topics that were not asked for are left out: {in_words(unread)}.")
    if recording.has_description:
        notes.append(
            "the recording has a robot_description: on the command line it may stand for a robot."
        )
    return _Plan(path, sources, names, roles, commands, notes, lost)


def _sources(
    recording: Recording,
    survey: Survey,
    joints: Sequence[str] | None,
    said: str | Sequence[str] | None,
    notes: list[str],
) -> tuple[list[Source], tuple[str, ...]]:
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

    def source(key: Key, labels: Sequence[str], places: Sequence[int]) -> Source:
        return Source(key[0], tuple(labels), tuple(places), key[0] in survey.stamped)

    if said is not None:
        wanted = _said_joints(path, by_count, survey, said)
        if joints is not None and len(wanted) != len(joints):
            raise LogError(
                path,
                f"{shown(said)} are the joints {in_words(wanted)}, expected {len(joints)} for "
                f"{in_words(joints)}.",
            )
        found = [source(*one) for one in _joined(by_count, wanted)]
        pairs = zip(wanted, joints or wanted, strict=True)
        named = [f"{label} = {joint}" for label, joint in pairs if label != joint]
        notes += [f"joints are taken in this order: {in_words(named)}."] if named else []
        return found, tuple(joints or wanted)
    if joints is None:
        key = by_count[0]
        there = [name for name in survey.names[key] if (key[0], "q", name) in survey.finite]
        still = [name for name in survey.names[key] if name not in there]
        if not there:
            raise LogError(path, f"no position of {in_words([key[0]])} is a number.")
        if still:
            notes.append(f"joints without positions are left out: {in_words(still)}.")
        others = [
            f"{in_words([topic])} ({survey.counts[topic, names]} messages of "
            f"{in_words(survey.names[topic, names])})"
            for topic, names in by_count[1:]
            if not (topic == key[0] and names > key[1])
        ]
        if others:
            notes.append(
                f"joints are those of {in_words([key[0]])}, which has most messages; not read: "
                f"{'; '.join(others[:MOST_NAMES])}. "
                f'columns={{"topic": "..."}} or joints=[...] chooses others.'
            )
        return [source(key, there, range(len(there)))], tuple(there)
    found = _joined(by_count, joints) or _alike(path, by_count, survey, joints, notes)
    sources = [source(key, labels, places) for key, labels, places in found]
    if len(sources) > 1:
        notes.append(
            f"joints of {in_words(one.topic for one in sources[1:])} are interpolated linearly to "
            f"the stamps of {in_words([sources[0].topic])}; samples outside of the common time are "
            "left out."
        )
    elif len({topic for topic, _ in by_count}) > 1:
        notes.append(f"joints are those of {in_words([sources[0].topic])}.")
    return sources, tuple(joints)


def _said_joints(
    path: Path, by_count: Sequence[Key], survey: Survey, said: str | Sequence[str]
) -> list[str]:
    """Return the joints that the caller names, one by one or by patterns.

    Raises:
        LogError: a name is that of no joint, or two are the same.
    """
    there = list(dict.fromkeys(name for key in by_count for name in survey.names[key]))
    wanted: list[str] = []
    for one in as_list(said):
        hits = [one] if one in there else [name for name, _ in matching(one, there)]
        if not hits:
            raise LogError(path, f"no joint is called {shown(one)}; there are {in_words(there)}.")
        wanted += hits
    if len(set(wanted)) < len(wanted):
        raise LogError(path, f"{shown(said)} names a joint twice: {in_words(wanted)}.")
    return wanted


def _joined(
    by_count: Sequence[Key], joints: Sequence[str]
) -> list[tuple[Key, list[str], list[int]]]:
    """Return topics that have all joints, the one with most of them first; none if some lack."""
    left = set(joints)
    result: list[tuple[Key, list[str], list[int]]] = []
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
    by_count: Sequence[Key],
    survey: Survey,
    joints: Sequence[str],
    notes: list[str],
) -> list[tuple[Key, list[str], list[int]]]:
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
        f"{in_words([topic])} has {in_words(survey.names[topic, names])}"
        for topic, names in by_count[:MOST_NAMES]
    )
    if found:
        option = {"topic": found[0][0][0]}
        raise LogError(
            path,
            f"more than one topic may have the joints {in_words(joints)}: {there}. Choose one, as "
            f"in: {in_python(option)}.",
            columns=option,
        )
    each = [(survey.names[key], likely_joints(survey.names[key], len(joints))) for key in by_count]
    patterns = (pattern_of(labels, names) for names, labels in each)
    option = {"q": next(filter(None, patterns), "")}
    fix = f"In the order of the arm these may be right: {in_python(option)}."
    if not option["q"]:
        option, fix = {}, 'Name them in the order of the arm: columns={"q": ["a1", "a2"]}.'
    raise LogError(
        path, f"no topic has the joints {in_words(joints)}: {there}. {fix}", columns=option
    )
