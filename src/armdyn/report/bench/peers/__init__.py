"""Other libraries that compute the same quantities; a new library is one file and one row."""

from collections.abc import Callable

from armdyn.report.bench.peers._casadi import CasADi
from armdyn.report.bench.peers._mujoco import MuJoCo
from armdyn.report.bench.peers._peer import (
    Array,
    Offer,
    Peer,
    PeerArm,
    Scope,
    Task,
    disagreement,
    ours,
)
from armdyn.report.bench.peers._pinocchio_cpp import PinocchioCpp
from armdyn.report.bench.peers._pinocchio_python import PinocchioPython

PEERS: dict[str, Callable[[], Peer]] = {
    "pinocchio": PinocchioPython,
    "pinocchio-cpp": PinocchioCpp,
    "mujoco": MuJoCo,
    "casadi": CasADi,
}

__all__ = [
    "PEERS",
    "Array",
    "Offer",
    "Peer",
    "PeerArm",
    "Scope",
    "Task",
    "disagreement",
    "ours",
]
