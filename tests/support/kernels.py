"""Machines, programs and states that the tests of kernels share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from armdyn.errors import InputError
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.kernel.call.fastcall import Fallbacks, class_version
from armdyn.kernel.call.vectorcall import Vectorcallable
from armdyn.kernel.element import DOUBLE, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.kernel import Kernel, compile_program
from armdyn.kernel.targets.choice import target
from armdyn.kernel.targets.target import Target
from armdyn.programs.key import ProgramKey
from armdyn.programs.programs import cheapest, program
from armdyn.robot.chain import chain_of
from armdyn.robot.model import Robot
from armdyn.scalar import cos, sign, sin, sqrt


def width_of(machine: Target) -> int:
    """Doubles in a vector register."""
    return Codegen(machine, DOUBLE).width


def _targets() -> list[Target]:
    """This machine, narrower ones that it can stand for, and itself without fused operations."""
    native = target("native")
    found = [native]
    for cpu in ("x86-64-v3", "x86-64-v2"):
        try:
            found += [lesser for lesser in (target(cpu),) if width_of(lesser) < width_of(found[-1])]
        except InputError:  # not this kind of machine
            break
    return [*found, replace(native, fma=False)]


TARGETS = _targets()


def target_name(machine: Target) -> str:
    return f"{machine.cpu}-{width_of(machine)}{'' if machine.fma else '-plain'}"


@lru_cache(maxsize=64)
def program_of(robot: Robot, quantity: str) -> Program:
    chain = chain_of(robot)
    return program(ProgramKey(chain, quantity, cheapest(chain, quantity)))


def states_of(given: Program, count: int, seed: int = 0, scale: float = 3.0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.uniform(-scale, scale, (count, *slot.shape)) for slot in given.inputs]


def as_tuple(result: object) -> tuple[np.ndarray, ...]:
    return result if isinstance(result, tuple) else (result,)  # type: ignore[return-value]


@lru_cache(maxsize=16)
def odd_kernel(machine: Target) -> Kernel:
    """Everything that the dynamics of an arm does not do: other shapes, operations and results."""

    def f(a: list, b: list, c: list, unused: list) -> tuple:  # type: ignore[type-arg]
        x = sin(a[0] * b[1]) + cos(a[1])
        y = sqrt(a[2] * a[2] + 1.0) / (b[0] * b[0] + 0.5)
        matrix = [[x, y, a[3]], [2.5, -y, sign(c[0])]]
        vector = [sin(x), cos(sin(x) + y), b[1], -b[0], x - y * a[4], x * y - a[4], y * y - x * x]
        wide = [a[k % 11] * b[k % 2] - k for k in range(19)]
        return matrix, vector, x * y, wide

    inputs = [Slot("a", (11,)), Slot("b", (2,)), Slot("c", ()), Slot("unused", (3,))]
    outputs = [Slot("matrix", (2, 3)), Slot("vector", (7,)), Slot("alone", ()), Slot("wide", (19,))]
    return compile_program(trace(f, inputs, outputs, "odd"), target=machine)


@lru_cache(maxsize=16)
def sincos_kernel(machine: Target, element: ElementType = DOUBLE) -> Kernel:
    outputs = [Slot("s", ()), Slot("c", ())]
    both = trace(lambda x: (sin(x[0]), cos(x[0])), [Slot("x", ())], outputs)
    return compile_program(both, target=machine, element=element)


class Called(Vectorcallable):
    """An object that is called by a C function."""


def quick_call(kernel: Kernel, slow: Callable[..., Any]) -> Called | None:
    """An object that calls a kernel, and for all that the C function refuses `slow`."""
    called = Called()
    fallbacks = Fallbacks(slow, slow, called, class_version(Called))
    return called if kernel.set_vectorcall(fallbacks, called) else None
