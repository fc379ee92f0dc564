"""All studies by name, and their page of Markdown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from armdyn.progress import Progress
from armdyn_papers.studies.adaptive import run_adaptive
from armdyn_papers.studies.ascher import run_ascher
from armdyn_papers.studies.integrators import run_integrators
from armdyn_papers.studies.puma import run_puma
from armdyn_papers.studies.study import Study, findings_grid

# Functions that run the studies; each reports its progress to a function.
STUDIES: dict[str, Callable[[Progress], Study]] = {
    "ascher": run_ascher,
    "puma": run_puma,
    "integrators": run_integrators,
    "adaptive": run_adaptive,
}

HEAD = """\
# The papers' numerical studies

Written by `armdyn-papers study all --markdown docs/studies.md --plot docs/studies.svg`; change
nothing here by hand. Numbers called printed are the papers', with their table; all others were
computed in the run that wrote this page. Rounding noise depends on the last bit of sines and
cosines, so the last digits may differ on another machine. `docs/references.md` lists the papers.
"""


def page(studies: Sequence[Study], plots: Mapping[str, str]) -> str:
    """Return the page.

    Args:
        studies: the studies.
        plots: names of the pictures in the folder of the page, by names of studies.
    """
    return "\n".join([HEAD, *(_chapter(study, plots.get(study.name)) for study in studies)])


def _chapter(study: Study, plot: str | None) -> str:
    parts = [f"## {study.title}\n", f"`armdyn-papers study {study.name}`\n"]
    parts += [f"{words}\n" for words in study.setup()]
    parts.append(findings_grid(study).markdown(3))
    if plot:
        parts.append(f"![{study.title}]({plot})\n")
    parts += [grid.markdown(3) for grid in study.grids()]
    return "\n".join(parts)
