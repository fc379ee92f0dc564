"""Recordings with one planted fault each, and clean ones, checked by `check_log`.

    python benchmarks/recordings.py [--faulty 300] [--clean 100] [--seed 0] [--fault NAME,NAME]
                                    [--real] [--verbose]

Arms, motions, friction and noise are those of `verdict_cases`. Recordings have 50 to 1000 samples a
second, encoders of 12 to 20 bits or none, measured velocities or none, and torques, commands, or
both. Commands lead positions by the lag of a drive, and droop follows the torques. For every fault
the table has how often it is named (its kind, and where joints were planted, one of them), how
often something else is reported as a fault beside it, and for clean recordings the false alarms.
With --real, the real logs beside the project are checked, too.

Thresholds of `armdyn.recording` were chosen with --seed 0; other seeds are fresh.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from scipy.signal import savgol_filter

import armdyn
from armdyn import Arm, Log
from armdyn.recording.reading import check_file
from verdict_cases import make

RATES = (50.0, 100.0, 250.0, 500.0, 1000.0)
BITS = (12, 14, 16, 20, 0)

Rng = np.random.Generator


@dataclass
class Sheet:
    """A recording that can be spoilt: arrays as a recorder would write them."""

    arm: Arm
    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray | None
    tau: np.ndarray | None
    q_cmd: np.ndarray | None
    gravity: np.ndarray
    droop: np.ndarray

    @property
    def rate(self) -> float:
        return float(1.0 / np.median(np.diff(self.t)))

    def moving(self, rng: Rng) -> int:
        """A joint that moves well."""
        wide = np.ptp(self.q, axis=0)
        return int(rng.choice(np.flatnonzero(wide > 0.2 * wide.max())))


Planted = tuple[str, tuple[int, ...]]


def sheet(seed: int, index: int, channels: str, rng: Rng, fault: str = "faultless") -> Sheet:
    """A clean recording with "torque", "velocity" or "command" among its channels."""
    case = make(seed, index, fault=fault, rates=RATES)
    log, rate = case.log, min(RATES, key=lambda x: abs(x - case.log.rate))
    t, clean = np.arange(len(log)) / rate, np.array(log.q)
    wide = 2 * int(0.05 * rate) + 5
    smooth = savgol_filter(clean, wide, 4, axis=0)
    bits = int(rng.choice(BITS))
    step = 2 * np.pi / 2**bits if bits else 0.0
    q = step * np.round(clean / step) if step else clean
    qd = None
    if "velocity" in channels:
        slope = savgol_filter(clean, wide, 4, deriv=1, delta=1.0 / rate, axis=0)
        qd = slope + 0.003 * slope.std(axis=0) * rng.normal(size=slope.shape)
    tau = np.array(log.tau) if "torque" in channels else None
    q_cmd, droop = None, np.zeros_like(q)
    if "command" in channels:
        lag = float(rng.uniform(0.01, 0.12))
        load = np.array(log.tau)
        droop = np.radians(rng.uniform(0.5, 3.0)) * load / np.abs(load).max()
        droop = savgol_filter(droop, wide, 3, axis=0)
        # the drive follows the command after its lag; beyond the end the goal stays
        q_cmd = _late(t, smooth, -lag) + droop
    return Sheet(case.described, t, q, qd, tau, q_cmd, case.described.gravity(q), droop)


def _late(t: np.ndarray, x: np.ndarray, seconds: float) -> np.ndarray:
    return np.column_stack([np.interp(t - seconds, t, column) for column in x.T])


def gap(s: Sheet, rng: Rng) -> Planted:
    count = int(rng.integers(1, 4))
    keep = np.ones(len(s.t), dtype=bool)
    for _ in range(count):
        length = max(int(rng.uniform(0.1, 1.0) * s.rate), 7)
        start = int(rng.integers(100, len(s.t) - 100 - length))
        keep[start : start + length] = False
    for name in ("t", "q", "qd", "tau", "q_cmd"):
        if getattr(s, name) is not None:
            setattr(s, name, getattr(s, name)[keep])
    return "gap", ()


def repeated(s: Sheet, rng: Rng) -> Planted:
    share = float(rng.uniform(0.02, 0.2))
    again = np.sort(rng.choice(np.arange(50, len(s.t) - 50), int(share * len(s.t)), replace=False))
    for name in ("q", "qd", "tau", "q_cmd"):
        column = getattr(s, name)
        if column is not None:
            for k in again:
                column[k] = column[k - 1]
    return "repeated samples", ()


def held(s: Sheet, rng: Rng) -> Planted:
    """Torques come at a fraction of the rate."""
    every = int(rng.integers(2, 6))
    s.tau = np.repeat(s.tau[::every], every, axis=0)[: len(s.t)]
    return "repeated samples", ()


def late_stamps(s: Sheet, rng: Rng) -> Planted:
    """Stamps are those of the arrival of messages."""
    s.t = s.t + float(rng.uniform(0.3, 0.6)) / s.rate * rng.random(len(s.t))
    return "time stamps", ()


def late_torque(s: Sheet, rng: Rng) -> Planted:
    seconds = float(rng.uniform(0.03, 0.12) * rng.choice([-1.0, 1.0]))
    s.tau = _late(s.t, s.tau, seconds)
    return "torque delay", ()


def late_command(s: Sheet, rng: Rng) -> Planted:
    """The command is stamped after the motion that it causes."""
    s.q_cmd = _late(s.t, s.q_cmd, float(rng.uniform(0.16, 0.3)))
    return "command delay", ()


def early_command(s: Sheet, rng: Rng) -> Planted:
    """The command is stamped long before; less cannot be told from a slow drive."""
    s.q_cmd = _late(s.t, s.q_cmd, -float(rng.uniform(0.36, 0.55)))
    return "command delay", ()


def degrees(s: Sheet, rng: Rng) -> Planted:
    s.q = np.degrees(s.q)
    return "position unit", ()


def normalised(s: Sheet, rng: Rng) -> Planted:
    counts = np.round(s.q * 4096 / (2 * np.pi))
    low, high = counts.min(axis=0), counts.max(axis=0)
    s.q = -100.0 + 200.0 * (counts - low) / np.maximum(high - low, 200.0)
    return "position unit", ()


def counts(s: Sheet, rng: Rng) -> Planted:
    s.q = np.round(s.q * 2 ** float(rng.choice([12, 14, 17])) / (2 * np.pi)) + 2048.0
    return "position unit", ()


def milli(s: Sheet, rng: Rng) -> Planted:
    s.tau = s.tau * float(rng.choice([1000.0, 0.001, 100.0]))
    return "torque unit", ()


def currents(s: Sheet, rng: Rng) -> Planted:
    n = s.tau.shape[1]
    s.tau = s.tau * np.exp(rng.uniform(np.log(0.02), np.log(0.5))) * 4.0 ** rng.uniform(-1, 1, n)
    return "torque unit", ()


def one_unit(s: Sheet, rng: Rng) -> Planted:
    size = s.gravity.std(axis=0)
    j = int(rng.choice(np.flatnonzero(size > 0.1 * size.max())))
    s.tau[:, j] *= float(rng.choice([1000.0, 0.001, 10.0, 0.1]))
    return "torque unit", (j,)


def still(s: Sheet, rng: Rng) -> Planted:
    """The recording was made with a joint at rest."""
    wide = np.ptp(s.q, axis=0)
    return "rest", (int(wide.argmin()),)


def stop(s: Sheet, rng: Rng) -> Planted:
    """A joint runs into a stop; its command goes on."""
    j = s.moving(rng)
    wide = np.ptp(s.q[:, j])
    if rng.random() < 0.5:
        s.q[:, j] = np.minimum(s.q[:, j], np.quantile(s.q[:, j], 0.9) - 0.02 * wide)
    else:
        s.q[:, j] = np.maximum(s.q[:, j], np.quantile(s.q[:, j], 0.1) + 0.02 * wide)
    return "stop", (j,)


def cut_off(s: Sheet, rng: Rng) -> Planted:
    j = int(rng.integers(s.tau.shape[1]))
    low, high = np.quantile(s.tau[:, j], [0.03, 0.97])
    s.tau[:, j] = np.clip(s.tau[:, j], low, high)
    return "saturation", (j,)


def constant(s: Sheet, rng: Rng) -> Planted:
    j = int(rng.integers(s.tau.shape[1]))
    s.tau[:, j] = float(rng.choice([0.0, 1.7]))
    return "constant torque", (j,)


def swapped_commands(s: Sheet, rng: Rng) -> Planted:
    i, j = (int(x) for x in rng.permutation(s.q.shape[1])[:2])
    s.q_cmd[:, [i, j]] = s.q_cmd[:, [j, i]]
    return "command", (i, j)


def foreign_command(s: Sheet, rng: Rng) -> Planted:
    """An action that is not the goal of these joints: increments, or another arm's pose."""
    if rng.random() < 0.5:
        s.q_cmd = np.gradient(s.q_cmd, axis=0)
    else:
        half = len(s.t) // 2
        s.q_cmd = np.concatenate([s.q_cmd[half:], s.q_cmd[:half]])[::-1].copy()
    return "command", ()


def one_sign(s: Sheet, rng: Rng) -> Planted:
    j = int(rng.integers(s.tau.shape[1]))
    s.tau[:, j] *= -1.0
    return "torque sign", (j,)


def all_signs(s: Sheet, rng: Rng) -> Planted:
    s.tau = -s.tau
    return "torque sign", ()


def swapped_torques(s: Sheet, rng: Rng) -> Planted:
    i, j = (int(x) for x in rng.permutation(s.q.shape[1])[:2])
    s.tau[:, [i, j]] = s.tau[:, [j, i]]
    return "torque order", (i, j)


def sign_of_joint(s: Sheet, rng: Rng) -> Planted:
    """The joint that carries most droops upwards: its encoder and drive count the other way."""
    j = int(s.gravity.std(axis=0).argmax())
    s.q_cmd[:, j] -= 2.0 * s.droop[:, j]
    return "droop", (j,)


def velocity_sign(s: Sheet, rng: Rng) -> Planted:
    j = s.moving(rng)
    s.qd[:, j] *= -1.0
    return "velocity", (j,)


def velocity_unit(s: Sheet, rng: Rng) -> Planted:
    s.qd = s.qd * float(rng.choice([180 / np.pi, 60 / (2 * np.pi), 100.0]))
    return "velocity", ()


def velocity_order(s: Sheet, rng: Rng) -> Planted:
    i, j = (int(x) for x in rng.permutation(s.q.shape[1])[:2])
    s.qd[:, [i, j]] = s.qd[:, [j, i]]
    return "velocity", (i, j)


def small(s: Sheet, rng: Rng) -> Planted:
    """All joints move a little, and together."""
    j = s.moving(rng)
    s.q = s.q[0] + 0.05 * (s.q[:, [j]] - s.q[0, j]) * rng.uniform(0.5, 1.0, s.q.shape[1])
    s.q_cmd = None
    s.qd = None
    return "excitation", ()


def back_in_time(s: Sheet, rng: Rng) -> Planted:
    k = int(rng.integers(50, len(s.t) - 50))
    s.t[k : k + 3] -= 5.0 / s.rate
    return "time order", ()


def missing(s: Sheet, rng: Rng) -> Planted:
    j, rows = int(rng.integers(s.q.shape[1])), rng.integers(10, len(s.t) - 10, 5)
    column = s.q if s.tau is None or rng.random() < 0.5 else s.tau
    column[rows, j] = np.nan
    return "missing values", ()


# Every fault, with the channels that it needs, and how often it is planted in a round.
FAULTS: dict[Callable[[Sheet, Rng], Planted], tuple[str, int]] = {
    gap: ("", 1), repeated: ("", 1), held: ("torque", 1), late_stamps: ("", 1),
    late_torque: ("torque", 2), late_command: ("command", 1), early_command: ("command", 1),
    degrees: ("", 1), normalised: ("", 1), counts: ("", 1), milli: ("torque", 1),
    currents: ("torque", 1), one_unit: ("torque", 1), still: ("", 1), stop: ("", 1),
    cut_off: ("torque", 1), constant: ("torque", 1), swapped_commands: ("command", 1),
    foreign_command: ("command", 1), one_sign: ("torque", 2), all_signs: ("torque", 1),
    swapped_torques: ("torque", 2), sign_of_joint: ("command", 1), velocity_sign: ("velocity", 1),
    velocity_unit: ("velocity", 1), velocity_order: ("velocity", 1), small: ("", 1),
    back_in_time: ("", 1), missing: ("", 1),
}  # fmt: skip
IN_FILES = (back_in_time, missing)
SETS = ("torque", "torque velocity", "command", "torque command", "torque velocity command")


def checked(s: Sheet, in_file: bool) -> armdyn.LogCheck:
    columns = {"qd": s.qd, "tau": s.tau, "q_cmd": s.q_cmd}
    if not in_file:
        return armdyn.check_log(Log(s.t, s.q, **columns), s.arm)
    with TemporaryDirectory() as folder:
        path = Path(folder, "log.npz")
        np.savez(path, t=s.t, q=s.q, **{k: x for k, x in columns.items() if x is not None})
        return check_file(path, s.arm, {})


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--faulty", type=int, default=300)
    reader.add_argument("--clean", type=int, default=100)
    reader.add_argument("--seed", type=int, default=0)
    reader.add_argument("--fault")
    reader.add_argument("--real", action="store_true")
    reader.add_argument("--verbose", action="store_true")
    asked = reader.parse_args()
    turn = [plant for plant, (_, count) in FAULTS.items() for _ in range(count)]
    if asked.fault:
        turn = [plant for plant in turn if plant.__name__ in asked.fault.split(",")]
    table: dict[str, list[int]] = {}
    seconds: list[float] = []
    for index in range(asked.faulty):
        plant = turn[index % len(turn)]
        rng = np.random.default_rng([asked.seed, index, 7])
        channels = str(rng.choice(SETS))
        need = FAULTS[plant][0]
        while need not in channels:
            channels = str(rng.choice(SETS))
        s = sheet(asked.seed, index, channels, rng, "resting" if plant is still else "faultless")
        kind, joints = plant(s, rng)
        start = time.perf_counter()
        check = checked(s, plant in IN_FILES)
        seconds.append(time.perf_counter() - start)
        listed = [*check.faults, *check.remarks]
        named = any(
            one.kind == kind and (not joints or {j + 1 for j in joints} & set(one.joints))
            for one in listed
        )
        other = [one for one in check.faults if one.kind != kind]
        row = table.setdefault(plant.__name__, [0, 0, 0])
        row[0] += 1
        row[1] += named
        row[2] += bool(other)
        if asked.verbose and (not named or other):
            print(f"{index} {plant.__name__} {channels} {s.arm.name} {s.rate:.0f} Hz {joints}")
            for one in listed:
                print(f"    {'remark' if one.is_remark else 'fault'} {one.kind}: {one.what}")
    print(f"{'fault':18} {'cases':>5} {'named':>5} {'others':>6}")
    for name, (count, named, other) in table.items():
        print(f"{name:18} {count:5} {named:5} {other:6}")
    total = np.sum(list(table.values()), axis=0) if table else np.zeros(3)
    if table:
        print(f"{'all':18} {total[0]:5} {total[1]:5} {total[2]:6}  {total[1] / total[0]:.1%} named")
    alarms = 0
    for index in range(asked.clean):
        rng = np.random.default_rng([asked.seed, index, 8])
        s = sheet(asked.seed, 10_000 + index, str(rng.choice(SETS)), rng)
        start = time.perf_counter()
        check = checked(s, False)
        seconds.append(time.perf_counter() - start)
        alarms += not check.ok
        if not check.ok:
            print(f"false alarm {index}, {s.arm.name}, {s.rate:.0f} Hz:")
            for one in check.faults:
                print(f"    {one.kind}: {one.what}")
        if asked.verbose:
            for one in check.remarks:
                print(f"    remark on clean {index}: {one.kind}: {one.what}")
    if asked.clean:
        print(f"clean: {alarms} false alarms of {asked.clean}")
    print(f"seconds of a check: median {np.median(seconds):.2f}, most {np.max(seconds):.2f}")
    if asked.real:
        real()


def real() -> None:
    """The real logs."""
    import cutoffs

    for case in cutoffs.cases():
        for k, log in enumerate(case.logs, 1):
            check = armdyn.check_log(log, case.arm)
            print(f"{case.key} {k}: {check!r}")
            for one in (*check.faults, *check.remarks):
                print(f"    {'remark' if one.is_remark else 'fault'} {one.kind}: {one.what}")


if __name__ == "__main__":
    sys.exit(main())
