"""The picture of a paper's page: printed counts as bars, with the measured ones beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armdyn.arm.files import load
from armdyn.present.html import Html, tag
from armdyn_papers.errata.arm import Posed
from armdyn_papers.errata.minimal_sets import moving, theorem_5
from armdyn_papers.stages import staged
from armdyn_papers.tables.measured import TABLES
from armdyn_papers.tables.printed import Measure, PrintedRow

# The number of joints at which counts are compared: the largest that every table has.
JOINTS = 6

# Robots whose minimal sets are counted, and the numbers of natural parameters of a link.
ROBOTS, NATURAL = ("puma560", "stanford", "scara", "planar3", "panda"), 10

COLOURS = ("#9aa0a6", "#3f51b5", "#e8590c")
OF_OPERATIONS = ("printed", "run as printed", "armdyn, simplified")
OF_SETS = ("natural parameters", "Theorem 5 as printed", "rank of the regressor")

# Lengths in units of the drawing: its width, where bars begin, their height, what is between rows
# and above the first, and the room for numbers behind the longest bar.
WIDTH, LEFT, BAR, GAP, TOP, NUMBERS = 760, 250, 8, 9, 30, 110


@dataclass(frozen=True)
class Bars:
    """The bars of a row: for each its numbers, one on top of the other; None for no bar."""

    label: str
    values: tuple[tuple[int, ...] | None, ...]


def picture(key: str) -> tuple[str, str]:
    """Return the picture of the paper of a key as SVG, and what it shows in words."""
    rows = _operations(key)
    if rows:
        what = f"Multiplications (dark) and additions (light), n = {JOINTS}"
        return _drawn(rows, OF_OPERATIONS, what, ("M", "A")), f"{what}: printed and measured"
    what = "Numbers of inertia parameters"
    return _drawn(_sets(), OF_SETS, what, ("",)), f"{what}: by Theorem 5 and by rank"


def _operations(key: str) -> list[Bars]:
    return [
        Bars(f"{table.reference.removeprefix(key).strip()}: {row.label.partition(',')[0]}", values)
        for table in TABLES
        if table.reference.startswith(key)
        for row in table.rows
        if row.type == 1 and any((values := _counts(row))[1:])
    ]


def _counts(row: PrintedRow) -> tuple[tuple[int, int] | None, ...]:
    """Return what a row prints, its recursion takes as printed, and the method takes here."""
    given = row.values.get(JOINTS) or row.formula(JOINTS)
    if not isinstance(row.measure, Measure):
        return given, None, None
    what = (row.measure.quantity, row.measure.method, JOINTS, row.type)
    found = (staged(*what, "printed"), staged(*what, "improved"))
    ran = [x and (x.multiplications + x.sqrt, x.additions) for x in found]
    return given, *ran


def _sets() -> list[Bars]:
    rows: list[Bars] = []
    for name in ROBOTS:
        robot = load(name).robot
        x, y, z = robot.gravity
        arm = Posed(robot.joints, gravity=(x, y, z))
        counts = (NATURAL * arm.n, theorem_5(arm, printed=True), moving(arm))
        rows.append(Bars(name, tuple((count,) for count in counts)))
    return rows


def _drawn(rows: Sequence[Bars], names: Sequence[str], what: str, units: Sequence[str]) -> str:
    largest = max(sum(value) for row in rows for value in row.values if value)
    scale = (WIDTH - LEFT - NUMBERS) / largest
    inside: list[Html] = [tag("text", what, x=0, y=12, font_weight="bold")]
    at = LEFT + 60
    for name, colour in zip(names, COLOURS, strict=True):
        inside.append(tag("rect", x=at, y=4, width=10, height=BAR, fill=colour))
        inside.append(tag("text", name, x=at + 14, y=12))
        at += 30 + 6 * len(name)
    y = TOP
    for row in rows:
        shown = [pair for pair in zip(row.values, COLOURS, strict=True) if pair[0]]
        middle = y + 0.5 * len(shown) * BAR + 3.5
        inside.append(tag("text", row.label, x=LEFT - 8, y=round(middle, 1), text_anchor="end"))
        for value, colour in shown:
            inside += _bar(value or (), colour, y, scale, units)
            y += BAR
        y += GAP
    drawing = tag(
        "svg", *inside,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {WIDTH} {y}",
        font_family="sans-serif", font_size=10, fill="#333",
    )  # fmt: skip
    return f"{drawing}\n"


def _bar(
    value: Sequence[int], colour: str, y: int, scale: float, units: Sequence[str]
) -> list[Html]:
    """Return a bar of several parts, the later ones lighter, with its numbers behind it."""
    x, parts = float(LEFT), list[Html]()
    for part, count in enumerate(value):
        width = round(count * scale, 1)
        opacity = 1.0 if part == 0 else 0.45
        parts.append(
            tag("rect", x=round(x, 1), y=y, width=width, height=BAR - 1, fill=colour,
                fill_opacity=opacity)
        )  # fmt: skip
        x += width
    words = " ".join(f"{count}{unit}" for count, unit in zip(value, units, strict=True))
    return [*parts, tag("text", words, x=round(x + 4, 1), y=y + BAR - 1, font_size=8)]
