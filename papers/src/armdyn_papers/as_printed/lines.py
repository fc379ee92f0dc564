"""Lines of a printed algorithm, and the count of operations line by line.

The papers' conventions: operations on constants of the arm are done beforehand; products with the
known numbers 0, 1 and -1, sums with 0 and changes of sign are free; sines, cosines and the elements
of the rotations R_i are on hand. Whatever else a line writes down is counted as often as it is run,
even if its result is not needed, or was computed on another line.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, TypeVar, cast

from armdyn.scalar import Node, Op, constant

T = TypeVar("T")

# Numbers of multiplications and additions, (M, A).
Pair: TypeAlias = tuple[int, int]

COUNTED = {Op.MUL: "M", Op.DIV: "M", Op.SQRT: "M", Op.ADD: "A", Op.SUB: "A"}


class Lines:
    """Takes the results of each line of an algorithm; this class counts nothing.

    Attributes:
        misprints: the places in the list of errata at which the run follows the printed form;
            default is the corrected form at all of them.
    """

    misprints: frozenset[str] = frozenset()

    def __init__(self, misprints: Iterable[str] = ()) -> None:
        self.misprints = frozenset(misprints)

    def follows(self, place: str) -> bool:
        """Say whether to run the printed form at a place of the list of errata."""
        return place in self.misprints

    def __call__(self, text: str, value: T) -> T:
        """Take the result of a line; return it."""
        return value

    def given(self, value: T) -> T:
        """Take numbers that are on hand: free, and taken for variables even if constant."""
        return value

    def charged(self, text: str, M: int, A: int, value: T) -> T:
        """Take the result of a line that costs M and A in the paper, but not when it is run.

        Either the paper does not print its operations, or it charges for needless ones.
        """
        return value


@dataclass
class Line:
    """The count of a line: how often it ran, and operations of all runs together.

    M and A are by the paper's conventions; `executed` are those that were run, fewer or more only
    on charged lines.
    """

    times: int = 0
    M: int = 0
    A: int = 0
    executed: tuple[int, int] = (0, 0)


@dataclass
class CountedLines(Lines):
    """Counts the operations of each line of an algorithm that runs on nodes."""

    lines: dict[str, Line] = field(default_factory=dict[str, Line])
    _seen: set[Node] = field(default_factory=set[Node])
    _constants: dict[Node, float | None] = field(default_factory=dict[Node, float | None])

    def __call__(self, text: str, value: T) -> T:
        """Count what the nodes of a result take beyond those counted already."""
        self._add(text, self._new(value))
        return value

    def given(self, value: T) -> T:
        """Return the numbers as variables whose computation is free."""
        return cast("T", self._opaque(value))

    def charged(self, text: str, M: int, A: int, value: T) -> T:
        """Add the printed cost instead of the counted one."""
        self._add(text, self._new(value), (M, A))
        return cast("T", self._opaque(value))

    @property
    def total(self) -> Pair:
        """(M, A) of all lines; divisions and square roots are in M."""
        return sum(l.M for l in self.lines.values()), sum(l.A for l in self.lines.values())

    def _add(self, text: str, executed: Pair, charged: Pair | None = None) -> None:
        line = self.lines.setdefault(text, Line())
        M, A = charged or executed
        line.times += 1
        line.M += M
        line.A += A
        line.executed = (line.executed[0] + executed[0], line.executed[1] + executed[1])

    def _opaque(self, value: object) -> object:
        if isinstance(value, list | tuple):
            items = [self._opaque(item) for item in cast("Sequence[object]", value)]
            return items if isinstance(value, list) else tuple(items)
        number = value if isinstance(value, Node) else constant(cast("float", value))
        node = Node(Op.ADD, (number, constant(0.0)))
        self._seen.add(node)
        self._constants[node] = None
        return node

    def _new(self, value: object) -> Pair:
        """Count the operations of nodes that no earlier line has counted."""
        found: Counter[str] = Counter()
        stack: list[Node] = []
        _nodes_of(value, stack)
        while stack:
            node = stack.pop()
            if node in self._seen:
                continue
            self._seen.add(node)
            stack += node.args
            if node.op in COUNTED and not self._is_free(node):
                found[COUNTED[node.op]] += 1
        return found["M"], found["A"]

    def _is_free(self, node: Node) -> bool:
        if self._constant(node) is not None:
            return True
        known = [self._constant(arg) for arg in node.args]
        if node.op is Op.MUL:
            return 1.0 in known or -1.0 in known
        if node.op is Op.DIV:
            return known[1] in (1.0, -1.0)
        return node.op in (Op.ADD, Op.SUB) and 0.0 in known

    def _constant(self, node: Node) -> float | None:
        """Return the number that a node is known to be, None for a variable."""
        if node not in self._constants:
            self._constants[node] = self._folded(node)
        return self._constants[node]

    def _folded(self, node: Node) -> float | None:
        if node.op is Op.CONST:
            return float(node.value)
        if node.op not in (Op.ADD, Op.SUB, Op.MUL, Op.NEG):
            return None
        known = [self._constant(arg) for arg in node.args]
        if node.op is Op.NEG:
            return None if known[0] is None else -known[0]
        a, b = known
        if node.op is Op.MUL and 0.0 in known:
            return 0.0
        if a is None or b is None:
            return None
        return a * b if node.op is Op.MUL else a + b if node.op is Op.ADD else a - b


def _nodes_of(value: object, found: list[Node]) -> None:
    if isinstance(value, Node):
        found.append(value)
    elif isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            _nodes_of(item, found)
