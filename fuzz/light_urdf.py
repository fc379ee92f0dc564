"""A light, independent reading of URDFs: mass matrix and gravity torques from energies."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])


def mass_matrix_and_gravity(
    text: bytes, names: list[str], q: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return M and g for the named joints at q; all others stand at zero.

    Raises:
        ValueError, KeyError, AttributeError, ParseError: the file is beyond this reader.
    """
    root = ET.fromstring(text)
    links = {link.attrib["name"]: link for link in root.findall("link")}
    joints = root.findall("joint")
    if root.find("joint/mimic") is not None:
        raise ValueError("joints that follow others")
    if len(links) != len(root.findall("link")):
        raise ValueError("a link is there twice")
    children = {joint.find("child").attrib["link"]: joint for joint in joints}  # type: ignore[union-attr]
    (base,) = set(links) - set(children)
    state = dict(zip(names, q, strict=True))
    M, g = np.zeros((len(names), len(names))), np.zeros(len(names))

    def visit(link: str, T: np.ndarray, moved_by: list[Any]) -> None:
        body = links[link].find("inertial")
        if body is not None:
            add(body, T, moved_by)
        for joint in joints:
            if joint.find("parent").attrib["link"] != link:  # type: ignore[union-attr]
                continue
            kind, found, by = joint.attrib["type"], joint.find("axis"), moved_by
            if kind not in ("fixed", "revolute", "continuous", "prismatic"):
                raise ValueError(kind)
            axis = _vector(found, "xyz", "1 0 0") if kind != "fixed" else np.array([1.0, 0, 0])
            axis = axis / np.linalg.norm(axis)
            at = T @ _placement(joint.find("origin"))
            if (name := joint.attrib["name"]) in state:
                by = [*moved_by, (name, kind != "prismatic", at[:3, :3] @ axis, at[:3, 3])]
                at = at @ _moved(kind, axis, state[name])
            visit(joint.find("child").attrib["link"], at, by)  # type: ignore[union-attr]

    def add(body: ET.Element, T: np.ndarray, moved_by: list[Any]) -> None:
        at = T @ _placement(body.find("origin"))
        mass = float(body.find("mass").attrib["value"])  # type: ignore[union-attr]
        e = body.find("inertia")
        inertia = np.zeros((3, 3))
        for a in range(3):
            for b in range(a, 3):
                inertia[a, b] = inertia[b, a] = float(e.attrib[f"i{'xyz'[a]}{'xyz'[b]}"])  # type: ignore[union-attr]
        inertia = at[:3, :3] @ inertia @ at[:3, :3].T
        zero = np.zeros(3)
        rates = [
            (names.index(name), np.cross(z, at[:3, 3] - o) if turns else z, z if turns else zero)
            for name, turns, z, o in moved_by
        ]
        for i, v, w in rates:
            g[i] -= mass * GRAVITY @ v
            for j, v2, w2 in rates:
                M[i, j] += mass * v @ v2 + w @ inertia @ w2

    visit(base, np.eye(4), [])
    return M, g


def _vector(e: ET.Element | None, key: str, default: str) -> np.ndarray:
    numbers = [float(x) for x in (default if e is None else e.attrib.get(key, default)).split()]
    if len(numbers) != 3:
        raise ValueError(key)
    return np.array(numbers)


def _rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def _placement(e: ET.Element | None) -> np.ndarray:
    T = np.eye(4)
    T[:3, 3] = _vector(e, "xyz", "0 0 0")
    r, p, y = _vector(e, "rpy", "0 0 0")
    about = np.eye(3)
    T[:3, :3] = _rotation(about[2], y) @ _rotation(about[1], p) @ _rotation(about[0], r)
    return T


def _moved(kind: str, axis: np.ndarray, value: float) -> np.ndarray:
    T = np.eye(4)
    if kind == "prismatic":
        T[:3, 3] = axis * value
    else:
        T[:3, :3] = _rotation(axis, value)
    return T
