"""How each verb is used, for the end of its help; those with examples of their own are not here."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "info": ("armdyn info puma560", "armdyn info arm.urdf --tip tool0 --plot arm.png"),
    "ops": ("armdyn ops puma560", "armdyn ops arm.urdf --json"),
    "tables": ("armdyn tables",),
    "verify": ("armdyn verify arm.urdf", "armdyn verify puma560 --states 100"),
    "minimal": ("armdyn minimal puma560", "armdyn minimal arm.urdf --friction --json"),
    "codegen": (
        "armdyn codegen arm.urdf --functions gravity,inverse_dynamics --out c",
        "armdyn codegen arm.urdf --functions mass_matrix --out c --float --parameters",
    ),
    "bench": ("armdyn bench --quick", "armdyn bench --robots ur5,arm.urdf --json times.json"),
    "study": ("armdyn study ascher", "armdyn study all --markdown studies.md"),
    "cache": ("armdyn cache", "armdyn cache --clear"),
    "demo": ("armdyn demo", "armdyn demo -o /tmp/demo --json"),
}


def epilog(verb: str) -> str | None:
    """Return the examples of a verb as paragraphs."""
    lines = EXAMPLES.get(verb)
    return "\n\n".join(("Examples:", *lines)) if lines else None
