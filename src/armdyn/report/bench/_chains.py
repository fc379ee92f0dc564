"""Growth of the time with the number of joints of a chain."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import log
from statistics import linear_regression

from armdyn.arm import Arm
from armdyn.errors import ArmdynError
from armdyn.report.bench._measure import measure_batch
from armdyn.report.bench._results import OURS, Growth, Times
from armdyn.report.bench.peers import Peer, PeerArm
from armdyn.robot import generic

QUANTITIES = ("inverse_dynamics", "forward_dynamics", "mass_matrix")
SIZES = (6, 7, 9, 12, 16, 20, 30, 50, 100)
FITTED_FROM = 12
# Other libraries that loop over states themselves. For the longest chains, our programs in CasADi
# would take minutes to build.
LOOPING = ("Pinocchio C++",)


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
    times: dict[str, list[Times]] = {quantity: [] for quantity in QUANTITIES}
    for n in sizes:
        arm = Arm(generic(n))
        theirs, _ = in_others(arm, {name: p for name, p in peers.items() if name in LOOPING})
        for quantity in QUANTITIES:
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
