"""Servos by name: stiffness, torque limit and what fixes them.

Position control without integrator makes the torque k (q_cmd - q). The table has k at the usual
gain of each servo, and says where the number is from.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.checks import checked_choice


@dataclass(frozen=True)
class Servo:
    """A position servo.

    Attributes:
        name: as `servo=` has it.
        stiffness: torque per error [N m/rad] at the usual gain; 0 if every user sets it.
        limit: largest torque [N m]; 0 if unknown.
        lag: damping over stiffness [s]; 0 if unknown.
        duty: duty per error [1/rad] at the usual gain; 0 if unknown or no voltage law.
        law: how torque follows from the error.
        source: of the numbers.
    """

    name: str
    stiffness: float
    limit: float
    lag: float
    duty: float
    law: str
    source: str

    @property
    def saturation(self) -> float:
        """Error at which the torque is limited [rad]; infinite if unknown."""
        return self.limit / self.stiffness if self.limit and self.stiffness else float("inf")


# The servos by name.
SERVOS = {
    servo.name: servo
    for servo in (
        Servo(
            "sts3215", 7.8, 2.85, 0.07, 2.66,
            "voltage: duty = 0.166 P e [1/rad], at most 0.97; P 16, I 0, D 32 by LeRobot",
            "stall torque 2.94 N m at 12 V (data sheet); slope of the duty by the published bench "
            "measurements of Rhoban's BAM",
        ),
        Servo(
            "sts3215-7.4v", 8.9, 0.0, 0.06, 2.66,
            "voltage: duty = 0.166 P e [1/rad], at most 0.97; P 16, I 0, D 32 by LeRobot",
            "kt 1.21 N m/A, R 2.68 ohm, published bench measurements of Rhoban's BAM",
        ),
        Servo(
            "dynamixel-x", 0.0, 0.0, 0.0, 0.0,
            "position mode: duty = P e over a divisor that differs by model; current-based "
            "position: current = P e",
            "manuals, from memory: the stiffness is fitted, state kp= if you know it",
        ),
        Servo(
            "damiao", 0.0, 0.0, 0.0, 0.0,
            "MIT mode: torque = kp e + kd (qd_cmd - qd) + feed-forward",
            "manual, from memory: kp is yours in N m/rad, state kp=",
        ),
        Servo(
            "robstride", 0.0, 0.0, 0.0, 0.0,
            "MIT mode: torque = kp e + kd (qd_cmd - qd) + feed-forward",
            "manual, from memory: kp is yours in N m/rad, state kp=",
        ),
    )
}  # fmt: skip


def servo_named(name: object) -> Servo:
    """Return a servo of the table.

    Raises:
        InputError: there is none of this name.
    """
    return SERVOS[checked_choice(name, "servo", tuple(SERVOS))]
