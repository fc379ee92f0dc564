"""From logs of a moving arm to its parameters, with error bars and a verdict.

The package is not called `identify`, so ``armdyn.identify`` always means the function.
"""

from armdyn.identification._files import FILES
from armdyn.identification._identify import identify
from armdyn.identification._result import Result
from armdyn.identification._tables import (
    clearance_in_words,
    gain_values,
    limits_used,
    load_values,
    torque_errors,
    verdict_lines,
)
from armdyn.identification.exciting import ExcitingMotion, excite
from armdyn.identification.extra._column_files import read_coupling, read_extra
from armdyn.identification.extra._extra import Extra
from armdyn.identification.fit._problem import Problem, Solution
from armdyn.identification.gains._drive_gains import DriveGains
from armdyn.identification.gains._identify_gains import identify_drive_gains
from armdyn.identification.judge._bias import Bias
from armdyn.identification.judge._box import Box
from armdyn.identification.judge._excitation import Excitation
from armdyn.identification.judge._holdout import Errors, Series
from armdyn.identification.judge._judgement import Finding, Judgement, Measures
from armdyn.identification.judge._rollout import Rollout, Windows
from armdyn.identification.payload._identify_payload import identify_payload
from armdyn.identification.payload._load import Load
from armdyn.identification.payload._payload import PAYLOAD_FILES, Payload
from armdyn.identification.physical._feasible import Feasibility, feasible
from armdyn.identification.physical._solver import need_solver

__all__ = [
    "FILES",
    "PAYLOAD_FILES",
    "Bias",
    "Box",
    "DriveGains",
    "Errors",
    "Excitation",
    "ExcitingMotion",
    "Extra",
    "Feasibility",
    "Finding",
    "Judgement",
    "Load",
    "Measures",
    "Payload",
    "Problem",
    "Result",
    "Rollout",
    "Series",
    "Solution",
    "Windows",
    "clearance_in_words",
    "excite",
    "feasible",
    "gain_values",
    "identify",
    "identify_drive_gains",
    "identify_payload",
    "limits_used",
    "load_values",
    "need_solver",
    "read_coupling",
    "read_extra",
    "torque_errors",
    "verdict_lines",
]
