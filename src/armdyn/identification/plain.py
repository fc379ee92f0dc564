"""A result as plain data: what result.json holds."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from armdyn.identification.result import Result


def plain_data(result: Result) -> dict[str, Any]:
    """Return a result as numbers, texts, lists and dictionaries."""
    table = zip(
        result.names, result.units, result.values, result.std, result.model.columns, strict=True
    )
    joints = zip(
        result.arm.joint_names, result.errors.per_joint, result.errors.rms, result.sigma,
        result.correlation, result.counts, result.clipped, result.excitation.per_joint,
        result.errors.at_rest, result.errors.share_at_rest, strict=True,
    )  # fmt: skip
    return {
        "robot": result.arm.name,
        "passed": result.passed,
        "verdict": result.verdict,
        "verdict_text": result.verdict_text,
        "reasons": list(result.reasons),
        "reservations": list(result.reservations),
        "findings": [finding.to_dict() for finding in result.findings],
        "box": result.box.to_dict(),
        "torque_error": {
            "definition": "|measured - predicted| / |measured| in the band of the fit, "
            "where a joint moves",
            "held_out": result.held_out,
            "total": _number(result.errors.total),
            "unfiltered": _number(result.errors.unfiltered),
            "of_the_fit": _number(result.train_errors.total),
        },
        "joints": [
            {
                "name": name, "torque_error": _number(error), "rms": _number(rms),
                "sigma": _number(sigma), "rows_worth_one": _number(worth), "rows": rows,
                "outliers": _number(clipped), "expected_error": _number(expected),
                "torque_error_at_rest": _number(at_rest), "share_at_rest": float(resting),
            }
            for name, error, rms, sigma, worth, rows, clipped, expected, at_rest, resting
            in joints
        ],
        "parameters": [
            {"name": name, "unit": unit, "value": float(x), "std": float(s), "kind": c.kind}
            for name, unit, x, s, c in table
        ],
        "natural_parameters": dict(
            zip(result.arm.parameter_names, result.parameters.tolist(), strict=True)
        ),
        "weak": list(result.weak),
        "not_identifiable": list(result.not_identifiable),
        "excitation": {
            "expected_error": result.excitation.expected_error,
            "condition": _number(result.excitation.condition),
            "determined": result.determined,
            "prior_strength": result.prior_strength,
        },
        "bias": {
            "change": result.bias.change, "by_chance": result.bias.expected,
            "small": result.bias.small, "words": result.bias.words,
        },
        "notes": list(result.notes),
        "advice": list(result.advice),
        "logs": [asdict(source) for source in result.about.sources],
        "settings": {
            **result.about.settings, "cutoff_used": result.cutoff, "delay_used": result.delay,
            "tilt_used": result.tilt,
        },
    }  # fmt: skip


def _number(x: object) -> float | None:
    value = float(x)  # pyright: ignore[reportArgumentType]
    return value if np.isfinite(value) else None
