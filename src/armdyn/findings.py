"""Answers of verdicts, and findings: what explains data better than a model does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Answer = Literal["passed", "usable", "not passed"]


@dataclass(frozen=True)
class Finding:
    """Something that explains the data better than the model does.

    Attributes:
        kind: a word for it, such as "sign" or "delay".
        what: it in a sentence.
        error_before: error of the torques without it, on blocks of time that were left out of the
            fit; the mean of the joints, relative to the sizes of their torques.
        error_after: the same with it.
        option: what mends it: an option of `armdyn identify`, or what to change.
        joints: the joints that it is about, from 1; empty for all.
        values: what was measured of it: an angle, a delay, a scale, coefficients.
        applied: the delivered model has it already.
    """

    kind: str
    what: str
    error_before: float
    error_after: float
    option: str
    joints: tuple[int, ...] = ()
    values: tuple[float, ...] = ()
    applied: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data for JSON."""
        return {
            "kind": self.kind, "what": self.what, "error_before": self.error_before,
            "error_after": self.error_after, "option": self.option, "joints": list(self.joints),
            "values": list(self.values), "applied": self.applied,
        }  # fmt: skip
