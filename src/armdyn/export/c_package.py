"""Several programs as a C package: header, source, and a self-test with recorded vectors."""

from __future__ import annotations

import math
import random
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from armdyn.errors import NumericalError
from armdyn.export.c import (
    DOUBLE,
    FLOAT,
    WIDTH,
    Argument,
    Number,
    arguments,
    c_function,
    c_prototype,
    comment,
    number,
    sincos_hook,
)
from armdyn.graph.interpret import FLOATS, evaluate
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.scalar import Op

# The self-test of exported C: recorded states and answers, and a main() that compares them.

# Recorded states of a function: few, since each is a table in the file.
N_STATES = 5

# Accepted rounding error of a well-conditioned program, relative to the largest entry of an output.
TOLERANCE = {DOUBLE: 1e-12, FLOAT: 1e-4}
# For ill-conditioned arms: this many times the error that rounding to float causes at the recorded
# states, scaled to the precision of the type.
MARGIN = 10.0
# The rounding of a type relative to that of float: 53 bits beside 24.
ROUNDING_BESIDE_FLOAT = {DOUBLE: 2.0**-29, FLOAT: 1.0}
# A function whose relative error in float is larger is useless in float.
MAX_FLOAT_ERROR = 1e-2
# The smallest scale of an output [SI] for relative errors: one that is zero has no other.
SMALLEST_SCALE = 1e-12
# States are within +-LARGEST_STATE [rad, m, ...]; tables that the caller may change vary by up to
# +-SPREAD of their values.
LARGEST_STATE = 1.5
SPREAD = 0.2


@dataclass(frozen=True)
class Recording:
    """States, the answers to them in double, and the tolerance of the C code.

    `states` and `answers` hold, for each input or output, one row of numbers per state; `scales`
    holds the largest magnitude of each output.
    """

    states: list[list[list[float]]]
    answers: list[list[list[float]]]
    scales: list[float]
    tolerance: float


def recorded(
    program: Program,
    name: str,
    kind: Number,
    tables: Mapping[str, Sequence[float]],
    given: Sequence[Sequence[float]] = (),
) -> Recording:
    """Evaluate a program at states that are exact in the type of the C code.

    Args:
        program: the traced code.
        name: seed of the states, and the name in errors.
        kind: the type of the C code.
        tables: nominal values of the inputs that are not states; they are varied.
        given: `N_STATES` rows of inputs; random ones if there are none.
    """
    source = random.Random(name)
    rows = given or [
        [x for slot in program.inputs for x in _random(source, slot, tables)]
        for _ in range(N_STATES)
    ]
    states = [[kind.rounded(x) for x in row] for row in rows]
    try:
        answers = [evaluate(program, state) for state in states]
    except (ArithmeticError, ValueError):
        raise NumericalError(f"{name} is not finite at random states: {states[0]}.") from None
    expected = _by_slot(program.outputs, answers)
    scales = [max([SMALLEST_SCALE, *(abs(x) for row in rows for x in row)]) for rows in expected]
    lost = _lost_in_float(program, states, expected, scales)
    if kind is FLOAT and not lost < MAX_FLOAT_ERROR:
        raise NumericalError(
            f"{name} loses too many digits in float (relative error {lost:.1g}); export doubles."
        )
    tolerance = max(TOLERANCE[kind], MARGIN * ROUNDING_BESIDE_FLOAT[kind] * min(lost, 1.0))
    return Recording(_by_slot(program.inputs, states), expected, scales, tolerance)


def selftest_check(program: Program, name: str, kind: Number, recording: Recording) -> str:
    """Return a C function that prints the largest error, and returns 1 if it is too large."""
    given, wanted = arguments(program)
    lines = [f"static int check_{name}(void)", "{"]
    for k, (a, rows) in enumerate(zip(given, recording.states, strict=True)):
        lines.append(_table(f"state_{k}", a, rows, kind))
    for k, (a, rows) in enumerate(zip(wanted, recording.answers, strict=True)):
        lines.append(_table(f"expected_{k}", a, rows, DOUBLE))
    for k, a in enumerate(wanted):
        lines.append(f"    {kind.name} got_{k}[{a.slot.size}];")
    passed = [f"state_{k}[i]" for k in range(len(given))]
    passed += [f"got_{k}" for k in range(len(wanted))]
    lines += [
        "    double worst = 0.0;",
        "    int i;",
        f"    for (i = 0; i < {N_STATES}; i++) {{",
        f"        {name}({', '.join(passed)});",
    ]
    for k, (a, scale) in enumerate(zip(wanted, recording.scales, strict=True)):
        difference = f"difference(got_{k}, expected_{k}[i], {a.slot.size})"
        lines.append(f"        worst = larger(worst, {difference} / {DOUBLE.literal(scale)});")
    tolerance = f"{recording.tolerance:.1e}"
    lines += ["    }", f'    return verdict("{name}", worst, {tolerance});', "}", ""]
    return "\n".join(lines)


def selftest_frame(kind: Number) -> str:
    """Return the C functions that all checks call."""
    return f"""\
static double larger(double a, double b)
{{
    return a > b ? a : b;
}}

/* The largest difference; one that is no number counts as infinite. */
static double difference(const {kind.name} *got, const double *expected, int n)
{{
    double worst = 0.0;
    int i;
    for (i = 0; i < n; i++) {{
        const double d = fabs((double)got[i] - expected[i]);
        worst = d <= DBL_MAX ? larger(worst, d) : HUGE_VAL;
        if (worst > DBL_MAX) {{
            break;
        }}
    }}
    return worst;
}}

static int verdict(const char *name, double worst, double tolerance)
{{
    const int failed = !(worst <= tolerance);
    printf("%-48s %8.1e (at most %.1e) %s\\n", name, worst, tolerance, failed ? "FAILED" : "ok");
    return failed;
}}
"""


def _random(
    source: random.Random, slot: Slot, tables: Mapping[str, Sequence[float]]
) -> list[float]:
    if slot.name in tables:
        # scale whole rows: the parameters of a link stay physically consistent
        width = slot.shape[-1] if len(slot.shape) > 1 else 1
        factors = [source.uniform(1.0 - SPREAD, 1.0 + SPREAD) for _ in range(slot.size // width)]
        return [x * factors[k // width] for k, x in enumerate(tables[slot.name])]
    return [source.uniform(-LARGEST_STATE, LARGEST_STATE) for _ in range(slot.size)]


def _by_slot(slots: Sequence[Slot], flat: Sequence[Sequence[float]]) -> list[list[list[float]]]:
    ends = list(accumulate((slot.size for slot in slots), initial=0))
    return [[list(row[a:b]) for row in flat] for a, b in pairwise(ends)]


def _lost_in_float(
    program: Program,
    states: Sequence[Sequence[float]],
    expected: Sequence[Sequence[Sequence[float]]],
    scales: Sequence[float],
) -> float:
    """Return the relative error of the program with every operation rounded to float."""
    try:
        code = tuple(
            Instruction(Op.CONST, (), FLOAT.rounded(step.value)) if step.op is Op.CONST else step
            for step in program.code
        )
        coarse = Program(program.name, program.inputs, program.outputs, code, program.results)
        got = [evaluate(coarse, [FLOAT.rounded(x) for x in s], _IN_FLOAT) for s in states]
    except (ArithmeticError, ValueError):  # the InputError of a too large constant is a ValueError
        return math.inf
    outputs = _by_slot(program.outputs, got)
    return max(
        abs(x - y) / scale
        for rows, others, scale in zip(outputs, expected, scales, strict=True)
        for row, other in zip(rows, others, strict=True)
        for x, y in zip(row, other, strict=True)
    )


def _rounding(rule: Callable[..., Any]) -> Callable[..., float]:
    return lambda *args: FLOAT.rounded(rule(*args))


_IN_FLOAT = {op: _rounding(rule) for op, rule in FLOATS.items()}


def _table(name: str, a: Argument, rows: Sequence[Sequence[float]], kind: Number) -> str:
    size = f"[{N_STATES}][{a.slot.size}]"
    listed = [braced([kind.literal(x) for x in row], 8) for row in rows]
    body = ",\n".join(f"        {row}" for row in listed)
    return f"    static const {kind.name} {name}{size} = {{ /* {a.name} */\n{body}\n    }};"


def braced(values: Sequence[str], indent: int) -> str:
    """Return values in braces, as the initialiser of a C array."""
    return "{\n" + textwrap.fill(
        ", ".join(values), WIDTH, initial_indent=" " * (indent + 4),
        subsequent_indent=" " * (indent + 4), break_on_hyphens=False, break_long_words=False,
    ) + "\n" + " " * indent + "}"  # fmt: skip


# In the first line of every file: a file that says so may be replaced.
MARK = "Generated by armdyn"


def mark(kind: Number, version: str = "") -> str:
    """Return the first line of a file, without comment marks."""
    return " ".join(filter(None, [MARK, version])) + f", {kind.name} precision."


@dataclass(frozen=True)
class CFunction:
    """A function of the package: its name in C, its code, and its comment in the header.

    `states` are rows of inputs that the self-test tries; random ones if there are none.
    """

    name: str
    program: Program
    notes: tuple[str, ...] = ()
    states: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True)
class CTable:
    """A constant array of the package, for callers to pass as the input `slot` or to copy."""

    name: str
    slot: str
    values: tuple[float, ...]
    notes: tuple[str, ...] = ()


def c_package(
    prefix: str,
    functions: Sequence[CFunction],
    *,
    about: Sequence[str] = (),
    tables: Sequence[CTable] = (),
    single: bool = False,
    version: str = "",
) -> dict[str, str]:
    """Return the contents of the files by name: header, source and self-test.

    Args:
        prefix: prefix of the file names.
        functions: the functions of the package.
        about: lines of the header's comment.
        tables: constant arrays; functions that take their slots as inputs are tested near their
            values.
        single: compute in float instead of double.
        version: version of armdyn, for the first line.
    """
    kind = number(single)
    first = f"/* {mark(kind, version)} */\n"
    return {
        f"{prefix}.h": first + _header(prefix, functions, about, tables, kind),
        f"{prefix}.c": first + _source(prefix, functions, tables, kind),
        f"{prefix}_selftest.c": first + _selftest(prefix, functions, tables, kind),
    }


def _header(
    prefix: str,
    functions: Sequence[CFunction],
    about: Sequence[str],
    tables: Sequence[CTable],
    kind: Number,
) -> str:
    guard = f"ARMDYN_{prefix.upper()}_H"
    parts = [
        comment(about) + "\n" if about else "",
        f"#ifndef {guard}\n#define {guard}\n",
        '#ifdef __cplusplus\nextern "C" {\n#endif\n',
    ]
    for table in tables:
        declared = f"extern const {kind.name} {table.name}[{len(table.values)}];\n"
        parts.append(f"{comment(table.notes)}\n{declared}" if table.notes else declared)
    for f in functions:
        declared = f"{c_prototype(f.program, f.name, kind)};\n"
        parts.append(f"{comment(f.notes)}\n{declared}" if f.notes else declared)
    parts.append("#ifdef __cplusplus\n}\n#endif\n")
    parts.append("#endif\n")
    return "\n".join(filter(None, parts))


def _source(
    prefix: str, functions: Sequence[CFunction], tables: Sequence[CTable], kind: Number
) -> str:
    parts = [f'#include <math.h>\n\n#include "{prefix}.h"\n', sincos_hook(kind)]
    for table in tables:
        values = braced([kind.literal(kind.rounded(x)) for x in table.values], 0)
        parts.append(f"const {kind.name} {table.name}[{len(table.values)}] = {values};\n")
    parts += [c_function(f.program, f.name, kind, hook=True) for f in functions]
    return "\n".join(parts)


def _selftest(
    prefix: str, functions: Sequence[CFunction], tables: Sequence[CTable], kind: Number
) -> str:
    near = {table.slot: table.values for table in tables}
    how = f"cc -std=c99 {prefix}.c {prefix}_selftest.c -lm -o selftest && ./selftest"
    parts = [
        comment([
            "Compares every function with answers recorded when the code was made, relative to the "
            "largest entry of an output; exit status 0 if all agree.",
            f"    {how}",
        ]) + "\n",
        f'#include <float.h>\n#include <math.h>\n#include <stdio.h>\n\n#include "{prefix}.h"\n',
        selftest_frame(kind),
    ]  # fmt: skip
    for f in functions:
        recording = recorded(f.program, f.name, kind, near, f.states)
        parts.append(selftest_check(f.program, f.name, kind, recording))
    calls = [f"    failed += check_{f.name}();" for f in functions]
    main = ["int main(void)", "{", "    int failed = 0;", *calls, "    return failed != 0;", "}"]
    return "\n".join([*parts, *main, ""])
