"""Commands of controllers in a recording of ROS 2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.log.ros.cdr import Stamps
from armdyn.log.ros.recording import SECOND, Source, Survey, in_words, of_labels

TRAJECTORY = "trajectory_msgs/JointTrajectory"
CONTROLLER = "control_msgs/JointTrajectoryControllerState"

# Commands are used if they begin within this share of the samples; samples before are left out.
LATEST_COMMAND = 0.1


def commands_of(
    survey: Survey,
    topics: Mapping[str, str],
    base: Source,
    sources: Sequence[Source],
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
    q_cmd = np.concatenate([of_labels(one, "q_cmd", labels) for one in found])
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
            f"commands of {in_words([topic])} are left out: the first is "
            f"{(times[0] - first) / SECOND:.3g} s after the first joint state."
        )
        return None
    others = sorted(name for name in survey.commands if name != topic)
    also = f"; not used: {in_words(others)}" if others else ""
    what = "points of trajectories" if topics.get(topic) == TRAJECTORY else "commands"
    notes.append(
        f"q_cmd are {what} of {in_words([topic])}, each until the next one, and samples before the "
        f"first are left out{also}."
    )
    return times, q_cmd


def _not_replaced(recorded: Stamps, begin: Stamps, times: Stamps) -> NDArray[np.bool_]:
    """Return the points of trajectories that come before a later trajectory begins."""
    _, first, message = np.unique(recorded, return_index=True, return_inverse=True)
    earliest = np.minimum.accumulate(begin[first][::-1])[::-1]
    following = np.append(earliest[1:], np.iinfo(np.int64).max)
    return times <= following[message]
