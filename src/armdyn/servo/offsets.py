"""Goal offsets: goals that make position servos reach where they should.

A servo hangs below its goal by the droop of gravity, and behind it by friction and lag. The offset
adds what is missing: q_cmd = q_des + droop(q_des) + friction to the side of the motion + lag qd.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from armdyn.arm.arm import Arm
from armdyn.arrays import Array
from armdyn.checks import checked_array
from armdyn.export.c import prefix_of

if TYPE_CHECKING:
    from armdyn.servo.result import ServoResult

# Desired speeds below this keep the last side [rad/s]: a fifth of a count per sample at 30 Hz.
SLOWEST = 0.01

# Where gravity is less than this times friction, a joint at rest gets half of the friction: it may
# rest anywhere in its band, and overshoots otherwise.
LIGHT = 1.0


@dataclass(eq=False)
class Offsets:
    """Goals of position servos from desired positions; remembers the side of the last motion.

    Attributes:
        arm: identified arm, whose gravity torques the offsets compensate.
        compliance: 1/k of every joint ``(n,)`` [rad/(N m)].
        load: friction per transmitted torque ``(n,)``.
        bias: of the servo error ``(n,)`` [rad].
        still, moving: half widths of the friction bands ``(n,)`` [rad].
        lag: between goal and position ``(n,)`` [s].
        effort: torque or duty per torque of the arm ``(n,)``: duty needs no scale of torques.
        effort_unit: "N m" or "duty".
        side: of the last desired motion, -1, 0 or 1 ``(n,)``.
    """

    arm: Arm
    compliance: Array
    load: Array
    bias: Array
    still: Array
    moving: Array
    lag: Array
    effort: Array
    effort_unit: str = "N m"
    side: Array = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        self.reset()

    def tables(self) -> dict[str, Array]:
        """Return the numbers of every joint by their names."""
        return {
            "compliance": self.compliance, "load": self.load, "bias": self.bias,
            "still": self.still, "moving": self.moving, "lag": self.lag, "effort": self.effort,
        }  # fmt: skip

    def reset(self) -> None:
        """Forget the last motion.

        Examples:
            >>> result.offsets.reset()
        """
        self.side = np.zeros(self.arm.n)

    def droop(self, q: ArrayLike) -> Array:
        """Return the middle of the band in which servo errors rest, ``(..., n)`` [rad].

        Args:
            q: positions ``(..., n)`` [rad].

        Returns:
            Droops ``(..., n)``.

        Raises:
            InputError: `q` has a wrong shape or is not finite.

        Examples:
            >>> result.offsets.droop(np.zeros(6)).shape
            (6,)
        """
        droop = self.compliance * self.arm.gravity(q)
        shift = np.abs(droop + self.still) - np.abs(droop - self.still)
        return droop + self.load * shift / 2.0 + self.bias

    def compensation(self, q: ArrayLike) -> Array:
        """Return what carries the arm at rest in torque or PWM mode, for guiding it by hand.

        Args:
            q: positions ``(..., n)`` [rad].

        Returns:
            Torques [N m], or duties from -1 to 1 where the servo's law is known, ``(..., n)``; see
            `effort_unit`.

        Raises:
            InputError: `q` has a wrong shape or is not finite.

        Examples:
            >>> result.offsets.compensation(np.zeros(6)).shape
            (6,)
        """
        return self.effort * self.arm.gravity(q)

    def __call__(self, q_des: ArrayLike, qd_des: ArrayLike) -> Array:
        """Return the goals ``(n,)`` for one desired position and speed ``(n,)``.

        Examples:
            >>> result.offsets(np.zeros(6), np.zeros(6)).shape
            (6,)
        """
        n = self.arm.n
        q = checked_array(q_des, "q_des", (n,), what=f"{n} finite numbers")
        qd = checked_array(qd_des, "qd_des", (n,), what=f"{n} finite numbers")
        moves = np.abs(qd) > SLOWEST
        self.side = np.where(moves, np.sign(qd), self.side)
        droop = self.droop(q)
        friction = self.moving + self.load * np.abs(droop + self.side * self.moving)
        light = ~moves & (np.abs(droop) < LIGHT * friction)
        friction = np.where(light, friction / 2.0, friction)
        return q + droop + self.side * friction + self.lag * qd


def python_text(result: ServoResult) -> str:
    """Return a Python file that wraps the actions of a robot in goal offsets."""
    return f'''"""Goal offsets of {result.arm.name}: wrap the actions that you send to its servos.

    wrapper = OffsetAction(rate=30.0)
    robot.send_action(wrapper(action))     # a dictionary "joint.pos" -> degrees, as LeRobot has it
"""
import pathlib

import armdyn
import numpy as np
from armdyn.servo.offsets import Offsets

ARM = armdyn.load(pathlib.Path(__file__).with_name("identified.toml"))
VALUES = {{
{_python_values(result)}
}}


class OffsetAction:
    """Adds droop, friction and lag to every action; unit: radians per unit of the actions."""

    def __init__(self, rate, unit=np.pi / 180.0):
        self.rate, self.unit, self.last = rate, unit, None
        self.offsets = Offsets(ARM, **{{k: np.array(v) for k, v in VALUES.items()}})

    def __call__(self, action):
        q = self.unit * np.array([action[f"{{name}}.pos"] for name in ARM.joint_names])
        qd = np.zeros_like(q) if self.last is None else (q - self.last) * self.rate
        self.last = q
        goal = self.offsets(q, qd) / self.unit
        return {{**action, **{{f"{{n}}.pos": g for n, g in zip(ARM.joint_names, goal.tolist())}}}}
'''


def _python_values(result: ServoResult) -> str:
    tables = result.offsets.tables()
    return "\n".join(f'    "{name}": {values.tolist()!r},' for name, values in tables.items())


def c_header(result: ServoResult, single: bool) -> str:
    """Return the C header of goal offsets and gravity compensation."""
    prefix, n, real = prefix_of(result.arm.name), result.arm.n, "float" if single else "double"
    unit = "torques [N m]"
    if result.offsets.effort_unit == "duty":
        unit = "duties, from -1 to 1,"
    guard = f"{prefix.upper()}_OFFSETS_H"
    return f"""/* Goal offsets of {result.arm.name}, {real} precision. SI units, radians.
 *
 * Link with {prefix}.c. Functions allocate nothing and keep no state.
 */
#ifndef {guard}
#define {guard}

#ifdef __cplusplus
extern "C" {{
#endif

/* Middle of the band in which the servo error q_cmd - q rests at q. */
void {prefix}_gravity_droop(const {real} q[{n}], {real} e[{n}]);

/* Goals q_cmd at which the servos reach q_des. side: signs of the last motions, kept by the caller
 * and 0 at first. */
void {prefix}_command(const {real} q_des[{n}], const {real} qd_des[{n}], {real} side[{n}],
                      {real} q_cmd[{n}]);

/* The {unit} that carry the arm at rest in torque or PWM mode. */
void {prefix}_compensation(const {real} q[{n}], {real} u[{n}]);

#ifdef __cplusplus
}}
#endif

#endif
"""


def c_source(result: ServoResult, single: bool) -> str:
    """Return the C of goal offsets, beside the exported gravity torques of the arm."""
    made, prefix, n = result.offsets, prefix_of(result.arm.name), result.arm.n
    real, f, absolute = ("float", "f", "fabsf") if single else ("double", "", "fabs")
    tables = "\n".join(
        f"static const {real} {prefix}_{name}[{n}] = {{{numbers}}};"
        for name, values in made.tables().items()
        for numbers in [", ".join(f"{value!r}{f}" for value in map(float, values))]
    )
    return f"""/* Goal offsets of {result.arm.name}, {real} precision: see {prefix}_offsets.h. */
#include "{prefix}_offsets.h"

#include <math.h>

#include "{prefix}.h"

{tables}

void {prefix}_gravity_droop(const {real} q[{n}], {real} e[{n}]) {{
    {real} g[{n}];
    int j;
    {prefix}_gravity(q, g);
    for (j = 0; j < {n}; j++) {{
        const {real} d = {prefix}_compliance[j] * g[j];
        const {real} shift =
            {absolute}(d + {prefix}_still[j]) - {absolute}(d - {prefix}_still[j]);
        e[j] = d + {prefix}_load[j] * shift / 2.0{f} + {prefix}_bias[j];
    }}
}}

void {prefix}_command(const {real} q_des[{n}], const {real} qd_des[{n}], {real} side[{n}],
                      {real} q_cmd[{n}]) {{
    {real} e[{n}];
    int j;
    {prefix}_gravity_droop(q_des, e);
    for (j = 0; j < {n}; j++) {{
        const int moves = {absolute}(qd_des[j]) > {SLOWEST!r}{f};
        {real} friction;
        if (moves) {{
            side[j] = qd_des[j] > 0.0{f} ? 1.0{f} : -1.0{f};
        }}
        friction = {prefix}_moving[j] +
                   {prefix}_load[j] * {absolute}(e[j] + side[j] * {prefix}_moving[j]);
        if (!moves && {absolute}(e[j]) < {LIGHT!r}{f} * friction) {{
            friction /= 2.0{f};
        }}
        q_cmd[j] = q_des[j] + e[j] + side[j] * friction + {prefix}_lag[j] * qd_des[j];
    }}
}}

void {prefix}_compensation(const {real} q[{n}], {real} u[{n}]) {{
    int j;
    {prefix}_gravity(q, u);
    for (j = 0; j < {n}; j++) {{
        u[j] *= {prefix}_effort[j];
    }}
}}
"""
