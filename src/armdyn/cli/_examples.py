"""How each verb is used, for the end of its help."""

from __future__ import annotations

EXAMPLES: dict[str, tuple[str, ...]] = {
    "info": ("armdyn info puma560", "armdyn info arm.urdf --tip tool0 --plot arm.png"),
    "ops": ("armdyn ops puma560", "armdyn ops arm.urdf --json"),
    "tables": ("armdyn tables",),
    "verify": ("armdyn verify arm.urdf", "armdyn verify puma560 --states 100"),
    "minimal": ("armdyn minimal puma560", "armdyn minimal arm.urdf --friction --json"),
    "excite": (
        "armdyn excite puma560 --evaluations 500 -o excite.csv",
        "armdyn excite arm.urdf --velocity 1.5 -o excite.csv --plot excite.png",
    ),
    "identify": (
        "armdyn identify arm.urdf run.csv -o identified",
        "armdyn identify arm.urdf run.csv --test other.csv -o identified --json",
    ),
    "simulate": (
        "armdyn simulate puma560 --q0 0,-0.5,0.3,0,0,0 --until 3 --animate fall.html",
        "armdyn simulate puma560 --target 0.5,-1,0.5,0,0,0 -o run.csv --plot run.png",
        "armdyn simulate puma560 --target 1,-1,1,0,0,0 --measured log.csv --noise-q 1e-5",
    ),
    "codegen": (
        "armdyn codegen arm.urdf --functions gravity,inverse_dynamics --out c",
        "armdyn codegen arm.urdf --functions mass_matrix --out c --float --parameters",
    ),
    "bench": ("armdyn bench --quick", "armdyn bench --robots ur5,arm.urdf --json times.json"),
    "study": ("armdyn study ascher", "armdyn study all --markdown studies.md"),
    "cache": ("armdyn cache", "armdyn cache --clear"),
    "demo": ("armdyn demo", "armdyn demo -o story --json"),
}


def epilog(verb: str) -> str:
    """Return the examples of a verb as paragraphs."""
    return "\n\n".join(("Examples:", *EXAMPLES[verb]))
