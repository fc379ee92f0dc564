"""Valid C names and comments from any robot name."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Collection, Iterable

# C99 guarantees 63 significant characters in identifiers; the quantity follows the robot's name.
LONGEST_PREFIX = 32

KEYWORDS = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if
    inline int long register restrict return short signed sizeof static struct switch typedef union
    unsigned void volatile while _Bool _Complex _Imaginary
    alignas alignof and asm bitand bitor bool catch class compl concept constexpr decltype delete
    explicit export false friend mutable namespace new noexcept not nullptr operator or private
    protected public requires template this throw true try typeid typename using virtual xor
    """.split()
)
"""Keywords of C99, and of C++, since C++ compilers read the header too."""

# A header with one of these names would hide a standard header; Windows reserves those at the end.
NO_HEADERS = frozenset(
    """assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal
    stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads
    time uchar wchar wctype
    aux con nul prn
    com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9
    """.split()
)

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
