"""The figure of the study of integrators: errors over evaluations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from armdyn.report.studies._integrator_runs import Falling

COLOURS = {"ab4": "#d55e00", "rk4": "#e69f00", "rk45": "#0072b2", "dop853": "#009e73"}


def draw(figure: Any, falls: Sequence[Falling]) -> None:
    """Draw one panel per arm: lines with dots are LDL^T, circles are Cholesky."""
    fields: list[Any] = figure.subplots(1, len(falls), sharey=True).ravel().tolist()
    for axes, fall in zip(fields, falls, strict=True):
        for series in fall.series:
            x = [p.evaluations for p in series.points]
            y = [p.error for p in series.points]
            style: dict[str, Any] = {"marker": ".", "linewidth": 1.2}
            if series.solver != "LDLᵀ":
                style = {"marker": "o", "linestyle": "", "fillstyle": "none"}
            axes.plot(
                x, y, color=COLOURS[series.integrator],
                label=f"{series.integrator}, {series.solver}", **style,
            )  # fmt: skip
        axes.axhline(fall.certain, color="black", linestyle=":", linewidth=0.8)
        axes.set_title(f"falling PUMA, {'with' if fall.rotors else 'without'} rotors")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("evaluations of the dynamics")
        axes.grid(alpha=0.3)
    fields[0].set_ylabel("error at the end [rad]; dotted: of the reference")
    figure.legend(*fields[0].get_legend_handles_labels(), loc="outside lower center", ncols=4)
