"""A whole benchmark: arms, chains, start-up times, threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from armdyn.arm.arm import Arm
from armdyn.errors import ArmdynError, MethodError
from armdyn.kernel.batch import wanted_threads
from armdyn.progress import Progress
from arms import USUAL, arm_named
from comparison.kinematics import measure_kinematics
from comparison.measure import (
    CHAIN_QUANTITIES,
    CHAIN_SIZES,
    in_others,
    job_into,
    measure_cell,
    measure_growth,
    states_of,
)
from comparison.planning import measure_planning
from comparison.results import Benchmark, Cell, Planning, Start, Threads
from comparison.startup import measure_imports, measure_starts
from peers.casadi import CasADi
from peers.eaik import EAIK
from peers.mujoco import MuJoCo
from peers.peer import Peer
from peers.pinocchio import PinocchioCpp, PinocchioPython
from timing import Job, best_times, machine

QUANTITIES = (
    "mass_matrix",
    "inverse_dynamics",
    "forward_dynamics",
    "inverse_mass_matrix",
    "regressor",
    "inverse_dynamics_derivatives",
    "forward_dynamics_derivatives",
)
PEERS: dict[str, Callable[[], Peer]] = {
    "pinocchio": PinocchioPython,
    "pinocchio-cpp": PinocchioCpp,
    "mujoco": MuJoCo,
    "casadi": CasADi,
}
START_ARM = "generic7"
START_CHAINS = (30, 100)
THREADED_ARM = "generic6"
# Measurements besides the arms and the chains.
LAST = (
    "inverse kinematics",
    "compile and load times",
    "threads",
    "imports",
    "time-optimal motions",
)


@dataclass(frozen=True)
class Settings:
    """What to measure.

    Attributes:
        robots: names that `arm_named` knows.
        kinds: quantities.
        peers: names in `PEERS`.
        chains: numbers of joints of chains; none leaves them out.
        batch: states in a batch.
        threaded: states in the batch for two threads; 0 leaves it out.
        rounds: fresh processes for compile, load and import times; 0 leaves them out.
        seconds: how long each comparison may take.
        paths: in a batch of time-optimal motions; 0 leaves them out.
    """

    robots: tuple[str, ...] = USUAL
    kinds: tuple[str, ...] = QUANTITIES
    peers: tuple[str, ...] = tuple(PEERS)
    chains: tuple[int, ...] = CHAIN_SIZES
    batch: int = 100_000
    threaded: int = 1_000_000
    rounds: int = 3
    seconds: float = 1.5
    paths: int = 256

    def __post_init__(self) -> None:
        for what, given, known in (
            ("kind", self.kinds, QUANTITIES),
            ("peer", self.peers, tuple(PEERS)),
        ):
            for name in given:
                if name not in known:
                    raise MethodError(what, name, known)


QUICK = Settings(
    robots=("planar2",),
    kinds=("mass_matrix", "inverse_dynamics"),
    peers=("pinocchio", "casadi"),
    chains=(3, 4),
    batch=2000,
    threaded=0,
    rounds=1,
    seconds=0.05,
    paths=0,
)
"""A benchmark of a few seconds, which shows that everything works."""


def run_benchmark(settings: Settings, progress: Progress | None = None) -> Benchmark:
    """Run a benchmark.

    Args:
        settings: what to measure.
        progress: called with (done, total, what) after each measurement.
    """
    total = len(settings.robots) * len(settings.kinds) + len(settings.chains) * len(
        CHAIN_QUANTITIES
    )
    total += len(LAST)
    done = 0

    def step(what: str) -> None:
        nonlocal done
        done += 1
        if progress:
            progress(done, total, what)

    about = machine()
    notes: list[str] = []
    peers = _peers(settings.peers, notes)
    cells: list[Cell] = []
    for name in settings.robots:
        cells += _cells(name, settings, peers, notes, step)
    kinematics, branching = measure_kinematics(
        settings.robots, settings.batch, settings.seconds, notes
    )
    step(LAST[0])
    growth = measure_growth(settings.chains, peers, settings.seconds, step)
    done = total - len(LAST) + 1  # arms that could not be read were not measured
    starts = _starts(settings)
    step(LAST[1])
    threads = _threads(settings, notes)
    step(LAST[2])
    imports = measure_imports(3 * settings.rounds) if settings.rounds else None
    step(LAST[3])
    planning = _planning(settings, notes)
    step(LAST[4])
    all_peers: dict[str, Peer | EAIK] = {**peers, **branching}
    return Benchmark(
        machine=about,
        peers={name: peer.version for name, peer in all_peers.items()},
        peer_notes={name: peer.note for name, peer in all_peers.items()},
        batch=settings.batch,
        cells=tuple(cells),
        growth=growth if settings.chains else (),
        starts=starts,
        threads=threads,
        imports=imports,
        notes=tuple(notes),
        kinematics=kinematics,
        planning=planning,
    )


def _peers(names: Sequence[str], notes: list[str]) -> dict[str, Peer]:
    """Return the available libraries; the notes say why others are not available."""
    found: dict[str, Peer] = {}
    for name in names:
        try:
            peer = PEERS[name]()
            found[peer.name] = peer
        except ArmdynError as error:
            notes.append(f"{name} was not measured: {error}")
    return found


def _cells(
    name: str,
    settings: Settings,
    peers: dict[str, Peer],
    notes: list[str],
    step: Callable[[str], None],
) -> list[Cell]:
    try:
        arm = arm_named(name)
    except ArmdynError as error:
        notes.append(f"{name} was not measured: {error}")
        return []
    theirs, refused = in_others(arm, peers)
    notes += [f"{peer}: {why}" for peer, why in refused.items()]
    cells: list[Cell] = []
    for quantity in settings.kinds:
        cells.append(measure_cell(arm, quantity, theirs, settings.batch, settings.seconds, name))
        step(f"{quantity}, {name}")
    return cells


def _planning(settings: Settings, notes: list[str]) -> Planning | None:
    if not settings.paths:
        return None
    try:
        return measure_planning(settings.paths, settings.seconds)
    except ArmdynError as error:
        notes.append(f"toppra was not measured: {error}")
        return None


def _starts(settings: Settings) -> tuple[Start, ...]:
    if not settings.rounds:
        return ()
    starts = measure_starts(START_ARM, settings.kinds, settings.rounds)
    for n in (n for n in START_CHAINS if n in settings.chains):
        starts += measure_starts(f"generic{n}", CHAIN_QUANTITIES, 1)
    return starts


def _threads(settings: Settings, notes: list[str]) -> tuple[Threads, ...]:
    if not settings.threaded:
        return ()
    if wanted_threads() < 2:
        notes.append("two threads were not measured: there is one core, or ARMDYN_THREADS is 1.")
        return ()
    arm: Arm = arm_named(THREADED_ARM)
    rows: list[Threads] = []
    for quantity in CHAIN_QUANTITIES:
        f = arm.function(quantity, friction=False)
        job = job_into(f, states_of(arm, f, settings.threaded))
        pair = Job(job.call, job.args, job.states, {**(job.options or {}), "threads": 2})
        taken = best_times({"one": job, "two": pair}, 4 * settings.seconds)
        rows.append(Threads(THREADED_ARM, quantity, settings.threaded, taken["one"], taken["two"]))
    return tuple(rows)
