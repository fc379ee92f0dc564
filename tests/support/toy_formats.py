"""Small formats of files, as somebody would add them: a robot as lines, a log as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from armdyn import Joint, Log, Robot
from armdyn.log.columns import Table


def read_toy(path: Path, *, strict: bool, tip: str | None) -> Robot:
    """Read one joint a line, "name mass length", up to the joint called `tip`."""
    joints: list[Joint] = []
    for line in path.read_text().splitlines():
        name, mass, length = line.split()
        joints.append(Joint(name=name, mass=float(mass), b=float(length)))
        if name == tip:
            break
    return Robot(joints, name=path.stem, strict=strict)


def toy_text(robot: Robot) -> str:
    return "".join(f"{joint.name} {joint.mass!r} {joint.b!r}\n" for joint in robot.joints)


def read_other(path: Path, *, strict: bool) -> Robot:
    """Read an XML of another root element: an arm of a single joint."""
    return Robot([Joint(name="other", mass=1.0)], strict=strict)


def read_json(path: Path) -> Table:
    columns = json.loads(path.read_text())
    return Table(path, {name: np.array(column, dtype=float) for name, column in columns.items()})


def json_blocks(path: Path) -> Iterator[Table]:
    """Yield ten rows at a time."""
    table = read_json(path)
    for a in range(0, len(table.columns["t"]), 10):
        yield Table(path, {name: column[a : a + 10] for name, column in table.columns.items()})


def write_json(log: Log, file: BinaryIO) -> None:
    columns: dict[str, Any] = {"t": log.t.tolist()}
    for j in range(log.n):
        columns[f"q{j + 1}"] = log.q[:, j].tolist()
    file.write(json.dumps(columns).encode())
