"""Pinocchio called from Python, one state per call, and in C++, a loop over many states.

The C++ is compiled here against the headers in Pinocchio's wheel.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.pinocchio import import_pinocchio, pinocchio_model
from armdyn.errors import ArmdynError
from armdyn.writing import scratch_folder
from peers.peer import Array, Offer, Parts, Task, one_by_one, parts_of, symmetric
from timing import Job

COMPILERS = ("c++", "g++", "clang++")
OPTIONS = ("-DNDEBUG", "-std=c++17", "-w", "-fPIC")
# The timed loop is compiled for run time; the code that builds the model, for compile time.
SOURCES = {"pinocchio_loop.cpp": "-O3", "pinocchio_model.cpp": "-O0"}
LIBRARY = "pinocchio_default"
# Definitions that Pinocchio's build files require of programs with its headers and library.
DEFINITIONS = (
    "-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
    "-DBOOST_MPL_LIMIT_LIST_SIZE=30",
    "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
    "-DBOOST_FUSION_INVOKE_MAX_ARITY=12",
)
LONGEST_COMPILATION = 600  # seconds

ALGORITHMS = {
    "mass_matrix": ("crba_local", "crba_world"),
    "inverse_dynamics": ("rnea",),
    "forward_dynamics": ("aba_local", "aba_world"),
    "regressor": ("regressor",),
    "inverse_dynamics_derivatives": ("rnea_derivatives",),
    "forward_dynamics_derivatives": ("aba_derivatives",),
}


class PinocchioPython:
    """Pinocchio's Python module."""

    name = "Pinocchio Python"
    note = (
        "pin.crba, rnea, aba, computeMinverse, computeJointTorqueRegressor, computeRNEADerivatives "
        "and computeABADerivatives with their data made before; crba and aba by the faster of both "
        "conventions"
    )

    def __init__(self) -> None:
        self._pin = import_pinocchio()
        self.version = str(self._pin.__version__)

    def arm(self, arm: Arm) -> _PinocchioArm:
        """Return Pinocchio's model of an arm."""
        return _PinocchioArm(self._pin, arm)


class _PinocchioArm:
    def __init__(self, pin: Any, arm: Arm) -> None:
        self._model = pinocchio_model(arm.robot)
        self._data = self._model.createData()
        both = [(pin.Convention.LOCAL,), (pin.Convention.WORLD,)]
        self._rules: dict[str, tuple[Any, list[tuple[Any, ...]]]] = {
            "mass_matrix": (pin.crba, both),
            "inverse_dynamics": (pin.rnea, [()]),
            "forward_dynamics": (pin.aba, both),
            "inverse_mass_matrix": (pin.computeMinverse, [()]),
            "regressor": (pin.computeJointTorqueRegressor, [()]),
            "inverse_dynamics_derivatives": (pin.computeRNEADerivatives, [()]),
            "forward_dynamics_derivatives": (pin.computeABADerivatives, [()]),
        }

    def offers(self, task: Task) -> list[Offer]:
        """Return one call for each convention."""
        if task.quantity not in self._rules:
            return []
        rule, conventions = self._rules[task.quantity]
        return [self._offer(task, rule, convention) for convention in conventions]

    def _offer(self, task: Task, rule: Any, convention: tuple[Any, ...]) -> Offer:
        first = [state[0].copy() for state in task.states]
        shapes = {slot.name: slot.shape for slot in task.function.program.outputs}

        def answer(*state: Array) -> Any:
            given = rule(self._model, self._data, *state, *convention)
            if task.quantity in ("mass_matrix", "inverse_mass_matrix"):
                return symmetric(given)
            if not isinstance(given, tuple):
                return given
            by_q, by_qd, matrix = parts_of(given)
            return by_q, by_qd, symmetric(matrix)

        def answers() -> Parts:
            return one_by_one(answer, task.states, shapes)

        return Offer("one", Job(rule, (self._model, self._data, *first, *convention)), answers)


class PinocchioCpp:
    """Pinocchio's headers and a compiler."""

    name = "Pinocchio C++"
    note = (
        "the same algorithms, as the wheel's library has them, in a compiled loop over random "
        "states, data made before and results left in it; the library has no computeMinverse(q)"
    )

    def __init__(self) -> None:
        pin = import_pinocchio()
        prefix, folders = _include_folders(Path(pin.__file__))
        with scratch_folder() as folder:
            library = folder / "pinocchio_loop.so"
            compiler = _compile(library, folders, prefix / "lib")
            self._library = ctypes.CDLL(str(library))  # stays loaded after its file is removed
        self.version = f"{pin.__version__}, {_version_of(compiler)}"
        pointer = ctypes.c_void_p
        self._library.armdyn_pin_new.argtypes = [ctypes.c_int, *[pointer] * 4]
        run = self._library.armdyn_pin_run
        run.argtypes = [pointer, pointer, ctypes.c_char_p, ctypes.c_ssize_t, *[pointer] * 4]

    def arm(self, arm: Arm) -> _CppArm:
        """Return the arm as a model in C++."""
        return _CppArm(self._library, arm)


class _CppArm:
    def __init__(self, library: Any, arm: Arm) -> None:
        self._library = library
        model = pinocchio_model(arm.robot)
        gravity = np.array(model.gravity.linear)
        joints = np.array([_row(model, i + 1) for i in range(arm.n)])
        for k, joint in enumerate(arm.robot.joints):
            joints[k, -1] = not joint.is_revolute
        pointers = ctypes.c_void_p(), ctypes.c_void_p()
        refused = library.armdyn_pin_new(
            arm.n, gravity.ctypes.data, joints.ctypes.data, *(ctypes.byref(p) for p in pointers)
        )
        if refused:
            raise ArmdynError(f"Pinocchio in C++ does not take the arm {arm.name!r}.")
        self._model = pointers

    def offers(self, task: Task) -> list[Offer]:
        """Return one loop for each convention."""
        return [self._offer(task, name) for name in ALGORITHMS.get(task.quantity, ())]

    def _offer(self, task: Task, algorithm: str) -> Offer:
        run, model, name = self._library.armdyn_pin_run, self._model, algorithm.encode()
        # algorithms that need only q get q for the other arguments, too
        states = [np.ascontiguousarray(s) for s in [*task.states, *[task.states[0]] * 2][:3]]
        count = len(states[0])
        pointers = [state.ctypes.data for state in states]

        def answers() -> Parts:
            shapes = [slot.shape for slot in task.function.program.outputs]
            sizes = [int(np.prod(shape)) for shape in shapes]
            out = np.empty((count, sum(sizes)))
            status = run(*model, name, count, *pointers, out.ctypes.data)
            if status:
                raise ArmdynError(f"Pinocchio's {algorithm} in C++ refused to run ({status}).")
            parts = np.split(out, np.cumsum(sizes)[:-1], axis=1)
            return tuple(p.reshape(count, *s) for p, s in zip(parts, shapes, strict=True))

        def call(*_: Array) -> int:
            return int(run(*model, name, count, *pointers, None))

        return Offer("batch", Job(call, states, count), answers)


def _row(model: Any, joint: int) -> list[float]:
    """Return a joint of Pinocchio's model as the C++ side reads it; the last number is the kind."""
    placement, body = model.jointPlacements[joint], model.inertias[joint]
    tensor = np.array(body.inertia)[np.triu_indices(3)]
    parts = (placement.rotation.ravel(), placement.translation, [body.mass], body.lever, tensor)
    return [*np.concatenate(parts), float(model.armature[joint - 1]), 0.0]


def _include_folders(pinocchio: Path) -> tuple[Path, list[Path]]:
    """Return the prefix of Pinocchio, and the folders of its headers, Boost's and Eigen's."""
    roots = [Path(p) for p in sys.path if p]
    prefixes = [p for p in pinocchio.parents if p.name == "cmeel.prefix"]
    prefixes += [root / "cmeel.prefix" for root in roots]
    wanted = {
        "pinocchio/multibody.hpp": [p / "include" for p in prefixes],
        "boost/variant.hpp": [*(p / "include" for p in prefixes), Path("/usr/include")],
        "Eigen/Core": [
            *(p / "include/eigen3" for p in prefixes),
            Path("/usr/include/eigen3"),
            *(root / "casadi/include/eigen3" for root in roots),
        ],
    }
    found: list[Path] = []
    for header, folders in wanted.items():
        folder = next((f for f in folders if (f / header).exists()), None)
        if folder is None:
            raise ArmdynError(
                f"Pinocchio in C++ needs the header {header}, which is not found; "
                "pip install 'armdyn[bench]' brings it."
            )
        if folder not in found:
            found.append(folder)
    return found[0].parent, found


def _compile(library: Path, folders: list[Path], libraries: Path) -> str:
    asked = os.environ.get("CXX")
    compiler = next((c for c in ([asked] if asked else COMPILERS) if shutil.which(c)), None)
    if compiler is None:
        tried = asked or ", ".join(COMPILERS)
        raise ArmdynError(
            f"Pinocchio in C++ needs a compiler; none was found (tried {tried}). Set CXX to one."
        )
    sources = Path(__file__).parent
    words = [compiler, *OPTIONS, *DEFINITIONS, *(f"-I{folder}" for folder in folders)]
    objects: list[str] = []
    for name, speed in SOURCES.items():
        objects.append(str(library.with_name(f"{name}.o")))
        _run([*words, speed, "-c", str(sources / name), "-o", objects[-1]])
    at = [f"-L{libraries}", f"-l{LIBRARY}", f"-Wl,-rpath,{libraries}"]
    _run([compiler, "-shared", *objects, *at, "-o", str(library)])
    return compiler


def _run(words: list[str]) -> None:
    try:
        done = subprocess.run(
            words, capture_output=True, encoding="utf-8", errors="replace",
            timeout=LONGEST_COMPILATION,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ArmdynError(f"Pinocchio in C++ could not be compiled: {error}.") from None
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line] or ["no message"]
        raise ArmdynError(f"Pinocchio in C++ could not be compiled by {words[0]}: {lines[0][:300]}")


def _version_of(compiler: str) -> str:
    done = subprocess.run(
        [compiler, "-dumpfullversion", "-dumpversion"], capture_output=True, encoding="utf-8",
        errors="replace",
    )  # fmt: skip
    return f"{Path(compiler).name} {done.stdout.strip()}".strip()
