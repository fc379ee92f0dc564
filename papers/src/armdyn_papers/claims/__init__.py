"""The rankings that the papers make, as data, and their trial on measured counts.

The catalogue is one file a paper. Its ids are stable names: the pages of the papers refer to them.
[Lin1994] ranks nothing that it counts.
"""

from armdyn.report.claims import lin_1991, lin_fang_1999, mata_2002, saha_1999
from armdyn.report.claims._claim import Amount, Claim, Order, Parallel, Ranking
from armdyn.report.claims._plot import write_plot
from armdyn.report.claims._series import TRIES, Try
from armdyn.report.claims._trials import Judged, Trial, claimed, intervals, judge

CLAIMS: tuple[Claim, ...] = (
    *lin_fang_1999.CLAIMS,
    *lin_1991.CLAIMS,
    *saha_1999.CLAIMS,
    *mata_2002.CLAIMS,
)
"""Every claim, in the order of the papers' chapters here."""

__all__ = [
    "CLAIMS",
    "TRIES",
    "Amount",
    "Claim",
    "Judged",
    "Order",
    "Parallel",
    "Ranking",
    "Trial",
    "Try",
    "claimed",
    "intervals",
    "judge",
    "write_plot",
]
