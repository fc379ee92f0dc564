"""The table of targets: what is attacked, by which module, and how often in a million cases."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """A target.

    Attributes:
        module: has `case` and `run`.
        planned: its cases in a run of a million; a shorter run has as many in proportion.
    """

    module: str
    planned: int


TARGETS: dict[str, Target] = {
    "states": Target("fuzz.states", 919_300),
    "urdf": Target("fuzz.robot_files", 5_500),
    "xacro": Target("fuzz.robot_files", 5_500),
    "mjcf": Target("fuzz.robot_files", 5_500),
    "toml": Target("fuzz.robot_files", 5_500),
    "csv": Target("fuzz.log_files", 5_500),
    "npz": Target("fuzz.log_files", 5_500),
    "mat": Target("fuzz.log_files", 5_500),
    "parquet": Target("fuzz.log_files", 5_500),
    "hdf5": Target("fuzz.recordings", 2_200),
    "mcap": Target("fuzz.recordings", 2_200),
    "db3": Target("fuzz.recordings", 1_100),
    "lerobot": Target("fuzz.recordings", 2_200),
    "commands": Target("fuzz.commands", 2_200),
    "dh": Target("fuzz.dh_tables", 5_500),
    "poses": Target("fuzz.poses", 20_000),
    "identify": Target("fuzz.identifications", 1_100),
    "kills": Target("fuzz.kills", 200),
}


def target(name: str) -> Target:
    """Return a target of the table; a name with a dot is that of a module that is one."""
    if name in TARGETS:
        return TARGETS[name]
    if "." in name:
        return Target(name, 1_000)
    raise SystemExit(f"there is no target {name!r}; choose from {', '.join(TARGETS)}.")
