"""The truth table of verdicts: synthetic logs, with and without faults, judged by `identify`.

    python benchmarks/verdicts.py [--cases 600] [--first 0] [--seed 0] [--arms ur5,panda]
                                  [--fault sign,tilt] [--json FILE] [--processes 2]

Cases 0 to 399 have the faults of `FAULTS`, 400 to 599 those of `MORE_FAULTS`, and so on in turn.

A model is wrong if its torques at 150 random states in the box of the log differ from the truth by
more than 10 % (rms, of the size of the joint's torque) on some joint that moved. The cause that is
told first is `result.cause`, or else the first finding. Where `result.next_command` is an `armdyn
identify` whose options can be applied here, it is followed: the held-out error of the joints that
it names, or of all together, should not rise. With --json the cases are kept in a file, and a run
that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import inspect
import json
import shlex
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import armdyn
from armdyn import Log, Result
from verdict_cases import ARMS, CAUSES, Case, make

WRONG = 0.10
STATES = 150
ANSWERS = ("passed", "usable", "not passed")

# Logs without any fault, and those where the gain of a single joint is wrong.
FAULTLESS = ("faultless", "noise-free")
SINGLE_GAINS = ("scale", "amperes")

# A held-out error rises if it grows by more than this; repeated fits differ by less.
RISE = 1.001


def judged(seed: int, index: int, arms: tuple[str, ...], fault: str | None) -> dict[str, Any]:
    """Identify the arm of a case, and compare with the truth."""
    start = time.perf_counter()
    case = make(seed, index, arms, fault)
    told: dict[str, Any] = {
        "seed": seed, "index": index, "arm": case.arm, "fault": case.fault,
        "degree": case.degree, "joints": case.joints, "causes": case.causes,
    }  # fmt: skip
    try:
        result = armdyn.identify(case.described, case.log)
    except Exception as error:
        refused: dict[str, Any] = {"verdict": "not passed", "refused": str(error), "named": []}
        if not isinstance(error, armdyn.ArmdynError):
            refused["crashed"] = type(error).__name__
        return {**told, **refused, "seconds": time.perf_counter() - start}
    measures = result.judgement.measures
    return {
        **told,
        "verdict": result.verdict, "reasons": list(result.reasons),
        "reservations": list(result.reservations),
        "named": [[f.kind, list(f.joints), f.what] for f in result.findings],
        "first": first_cause(result), "followed": followed(result, case),
        "delay": float(getattr(result, "delay", 0.0) or 0.0),
        "error": true_error(result, case),
        "gain_checked": np.minimum(measures.gain_checked, 9.9).tolist(),
        "measures": {
            key: [round(float(x), 4) for x in getattr(measures, key)]
            for key in ("blocked", "delivered", "held_out", "spread", "bias", "curve", "gain",
                        "gain_likely", "gain_unknown", "friction")
        },
        "seconds": time.perf_counter() - start,
    }  # fmt: skip


def first_cause(result: Result) -> list[Any]:
    """The cause that is told first: kind, joints and words; empty if there is none."""
    cause = getattr(result, "cause", next(iter(result.findings), None))
    return [] if cause is None else [cause.kind, list(cause.joints), cause.what]


def followed(result: Result, case: Case) -> dict[str, Any] | None:
    """What came of the command that the result advises; None if it cannot be applied here."""
    command = getattr(result, "next_command", None)
    applied = advised(command or "", case)
    if applied is None:
        return None
    log, options, joints = applied
    try:
        after = armdyn.identify(case.described, log, **options)
    except armdyn.ArmdynError as error:
        return {"command": command, "rises": True, "refused": str(error)}
    was, now = held_out_error(result, joints), held_out_error(after, joints)
    if not np.isfinite([was, now]).all():  # a torque that is ignored has no error
        was, now = held_out_error(result, []), held_out_error(after, [])
    return {"command": command, "before": was, "after": now, "rises": not now <= RISE * was}


def advised(command: str, case: Case) -> tuple[Log, dict[str, Any], list[int]] | None:
    """The log and the options of `identify` that a command asks for, and joints that it names.

    None if it is another command, or asks for nothing that can be applied here.
    """
    words = shlex.split(command)
    if "identify" not in words:
        return None
    reader = argparse.ArgumentParser(allow_abbrev=False, add_help=False)
    for name in ("flip", "delay", "units", "gain", "ignore-torque", "cutoff"):
        reader.add_argument(f"--{name}")
    asked = reader.parse_known_args(words)[0]
    names, n = case.described.joint_names, case.described.n
    log, options, joints = case.log, dict[str, Any](), set[int]()
    for name in ("delay", "cutoff"):
        if value := getattr(asked, name):
            options[name] = float(value)
    for name in ("flip", "ignore_torque"):
        if value := getattr(asked, name):
            options[name] = [joint_number(word, names) for word in value.split(",")]
            joints.update(options[name])
    if set(options) - set(inspect.signature(armdyn.identify).parameters):
        return None
    if asked.gain:
        gains, told = gains_of(asked.gain, names)
        log = replace(log, tau=gains * np.asarray(log.tau))
        joints.update(told)
    if asked.units == "deg":
        turning = np.array([joint.is_revolute for joint in case.described.robot.joints])
        log = replace(log, q=np.where(turning, np.radians(log.q), log.q))
    if log is case.log and not options:
        return None
    return log, options, sorted(joints) if len(joints) < n else []


def joint_number(word: str, names: tuple[str, ...]) -> int:
    """The number from 1 of a joint that is named by its number or name."""
    return int(word) if word.strip().isdigit() else names.index(word.strip()) + 1


def gains_of(text: str, names: tuple[str, ...]) -> tuple[np.ndarray, list[int]]:
    """The factors of torques of one number, one for each joint, or J=X; the joints that differ."""
    gains = np.ones(len(names))
    if "=" in text:
        for pair in text.split(","):
            word, value = pair.split("=")
            gains[joint_number(word, names) - 1] = float(value)
    else:
        gains[:] = [float(x) for x in text.split(",")]
    return gains, (np.flatnonzero(gains != 1.0) + 1).tolist()


def held_out_error(result: Result, joints: list[int]) -> float:
    """The largest held-out error of some joints, from 1; of all together if there are none."""
    if not joints:
        return float(result.errors.total)
    return float(np.max(result.errors.per_joint[[j - 1 for j in joints]]))


def true_error(result: armdyn.Result, case: Case) -> list[float]:
    """The errors of the delivered model in the box, relative to the sizes of torques."""
    states = result.box.states(STATES, seed=1)
    # a result that says that its torques have another unit is right in that unit
    told = case.fault == "factor" and result.torque_scale != 1.0
    off = result.predict(*states) - (case.degree if told else 1.0) * case.truth(*states)
    moved = np.ptp(case.log.q, axis=0) > 1e-3
    error = np.sqrt(np.mean(off**2, axis=0)) / result.judgement.measures.size
    return np.where(moved, error, 0.0).tolist()


def is_wrong(told: dict[str, Any]) -> bool:
    """Whether the delivered model is wrong; a log that is refused has none."""
    return "refused" in told or max(told["error"]) > WRONG


def causes_of(told: dict[str, Any]) -> tuple[str, ...]:
    """The kinds of findings that are right."""
    return tuple(told.get("causes", CAUSES[told["fault"]]))


def is_named(told: dict[str, Any], first: bool = False) -> bool | None:
    """Whether the fault is named, or mended by itself; None if there is nothing to name.

    With `first`, only the cause that is told first counts.
    """
    kinds = causes_of(told)
    if not kinds:
        return None
    if "degrees" in kinds and "refused" in told:
        return "degrees" in told["refused"]
    if "delay" in kinds and abs(told.get("delay", 0.0) - told["degree"]) < 0.5 * told["degree"]:
        return True
    named = [told["first"]] if first and told.get("first") else [] if first else told["named"]
    return any(name in kinds and _of_joints(told, name, j) for name, j, _ in named)


def _of_joints(told: dict[str, Any], kind: str, joints: list[int]) -> bool:
    """Whether a finding is about the joints of the fault; all joints of an arm have currents."""
    at = set() if told["fault"] == "currents" and kind != "sign" else set(told["joints"])
    return not at or bool(at & set(joints))


def table(cases: list[dict[str, Any]]) -> str:
    """Return the truth table as text."""
    lines = [f"{'fault':18}{'cases':>6}{'wrong':>6} | {'wrong: ':8}"
             f"{'passed':>7}{'usable':>7}{'not':>5} | {'right: ':8}{'passed':>7}{'usable':>7}"
             f"{'not':>5} | named"]  # fmt: skip
    for fault in CAUSES:
        mine = [c for c in cases if c["fault"] == fault]
        if mine:
            lines.append(_line(fault, mine))
    wrong = [c for c in cases if is_wrong(c)]
    gain = [c for c in wrong if c["fault"] in SINGLE_GAINS]
    other = [c for c in wrong if c["fault"] not in SINGLE_GAINS]
    good = [c for c in cases if c["fault"] in FAULTLESS]
    faulty = [c for c in cases if causes_of(c)]
    wrong_faulty = [c for c in faulty if is_wrong(c)]
    tried = [c for c in cases if c.get("followed")]
    lines += [
        _line("all", cases), "",
        _share("wrong called passed", wrong, _passed),
        _share("wrong called passed, single gains", gain, _passed),
        _share("wrong called passed, all else", other, _passed),
        _share("faultless called not passed", good, lambda c: c["verdict"] == "not passed"),
        _share("faultless called passed", good, _passed),
        _share("faults named", faulty, is_named),
        _share("faults of wrong models named", wrong_faulty, is_named),
        _share("right cause first", faulty, lambda c: is_named(c, first=True)),
        _share("right cause first, of wrong models", wrong_faulty,
               lambda c: is_named(c, first=True)),
        _share("advice followed raises the held-out error", tried,
               lambda c: c["followed"]["rises"]),
        _share("neither an answer nor a clear error", cases, lambda c: "crashed" in c),
    ]  # fmt: skip
    return "\n".join(lines)


def _passed(told: dict[str, Any]) -> bool:
    return told["verdict"] == "passed"


def _line(name: str, cases: list[dict[str, Any]]) -> str:
    wrong = [c for c in cases if is_wrong(c)]
    right = [c for c in cases if not is_wrong(c)]
    first, second = ([sum(c["verdict"] == a for c in x) for a in ANSWERS] for x in (wrong, right))
    told = [is_named(c) for c in cases]
    known = [x for x in told if x is not None]
    named = f"{sum(known)} of {len(known)}" if known else ""
    return (
        f"{name:18}{len(cases):6}{len(wrong):6} | {'':8}{first[0]:7}{first[1]:7}{first[2]:5} | "
        f"{'':8}{second[0]:7}{second[1]:7}{second[2]:5} | {named}"
    )


def _share(name: str, cases: list[dict[str, Any]], count: Any) -> str:
    hits = sum(bool(count(c)) for c in cases)
    return f"{name}: {hits} of {len(cases)} ({hits / max(len(cases), 1):.1%})"


def main() -> None:
    """Run the cases and print the table."""
    parser = argparse.ArgumentParser(description="The truth table of verdicts.")
    parser.add_argument("--cases", type=int, default=600)
    parser.add_argument("--first", type=int, default=0, help="index of the first case")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--fault", default="", help="these faults only, separated by commas")
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--processes", type=int, default=1)
    asked = parser.parse_args()
    arms, faults = tuple(asked.arms.split(",")), asked.fault.split(",") if asked.fault else []
    done: list[dict[str, Any]] = []
    if asked.json and asked.json.exists():
        done = json.loads(asked.json.read_text())
    known = {(c["seed"], c["index"]) for c in done}
    todo = [
        (asked.seed, i, arms, faults[i % len(faults)] if faults else None)
        for i in range(asked.first, asked.first + asked.cases) if (asked.seed, i) not in known
    ]  # fmt: skip
    with ProcessPoolExecutor(asked.processes) as pool:
        for told in pool.map(judged, *zip(*todo, strict=True)) if todo else ():
            done.append(told)
            print(
                f"{len(done)}: case {told['index']}, {told['arm']}, {told['fault']}: "
                f"{told['verdict']}{', wrong' if is_wrong(told) else ''}, {told['seconds']:.1f} s",
                file=sys.stderr, flush=True,
            )  # fmt: skip
            if asked.json:
                part = asked.json.with_suffix(".part")
                part.write_text(json.dumps(done))
                part.replace(asked.json)
    print(table(done))


if __name__ == "__main__":
    main()
