"""A living edition of five papers on robot dynamics: each statement run by armdyn, with a verdict.

`printed` returns a recursion as a paper prints it, to run, to read and to count.
`armdyn_papers.papers` has the catalogues and errata, `tables` the printed operation counts,
`claims` the papers' rankings, `studies` their numerical examples, and `as_printed` their recursions
line by line. The command `armdyn-papers` shows all of them.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from armdyn_papers.recursion import PrintedRecursion, printed

__all__ = ["PrintedRecursion", "printed"]


def __getattr__(name: str) -> object:
    """Import a public name at the first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from armdyn_papers import recursion

    return getattr(recursion, name)
