"""Options of `armdyn simulate` for many arms, and for simulated measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from armdyn.arm.arm import Arm
from armdyn.checks import checked_number
from armdyn.cli.option_names import option
from armdyn.errors import InputError
from armdyn.log.formats import written_in_words
from armdyn.simulation.run import Run

# A larger share makes masses negative: with 0.2, zero is five standard deviations away.
MOST_SHARE = 0.2


@dataclass(frozen=True)
class ManyArms:
    """Options for a Monte Carlo study of arms that differ at random."""

    arms: int | None = option("Monte Carlo study of N random arms.", "N")
    spread_q: float | None = option("Standard deviation of the initial positions.")
    spread_links: float | None = option("Relative standard deviation of the link inertias.")

    def arguments(
        self, arm: Arm, q0: Sequence[float] | None, files: Sequence[Path | None], seed: int | None
    ) -> dict[str, Any]:
        """Return arguments of `simulate`: of one arm, or of many that differ."""
        spread_q, spread_links = self.spread_q, self.spread_links
        if self.arms is None:
            if spread_q is not None or spread_links is not None:
                raise InputError("--spread-q and --spread-links are of many arms: give --arms.")
            return {"q0": q0}
        if spread_q is None and spread_links is None:
            raise InputError(
                "--arms: nothing tells the arms apart; give --spread-q or --spread-links."
            )
        if any(files):
            raise InputError("--out, --measured, --plot and --animate are of one arm, not of many.")
        width = checked_number(spread_q or 0.0, "spread_q", least=0.0)
        share = checked_number(spread_links or 0.0, "spread_links", least=0.0, most=MOST_SHARE)
        centre, parameters = np.zeros(arm.n) if q0 is None else np.array(q0), arm.parameters

        def positions(rng: np.random.Generator, count: int) -> Any:
            return rng.normal(centre, width, (count, arm.n))

        def links(rng: np.random.Generator, count: int) -> Any:
            return parameters * np.repeat(rng.normal(1.0, share, (count, arm.n)), 10, axis=1)

        drawn = {"parameters": links} if spread_links else {}
        return {"q0": positions, "arms": self.arms, "seed": seed or 0, **drawn}


def spread_lines(run: Run) -> list[str]:
    """Return the mean and the spread of the last positions of many arms, a line a joint."""
    mean, deviation = run.q[-1].mean(axis=0), run.q[-1].std(axis=0)
    return [
        f"  {name}: {m:.6g} +- {d:.3g}"
        for name, m, d in zip(run.arm.joint_names, mean, deviation, strict=True)
    ]


@dataclass(frozen=True)
class Sensors:
    """Options for simulated measurements of a run."""

    measured: Path | None = option(f"Write simulated measurements as {written_in_words()}.", "FILE")
    noise_q: float | None = option("Standard deviation of position noise.", shown="0")
    noise_tau: float | None = option("Standard deviation of torque noise.", shown="0")
    quantisation: float | None = option("Encoder resolution.", shown="exact")
    jitter: float | None = option(
        "Jitter of the time stamps, as a share of the sampling period.", shown="0"
    )
    seed: int | None = option("Seed of the noise or of --arms.", shown="0")

    def check(self, many: bool) -> None:
        """Refuse options of measurements without --measured; many arms have a seed, too."""
        names = [name for name in self._settings if name != "seed" or not many]
        if self.measured is None and names:
            listed = ", ".join(f"--{name.replace('_', '-')}" for name in names)
            raise InputError(f"{listed}: of measurements, which --measured FILE asks for; give it.")

    def save(self, run: Run) -> None:
        """Write the measurements of a run, if asked for."""
        if self.measured:
            run.measured(**self._settings).save(self.measured)

    @property
    def _settings(self) -> dict[str, Any]:
        """Arguments of `Run.measured`; options that are left out have its defaults."""
        named = vars(self).items()
        return {name: x for name, x in named if x is not None and name != "measured"}
