"""One quantity of one arm, or of growing chains: ours and others', checked, then timed in turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from statistics import linear_regression
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.arm.function import Function
from armdyn.arm.verify import random_states
from armdyn.errors import ArmdynError
from armdyn.graph.program import Program
from armdyn.kernel.batch import LEAST_STATES
from armdyn.kernel.kernel import compile_program
from armdyn.robot.library import generic
from comparison.limit import moving, multiply_job, work
from comparison.results import OURS, Cell, Growth, Limit, Times
from peers.peer import Array, Offer, Peer, PeerArm, Scope, Task, disagreement, ours
from timing import Job, best_times

# States at which answers are compared.
CHECKED = 20
# States in a batch of other libraries, and in our batch in the cache.
LOOPED = 1000
CACHED = 4096
# Memory for the results of a cached batch [bytes]; the second-level cache of a core is larger.
CACHE_ROOM = 2**19

# Chains: quantities, numbers of joints, and from which number on the exponent is fitted.
CHAIN_QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
CHAIN_SIZES = (6, 7, 9, 12, 16, 20, 30, 50, 100)
FITTED_FROM = 12
# Other libraries that loop over states themselves. For the longest chains, our programs in CasADi
# would take minutes to build.
LOOPING = ("Pinocchio C++",)


def measure_cell(
    arm: Arm,
    quantity: str,
    peers: Mapping[str, PeerArm],
    batch: int,
    seconds: float,
    label: str | None = None,
) -> Cell:
    """Measure one quantity of one arm.

    Args:
        arm: the arm.
        quantity: the quantity, without friction, which other libraries do not have.
        peers: the arm in other libraries, by their names.
        batch: states in a batch.
        seconds: how long each comparison may take.
        label: name of the arm in tables; default is its own.
    """
    f = arm.function(quantity, friction=False)
    states = states_of(arm, f, max(batch, CACHED))
    offers, refused = checked_offers(arm, f, peers, [s[:LOOPED] for s in states])
    one = _times(
        {OURS: Job(f, [s[0].copy() for s in states]), f"{OURS}, out=": _one_into(f, states)},
        offers, refused, "one", seconds,
    )  # fmt: skip
    many = _times(
        {OURS: job_into(f, [s[:batch] for s in states])}, offers, refused, "batch", seconds
    )
    cached, limit = _in_cache(f, states, offers, refused, seconds)
    counted = str(f.operations)
    return Cell(label or arm.name, arm.n, quantity, f.method, counted, one, many, cached, limit)


def measure_batch(arm: Arm, quantity: str, peers: Mapping[str, PeerArm], seconds: float) -> Times:
    """Measure a batch that fits into the cache, on one core."""
    f = arm.function(quantity, friction=False)
    states = states_of(arm, f, max(cached_states(f), CHECKED))
    offers, refused = checked_offers(arm, f, peers, states)
    return _times({OURS: job_into(f, states)}, offers, refused, "batch", seconds)


def checked_offers(
    arm: Arm, f: Function, peers: Mapping[str, PeerArm], states: Sequence[Array]
) -> tuple[dict[str, list[Offer]], dict[str, str]]:
    """Return the offers of libraries that agree with our answers, and the reasons of the others."""
    few = Task(f.quantity, f, [s[:CHECKED] for s in states])
    expected = ours(few)
    M: Any = arm.mass_matrix(few.states[0])
    condition = float(np.linalg.cond(M).max())
    kept: dict[str, list[Offer]] = {}
    refused: dict[str, str] = {}
    for name, peer in peers.items():
        try:
            wrong = [
                disagreement(f.quantity, expected, offer.answers(), condition)
                for offer in peer.offers(few)
            ]
        except ArmdynError as error:
            refused[name] = str(error)
            continue
        said = next((words for words in wrong if words), None)
        if said:
            refused[name] = said
        elif wrong:
            kept[name] = peer.offers(Task(f.quantity, f, states))
    return kept, refused


def job_into(f: Function, states: Sequence[Array]) -> Job:
    """Return a call on one core with preallocated memory for its results."""
    count = len(states[0])
    large = count >= 2 * LEAST_STATES
    # batches that run on one thread anyway use the normal call
    options: dict[str, object] = {"threads": 1} if large else {}
    return Job(f, states, count, {**options, "out": _room(f, states)})


def _room(f: Function, states: Sequence[Array]) -> Array | tuple[Array, ...]:
    """Return memory for the results of states: the result of a first call."""
    return f(*states)


def cached_states(f: Function) -> int:
    """Return the number of states of a function that fit into the cache, a multiple of 64."""
    row = 8 * sum(slot.size for slot in (*f.program.inputs, *f.program.outputs))
    return min(CACHED, max(64, CACHE_ROOM // row // 64 * 64))


def states_of(arm: Arm, f: Function, count: int) -> list[Array]:
    """Return random states, an array for each input of a function."""
    drawn = random_states(arm.robot, count, seed=1)
    return [drawn[slot.name] for slot in f.program.inputs]


def _one_into(f: Function, states: Sequence[Array]) -> Job:
    one = [s[0].copy() for s in states]
    return Job(f, one, 1, {"out": _room(f, one)})


def _times(
    own: Mapping[str, Job],
    offers: Mapping[str, Sequence[Offer]],
    refused: Mapping[str, str],
    scope: Scope,
    seconds: float,
) -> Times:
    jobs = dict(own)
    for name, several in offers.items():
        for k, offer in enumerate(several):
            if offer.scope == scope:
                jobs[f"{name}#{k}"] = offer.job
    taken = best_times(jobs, seconds)
    best: dict[str, float] = {}
    for name, value in taken.items():
        peer = name.split("#")[0]
        best[peer] = min(value, best.get(peer, value))
    return Times(best, dict(refused))


def _in_cache(
    f: Function,
    states: Sequence[Array],
    offers: Mapping[str, Sequence[Offer]],
    refused: Mapping[str, str],
    seconds: float,
) -> tuple[Times, Limit | None]:
    """Return the times of a batch in the cache, and how close its machine code is to the limit."""
    count = cached_states(f)
    few = [s[:count].copy() for s in states]
    call = job_into(f, few)
    program, counted = f.program, None
    own = {OURS: call}
    if isinstance(program, Program):
        kernel, rows = compile_program(program), compile_program(moving(program))
        counted = work(kernel.ir, f.operations)
        own["kernel"] = Job(kernel, few, count, {"out": _room(f, few)})
        own["moving"] = Job(rows, few, count, {"out": _room(f, few)})
        own["multiply"] = multiply_job()
    times = _times(own, offers, refused, "batch", seconds)
    best = dict(times.seconds)
    taken = {name: best.pop(name) for name in ("kernel", "multiply", "moving") if name in best}
    if not counted:
        return Times(best, times.refused), None
    limit = Limit(count, taken["kernel"], best[OURS], taken["multiply"], taken["moving"], counted)
    return Times(best, times.refused), limit


def measure_growth(
    sizes: Sequence[int],
    peers: Mapping[str, Peer],
    seconds: float,
    progress: Callable[[str], None],
) -> tuple[Growth, ...]:
    """Measure batches of generic chains on one core.

    Args:
        sizes: numbers of joints.
        peers: other libraries, by name.
        seconds: how long each comparison may take.
        progress: called after each measurement.
    """
    times: dict[str, list[Times]] = {quantity: [] for quantity in CHAIN_QUANTITIES}
    for n in sizes:
        arm = Arm(generic(n))
        theirs, _ = in_others(arm, {name: p for name, p in peers.items() if name in LOOPING})
        for quantity in CHAIN_QUANTITIES:
            times[quantity].append(measure_batch(arm, quantity, theirs, seconds))
            progress(f"{quantity}, chain of {n}")
    return tuple(
        Growth(
            quantity, tuple(sizes), tuple(rows),
            exponent(sizes, [row.seconds[OURS] for row in rows], FITTED_FROM), FITTED_FROM,
        )
        for quantity, rows in times.items()
    )  # fmt: skip


def in_others(arm: Arm, peers: Mapping[str, Peer]) -> tuple[dict[str, PeerArm], dict[str, str]]:
    """Return the arm in other libraries, and the reasons of libraries that cannot have it."""
    theirs: dict[str, PeerArm] = {}
    refused: dict[str, str] = {}
    for name, peer in peers.items():
        try:
            theirs[name] = peer.arm(arm)
        except ArmdynError as error:
            refused[name] = str(error)
    return theirs, refused


def exponent(sizes: Sequence[int], seconds: Sequence[float], least: int) -> float | None:
    """Return p of the best fit seconds ~ n^p for sizes from `least` on; None below two sizes."""
    points = [(log(n), log(t)) for n, t in zip(sizes, seconds, strict=True) if n >= least]
    return linear_regression(*zip(*points, strict=True)).slope if len(points) > 1 else None
