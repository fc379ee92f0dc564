"""Checks of the clock of a recording: length, gaps, jitter, wrong stamps, repeated samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from armdyn.arrays import Array
from armdyn.log.segments import GAP
from armdyn.recording.fault import Finding
from armdyn.recording.recording import MOST_SPANS, Mask, Recording

# Fewer samples, or seconds, show nothing of an arm; less than the second time [s] shows little.
FEWEST_SAMPLES, SHORTEST, SHORT = 64, 1.0, 5.0

# Standard deviation of the time steps, as a share of the median, from which jitter is remarked.
JITTER = 0.05

# Stamps that are wrong by this share of a step are a fault; smaller ones are mended without loss.
WRONG_STAMPS = 0.4

# Rows that repeat the row before: this number is told, or this share if it is more.
FEWEST_REPEATED, REPEATED_SHARE = 3, 0.001

# A channel of several joints is held if all its numbers stay the same in more rows than this share,
# and this many times as often as by chance, while the arm moves; and they do so together, in at
# least this share of the rows in which that of one joint does.
HELD_SHARE, HELD_FACTOR, HELD_TOGETHER = 0.005, 2.0, 0.7
# Positions are compared if joints pass so many steps of their encoders from row to row.
ENCODER_STEPS = 3.0
# The arm moves if a joint has this share of its greatest speed.
MOVING_SHARE = 0.1

CHANNELS = {"q": "positions", "qd": "velocities", "tau": "torques"}


def short(rec: Recording) -> Iterator[Finding]:
    """Find a recording that is too short."""
    log = rec.raw
    words = f"the recording has {len(log)} samples in {log.duration:.3g} s"
    if len(log) < FEWEST_SAMPLES or log.duration < SHORTEST:
        yield Finding(f"{words}: too short to check or identify anything.", option="record longer")
    elif log.duration < SHORT:
        yield Finding(f"{words}: short for an identification.", is_remark=True)


def gaps(rec: Recording) -> Iterator[Finding]:
    """Find time steps within an episode that are several times the usual one."""
    steps = _steps(rec)
    wide = np.flatnonzero(steps > GAP * rec.raw.median_step)
    if not len(wide):
        return
    t, longest = rec.raw.t, int(wide[np.argmax(steps[wide])])
    lost = float(steps[wide].sum() - len(wide) * rec.raw.median_step)
    count = f"{len(wide)} gaps in time, the longest" if len(wide) > 1 else "a gap in time"
    yield Finding(
        f"{count} of {steps[longest]:.3g} s after t = {t[longest]:.6g} s: {lost:.3g} s of samples "
        f"are missing ({lost / rec.raw.duration:.1%}).",
        option="look for lost messages; the samples between gaps are used",
        spans=tuple((float(t[k]), float(t[k + 1])) for k in wide[:MOST_SPANS].tolist()),
    )


def jitter(rec: Recording) -> Iterator[Finding]:
    """Remark on unequal time steps."""
    steps = _steps(rec)
    middle = rec.raw.median_step
    usual = steps[(steps > 0.0) & (steps <= GAP * middle)]
    spread = float(np.std(usual)) / middle if len(usual) else 0.0
    if spread > JITTER:
        yield Finding(
            f"time steps vary: {1e3 * usual.min():.3g} to {1e3 * usual.max():.3g} ms, standard "
            f"deviation {spread:.0%} of the median ({1e3 * middle:.4g} ms).",
            is_remark=True,
        )


def stamps(rec: Recording) -> Iterator[Finding]:
    """Find stamps that are not the times of the samples."""
    if np.isin(rec.log.t, rec.raw.t).all():
        return
    kept = rec.raw.t
    if len(kept) != len(rec.log):  # rows that repeat others are gone: compare with the nearest
        at = np.clip(np.searchsorted(kept, rec.log.t), 1, len(kept) - 1)
        off = np.minimum(np.abs(kept[at] - rec.log.t), np.abs(kept[at - 1] - rec.log.t))
    else:
        off = np.abs(kept - rec.log.t)
    far = float(off.max())
    yield Finding(
        f"time stamps are not the times of the samples, by up to {1e3 * far:.2g} ms: positions "
        f"are smooth at equal steps of {1e3 * rec.log.median_step:.4g} ms, and not at the stamps.",
        option="stamp samples where they are measured; equal steps are used",
        is_remark=far < WRONG_STAMPS * rec.log.median_step,
    )


def repeated(rec: Recording) -> Iterator[Finding]:
    """Find rows, or channels, that a recorder wrote again."""
    count = len(rec.raw) - len(rec.log)
    if count >= max(FEWEST_REPEATED, REPEATED_SHARE * len(rec.raw)):
        yield Finding(
            f"{count} of {len(rec.raw)} rows ({count / len(rec.raw):.1%}) repeat the row before "
            "while the arm moves: the recorder had no new sample.",
            option="record at the rate of the source; repeated rows are left out",
        )
    moving = _moving(rec)
    for name, words in CHANNELS.items():
        column = getattr(rec.log, name)
        if column is None:
            continue
        same = np.diff(column, axis=0) == 0.0
        same = same[moving[1:]]
        each = same.mean(axis=0) if len(same) else np.ones(rec.log.n)
        live = (each < 1.0) & (name != "q" or _passes_steps(rec))
        if live.sum() < 2:
            continue
        together = same[:, live].all(axis=1)
        share, chance = float(together.mean()), float(np.prod(each[live]))
        is_common = share > HELD_TOGETHER * float(each[live].min())
        if is_common and share > HELD_SHARE + HELD_FACTOR * chance:
            rate = rec.log.rate * (1.0 - share)
            yield Finding(
                f"all {words} repeat those of the row before in {share:.1%} of the rows while the "
                f"arm moves: new ones come {rate:.3g} times a second.",
                option="record at the rate of the source",
            )


def _passes_steps(rec: Recording) -> Mask:
    """Return which joints pass several steps of their encoders from row to row ``(n,)``.

    The others stand on a step for several rows, and joints that move alike do so together.
    """
    path = np.sqrt(np.mean(np.diff(rec.log.q, axis=0) ** 2, axis=0))
    steps = np.array([step or 0.0 for step in rec.steps])
    return path > ENCODER_STEPS * steps


def _moving(rec: Recording) -> Mask:
    """Return the rows in which the arm moves."""
    speed = np.abs(np.gradient(rec.log.q, axis=0))
    wide = max(round(0.05 * rec.log.rate), 1)
    top: Array = np.cumsum(speed, axis=0)
    mean = np.zeros_like(speed)
    mean[wide:-wide] = top[2 * wide :] - top[: -2 * wide]
    return (mean > MOVING_SHARE * mean.max(axis=0))[:, rec.moves].any(axis=1)


def _steps(rec: Recording) -> Array:
    """Return the time steps within episodes [s]; 0 between them."""
    steps = np.diff(rec.raw.t)
    for episode in rec.raw.episodes[1:]:
        steps[episode.start - 1] = 0.0
    return steps
