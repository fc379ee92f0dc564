"""The papers' numerical studies, run again: what reproduces, and what does not."""

from collections.abc import Callable

from armdyn._progress import Progress
from armdyn.report.studies._page import page
from armdyn.report.studies._study import (
    Finding,
    Study,
    findings_grid,
    write_plot,
)
from armdyn.report.studies.adaptive import run_adaptive
from armdyn.report.studies.ascher import run_ascher
from armdyn.report.studies.integrators import run_integrators
from armdyn.report.studies.puma import run_puma

STUDIES: dict[str, Callable[[Progress], Study]] = {
    "ascher": run_ascher,
    "puma": run_puma,
    "integrators": run_integrators,
    "adaptive": run_adaptive,
}
"""Functions that run the studies, by name; each reports its progress to a function."""

__all__ = ["STUDIES", "Finding", "Study", "findings_grid", "page", "write_plot"]
