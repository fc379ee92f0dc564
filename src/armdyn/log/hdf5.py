"""HDF5 files: datasets of samples, the layout of ALOHA, and episodes as of robomimic."""

from __future__ import annotations

import importlib
import json
import math
import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arrays import Array
from armdyn.errors import LogError, shown
from armdyn.log.arrays import JOINT_NAMES, check_inflation, is_time, sample_count
from armdyn.log.columns import FASTEST, ROWS, SLOWEST, Table, assigned, one_line, rate_in
from armdyn.log.recognition.names import NEEDS_JOINT
from armdyn.log.recognition.patterns import understood

# Wider datasets are images or features, not quantities of joints; they are never read.
WIDEST = 64
# Objects of a file that are looked at: a guard against hostile files; datasets of robomimic have
# some 10 000.
MOST_OBJECTS = 200_000

# Groups that are episodes: data/demo_0 of robomimic, episode_12, traj_3.
_EPISODE = re.compile(r"^(?:.*/)?(?:demo|episode|ep|traj|trajectory)_?(\d+)/(?:obs/)?(.+)$", re.I)

# Datasets of known layouts, and what they are. Efforts of ALOHA are present currents of its
# Dynamixel servos [mA].
ALOHA_POSITIONS, ALOHA_EFFORTS, ALOHA_ACTIONS = "observations/qpos", "observations/effort", "action"
ALOHA = {
    ALOHA_POSITIONS: "q",
    "observations/qvel": "qd",
    ALOHA_EFFORTS: "current [mA]",
    ALOHA_ACTIONS: "q_cmd",
}
ALOHA_RATE = 50.0  # [Hz], DT = 0.02 s of its recorder
ALOHA_JOINTS = (
    "waist", "shoulder", "elbow", "forearm_roll", "wrist_angle", "wrist_rotate", "gripper",
)  # fmt: skip
SIDES = ("left", "right")
ROBOMIMIC = {"robot0_joint_pos": "q", "robot0_joint_vel": "qd", "robot0_joint_torques": "tau"}

# Attributes that say the rate [Hz] or the step [s] of samples.
RATES = ("fps", "rate", "hz", "control_freq", "control_hz", "frequency", "sampling_rate")
TIME_STEPS = ("dt", "time_step", "timestep")

Given = Mapping[str, str | Sequence[str]]


def read_hdf5(path: Path, joints: Sequence[str] | None, columns: Given) -> Table:
    """Read an HDF5 file."""
    parts = list(hdf5_blocks(path, joints, columns))
    first = parts[0]
    if len(parts) == 1:
        return first
    together = {
        name: np.concatenate([one.columns[name] for one in parts]) for name in first.columns
    }
    return Table(path, together, joint_names=first.joint_names, notes=first.notes)


def hdf5_blocks(path: Path, joints: Sequence[str] | None, columns: Given) -> Iterator[Table]:
    """Yield an HDF5 file block by block."""
    with _opened(path) as file:
        content = _content(path, file, columns)
        names, chosen = _joints(path, content, joints, columns)
        notes = content.notes
        for episode, datasets in content.episodes:
            rows = sample_count(datasets)
            for a in range(0, rows, ROWS):
                b = min(a + ROWS, rows)
                blocks = {name: _rows(one, a, b, rows) for name, one in datasets.items()}
                width = content.width
                for name, block in blocks.items():
                    if chosen is not None and block.ndim == 2 and block.shape[1] == width:
                        blocks[name] = block[:, chosen]
                if content.clock is not None:
                    blocks[content.clock] = np.arange(a, b) / content.rate
                if episode is not None:
                    blocks["episode_index"] = np.full(b - a, float(episode))
                yield Table(path, blocks, joint_names=names, notes=notes)
                notes = []


@contextmanager
def _opened(path: Path) -> Generator[Any]:
    """Yield the open file; turn errors into `LogError`."""
    h5py = importlib.import_module("h5py")
    try:
        with h5py.File(path, "r") as file:
            yield file
    except (LogError, GeneratorExit):
        raise
    except Exception as error:  # damaged files raise errors of every kind
        raise LogError(path, f"is not an HDF5 file of numbers ({one_line(error)}).") from error


def _rows(dataset: Any, a: int, b: int, rows: int) -> Array:
    if dataset.shape[0] == rows:
        return np.asarray(dataset[a:b], np.float64)
    return np.asarray(dataset[:, a:b], np.float64).T


@dataclass
class _Content:
    """What of a file is read.

    Attributes:
        episodes: number of the episode, None if there are none, and its datasets by column.
        names: of the joints, if known.
        width: number of joints of the datasets.
        clock: name of the column of time that is made; None if the file has time stamps.
        rate: of the samples [Hz], if the file has no time stamps.
        notes: assumptions.
    """

    episodes: list[tuple[int | None, dict[str, Any]]]
    names: tuple[str, ...]
    width: int
    clock: str | None
    rate: float
    notes: list[str]


def _content(path: Path, file: Any, columns: Given) -> _Content:
    datasets = _datasets(file)
    notes: list[str] = []
    said = {
        name
        for names in columns.values()
        for name in ([names] if isinstance(names, str) else names)
    }
    numbered: dict[int, dict[str, Any]] = {}
    for name, one in datasets.items():
        if found := _EPISODE.match(name):
            numbered.setdefault(int(found[1]), {})[found[2]] = one
    episodes: list[tuple[int | None, dict[str, Any]]] = [(None, datasets)]
    is_aloha = _is_aloha(datasets)
    if ALOHA_POSITIONS in datasets:
        layout = ALOHA if is_aloha else ALOHA | {ALOHA_EFFORTS: "tau"}
        episodes = [(None, _renamed(datasets, layout, said))]
    elif numbered:
        episodes = [(k, _renamed(numbered[k], ROBOMIMIC, said)) for k in sorted(numbered)]
    else:
        episodes = [(None, _by_last_word(datasets, said))]
    episodes = [(k, _with_rows(found)) for k, found in episodes]
    episodes = _alike(path, [(k, found) for k, found in episodes if found], notes)
    if not episodes:
        raise LogError(path, f"has no datasets of numbers; it has {_names(datasets)}.")
    first = episodes[0][1]
    check_inflation(path, 8 * sum(one.size for _, found in episodes for one in found.values()))
    q = next(
        (one for name, one in first.items() if (m := understood(name)) and m.role == "q"), None
    )
    width = _width(q, sample_count(first))
    names = _names_in(file, q)
    if is_aloha and not names:
        names = ALOHA_JOINTS if width == len(ALOHA_JOINTS) else tuple(
            f"{side}_{name}" for side in SIDES for name in ALOHA_JOINTS
        )  # fmt: skip
        notes.append(f"joints are named as ALOHA does, in this order: {', '.join(names)}.")
    if any("current [mA]" in found for _, found in episodes):
        notes.append(
            f"{ALOHA_EFFORTS} are taken as motor currents in mA, as ALOHA records them; for "
            f'torques in N m say columns={{"tau": "{ALOHA_EFFORTS}"}}.'
        )
    clock, rate = None, 0.0
    is_said = "t" in columns and (columns["t"] in first or rate_in(columns["t"]) is not None)
    if not any(is_time(name) for name in first) and not is_said:
        clock, rate = _clock(path, file, is_aloha, notes)
    return _Content(episodes, names, width, clock, rate, notes)


def _datasets(file: Any) -> dict[str, Any]:
    """Return the datasets that can be columns; links are not followed, images not read."""
    found: dict[str, Any] = {}
    count = 0

    def visit(name: str, one: Any) -> bool | None:
        nonlocal count
        count += 1
        if count > MOST_OBJECTS:
            return True
        shape = getattr(one, "shape", None)
        if shape is None or len(shape) not in (1, 2) or one.dtype.kind not in "iuf":
            return None
        is_own = not one.external and not one.is_virtual
        if is_own and 0 not in shape and (len(shape) == 1 or min(shape) <= WIDEST):
            found[name] = one
        return None

    file.visititems(visit)
    if count > MOST_OBJECTS:
        raise ValueError(f"more than {MOST_OBJECTS} objects")
    return found


def _is_aloha(datasets: Mapping[str, Any]) -> bool:
    """Whether positions and actions are those of one or two arms of ALOHA."""
    shapes = {getattr(datasets.get(k), "shape", ()) for k in (ALOHA_POSITIONS, ALOHA_ACTIONS)}
    (shape, *others) = shapes
    widths = len(ALOHA_JOINTS), 2 * len(ALOHA_JOINTS)
    return not others and len(shape) == 2 and shape[1] in widths


def _renamed(
    datasets: Mapping[str, Any], names: Mapping[str, str], said: set[str]
) -> dict[str, Any]:
    """Return the datasets of a layout under the names of their columns; all if it has none.

    Datasets that are named in `said` keep their names.
    """
    if not set(names) & set(datasets):
        return dict(datasets)
    kept = {name: one for name, one in datasets.items() if is_time(name) or name in said}
    other = {names[k]: one for k, one in datasets.items() if k in names and k not in said}
    return kept | other


def _by_last_word(datasets: Mapping[str, Any], said: set[str]) -> dict[str, Any]:
    """Return datasets in groups under their last name if that alone tells what they are."""
    last = [name.rsplit("/", 1)[-1] for name in datasets]
    result: dict[str, Any] = {}
    for name, word in zip(datasets, last, strict=True):
        whole = understood(name)  # "a/b/qpos" is no acceleration
        is_unclear = whole is None or whole.word in NEEDS_JOINT
        plain = name not in said and is_unclear and last.count(word) == 1
        result[word if plain and understood(word) is not None else name] = datasets[name]
    return result


def _with_rows(datasets: Mapping[str, Any]) -> dict[str, Any]:
    """Return the datasets with one row, or one column, per sample."""
    rows = sample_count(datasets)
    return {name: one for name, one in datasets.items() if rows in one.shape}


def _alike(
    path: Path, episodes: list[tuple[int | None, dict[str, Any]]], notes: list[str]
) -> list[tuple[int | None, dict[str, Any]]]:
    """Return the episodes with the datasets that all of them have, in the same shapes."""
    if len(episodes) < 2:
        return episodes
    common = set(episodes[0][1])
    for _, found in episodes:
        common &= set(found)
    widths = [
        {name: _width(found[name], sample_count(found)) for name in common} for _, found in episodes
    ]
    common = {name for name in common if len({one[name] for one in widths}) == 1}
    if not common:
        raise LogError(path, "its episodes have no datasets in common.")
    gone = sorted({name for _, found in episodes for name in found} - common)
    if gone:
        notes.append(f"datasets that some episodes lack are left out: {', '.join(gone)}.")
    return [
        (k, {name: one for name, one in found.items() if name in common}) for k, found in episodes
    ]


def _width(dataset: Any, rows: int) -> int:
    if dataset is None or dataset.ndim == 1:
        return 1
    return int(dataset.shape[1] if dataset.shape[0] == rows else dataset.shape[0])


def _names(datasets: Mapping[str, Any]) -> str:
    return ", ".join(shown(name)[1:-1] for name in [*datasets][:20]) or "nothing"


def _names_in(file: Any, q: Any) -> tuple[str, ...]:
    """Return the names of the joints that a file has as a dataset or an attribute."""
    holders = [file.attrs, *([] if q is None else [q.attrs, q.parent.attrs])]
    found = [one[JOINT_NAMES] for one in holders if JOINT_NAMES in one]
    there = file.get(JOINT_NAMES)
    if there is not None and getattr(there, "ndim", 0) == 1 and len(there) <= WIDEST:
        found.append(there[()])
    for one in found:
        texts = [k.decode("utf-8", "replace") if isinstance(k, bytes) else k for k in np.ravel(one)]
        if all(isinstance(k, str) for k in texts):
            return tuple(map(str, texts))
    return ()


# Joints and time.


def _joints(
    path: Path, content: _Content, joints: Sequence[str] | None, columns: Given
) -> tuple[tuple[str, ...], list[int] | None]:
    """Return the names of the joints, and their places in the datasets; None for all."""
    names = content.names
    if len(names) != content.width or len(set(names)) != len(names):
        return (), None
    side = columns.get("topic")
    if side is not None:
        part = [k for k, name in enumerate(names) if name.startswith(f"{side}_")]
        if not part:
            raise LogError(path, f"no joint is called {side}_...; it has {', '.join(names)}.")
        names = tuple(names[k].removeprefix(f"{side}_") for k in part)
    else:
        part = [*range(len(names))]
    if joints is None:
        return names, part
    labels, words = assigned(names, joints)
    if labels is None:
        two = all(any(name.startswith(f"{one}_") for name in names) for one in SIDES)
        advice = ' Choose an arm by columns={"topic": "left"} or "right".' if two else ""
        raise LogError(
            path,
            f"its joints are not those of the arm: {words} The file has {', '.join(names)}; the "
            f"arm has {', '.join(joints)}.{advice}",
        )
    if words:
        content.notes.append(words)
    return tuple(joints), [part[names.index(label)] for label in labels]


def _clock(path: Path, file: Any, is_aloha: bool, notes: list[str]) -> tuple[str, float]:
    """Return the name of a column of time, and the rate of the samples [Hz]."""
    (rate, source) = _rate_in(file)
    if not rate and is_aloha:
        rate, source = ALOHA_RATE, "ALOHA's rate, an assumption"
    if not rate:
        raise LogError(
            path,
            "has no time stamps and no attribute such as fps or dt. Say the rate of its samples, "
            'as in columns={"t": "50 Hz"}.',
        )
    if not SLOWEST <= rate <= FASTEST:
        raise LogError(
            path, f"its rate is {rate:g} Hz ({source}), expected {SLOWEST:g} to {FASTEST:g} Hz."
        )
    notes.append(f"the file has no time stamps; its rate is {rate:g} Hz, {source}.")
    return "t", rate


def _rate_in(file: Any) -> tuple[float, str]:
    """Return the rate that an attribute of the file says, and which one; 0 if none does."""
    groups = [file, *(file[name] for name in ("data",) if name in file)]
    for group in groups:
        said = {str(key).lower(): group.attrs[key] for key in group.attrs}
        for key, value in (*said.items(), *_environment(said.get("env_args"))):
            number = _number(value)
            if number and key in RATES:
                return number, f"by the attribute {key}"
            if number and key in TIME_STEPS:
                return 1.0 / number, f"by the attribute {key}"
    return 0.0, ""


def _environment(text: object) -> list[tuple[str, object]]:
    """Return the arguments of the simulation that robomimic notes as JSON."""
    if not isinstance(text, str):
        return []
    try:
        made = json.loads(text)
        return [(str(k), v) for k, v in made["env_kwargs"].items()]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []


def _number(value: object) -> float:
    """Return a positive number; 0 if it is none."""
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "iuf":
        return 0.0
    number = float(array.ravel()[0])
    return number if math.isfinite(number) and number > 0 else 0.0
