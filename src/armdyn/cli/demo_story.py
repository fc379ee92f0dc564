"""The demo, chapter by chapter, and the folder with its files."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.codegen import export_c
from armdyn.arm.files import load, save
from armdyn.arm.page import player
from armdyn.arm.pictures import draw_arm
from armdyn.arm.verify import verify
from armdyn.cli.demo_page import (
    NOISE,
    RATE,
    WRONG,
    Chapter,
    arm_on_the_bench,
    demo_page,
    record,
    rough_description,
)
from armdyn.excitation.excite import excite
from armdyn.excitation.motion import ExcitingMotion
from armdyn.identification.conic import need_solver
from armdyn.identification.identify import identify_by_torques
from armdyn.identification.page.time_series import played
from armdyn.identification.result import Result
from armdyn.log.log import Log
from armdyn.present.html import Html
from armdyn.present.tables import Grid
from armdyn.progress import Progress, portion, reporter
from armdyn.simulation.figures import run_recording
from armdyn.writing import check_writable, scratch_folder, write_together, write_whole

PAGE = "report.html"
ROBOT = "puma560"
PICTURE = "puma560.png"
MOVING = "motion.html"
C_FUNCTIONS = ("mass_matrix", "inverse_dynamics", "gravity")

# The motion for identification, and another one for the test: seconds, harmonics, number of motions
# tried, seed.
EXCITING = (20.0, 5, 3000, 0)
OTHER = (10.0, 3, 200, 7)

# Samples of the motion that the page plays.
PLAYED = 1500

# A true value should lie within three standard deviations; a few of about sixty may not.
WITHIN = 0.9
# Progress is reported in this many parts.
WHOLE = 100

# Largest error of the identified arm on the other motion, as a share of the noise-free torques.
GOOD = 0.05

COMPILERS = ("cc", "gcc", "clang")
# Longest time for the compiler, and for the self-test [s].
PATIENCE = 120.0


@dataclass(frozen=True)
class Demo:
    """The chapters, and the folder with the files."""

    folder: Path
    chapters: tuple[Chapter, ...]

    @property
    def passed(self) -> bool:
        """Whether every chapter passed."""
        return all(chapter.passed for chapter in self.chapters)

    @property
    def page(self) -> Path:
        """The page to read first."""
        return self.folder / PAGE


@dataclass
class _Stage:
    """Data that one chapter passes to the next."""

    folder: Path
    progress: Progress
    arm: Arm = field(default_factory=lambda: load(ROBOT))
    motions: list[ExcitingMotion] = field(default_factory=list[ExcitingMotion])
    logs: list[Log] = field(default_factory=list[Log])

    def __post_init__(self) -> None:
        self.truth = arm_on_the_bench(self.arm)
        self.described = rough_description(self.arm)

    def step(self, start: int, end: int, what: str) -> Progress:
        """Begin a step from `start` to `end` percent of the demo; return its progress function."""
        self.progress(start, WHOLE, what)
        return portion(self.progress, start, end, WHOLE, what)


def run_demo(
    folder: Path, progress: Progress | None = None, told: Callable[[Chapter], None] | None = None
) -> Demo:
    """Run all steps once, and write the results into a folder.

    Args:
        folder: the folder; it is created if missing, and files of the same names are replaced.
        progress: called with (done, total, what) during the steps.
        told: called with each chapter when it is done.
    """
    need_solver("the demo")
    check_writable(folder, (PAGE,))
    folder.mkdir(parents=True, exist_ok=True)
    stage = _Stage(folder, reporter(progress))
    chapters: list[Chapter] = []
    began = time.perf_counter()
    for chapter in _chapters(stage):
        now = time.perf_counter()
        chapters.append(replace(chapter, seconds=now - began))
        began = now
        if told:
            told(chapters[-1])
    picture = folder / PICTURE
    drawing = picture.read_bytes() if PICTURE in chapters[0].files else b""
    write_whole(folder / PAGE, demo_page(chapters, drawing, datetime.now()))
    return Demo(folder, tuple(chapters))


def _chapters(stage: _Stage) -> Iterator[Chapter]:
    yield _the_arm(stage, stage.step(0, 35, "comparing all methods"))
    stage.step(35, 37, "base parameters and operation counts")
    yield _minimal(stage.arm)
    yield _excitation(stage, stage.step(37, 45, "optimising the excitation trajectory"))
    stage.step(45, 75, "moving the arm and measuring")
    yield _measurements(stage)
    stage.step(75, 93, "identifying")
    result = identify_by_torques(stage.described, stage.logs[0], rotor=True, test=stage.logs[1])
    yield _identified(stage, result)
    stage.step(93, 95, "testing on the other motion")
    yield _validated(stage, result)
    stage.step(95, WHOLE, "compiling C")
    yield _exported(stage, result)


def _the_arm(stage: _Stage, progress: Progress) -> Chapter:
    arm = stage.arm
    checked = verify(arm, progress=progress)
    files: tuple[str, ...] = ()
    if find_spec("matplotlib"):
        draw_arm(arm, stage.folder / PICTURE)
        files = (PICTURE,)
    second = f"and Pinocchio {checked.pinocchio}" if checked.pinocchio else "among themselves"
    worst = max(check.error / check.tolerance for check in checked.checks)
    rows = (
        ("joints", str(arm.n)),
        ("mass of the links", f"{sum(j.mass for j in arm.robot.joints):.4g} kg"),
        (f"methods compared, {second}", str(len(checked.checks))),
        ("that disagree", str(len(checked.offenders))),
        ("largest difference, as a share of what is tolerated", f"{worst:.1e}"),
    )
    return Chapter(
        f"Load the {ROBOT}, and compare every method of every quantity",
        "Wrong dynamics should never pass in silence: this check runs on your own arm as well.",
        Grid("", ("what", "number"), 1, rows),
        checked.passed,
        files,
        f"armdyn verify {ROBOT}",
    )


def _minimal(arm: Arm) -> Chapter:
    base = arm.minimal
    rows = [("parameters of the links", "", str(len(arm.parameters)))]
    rows.append(("identifiable (base) parameters", "", str(len(base.names))))
    for quantity in ("mass_matrix", "inverse_dynamics", "forward_dynamics"):
        f = arm.function(quantity)
        rows.append((quantity, f.method, str(f.operations)))
    return Chapter(
        "Base parameters, and the fewest operations",
        "Counted on the program that was traced for this very arm; M are multiplications and "
        "divisions, A additions and subtractions.",
        Grid("", ("what", "cheapest method", "number"), 2, tuple(rows)),
        len(base.names) == int(np.linalg.matrix_rank(base.matrix)),
        (),
        f"armdyn minimal {ROBOT}; armdyn ops {ROBOT}",
    )


def _excitation(stage: _Stage, progress: Progress) -> Chapter:
    rows: list[tuple[str, ...]] = []
    for name, (seconds, harmonics, tries, seed) in (("exciting", EXCITING), ("other", OTHER)):
        motion = excite(
            stage.described, seconds, harmonics, rate=RATE, rotor=True, noise=NOISE,
            evaluations=tries, seed=seed, progress=progress,
        )  # fmt: skip
        stage.motions.append(motion)
        motion.save(stage.folder / f"{name}.csv")
        used = max(float(motion.peaks[key].max()) for key in ("position", "velocity"))
        rows.append((name, f"{seconds:g} s", f"{motion.condition:.1f}", f"{used:.0%}"))
    return Chapter(
        "Compute an optimal excitation trajectory",
        "A Fourier series within the limits of the joints, D-optimal for the rough description; "
        "and another motion, to test with.",
        Grid("", ("motion", "duration", "condition", "limits used"), 1, tuple(rows)),
        all(float(peak.max()) <= 1.0 for m in stage.motions for peak in m.peaks.values()),
        ("exciting.csv", "other.csv"),
        "armdyn excite YOUR_ARM.urdf --rotor -o exciting.csv",
    )


def _measurements(stage: _Stage) -> Chapter:
    rows: list[tuple[str, ...]] = []
    moving: Html | None = None
    files = ("log.csv", "test.csv")
    for k, (motion, name) in enumerate(zip(stage.motions, files, strict=True)):
        run, log = record(stage.truth, stage.described, motion, seed=k + 1)
        stage.logs.append(log)
        log.save(stage.folder / name)
        if k == 0:
            run.animate(stage.folder / MOVING)
            moving = Html(player(run.arm, run_recording(run, PLAYED)))
        off = float(np.abs(run.q - motion.sample(run.t)[1]).max())
        sticks = sum(event.what.startswith("stick") for event in run.events)
        rows.append((name, str(len(log.t)), f"{np.degrees(off):.2f}°", str(sticks)))
    wrong = ", ".join(f"{x - 1:+.0%}" for x in WRONG)
    return Chapter(
        "Simulate the arm along it, and measure",
        f"Its controller has a description whose masses are off by {wrong}, and no friction. "
        "Measured: positions by encoders of 16 bits, torques with noise, at times that jitter.",
        Grid(
            "",
            ("log", "samples", "largest error of tracking", "times a joint stuck"),
            1,
            tuple(rows),
        ),
        all(len(log.t) > RATE for log in stage.logs),
        (*files, MOVING),
        f"armdyn simulate YOUR_ARM.urdf --animate {MOVING}",
        shown=moving,
    )


def _identified(stage: _Stage, result: Result) -> Chapter:
    base = stage.truth.minimal_with(rotor=True, friction=True)
    # terms of friction that the true arm does not have are 0
    true = dict.fromkeys(result.names, 0.0) | dict(
        zip(base.names, base.values.tolist(), strict=True)
    )
    off = np.abs(result.values - np.array([true[name] for name in result.names]))
    within = [float((off <= k * result.std).mean()) for k in (1.0, 2.0, 3.0)]
    texts = result.files(made=datetime.now())
    write_together(stage.folder / "identified", texts, None)
    save(stage.truth, stage.folder / "truth.toml")
    rows = (
        ("parameters", str(len(result.names))),
        ("true values within one standard deviation", f"{within[0]:.0%}"),
        ("within two", f"{within[1]:.0%}"),
        ("within three", f"{within[2]:.0%}"),
        (
            "links with physically inconsistent inertias",
            str(sum(bool(j.physical_faults()) for j in result.arm.robot.joints)),
        ),
    )
    return Chapter(
        "Identify the arm from its log",
        f"{result.verdict_text[0].upper()}{result.verdict_text[1:]} The truth is known here, so "
        "that the error bars can be put to the test.",
        Grid("", ("what", "number"), 1, rows),
        result.passed and set(base.names) <= set(result.names) and within[2] >= WITHIN,
        (
            "identified/report.html",
            "identified/identified.urdf",
            "identified/parameters.csv",
            "truth.toml",
        ),
        "armdyn identify YOUR_ARM.urdf log.csv -o identified --rotor --test test.csv",
    )


def _validated(stage: _Stage, result: Result) -> Chapter:
    _, q, qd, qdd = stage.motions[1].sample()
    true = stage.truth.inverse_dynamics(q, qd, qdd)
    before = _errors(true, stage.described.inverse_dynamics(q, qd, qdd))
    after = _errors(true, result.arm.inverse_dynamics(q, qd, qdd))
    names = (*result.arm.joint_names, "all")
    measured = (*result.torque_error, result.torque_error_total)
    rows = tuple(
        (name, f"{m:.2%}", f"{b:.2%}", f"{a:.2%}")
        for name, m, b, a in zip(names, measured, before, after, strict=True)
    )
    heads = (
        "joint", "identified, beside measurements", "description, beside the truth",
        "identified, beside the truth",
    )  # fmt: skip
    return Chapter(
        "Validate it on the other motion",
        "Errors of torques that no fit has seen. Beside the measurements there is noise in them; "
        "beside the truth there is none. Below, the motion: a joint turns orange or blue where the "
        "identified model does not explain its torque.",
        Grid("", heads, 1, rows),
        float(after[-1]) <= GOOD and bool((after < before).all()),
        shown=played(result),
    )


def _errors(true: np.ndarray, said: np.ndarray) -> np.ndarray:
    """Return relative errors of each joint, and of all together."""
    joints = np.linalg.norm(said - true, axis=0) / np.linalg.norm(true, axis=0)
    return np.append(joints, np.linalg.norm(said - true) / np.linalg.norm(true))


def _exported(stage: _Stage, result: Result) -> Chapter:
    paths = export_c(result.arm, stage.folder / "c", C_FUNCTIONS, force=True)
    tested = run_self_test([path for path in paths if path.suffix == ".c"])
    rows = [(f"c/{path.name}", f"{len(path.read_bytes()) / 1024:.1f} KiB") for path in paths]
    rows += [("self-test", line) for line in tested.said]
    by = f" Compiled by {tested.compiler} and run." if tested.compiler else ""
    return Chapter(
        "Write the identified arm as C99, and run its self-test",
        f"No libraries, no memory allocated, no loops: fit for a controller.{by}",
        Grid("", ("file", "what"), 2, tuple(rows)),
        tested.passed,
        tuple(f"c/{path.name}" for path in paths),
        f"armdyn codegen identified/identified.urdf --functions {','.join(C_FUNCTIONS)} --out c",
    )


@dataclass(frozen=True)
class SelfTest:
    """The result of the self-test.

    Attributes:
        compiler: its name; None if there is none.
        passed: whether the code compiled and its self-test passed; True if there is no compiler.
        said: the output of the self-test, or the last lines of the compiler.
    """

    compiler: str | None
    passed: bool
    said: tuple[str, ...]


def run_self_test(sources: Sequence[Path]) -> SelfTest:
    """Compile C files together and run the program."""
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        return SelfTest(None, True, ("no C compiler here: not run",))
    with scratch_folder() as folder:
        program = folder / "selftest"
        said: tuple[str, ...] = ()
        command = [compiler, "-std=c99", "-O2", *map(str, sources), "-lm", "-o", str(program)]
        for words in (command, [str(program)]):
            try:
                ended = subprocess.run(
                    words, capture_output=True, encoding="utf-8", errors="replace",
                    timeout=PATIENCE, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                return SelfTest(Path(compiler).name, False, (str(error),))
            said = tuple((ended.stdout + ended.stderr).strip().splitlines())
            if ended.returncode:
                return SelfTest(Path(compiler).name, False, said[-8:])
    return SelfTest(Path(compiler).name, True, said)
