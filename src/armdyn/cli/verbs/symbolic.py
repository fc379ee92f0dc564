"""`armdyn symbolic`: the dynamics of a small arm as formulas."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from armdyn.checks import checked_choice
from armdyn.cli.console import JsonOption, print_json, show, show_text
from armdyn.cli.option_names import flag, option
from armdyn.cli.options.robot import RobotOptions, open_arm
from armdyn.errors import InputError
from armdyn.symbolics.model import MATRICES, SymbolicModel
from armdyn.symbolics.model import symbolic as symbolic_model
from armdyn.writing import check_writable, write_whole


def symbolic(
    robot: RobotOptions,
    matrices: str = option(
        f"Matrices to derive: {', '.join(MATRICES)}.", "M,M", default="", shown="all"
    ),
    latex: bool = flag("--latex", "Print LaTeX."),
    python: bool = flag("--python", "Print Python functions."),
    general: bool = flag("--general", "Keep symbols of zero masses and inertias."),
    output: Path | None = option("Output file.", "FILE", name="--out"),
    as_json: JsonOption = False,
) -> None:
    """Derive the dynamics of a small arm in symbolic form."""
    if latex + python + as_json > 1:
        raise InputError("--latex, --python and --json exclude each other; choose one.")
    if output is not None and as_json:
        raise InputError("--json prints to standard output; leave -o out.")
    names = [name.strip() for name in matrices.split(",") if name.strip()] or list(MATRICES)
    for name in names:
        checked_choice(name, "matrices", MATRICES, what="matrix")
    if output is not None:
        check_writable(output.parent, [output.name])
    arm, _ = open_arm(robot)
    model = symbolic_model(arm, general=general)
    if as_json:
        print_json(_plain(model, names))
        return
    text = _latex(model, names) if latex else _python(model, names) if python else ""
    text = text or _formulas(model, names)
    if output is None:
        show_text(text)
        return
    write_whole(output, text)
    show(f"{output}  {', '.join(names)} of {model.name}")


def _formulas(model: SymbolicModel, names: list[str]) -> str:
    """Return the terms, each once, and the matrices."""
    lines = [f"{model.name}: M = U D U^T and the torques M qdd + C qd + g in closed form", ""]
    told: set[str] = set()
    for name in names:
        named = model.named(name)
        new = {str(term): x for term, x in named.terms.items() if str(term) not in told}
        told |= set(new)
        lines += [f"{term} = {x}" for term, x in new.items()]
        lines += [f"{name} =", *(f"  {row}" for row in named.matrix.tolist()), ""]
    lines.append("in this arm: " + ", ".join(f"{k} = {x:.6g}" for k, x in model.values.items()))
    return "\n".join(lines) + "\n"


def _latex(model: SymbolicModel, names: list[str]) -> str:
    return "\n\n".join(model.latex(name) for name in names) + "\n"


def _python(model: SymbolicModel, names: list[str]) -> str:
    """Return one module with all functions and the numbers of the arm."""
    texts = [model.python(name) for name in names]
    head, _, first = texts[0].partition("\n\n\n")
    functions = [first, *(text.partition("\n\n\n")[2] for text in texts[1:])]
    values = "".join(f'    "{name}": {x!r},\n' for name, x in model.values.items())
    return "\n\n".join([f"{head}\n\nVALUES = {{\n{values}}}\n", *functions])


def _plain(model: SymbolicModel, names: list[str]) -> dict[str, Any]:
    return {
        "name": model.name,
        "n": model.n,
        "values": model.values,
        "matrices": {
            name: {
                "terms": {str(term): str(x) for term, x in model.named(name).terms.items()},
                "rows": [[str(x) for x in row] for row in model.named(name).matrix.tolist()],
            }
            for name in names
        },
    }
