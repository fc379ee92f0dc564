"""From logs of a moving arm to its parameters, with error bars and a verdict.

The room is not called `identify`, so that the function of that name is always what
``armdyn.identify`` means.
"""

from armdyn.identification._excitation import Excitation
from armdyn.identification._holdout import Errors, Series
from armdyn.identification._identify import identify
from armdyn.identification._instrument import Bias
from armdyn.identification._model import Extra
from armdyn.identification._problem import Problem, Solution
from armdyn.identification._result import Result

__all__ = [
    "Bias",
    "Errors",
    "Excitation",
    "Extra",
    "Problem",
    "Result",
    "Series",
    "Solution",
    "identify",
]
