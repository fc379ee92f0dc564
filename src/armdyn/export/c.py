"""A program as one C99 function that needs only math.h."""

from __future__ import annotations

import re
import struct
import textwrap
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from armdyn.errors import InputError
from armdyn.graph.program import Program, Slot
from armdyn.scalar import Op

# Valid C names and comments from any robot name.

# C99 guarantees 63 significant characters in identifiers; the quantity follows the robot's name.
LONGEST_PREFIX = 32

# Keywords of C99, and of C++, since C++ compilers read the header too.
KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while _Bool _Complex _Imaginary
    alignas alignof and asm bitand bitor bool catch class compl concept constexpr decltype delete
    explicit export false friend mutable namespace new noexcept not nullptr operator or private
    protected public requires template this throw true try typeid typename using virtual xor
    """.split()
)

# A header with one of these names would hide a standard header; Windows reserves those at the end.
NO_HEADERS = frozenset(
    """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
    stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads
    time uchar wchar wctype
    aux con nul prn
    com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9
    """.split()
)

# Characters of a line of C code and comments.
WIDTH = 92


def identifier(name: str, fallback: str = "x") -> str:
    """Return the nearest C identifier: drop accents, replace other characters by underscores."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    word = re.sub(r"[^0-9A-Za-z]+", "_", plain).strip("_") or fallback
    if word[0].isdigit():
        word = f"{fallback}_{word}"
    return f"{word}_" if word in KEYWORDS else word


def prefix_of(robot: str) -> str:
    """Return the prefix of the names of a robot's files and functions."""
    word = identifier(robot, "robot").lower()[:LONGEST_PREFIX].strip("_")
    return f"{word}_arm" if word in KEYWORDS | NO_HEADERS else word


def fresh(name: str, taken: Collection[str]) -> str:
    """Return the name with as many underscores as needed to make it unique."""
    while name in taken:
        name += "_"
    return name


def comment(lines: Iterable[str]) -> str:
    """Return a C comment of these lines; no line can end it or start anything else."""
    wrapped = [part for line in lines for part in _wrapped(harmless(line))]
    if len(wrapped) == 1:
        return f"/* {wrapped[0]} */"
    body = [f" * {line}".rstrip() for line in wrapped]
    return "\n".join(["/*" + body[0][2:], *body[1:], " */"])


def harmless(text: str) -> str:
    """Return the text as ASCII without comment marks and trigraphs: names come from files."""
    ascii_text = text.encode("ascii", "backslashreplace").decode()
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in ascii_text)
    for pair in ("*/", "/*", "??"):
        while pair in printable:
            printable = printable.replace(pair, f"{pair[0]} {pair[1]}")
    return printable


def _wrapped(line: str) -> list[str]:
    indent = len(line) - len(line.lstrip())
    hanging = " " * (indent + 2 if indent else 0)
    return textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_on_hyphens=False) or [""]


# The macro that computes a sine and a cosine.
SINCOS = "ARMDYN_SINCOS"

INFIX = {Op.ADD: "+", Op.SUB: "-", Op.MUL: "*", Op.DIV: "/"}


@dataclass(frozen=True)
class Number:
    """The floating-point type of the C code, and the format of its literals."""

    name: str
    suffix: str
    digits: int

    def literal(self, value: float) -> str:
        """Return a literal that the compiler reads back exactly."""
        text = f"{value:.{self.digits}g}"
        if not any(c in text for c in ".e"):
            text += ".0"
        text += self.suffix
        return f"({text})" if text.startswith("-") else text

    def rounded(self, value: float) -> float:
        """Return the nearest number of this type; raise InputError if it overflows."""
        if self is DOUBLE:
            return value
        try:
            return struct.unpack("<f", struct.pack("<f", value))[0]
        except OverflowError:
            raise InputError(
                f"the program has the constant {value:g}, too large for a float; export doubles."
            ) from None


DOUBLE = Number("double", "", 17)
FLOAT = Number("float", "f", 9)


def number(single: bool) -> Number:
    """Return the floating-point type of the code."""
    return FLOAT if single else DOUBLE


def c_source(program: Program, name: str, single: bool = False) -> str:
    """Return a C file with one function; its arguments are input, then output arrays, row-major.

    Args:
        program: the traced code.
        name: name of the function; converted to a C identifier if necessary.
        single: compute in float instead of double.
    """
    return "#include <math.h>\n\n" + c_function(program, identifier(name), number(single))


def c_prototype(program: Program, name: str, kind: Number) -> str:
    """Return the declaration of the function, without the semicolon."""
    given, wanted = arguments(program)
    listed = [f"const {kind.name} {a.declaration}" for a in given]
    listed += [f"{kind.name} {a.declaration}" for a in wanted]
    one_line = f"void {name}({', '.join(listed)})"
    if len(one_line) <= WIDTH:
        return one_line
    return f"void {name}(\n    " + ",\n    ".join(listed) + ")"


def sincos_hook(kind: Number) -> str:
    """Return the lines by which a compiler is told to call another sine and cosine."""
    x, result = kind.name, f"{kind.name} *"
    plain = f"do {{ *(s) = sin{kind.suffix}(x); *(c) = cos{kind.suffix}(x); }} while (0)"
    return (
        f"/* Compile with -D{SINCOS}=NAME to call a function of yours, which is faster than the "
        "library's. */\n"
        f"#ifdef {SINCOS}\nvoid {SINCOS}({x} x, {result}s, {result}c);\n"
        f"#else\n#define {SINCOS}(x, s, c) {plain}\n#endif\n"
    )


def c_function(program: Program, name: str, kind: Number, hook: bool = False) -> str:
    """Return the definition of the function.

    All inputs are read before the first output is written, so an output may be the same array as an
    input.

    Args:
        program: the traced code.
        name: name of the function.
        kind: the type of the numbers.
        hook: compute sine and cosine of one angle together, by the macro of `sincos_hook`.
    """
    partners = _partners(program) if hook else {}
    given, wanted = arguments(program)
    elements = [(a, at) for a in given for at in range(a.slot.size)]
    places = [a.element(at) for a in wanted for at in range(a.slot.size)]
    taken = {a.name for a in (*given, *wanted)}
    text: list[str] = []
    reads: list[tuple[int, str]] = []
    steps: list[str] = []
    names: dict[int, str] = {}
    for k, step in enumerate(program.code):
        if step.op is Op.CONST:
            text.append(kind.literal(kind.rounded(step.value)))
            continue
        if step.op is Op.INPUT:
            source, at = elements[int(step.value)]
            text.append(fresh(f"{source.name}_{at}", taken))
            line = f"    const {kind.name} {text[-1]} = {source.element(at)};"
            reads.append((int(step.value), line))
        elif partners.get(k, k) < k:  # computed with its partner
            text.append(names[k])
        elif k in partners:
            both = {k: fresh(f"v{k}", taken), partners[k]: fresh(f"v{partners[k]}", taken)}
            names |= both
            text.append(both[k])
            taken |= set(both.values())
            s, c = both.values() if step.op is Op.SIN else reversed(both.values())
            steps.append(f"    {kind.name} {s}, {c};")
            steps.append(f"    {SINCOS}({text[step.args[0]]}, &{s}, &{c});")
        else:
            text.append(fresh(f"v{k}", taken))
            value = _expression(step.op, [text[arg] for arg in step.args], kind)
            steps.append(f"    const {kind.name} {text[-1]} = {value};")
        taken.add(text[-1])
    read = {elements[at][0].name for at, _ in reads}
    unread = [f"    (void){a.name};" for a in given if a.name not in read]
    writes = [f"    {place} = {text[k]};" for place, k in zip(places, program.results, strict=True)]
    body = [*(line for _, line in sorted(reads)), *steps, *unread, *writes]
    return "\n".join([c_prototype(program, name, kind), "{", *body, "}", ""])


def _partners(program: Program) -> dict[int, int]:
    """Return, for every sine, the cosine of the same angle, and the other way round."""
    found: dict[tuple[Op, int], int] = {}
    pairs: dict[int, int] = {}
    for k, step in enumerate(program.code):
        if step.op in (Op.SIN, Op.COS):
            other = found.get((Op.COS if step.op is Op.SIN else Op.SIN, step.args[0]))
            found[step.op, step.args[0]] = k
            if other is not None:
                pairs |= {k: other, other: k}
    return pairs


@dataclass(frozen=True)
class Argument:
    """An input or output as an argument of C."""

    name: str
    slot: Slot

    @property
    def declaration(self) -> str:
        """The argument in a declaration: an array, or a pointer to a single number."""
        return f"*{self.name}" if self.slot.shape == () else f"{self.name}[{self.slot.size}]"

    def element(self, at: int) -> str:
        """Return the C expression of one of its numbers."""
        return f"*{self.name}" if self.slot.shape == () else f"{self.name}[{at}]"


def arguments(program: Program) -> tuple[list[Argument], list[Argument]]:
    """Return inputs and outputs as C arguments with distinct names."""
    found: list[Argument] = []
    for slot in (*program.inputs, *program.outputs):
        found.append(Argument(fresh(identifier(slot.name), [a.name for a in found]), slot))
    n = len(program.inputs)
    return found[:n], found[n:]


def _expression(op: Op, args: list[str], kind: Number) -> str:
    if op in INFIX:
        return f"{args[0]} {INFIX[op]} {args[1]}"
    if op is Op.NEG:
        return f"-{args[0]}"
    if op is Op.SIGN:
        zero = kind.literal(0.0)
        return f"({kind.name})(({args[0]} > {zero}) - ({args[0]} < {zero}))"
    if op is Op.MAX:
        return f"{args[0]} > {args[1]} ? {args[0]} : {args[1]}"
    if op is Op.SELECT:
        return f"{args[0]} > {kind.literal(0.0)} ? {args[1]} : {args[2]}"
    function = "fabs" if op is Op.ABS else op.value
    return f"{function}{kind.suffix}({', '.join(args)})"
