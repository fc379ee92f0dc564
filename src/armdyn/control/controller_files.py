"""A controller as a C package: its step, loops that run it, and a simulated arm to try them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

import numpy as np

from armdyn.arrays import Array
from armdyn.checks import checked_flag, checked_path
from armdyn.control import controller_texts as texts_of
from armdyn.control.control_step import memory_of
from armdyn.control.laws import Row
from armdyn.control.observer_programs import straight
from armdyn.export.budget import Budget, c_budget
from armdyn.export.c import Number, number, prefix_of
from armdyn.export.c_package import MARK, CFunction, braced, c_package, mark
from armdyn.graph.program import Program, Slot
from armdyn.graph.trace import trace
from armdyn.simulation.programs import inlined
from armdyn.writing import write_together

if TYPE_CHECKING:
    from armdyn.control.controller import Controller

# The simulated arm takes this many steps a period.
SUBSTEPS = 10
# Samples of a motion from which those of the self-test are taken.
RECORDED, SWING = 200, 0.3


def export_controller(
    controller: Controller, folder: str | os.PathLike[str], *, single: bool, force: bool
) -> tuple[Path, ...]:
    """Write the package; see `Controller.export_c`."""
    single, force = checked_flag(single, "single"), checked_flag(force, "force")
    target = checked_path(folder, "folder", what="the path of a folder")
    return write_together(target, controller_texts(controller, single), None if force else MARK)


def controller_texts(controller: Controller, single: bool) -> dict[str, str]:
    """Return the contents of the files by name."""
    arm, kind = controller.arm, number(single)
    p, arm_prefix = f"{prefix_of(arm.name)}_control", f"{prefix_of(arm.name)}_simulated"
    program, n = controller.program, controller.arm.n
    names = [slot.name for slot in controller.design.law.references]
    shapes = {slot.name: slot.size for slot in program.inputs}
    sizes = [f"const {kind.name} {x}[{shapes[x]}]" for x in names]
    outside = controller.design.contact is not None
    listed = [f"{p} *controller", f"const {kind.name} q[{n}]", *sizes, f"{kind.name} h"]
    listed += [f"{kind.name} {x}[{n}]" for x in ("tau", *(["external"] if outside else []))]
    tip = "pose_ref" in names
    words: dict[str, object] = {
        "p": p, "P": p.upper(), "n": n, "real": kind.name, "size": shapes["state"],
        "arm": arm_prefix,
        "reference": "",
        "period": kind.literal(kind.rounded(1.0 / controller.rate)), "rate": f"{controller.rate:g}",
        "mark": mark(kind, version("armdyn")), "swing": "0.2", "substeps": SUBSTEPS,
        "flags": "\n".join(
            f"#define {p.upper()}_{flag.name} {int(flag)}u /**< {told} */"
            for flag, told in texts_of.STATUS_WORDS.items()
        ),
        "parameters": "\n".join(f" * @param {x} {texts_of.TOLD[x]}" for x in names) or " *",
        "outside": " * @param external torques from outside [N m] or [N]\n" if outside else "",
        "prototype": f"unsigned {p}_step(\n    " + ",\n    ".join(listed) + ")",
        "given": "".join(f"{x}, " for x in names),
        "external": ", external" if outside else "",
        "variables": "".join(f", {x}[{shapes[x]}]" for x in names)
        + (f", external[{n}]" if outside else "") + _started(names, n),
        "prepare": _prepared(names, n, p, tip),
        "refer": _referred(names, tip),
        "refer_bare": _referred(names, tip) or "        (void)t;\n",
        "start": _braced(memory_of(controller.design).start, kind),
        "q0": _braced(_middle(controller), kind),
    }  # fmt: skip
    if names:
        motion = texts_of.TIP_REFERENCE if tip else texts_of.REFERENCE
        words["reference"] = motion.substitute(words)
    words |= _cpp_words(names, shapes, outside)
    motion = texts_of.CPP_TIP if tip else texts_of.CPP_JOINTS if names else texts_of.CPP_NONE
    words["cpp_reference"] = Template(motion).substitute(words)
    functions = [CFunction(f"{p}_period", program, _notes(p), _rows(controller))]
    if tip:
        functions.append(
            CFunction(f"{p}_pose", straight(arm, "pose"), (f"{p}_pose: pose of the tip.",))
        )
    about = _about(controller, single)
    texts = c_package(p, functions, about=about, single=single, version=version("armdyn"))
    moved = (f"{arm_prefix}_move: the arm a {SUBSTEPS}th of a period later.",)
    plant = CFunction(f"{arm_prefix}_move", move_program(controller), moved)
    about = ["The arm of the model, to try the loops."]
    simulated = c_package(
        arm_prefix, [plant], about=about, single=single, version=version("armdyn")
    )
    end = "#ifdef __cplusplus\n}\n"
    header = texts[f"{p}.h"].replace(end, texts_of.HEADER.substitute(words) + "\n" + end)
    source = texts_of.SOURCE.substitute({**words, "external": "external, " if outside else ""})
    return {
        **texts, f"{p}.h": header, f"{p}.c": texts[f"{p}.c"] + "\n" + source, **simulated,
        **{name: text.substitute(words) for name, text in texts_of.FILES.items()},
        f"{p}.hpp": texts_of.CPP.substitute(words),
    }  # fmt: skip


def _cpp_words(names: Sequence[str], sizes: Mapping[str, int], outside: bool) -> dict[str, object]:
    """Return the words of the C++ files."""
    kinds = [f"Reference{i}" for i in range(len(names))]
    given = [f"const {kind}& {x}" for kind, x in zip(kinds, names, strict=True)]
    types = ["Measured", *kinds, "Torques", *(["External"] if outside else [])]
    checks = "".join(f"        assert({x}.size() == {sizes[x]});\n" for x in names)
    return {
        "template_names": ", ".join(f"class {x}" for x in types),
        "cpp_parameters": ", ".join([
            "const Measured& q", *given, "Real h", "Torques&& tau",
            *(["External&& external"] if outside else []),
        ]),
        "cpp_checks": checks,
        "cpp_given": "".join(f"{x}.data(), " for x in names),
        "cpp_example": "".join(f"{x}, " for x in names),
        "cpp_external": ", external.data()" if outside else "",
        "cpp_outside": ", external" if outside else "",
        "cpp_state": ", external{}" if outside else "",
    }  # fmt: skip


def budget_of_controller(controller: Controller, *, single: bool = False) -> Budget:
    """Return what a period of the controller costs a microcontroller."""
    p = f"{prefix_of(controller.arm.name)}_control"
    functions = [CFunction(f"{p}_period", controller.program)]
    return c_budget(functions, c_package(p, functions, single=single), single)


def move_program(controller: Controller) -> Program:
    """Return a step of the simulated arm: the symplectic Euler rule, without dry friction."""
    arm, n = controller.arm, controller.arm.n
    forward = straight(arm, "forward_dynamics", False)
    h = 1.0 / (controller.rate * SUBSTEPS)
    viscous = [joint.viscous for joint in arm.robot.joints]

    def move(q: Row, qd: Row, tau: Row) -> object:
        driven = [x - f * v for x, f, v in zip(tau, viscous, qd, strict=True)]
        a = inlined(forward, [q, qd, driven])
        v = [x + h * y for x, y in zip(qd, a, strict=True)]
        return [x + h * y for x, y in zip(q, v, strict=True)], v

    inputs = [Slot(x, (n,)) for x in ("q", "qd", "tau")]
    return trace(move, inputs, [Slot("q_after", (n,)), Slot("qd_after", (n,))], name="move")


def _about(controller: Controller, single: bool) -> list[str]:
    arm = controller.arm
    return [
        f"Control of the arm {arm.name!r}, {arm.n} joints, by the law {controller.law!r} at "
        f"{controller.rate:g} Hz, in {'float' if single else 'double'} precision.",
        "",
        "SI units, angles in radians. The functions are C99, need only math.h, allocate nothing "
        "and keep no state but that of their first argument: every arm has its own, and they may "
        "be called from several threads.",
        f"{prefix_of(arm.name)}_control_step is what a loop calls once per period; main_posix.c "
        "and main_bare.c are such loops.",
    ]


def _notes(p: str) -> tuple[str, ...]:
    return (
        f"{p}_period: the bare period behind {p}_step; the state may be updated in place.",
        "  out  status: the sum of the flags below",
    )


def _middle(controller: Controller) -> Array:
    """Return positions in the middle of their ranges, where joints have limits."""
    limits = controller.design.limits
    joints = zip(controller.arm.robot.joints, limits.lower, limits.upper, strict=True)
    bounded = (
        0.5 * (low + high) if np.isfinite(j.upper - j.lower) else 0.0 for j, low, high in joints
    )
    return np.array(list(bounded))


def _rows(controller: Controller) -> tuple[tuple[float, ...], ...]:
    """Return inputs of five periods of a motion: among them the start, a jump, a late one."""
    n, T = controller.arm.n, 1.0 / controller.rate
    base, w = _middle(controller), 4.0
    rng = np.random.default_rng(n)
    swing = SWING * rng.uniform(0.3, 1.0, n)
    tip = "pose_ref" in [slot.name for slot in controller.design.law.references]
    rows: list[tuple[float, ...]] = []
    state = memory_of(controller.design).start
    for k in range(RECORDED):
        t = k * T
        q = base + swing * np.sin(w * t) + 1e-4 * rng.normal(size=n)
        h = 3.0 * T if k == RECORDED - 1 else T
        if k == RECORDED - 20:
            q = q + 1.0
        target = base + 1.05 * swing * np.sin(w * t)
        wanted = [target, 1.05 * w * swing * np.cos(w * t), -1.05 * w * w * swing * np.sin(w * t)]
        if tip:
            wanted = [controller.arm.pose(target), np.zeros(6)]
        wanted = wanted[: len(controller.design.law.references)]
        row = np.concatenate([q, *(x.ravel() for x in wanted), [h], state])
        if k in (0, RECORDED // 3, RECORDED // 2, RECORDED - 20, RECORDED - 1):
            rows.append(tuple(map(float, row)))
        state = controller.period(q, wanted, h, state)[-1]
    return tuple(rows)


def _braced(values: Array, kind: Number) -> str:
    return braced([kind.literal(kind.rounded(float(x))) for x in values], 4)


def _started(names: list[str], n: int) -> str:
    if not names:
        return ""
    return ", start[16]" if "pose_ref" in names else f", q0[{n}]"


def _prepared(names: list[str], n: int, p: str, tip: bool) -> str:
    if not names:
        return ""
    if tip:
        return f"    {p}_pose(q, start);\n"
    return (
        "    {\n        int j;\n"
        f"        for (j = 0; j < {n}; j++) {{\n            q0[j] = q[j];\n        }}\n    }}\n"
    )


def _referred(names: list[str], tip: bool) -> str:
    if not names:
        return ""
    first = "start" if tip else "q0"
    return f"        reference(t, {first}, {', '.join(names)});\n"
