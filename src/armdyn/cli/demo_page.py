"""The demo as one page; it needs no other files except those that it links to."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib.metadata import version

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.excitation.motion import ExcitingMotion
from armdyn.log.log import Log
from armdyn.present.html import STYLE, Html, document, hint, joined, section, sentence, tag
from armdyn.present.tables import Grid, Toned
from armdyn.simulation.controllers import ComputedTorque
from armdyn.simulation.run import Run
from armdyn.simulation.simulate import simulate

ALT = "The arm, and maps of its inertia, its weight and the eigenvalues of its mass matrix."

MORE_STYLE = """
.hint code { white-space: normal; overflow-wrap: anywhere; }
img, iframe { display: block; width: 100%; margin: 1rem 0; border-radius: 6px; }
"""


@dataclass(frozen=True)
class Chapter:
    """One step.

    Attributes:
        title: name of the step.
        words: its meaning, in a sentence or two.
        grid: its numbers.
        passed: whether the numbers are as expected.
        files: the written files, by names within the folder.
        shown: something to look at below the numbers, or None.
        command: the command line for another arm; empty if there is no single command.
        seconds: how long it took.
    """

    title: str
    words: str
    grid: Grid
    passed: bool = True
    files: tuple[str, ...] = ()
    command: str = ""
    seconds: float = 0.0
    shown: Html | None = None


def demo_page(chapters: Sequence[Chapter], drawing: bytes, made: datetime) -> str:
    """Return the page; `drawing` is the arm as PNG, or empty."""
    title = "armdyn: from a description to an identified model in C"
    good = all(chapter.passed for chapter in chapters)
    total = sum(chapter.seconds for chapter in chapters)
    words = "Everything came out right" if good else "Not everything came out right"
    body = tag(
        "body",
        tag("h1", title),
        tag("p", f"{made:%Y-%m-%d %H:%M}, armdyn {version('armdyn')}", class_="sub"),
        tag(
            "div",
            tag("p", words, class_="head"),
            tag("p", f"{len(chapters)} steps in {total:.0f} s, on this machine."),
            class_=f"verdict {'passed' if good else 'failed'}",
        ),
        _facts(chapters),
        joined(_chapter(k, chapter, drawing) for k, chapter in enumerate(chapters, start=1)),
    )
    return document(title, body, STYLE + MORE_STYLE)


def _facts(chapters: Sequence[Chapter]) -> Html:
    """Return links to the steps, each with its verdict."""
    rows = tuple(
        (
            tag("a", f"{k}. {chapter.title}", href=f"#step{k}"),
            _mark(chapter.passed),
            f"{chapter.seconds:.1f} s",
        )
        for k, chapter in enumerate(chapters, start=1)
    )
    return Grid("", ("step", "", "time"), 2, rows).html()


def _mark(passed: bool) -> Toned:
    return Toned("passed" if passed else "failed", "good" if passed else "bad")


def _chapter(k: int, chapter: Chapter, drawing: bytes) -> Html:
    inside = [tag("p", sentence(chapter.words))]
    inside.append(chapter.grid.html())
    if k == 1 and drawing:
        source = f"data:image/png;base64,{b64encode(drawing).decode('ascii')}"
        inside.append(Html(f'<img src="{source}" alt="{ALT}">'))
    if chapter.shown:
        inside.append(chapter.shown)
    if chapter.files:
        links = [tag("a", name, href=name) for name in chapter.files]
        inside.append(tag("p", "Files: ", joined(links, between=", ")))
    if chapter.command:
        parts = [tag("code", part.strip()) for part in chapter.command.split(";")]
        inside.append(hint("Command: ", joined(parts, between=" ")))
    return section(f"{k}. {chapter.title}", *inside, key=f"step{k}")


# The test arm: a simulated PUMA whose parameters are not known exactly, and its measurements.

# Friction of the joints [N m s, N m], of a size typical for PUMAs.
VISCOUS = (4.5, 3.5, 2.0, 0.3, 0.4, 0.3)
COULOMB = (5.0, 6.0, 3.5, 0.8, 1.0, 0.7)

# Errors of the description: factors on masses and inertias of the links, and on rotor inertias.
WRONG, WRONG_ROTORS = (1.25, 0.8, 1.3, 0.7, 1.2, 0.75), 1.2

# Measurements: sampling rate [Hz], jitter of the clock as a share of the sampling period, torque
# noise [N m], and encoder resolution [rad] of 16 bits.
RATE = 200.0
JITTER = 0.05
NOISE = (1.0, 1.0, 0.5, 0.1, 0.1, 0.1)
ENCODER = 2 * np.pi / 65536

# The controller's stiffness and damping [1/s^2, 1/s]; it uses the wrong description.
STIFFNESS, DAMPING = 100.0, 20.0


def arm_on_the_bench(arm: Arm) -> Arm:
    """Return the arm with friction: the true arm, which only the simulation uses."""
    joints = [
        replace(joint, viscous=v, coulomb=c)
        for joint, v, c in zip(arm.robot.joints, VISCOUS, COULOMB, strict=True)
    ]
    return Arm(replace(arm.robot, joints=tuple(joints)))


def rough_description(arm: Arm) -> Arm:
    """Return the arm with wrong masses, inertias and rotors, and without friction."""
    joints = [
        replace(
            joint,
            mass=joint.mass * x,
            inertia=tuple(x * entry for entry in joint.inertia),
            rotor_inertia=joint.rotor_inertia * WRONG_ROTORS,
        )
        for joint, x in zip(arm.robot.joints, WRONG, strict=True)
    ]
    return Arm(replace(arm.robot, joints=tuple(joints)))


def record(truth: Arm, described: Arm, motion: ExcitingMotion, seed: int) -> tuple[Run, Log]:
    """Let the arm follow a motion; return the run, and its measurements."""
    controller = ComputedTorque(STIFFNESS, DAMPING, motion.trajectory, model=described)
    start = motion.sample([0.0])[1][0]
    run = simulate(
        truth, start, until=motion.duration, torque=controller, integrator="rk4", step=1 / RATE
    )
    return run, run.measured(
        noise_tau=NOISE, quantisation=ENCODER, jitter=JITTER, rate=RATE, seed=seed
    )
