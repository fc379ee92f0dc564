"""The verbs of the command line: a one-line summary of each, and examples.

The list of verbs comes from here, so it imports none of their modules.
"""

from __future__ import annotations

from typing import NamedTuple

from armdyn.companions import BENCHMARKS, PAPERS, Companion


class Usage(NamedTuple):
    """A verb's summary, which is the first line of its docstring, and examples of its use.

    A verb of a `companion` is a function of its module of verbs, or the command of that name of the
    companion's own command line, which has its examples, too.
    """

    summary: str
    examples: tuple[str, ...] = ()
    companion: Companion | None = None


def _usage(summary: str, *examples: str, companion: Companion | None = None) -> Usage:
    return Usage(summary, examples, companion)


VERBS: dict[str, Usage] = {
    "info": _usage(
        "Describe an arm: geometry, inertial parameters, limits, warnings.",
        "armdyn info puma560",
        "armdyn info arm.urdf --tip tool0 --plot arm.png",
    ),
    "convert": _usage(
        "Convert a robot file to another format; exit status 1 if the torques differ.",
        "armdyn convert arm.urdf arm.xml",
        "armdyn convert arm.urdf arm.toml --tip tool0 --json",
    ),
    "ops": _usage(
        "Count the arithmetic operations of every method on an arm.",
        "armdyn ops puma560",
        "armdyn ops arm.urdf --json",
    ),
    "tables": _usage(
        "Measure every operation-count table of the papers: printed, measured, verdict.",
        companion=PAPERS,
    ),
    "claims": _usage(
        "Try what the papers say of each other's operation counts: where it is true, "
        "for n = 2 to 30.",
        companion=PAPERS,
    ),
    "verify": _usage(
        "Cross-check all methods at random states; exit status 1 if one disagrees.",
        "armdyn verify arm.urdf",
        "armdyn verify puma560 --states 100",
        "armdyn verify arm.urdf --float",
    ),
    "minimal": _usage(
        "Compute the identifiable (base) parameters of an arm.",
        "armdyn minimal puma560",
        "armdyn minimal puma560 --inertia-only",
        "armdyn minimal arm.urdf --friction --json",
    ),
    "symbolic": _usage(
        "Derive the dynamics of a small arm in symbolic form.",
        "armdyn symbolic planar3",
        "armdyn symbolic planar2 --matrices mass_matrix,gravity --latex",
        "armdyn symbolic planar3 --python -o planar3.py",
    ),
    "excite": _usage(
        "Compute an optimal excitation trajectory for identification.",
        "armdyn excite puma560 --evaluations 500 -o excite.csv",
        "armdyn excite arm.urdf --floor 0 --speed 0.5 -o excite.csv --plot excite.png",
    ),
    "check": _usage(
        "Check the health of recordings; exit status 1 if one has a fault.",
        "armdyn check run.csv --robot arm.urdf",
        "armdyn check 'episodes/*.csv' --out pictures",
        "armdyn check run.csv --robot arm.urdf --json",
    ),
    "identify": _usage(
        "Identify the dynamic parameters of an arm from logs; exit status 1 if validation fails.",
        "armdyn identify arm.urdf run.csv -o identified",
        "armdyn identify arm.urdf run.csv --test other.csv -o identified --json",
        "armdyn identify arm.urdf run.csv -o identified --into arm.urdf",
    ),
    "fleet": _usage(
        "Identify all arms of a fleet day by day, and tell what drifts; exit status 1 on failures.",
        "armdyn fleet 'logs/*/' --robot arm.urdf -o table.parquet",
        "armdyn fleet 'logs/*/' --robot arm.urdf -o table.csv --workers 4 --page fleet.html",
        "armdyn fleet 'logs/*/' --robot arm.urdf -o table.parquet --part 1/8",
    ),
    "payload": _usage(
        "Identify a payload: mass, centre of mass, inertia; exit status 1 if the mass is unknown.",
        "armdyn payload identified.toml held.csv --empty empty.csv",
        "armdyn payload identified.toml held.csv -o load --gain-error 0.02",
    ),
    "gains": _usage(
        "Identify drive gains (torque per ampere) with a known mass; exit status 1 if one fails.",
        "armdyn gains arm.urdf held.csv --empty empty.csv --mass 2.5",
        "armdyn gains arm.urdf held.csv --empty empty.csv --mass 2.5 -o gains",
    ),
    "observe": _usage(
        "Detect contacts in a log (momentum observer).",
        "armdyn observe arm.urdf run.csv --plot contacts.png",
        "armdyn observe identified.toml run.csv --free empty.csv --json",
    ),
    "simulate": _usage(
        "Simulate an arm.",
        "armdyn simulate puma560 --q0 0,-0.5,0.3,0,0,0 --until 3 --animate fall.html",
        "armdyn simulate puma560 --target 0.5,-1,0.5,0,0,0 -o run.csv --plot run.png",
        "armdyn simulate puma560 --target 1,-1,1,0,0,0 --measured log.csv --noise-q 1e-5",
    ),
    "move": _usage(
        "Compute the time-optimal motion through waypoints.",
        "armdyn move arm.urdf --through points.csv --effort 90 -o motion.csv",
        "armdyn move arm.urdf --through points.csv --effort 90 --velocity 2 --plot motion.png",
        "armdyn move arm.urdf --through points.csv --acceleration 5 --json",
    ),
    "page": _usage(
        "Write a web page that simulates an arm or plays a log.",
        "armdyn page puma560 -o puma560.html",
        "armdyn page arm.urdf run.csv -o run.html",
        "armdyn page arm.urdf --meshes -o arm.html",
    ),
    "view": _usage(
        "View an arm live in a browser; Ctrl-C stops.",
        "armdyn view puma560",
        "armdyn view arm.urdf run.csv --loop --port 8090",
    ),
    "codegen": _usage(
        "Generate C99 code for functions of an arm, with a self-test.",
        "armdyn codegen arm.urdf --functions gravity,inverse_dynamics --out c",
        "armdyn codegen arm.urdf --functions mass_matrix --out c --float --parameters",
    ),
    "controller": _usage(
        "Generate a controller in C: law, limits, filters, loops for POSIX and microcontrollers.",
        "armdyn controller panda -o control",
        "armdyn controller arm.urdf -o control --law pd_gravity --limit 50 --float --budget",
    ),
    "bench": _usage(
        "Time functions of arms beside Pinocchio, MuJoCo and CasADi; "
        "exit status 1 on disagreement.",
        "armdyn bench --quick",
        "armdyn bench --robots ur5,arm.urdf --out times.json",
        companion=BENCHMARKS,
    ),
    "study": _usage(
        "Run the papers' numerical studies: what is printed, what is found, and why they differ.",
        companion=PAPERS,
    ),
    "paper": _usage(
        "Show what became of every equation, theorem, table and claim of a paper.",
        companion=PAPERS,
    ),
    "cache": _usage(
        "Show or clear the cache of compiled functions.",
        "armdyn cache",
        "armdyn cache --clear",
    ),
    "demo": _usage(
        "Run the end-to-end demo on a PUMA 560; exit status 1 if a step fails.",
        "armdyn demo",
        "armdyn demo -o results --json",
    ),
}


def module_of(verb: str) -> str:
    """Return the module of a verb of this package; its function has the verb's name."""
    return f"armdyn.cli.verbs.{verb}"


def epilog(verb: str) -> str:
    """Return the examples of a verb as paragraphs."""
    return "\n\n".join(("Examples:", *VERBS[verb].examples))
