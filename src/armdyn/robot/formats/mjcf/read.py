"""MJCF files to `Robot`, through MuJoCo's own parser and compiler."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from armdyn.robot.formats.assemble import assembled
from armdyn.robot.formats.isolated.process import Isolated
from armdyn.robot.formats.mjcf.describe import Describer
from armdyn.robot.formats.mjcf.needed import Model, model_of
from armdyn.robot.formats.mjcf.source import Reach, checked_text, read_text
from armdyn.robot.formats.records import ArmOptions, Description, Fault, naming
from armdyn.robot.model import Robot

_mujoco = Isolated("armdyn.robot.formats.mjcf.worker", "MuJoCo")


def read_mjcf(
    path: str | os.PathLike[str],
    packages: Sequence[str | os.PathLike[str]] = (),
    **options: Any,
) -> Robot:
    """Return the serial arm that an MJCF file describes.

    The joints keep MuJoCo's zero, sign and names: q is `qpos`. Joints off the chain stand at
    `qpos0`, and so do joints that equalities and tendons drive; ``Robot.notes`` says what was done.

    Args:
        path: of the file; includes must be in its folder or below, or in `packages`.
        packages: more folders that files may be included from.
        options: fields of `ArmOptions`; links are bodies, and the root is the world.

    Raises:
        RobotFileError: the file does not describe a serial arm, or MuJoCo refuses it.
    """
    wanted = ArmOptions(**options)
    with naming(path):
        return assembled(read_description(Path(path), wanted.without, packages).description, wanted)


@dataclass(frozen=True)
class Read:
    """What was read of an MJCF file.

    Attributes:
        description: the tree.
        answer: what MuJoCo's process sent.
        bodies: names of bodies by their numbers, with those that the file does not have.
        joints: names of joints by their numbers.
        includes: names of files that the file includes or attaches.
    """

    description: Description
    answer: Mapping[str, Any]
    bodies: list[str]
    joints: list[str]
    includes: list[str]


def read_description(
    path: Path,
    without: Sequence[str] = (),
    packages: Sequence[str | os.PathLike[str]] = (),
    data: bytes | None = None,
) -> Read:
    """Return the tree of an MJCF file; `data` are its bytes if they are not in the file.

    Raises:
        Fault: the file cannot be read, or MuJoCo refuses it.
    """
    data = read_text(path) if data is None else checked_text(data)
    model = model_of(path, data, Reach(path.parent, packages), without)
    answer = _mujoco.ask({
        "whole": model.whole,
        "needed": model.needed,
        "models": {
            "whole": {name: texts[0] for name, texts in model.models.items()},
            "needed": {name: texts[1] for name, texts in model.models.items()},
        },
        "meshes": model.meshes,
    })  # fmt: skip
    if "error" in answer:
        raise Fault(f"MuJoCo refuses it: {_error_text(answer, model)}")
    describer = Describer(answer)
    description = describer.description(
        path.stem, model.gone, without, os.path.dirname(os.path.abspath(path))
    )
    includes = list(dict.fromkeys(file.name for _, file, _ in model.document.origins[1:]))
    includes = [name for name in includes if name != path.name] + list(model.models)
    return Read(description, answer, describer.bodies, describer.joints, includes)


def _error_text(answer: dict[str, Any], model: Model) -> str:
    """Return MuJoCo's error on one line, with lines of files."""

    def placed(found: re.Match[str]) -> str:
        path, line = model.document.origin(int(found[1]))
        return f"line {line} of {path.name}"

    text = re.sub(r"\bline (\d{1,7})\b", placed, answer["error"])
    return ", ".join(part.strip() for part in text.splitlines() if part.strip()).rstrip(".") + "."
