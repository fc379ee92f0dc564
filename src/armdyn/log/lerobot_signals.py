"""What the vectors of a LeRobot dataset mean: quantities of joints, goals, and units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armdyn.arrays import Array
from armdyn.errors import LogError
from armdyn.log.columns import assigned
from armdyn.log.formats import EPISODE
from armdyn.log.hdf5 import ALOHA_JOINTS, SIDES
from armdyn.log.recognition.encoders import found_units
from armdyn.log.recognition.names import AFTER_JOINT, GRIPPER, ROLE_OF, pose_in
from armdyn.log.recognition.units import NORMALISED

TIME = "timestamp"
ACTION = "action"
# Words for the vectors of an observation, besides those of columns.
VECTORS = {"state": "q", "states": "q", "joint_state": "q", "qpos": "q", "qvel": "qd"}
# Efforts of ALOHA are present currents of its Dynamixel servos [mA].
ALOHA_EFFORT = "effort"
# Longer names [characters] are cut: messages list them.
LONGEST_NAME = 80

Features = Mapping[str, tuple[str, ...] | None]


@dataclass(frozen=True)
class Signal:
    """A number of a vector: its place, and its meaning."""

    feature: str
    index: int
    column: str
    role: str
    joint: str
    unit: str | None = None


class Signals:
    """The quantities of the joints in the vectors of a dataset.

    Attributes:
        signals: the numbers that are read.
        scales: factors to SI units by column.
        chosen: the option of `Log.read` that says the unit.
        notes: findings.
        doubts: assumptions that a warning tells.
    """

    def __init__(
        self,
        path: Path,
        features: Features,
        sample: Sample,
        units: object,
        joints: Sequence[str] | None,
    ) -> None:
        """Find them.

        Args:
            path: the folder of the dataset.
            features: names of the numbers of each vector, None if they are not there.
            sample: some frames.
            units: of positions, as for `Log.read`.
            joints: names of the joints of an arm; None for those of the dataset.
        """
        self._path, self._features, self._sample = path, features, sample
        self._wanted = frozenset(joints or ())
        self.notes: list[str] = []
        self.doubts: list[str] = []
        self.signals = self._found_signals(joints)
        self.scales, self.chosen = self._found_scales(units, joints)

    def _found_signals(self, joints: Sequence[str] | None) -> list[Signal]:
        """Return the quantities of the joints."""
        there = [name for name in self._features if name in self._sample.widths]
        states = [name for name in there if default_role(name)]
        positions = [name for name in states if default_role(name) == "q"]
        poses = [name for name in positions if self._is_pose(name)]
        positions = [name for name in positions if name not in poses]
        if joints is not None:
            fits = [k for k in positions if assigned(_joints_of(self._signals_in(k)), joints)[0]]
            positions = fits or positions
        uneven = [k for k in self._features if default_role(k) == "q" and k not in there]
        if not positions and uneven:
            raise LogError(
                self._path, f"{uneven[0]!r} is no list of equally many numbers in the data files."
            )
        if poses and not positions:
            raise LogError(
                self._path,
                f"has no positions of joints: {poses[0]} is a pose, "
                f"{', '.join(self._features[poses[0]] or ())}.",
            )
        if not positions:
            found = ", ".join(map(readable, self._features)) or "nothing"
            raise LogError(
                self._path, f"has no positions: expected 'observation.state', there are {found}."
            )
        chosen = "observation.state" if "observation.state" in positions else positions[0]
        others = [name for name in states if default_role(name) != "q"]
        signals: dict[tuple[str, str], Signal] = {}
        for name in (chosen, *others):
            for one in self._signals_in(name):
                signals.setdefault((one.role, one.joint), one)
        moved = [joint for role, joint in signals if role == "q"]
        for role in ("qd", "qdd", "tau"):
            of_role = [joint for one, joint in signals if one == role]
            needed = set(_of_arm(moved, joints))
            if of_role and not needed <= set(of_role):
                self.notes.append(f"{role} is left out: it is there for {', '.join(of_role)} only.")
                signals = {key: one for key, one in signals.items() if key[0] != role}
        currents = [one for (role, _), one in signals.items() if role == "current"]
        if any(one.unit for one in currents):
            self.notes.append(
                f"{currents[0].feature} is taken as motor currents in mA, as ALOHA records them."
            )
        elif currents:
            self.notes.append("currents are in the numbers of the drives: their unit is not told.")
        self._tell_two_arms(moved, joints)
        return [*signals.values(), *self._actions(chosen, moved)]

    def _signals_in(self, feature: str) -> list[Signal]:
        """Return the numbers of a vector with the quantity and the joint of each."""
        names = self._names_of(feature)
        made: list[Signal] = []
        taken: set[tuple[str, str]] = set()
        default = "q" if is_goal(feature) else default_role(feature)
        unit = None
        if feature.endswith(ALOHA_EFFORT) and _are_of_aloha(names):
            default, unit = "current", "ma"
        pose = pose_in(names) if default == "q" and not self._wanted & set(names) else []
        if pose:
            self._note(f"{', '.join(pose)} of {feature} are a pose, not joints, and left out.")
        for k, name in enumerate(names):
            if name in pose:
                continue
            joint, dot, word = name.rpartition(".")
            role = ROLE_OF[word] if dot and joint and word in AFTER_JOINT.split() else default
            joint = joint if dot and joint and word in AFTER_JOINT.split() else name
            if (role, joint) in taken:
                joint = f"{joint}_{k + 1}"
            taken.add((role, joint))
            is_plain = feature == "observation.state" and name not in (TIME, EPISODE)
            column = name if is_plain else f"{feature}.{name}"
            if any(column == one.column for one in made):
                column = f"{column}_{k + 1}"
            made.append(Signal(feature, k, column, role, joint, unit if role == default else None))
        return made

    def _names_of(self, feature: str) -> tuple[str, ...]:
        """Return the names of the numbers of a vector: its own, or those of the positions."""
        width, names = self._sample.widths[feature], self._features[feature]
        if names is not None and len(names) == width:
            return names
        words = "no names" if names is None else f"{len(names)} names for {width} numbers"
        for other in self._features if is_goal(feature) or default_role(feature) != "q" else ():
            named = self._features[other]
            if default_role(other) != "q" or len(named or ()) != self._sample.widths.get(other):
                continue
            joints = _joints_of(self._signals_in(other))
            body = [joint for joint in joints if not GRIPPER.search(joint)]
            for some in (joints, body):
                if len(some) == width:
                    self._note(f"{feature} has {words}: those of {other} are taken.")
                    return tuple(some)
        self._note(f"{feature} has {words}: its joints are called joint1 ... joint{width}.")
        return tuple(f"joint{k}" for k in range(1, width + 1))

    def _is_pose(self, feature: str) -> bool:
        """Whether a vector has a pose and nothing else, or only a gripper beside it."""
        names = self._features[feature] or ()
        pose = [] if self._wanted & set(names) else pose_in(names)
        return bool(pose) and all(name in pose or GRIPPER.search(name) for name in names)

    def _note(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)

    def _actions(self, states: str, joints: Sequence[str]) -> list[Signal]:
        """Return the numbers of the action that are goals of the joints; tell why if none is."""
        vectors = [k for k in self._features if is_goal(k) and k in self._sample.widths]
        if not vectors:
            return []
        each = [{one.joint: one for one in self._signals_in(k) if one.role == "q"} for k in vectors]
        goals = next((one for one in each if set(joints) <= set(one)), each[0])
        missing = [joint for joint in joints if joint not in goals]
        if missing:
            self.notes.append(
                f"the action is not the goal of these joints and is left out: its names are "
                f"{', '.join(goals) or 'of no positions'}, none is {missing[0]}."
            )
            return []
        measured = {one.joint: one for one in self._signals_in(states) if one.role == "q"}
        likeness = self._sample.likeness([(goals[k], measured[k]) for k in joints])
        if likeness < LEAST_LIKENESS:
            self.notes.append(
                f"the action is not the goal of these joints and is left out: its correlation "
                f"with the positions is {likeness:.2f}, expected at least {LEAST_LIKENESS}."
            )
            return []
        self.notes.append("the action is taken as commanded positions (q_cmd) of these joints.")
        return [
            Signal(one.feature, one.index, one.column, "q_cmd", joint)
            for joint, one in goals.items()
            if joint in joints
        ]

    def _tell_two_arms(self, labels: Sequence[str], joints: Sequence[str] | None) -> None:
        sides = [[k for k in labels if k.startswith(side)] for side in ("left_", "right_")]
        if joints is None and all(sides):
            names = ", ".join(repr(name) for name in sides[0] if not GRIPPER.search(name))
            self.notes.append(
                f"there are two arms, {len(sides[0])} joints left_... and {len(sides[1])} "
                f"right_...; all are kept. joints=[{names}] selects one arm."
            )
        grippers = [name for name in labels if GRIPPER.search(name)]
        if joints is None and grippers:
            self.notes.append(
                f"{', '.join(grippers)} may be no joint of the arm; joints= or an arm selects."
            )

    def _found_scales(
        self, units: object, joints: Sequence[str] | None
    ) -> tuple[dict[str, float], dict[str, str]]:
        """Return factors to SI units by column, and the option that says the unit."""
        if units is not None and units != NORMALISED:
            return {}, {}
        labels = _of_arm(_joints_of(self.signals), joints)
        positions = [one for one in self.signals if one.role == "q" and one.joint in labels]
        found = found_units(
            self._path,
            {one.joint: self._sample.column(one.feature, one.index) for one in positions},
            is_normalised=units == NORMALISED,
        )
        self.notes += found.notes
        self.doubts += found.doubts
        scaled = [one for one in self.signals if one.role in ("q", "qd", "qdd", "q_cmd")]
        scales = {one.column: found.factors.get(one.joint) for one in scaled}
        return {name: k for name, k in scales.items() if k is not None}, {"units": found.unit}


def is_goal(feature: str) -> bool:
    """Whether a vector may have goals of joints: action, or action.joint_position."""
    first, dot, rest = feature.partition(".")
    return first == ACTION and (not dot or ROLE_OF.get(rest.removeprefix("joint_")) == "q")


def _are_of_aloha(names: Sequence[str]) -> bool:
    """Whether joints have the names of one or two arms of ALOHA."""
    sides = "|".join(SIDES)
    return {re.sub(rf"^(?:{sides})_", "", name) for name in names} == set(ALOHA_JOINTS)


def default_role(feature: str) -> str:
    """Return the quantity of an observation by the last word of its name; "" if it is none."""
    first, _, rest = feature.partition(".")
    word = rest.rpartition(".")[2]
    if first != "observation" or not word:
        return ""
    return VECTORS.get(word) or ROLE_OF.get(word.removeprefix("joint_"), "")


def _joints_of(signals: Sequence[Signal]) -> list[str]:
    return [one.joint for one in signals if one.role == "q"]


def _of_arm(labels: Sequence[str], joints: Sequence[str] | None) -> Sequence[str]:
    """Return the labels that an arm uses; all if there is none, or names differ."""
    order = assigned(labels, joints)[0] if joints is not None else None
    return labels if order is None else order


def readable(name: str) -> str:
    """Return a name on one line, not too long."""
    kept = "".join(k if k.isprintable() else "?" for k in name.strip())
    return kept[:LONGEST_NAME] or "?"


# A sample of the frames shows units, and whether the action is a goal.

# Delays of positions after the action [frames] that are tried: drives follow within 0.3 s.
DELAYS = (0, 1, 2, 4, 8)
# A goal and its position correlate by more than this; increments and other quantities do not.
LEAST_LIKENESS = 0.5
# Fewer frames show no correlation.
LEAST_FRAMES = 10


class Sample:
    """Some frames of a dataset, in runs of consecutive ones.

    Attributes:
        runs: vectors ``(N, k)`` by name.
        widths: numbers of each vector.
    """

    def __init__(self, path: Path, runs: Iterable[dict[str, NDArray[Any]]]) -> None:
        """Keep the runs whose vectors have the widths of the first one.

        Raises:
            LogError: there is no run.
        """
        self.runs = list(runs)
        if not self.runs:
            raise LogError(path, "has no frames: its data files are empty.")
        self.widths = {name: block.shape[1] for name, block in self.runs[0].items()}
        self.runs = [
            run for run in self.runs
            if {name: block.shape[1] for name, block in run.items()} == self.widths
        ]  # fmt: skip

    def column(self, feature: str, index: int = 0) -> Array | None:
        """Return the samples of a number; None if it is not there."""
        if index >= self.widths.get(feature, 0):
            return None
        return np.concatenate([run[feature][:, index] for run in self.runs])

    def likeness(self, pairs: Sequence[tuple[Signal, Signal]]) -> float:
        """Return the median correlation of goals and positions at the best delay; 1 at rest."""
        (goals, places), (states, joints) = (
            (side[0].feature, [one.index for one in side]) for side in zip(*pairs, strict=True)
        )
        best = -1.0
        for delay in DELAYS:
            goal = np.concatenate([run[goals][: len(run[goals]) - delay] for run in self.runs])
            reached = np.concatenate([run[states][delay:] for run in self.runs])
            if len(goal) == len(reached):  # runs that are shorter than the delay differ
                best = max(best, _correlation(goal[:, places], reached[:, joints]))
        return best


def _correlation(a: Array, b: Array) -> float:
    """Return the median correlation of columns that change; 1 if none does."""
    there = np.isfinite(a).all(axis=1) & np.isfinite(b).all(axis=1)
    a, b = (x[there].astype(np.float64) for x in (a, b))
    if len(a) < LEAST_FRAMES:
        return 1.0
    with np.errstate(all="ignore"):  # numbers near the largest: no correlation
        a, b = a - a.mean(axis=0), b - b.mean(axis=0)
        sizes = np.sqrt((a**2).mean(axis=0) * (b**2).mean(axis=0))
        moving = sizes > 0.0
        each = (a * b).mean(axis=0)[moving] / sizes[moving]
    if not np.any((b**2).mean(axis=0) > 0.0):
        return 1.0
    each = np.nan_to_num(each)
    return float(np.median(each)) if len(each) else 0.0
