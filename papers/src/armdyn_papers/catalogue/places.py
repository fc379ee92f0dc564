"""Where the functions that a catalogue names are: files and lines, found in the sources."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import armdyn

# Folders that hold the packages, as paths of the repository, and the packages themselves.
PACKAGES = {
    "src": Path(armdyn.__file__ or "").parent,
    "papers/src": Path(__file__).parents[1],
}
PAPERS = "papers."


@dataclass(frozen=True)
class Place:
    """A file below a folder of sources, the line of a definition in it, and its name."""

    folder: str
    file: str
    line: int
    name: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def source_place(reference: str) -> Place:
    """Return where a function, class or method "module:name" is.

    Modules are those of `armdyn`, or of `armdyn_papers` if they begin with "papers.".

    Raises:
        LookupError: there is no such file, or nothing of this name in it.
    """
    module, _, name = reference.partition(":")
    folder = "papers/src" if module.startswith(PAPERS) else "src"
    package = PACKAGES[folder]
    path = package / f"{module.removeprefix(PAPERS).replace('.', '/')}.py"
    file = path.relative_to(package.parent).as_posix()
    line = defined(path).get(name)
    if line is None:
        raise LookupError(f"{file} does not define {name or 'a name that is empty'}")
    return Place(folder, file, line, name)


@lru_cache
def defined(path: Path) -> dict[str, int]:
    """Return the lines of all definitions in a file, methods as "Class.method"; none if missing."""
    if not path.is_file():
        return {}
    return dict(_definitions(ast.parse(path.read_text(encoding="utf-8")).body))


def _definitions(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, int]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield prefix + node.name, node.lineno
        if isinstance(node, ast.ClassDef):
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield prefix + node.target.id, node.lineno
        if isinstance(node, ast.Assign):
            names = (t.id for t in node.targets if isinstance(t, ast.Name))
            yield from ((prefix + name, node.lineno) for name in names)
