"""From logs of a moving arm to its parameters, with error bars and a verdict.

The room is not called `identify`, so that the function of that name is always what
``armdyn.identify`` means.
"""

from armdyn.identification._drive_gains import DriveGains, identify_drive_gains
from armdyn.identification._excitation import Excitation
from armdyn.identification._feasible import Feasibility, feasible
from armdyn.identification._files import FILES
from armdyn.identification._holdout import Errors, Series
from armdyn.identification._identify import identify
from armdyn.identification._instrument import Bias
from armdyn.identification._load import Load
from armdyn.identification._model import Extra
from armdyn.identification._payload import Payload, identify_payload
from armdyn.identification._problem import Problem, Solution
from armdyn.identification._result import Result
from armdyn.identification._solver import need_solver
from armdyn.identification.exciting import ExcitingMotion, excite

__all__ = [
    "FILES",
    "Bias",
    "DriveGains",
    "Errors",
    "Excitation",
    "ExcitingMotion",
    "Extra",
    "Feasibility",
    "Load",
    "Payload",
    "Problem",
    "Result",
    "Series",
    "Solution",
    "excite",
    "feasible",
    "identify",
    "identify_drive_gains",
    "identify_payload",
    "need_solver",
]
