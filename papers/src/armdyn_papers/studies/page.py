"""Studies as a page of Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armdyn.report.studies._study import Study, findings_grid

HEAD = """\
# The papers' numerical studies

Written by `armdyn study all --markdown docs/studies.md --plot docs/studies.svg`; change nothing
here by hand. Numbers called printed are the papers', with their table; all others were computed in
the run that wrote this page. Rounding noise depends on the last bit of sines and cosines, so the
last digits may differ on another machine. `docs/references.md` lists the papers.
"""


def page(studies: Sequence[Study], plots: Mapping[str, str]) -> str:
    """Return the page.

    Args:
        studies: the studies.
        plots: names of the pictures in the folder of the page, by names of studies.
    """
    return "\n".join([HEAD, *(_chapter(study, plots.get(study.name)) for study in studies)])


def _chapter(study: Study, plot: str | None) -> str:
    parts = [f"## {study.title}\n", f"`armdyn study {study.name}`\n"]
    parts += [f"{words}\n" for words in study.setup()]
    parts.append(findings_grid(study).markdown(3))
    if plot:
        parts.append(f"![{study.title}]({plot})\n")
    parts += [grid.markdown(3) for grid in study.grids()]
    return "\n".join(parts)
