"""Inverse kinematics as JavaScript: the branches that the arm has in Python."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import armdyn
from armdyn.arm.page import _asset
from armdyn.arm.scene import programs_of, scene
from support.node import evaluated, needs_node, run_node

NAMES = ("ur5", "panda", "scara", "puma560")


def states(arm: armdyn.Arm, count: int) -> np.ndarray:
    low = np.array([max(j.lower, -3.0 if j.is_revolute else -0.5) for j in arm.robot.joints])
    high = np.array([min(j.upper, 3.0 if j.is_revolute else 0.5) for j in arm.robot.joints])
    return np.random.default_rng(4).uniform(low, high, (count, arm.n))


@needs_node
def test_branches_in_node_are_those_in_python(tmp_path: Path) -> None:
    calls, wanted = {}, {}
    for name in NAMES:
        arm = armdyn.load(name)
        q = states(arm, 40)
        poses = arm.pose(q)
        spare = {"redundancy": q[:, 6]} if arm.n == 7 else {}
        wanted[name] = arm.inverse_kinematics_all(poses, **spare)
        inputs = [poses.reshape(40, 16), *(x[:, None] for x in spare.values())]
        calls[name] = (arm.inverse_kinematics_source(), "inverse_kinematics", inputs)
    for name, found in evaluated(tmp_path, calls).items():
        want = wanted[name]
        B, n = want.q.shape[1:]
        q, margin, beyond = np.split(found, [B * n, B * n + B], axis=1)
        valid = (margin >= -1e-9) & (beyond <= 1e-9)
        assert np.array_equal(valid, want.valid) and valid.any(axis=-1).all()
        assert np.abs(q.reshape(-1, B, n) - want.q)[valid].max() < 1e-9


DRAGGING = """
const tries = JSON.parse(process.argv[2]);
console.log(JSON.stringify(tries.map(([q, goal]) => nearestBranch(scene, programs, q, goal))));
"""


@needs_node
@pytest.mark.parametrize("name", ["ur5", "panda"])
def test_the_handle_of_a_page_follows_the_closed_form(name: str, tmp_path: Path) -> None:
    arm = armdyn.load(name)
    low, high = (np.array([getattr(j, s) for j in arm.robot.joints]) for s in ("lower", "upper"))
    middle = np.array([0.3, -0.9, 1.2, -1.4, 0.7, 1.5, 0.2])[: arm.n]
    rng = np.random.default_rng(2)
    starts = middle + rng.uniform(-0.2, 0.2, (15, arm.n))
    there = np.clip(starts + rng.uniform(-0.05, 0.05, starts.shape), low, high)
    if arm.n == 7:
        there[:, 6] = starts[:, 6]
    goals = arm.pose(there)
    tries = [[q.tolist(), goal.tolist()] for q, goal in zip(starts, goals, strict=True)]
    code = f"const programs = {programs_of(arm)[0]};\nconst scene = {json.dumps(scene(arm))};\n"
    code += "\n".join(map(_asset, ("linear.js", "reach.js"))) + DRAGGING
    found = np.array(json.loads(run_node(tmp_path, code, json.dumps(tries))))
    assert np.abs(found - there).max() < 1e-8
    far = goals[0].copy()
    far[:3, 3] += 3.0
    assert run_node(tmp_path, code, json.dumps([[starts[0].tolist(), far.tolist()]])) == "[null]\n"


def test_languages_and_arms_without_a_closed_form() -> None:
    arm = armdyn.load("scara")
    assert "void inverse_kinematics(" in arm.inverse_kinematics_source("c")
    scope: dict[str, object] = {}
    exec(arm.inverse_kinematics_source("python"), scope)
    assert callable(scope["inverse_kinematics"])
    with pytest.raises(armdyn.ArmdynError, match="'fortran'"):
        arm.inverse_kinematics_source("fortran")
    with pytest.raises(armdyn.InputError, match="no closed form"):
        armdyn.Arm(armdyn.generic(5)).inverse_kinematics_source()
