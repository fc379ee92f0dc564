"""The verbs of the command line: a one-line summary of each, and examples.

The list of verbs comes from here, so it imports none of their modules.
"""

from __future__ import annotations

from typing import NamedTuple

from armdyn.companions import PAPERS, Companion


class Usage(NamedTuple):
    """A verb's summary, which is the first line of its docstring, and examples of its use.

    A verb of a `companion` is the command of that name of the companion's own command line, which
    has its examples, too.
    """

    summary: str
    examples: tuple[str, ...] = ()
    companion: Companion | None = None


VERBS: dict[str, Usage] = {
    "info": Usage(
        "Describe an arm: geometry, masses, limits, warnings.",
        (
            "armdyn info puma560",
            "armdyn info arm.urdf --tip tool0 --plot arm.png",
        ),
    ),
    "convert": Usage(
        "Write the file of an arm in another format; exit status 1 if torques are not the same.",
        (
            "armdyn convert arm.urdf arm.xml",
            "armdyn convert arm.urdf arm.toml --tip tool0 --json",
        ),
    ),
    "ops": Usage(
        "Count the operations of every method on an arm, and mark the cheapest.",
        (
            "armdyn ops puma560",
            "armdyn ops arm.urdf --json",
        ),
    ),
    "tables": Usage(
        "Measure every operation-count table of the papers: printed, measured, verdict.",
        companion=PAPERS,
    ),
    "claims": Usage(
        "Try what the papers say of each other's operation counts: where it is true, "
        "for n = 2 to 30.",
        companion=PAPERS,
    ),
    "verify": Usage(
        "Compare all methods at random states; exit status 1 if one disagrees.",
        (
            "armdyn verify arm.urdf",
            "armdyn verify puma560 --states 100",
            "armdyn verify arm.urdf --float",
        ),
    ),
    "minimal": Usage(
        "Show the minimal parameters: names, values, what they are made of, what stays unseen.",
        (
            "armdyn minimal puma560",
            "armdyn minimal puma560 --inertia-only",
            "armdyn minimal arm.urdf --friction --json",
        ),
    ),
    "symbolic": Usage(
        "Show the dynamics of a small arm as formulas, with its constants as symbols.",
        (
            "armdyn symbolic planar3",
            "armdyn symbolic planar2 --matrices mass_matrix,gravity --latex",
            "armdyn symbolic planar3 --python -o planar3.py",
        ),
    ),
    "excite": Usage(
        "Find the motion that tells most about an arm's parameters, within its limits.",
        (
            "armdyn excite puma560 --evaluations 500 -o excite.csv",
            "armdyn excite arm.urdf --floor 0 --speed 0.5 -o excite.csv --plot excite.png",
        ),
    ),
    "identify": Usage(
        "Identify an arm from logs; exit status 1 if the result is not to be relied on.",
        (
            "armdyn identify arm.urdf run.csv -o identified",
            "armdyn identify arm.urdf run.csv --test other.csv -o identified --json",
            "armdyn identify arm.urdf run.csv -o identified --into arm.urdf",
        ),
    ),
    "payload": Usage(
        "Find mass, centre of mass and inertia of a load; exit status 1 if the mass is not known.",
        (
            "armdyn payload identified.toml held.csv --without empty.csv",
            "armdyn payload identified.toml held.csv -o load --gain-error 0.02",
        ),
    ),
    "gains": Usage(
        "Find torque per ampere of every drive by a known mass; exit status 1 if one is not known.",
        (
            "armdyn gains arm.urdf held.csv --without empty.csv --mass 2.5",
            "armdyn gains arm.urdf held.csv --without empty.csv --mass 2.5 -o gains",
        ),
    ),
    "observe": Usage(
        "Find contacts in a log: torques from outside, without accelerations.",
        (
            "armdyn observe arm.urdf run.csv --plot contacts.png",
            "armdyn observe identified.toml run.csv --free empty.csv --json",
        ),
    ),
    "simulate": Usage(
        "Let an arm move from a state under torques, friction and its weight.",
        (
            "armdyn simulate puma560 --q0 0,-0.5,0.3,0,0,0 --until 3 --animate fall.html",
            "armdyn simulate puma560 --target 0.5,-1,0.5,0,0,0 -o run.csv --plot run.png",
            "armdyn simulate puma560 --target 1,-1,1,0,0,0 --measured log.csv --noise-q 1e-5",
        ),
    ),
    "move": Usage(
        "Follow way-points as fast as drives and friction allow.",
        (
            "armdyn move arm.urdf --through points.csv --effort 90 -o motion.csv",
            "armdyn move arm.urdf --through points.csv --effort 90 --velocity 2 --plot motion.png",
            "armdyn move arm.urdf --through points.csv --acceleration 5 --json",
        ),
    ),
    "page": Usage(
        "Write a page in which an arm moves by its own dynamics; with a log, plays it.",
        (
            "armdyn page puma560 -o puma560.html",
            "armdyn page arm.urdf run.csv -o run.html",
            "armdyn page arm.urdf --meshes -o arm.html",
        ),
    ),
    "view": Usage(
        "Show an arm live in a browser: move it, play a log, let it go; Ctrl-C ends it.",
        (
            "armdyn view puma560",
            "armdyn view arm.urdf run.csv --loop --port 8090",
        ),
    ),
    "codegen": Usage(
        "Write functions of an arm as C99: a header, a source and a self-test.",
        (
            "armdyn codegen arm.urdf --functions gravity,inverse_dynamics --out c",
            "armdyn codegen arm.urdf --functions mass_matrix --out c --float --parameters",
        ),
    ),
    "bench": Usage(
        "Time functions of arms beside Pinocchio, MuJoCo and CasADi; "
        "exit status 1 on disagreement.",
        (
            "armdyn bench --quick",
            "armdyn bench --robots ur5,arm.urdf --json times.json",
        ),
    ),
    "study": Usage(
        "Run the papers' numerical studies: what is printed, what is found, and why they differ.",
        companion=PAPERS,
    ),
    "paper": Usage(
        "Show what became of every equation, theorem, table and claim of a paper.",
        companion=PAPERS,
    ),
    "cache": Usage(
        "Show the compiled functions kept on disk, or clear them.",
        (
            "armdyn cache",
            "armdyn cache --clear",
        ),
    ),
    "demo": Usage(
        "Tell the whole story on the PUMA 560 in a minute or so; exit status 1 if a step fails.",
        (
            "armdyn demo",
            "armdyn demo -o story --json",
        ),
    ),
}


def module_of(verb: str) -> str:
    """Return the module of a verb of this package; its function has the verb's name."""
    return f"armdyn.cli.verbs.{verb}"


def epilog(verb: str) -> str:
    """Return the examples of a verb as paragraphs."""
    return "\n\n".join(("Examples:", *VERBS[verb].examples))
