"""Objects as notebooks show them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.identification.identify import identify
from armdyn.present.tables import ROWS, Grid, card
from support.identification import recorded, small_arm

HOSTILE = '<img src=x onerror="alert(1)">'


def html_of(shown: Any) -> str:
    return shown._repr_html_()


def shown_objects() -> dict[str, Any]:
    arm = armdyn.load("planar2")
    small = small_arm()
    return {
        "Arm planar2": arm,
        "Function gravity of planar2": arm.function("gravity"),
        "Run of planar2": armdyn.simulate(arm, [0.1, 0.2], [0.0, 0.0], until=0.1),
        "Log": recorded(small, duration=2.0),
        f"Identification of {small.name}": identify(small, recorded(small), physical=False),
        "Minimal parameters": arm.minimal,
    }


@pytest.fixture(scope="module")
def objects() -> dict[str, Any]:
    return shown_objects()


def test_every_object_has_a_title_facts_and_a_table(objects: dict[str, Any]) -> None:
    for title, shown in objects.items():
        html = html_of(shown)
        assert f'<div class="title">{title}' in html, title
        assert "<table>" in html and 'class="facts"' in html
        # nothing is fetched or run, and the notebook's colours stay
        assert not re.search(r"https?:|<script|src=|background:(?!none)", html)


def test_cards_tell_what_the_objects_say(objects: dict[str, Any]) -> None:
    arm = objects["Arm planar2"]
    assert all(f"<td>{name}</td>" in html_of(arm) for name in arm.joint_names)
    counted = arm.function("gravity").operations
    assert f"<b>{counted.multiplications}</b>" in html_of(arm.function("gravity"))
    minimal = html_of(arm.minimal)
    assert all(name in minimal for name in arm.minimal.names)
    assert f"<b>{len(objects['Log'])}</b> <span>samples</span>" in html_of(objects["Log"])


def test_names_are_shown_never_run() -> None:
    arm = armdyn.load("planar2")
    joints = tuple(replace(joint, name=f"{HOSTILE}{k}") for k, joint in enumerate(arm.robot.joints))
    arm = armdyn.Arm(replace(arm.robot, name=HOSTILE, joints=joints))
    log = armdyn.Log(np.arange(3.0), np.eye(3)[:, :2], joint_names=(HOSTILE, "b"))
    for shown in (arm, arm.function("gravity"), log):
        html = html_of(shown)
        assert "<img" not in html and "&lt;img" in html


def test_long_tables_are_cut_and_many_arms_have_none() -> None:
    grid = Grid("", ("k",), 0, tuple((str(k),) for k in range(ROWS + 7)))
    html = card("many", {}, grid)
    assert html.count("<tr>") == ROWS + 1 and "and 7 more" in html
    arm = armdyn.load("planar2")
    run = armdyn.simulate(arm, np.zeros((3, 2)), np.zeros((3, 2)), until=0.05)
    assert "<table>" not in html_of(run) and "<b>3</b> <span>arms</span>" in html_of(run)
