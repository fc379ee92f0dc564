"""Values of expressions in xacro files, and the functions and methods that make them.

A value is a number, a text, a truth value, None, or a list, tuple or dictionary of these, and
nothing else: no object of Python with attributes that lead elsewhere ever becomes one. All
functions are bounded: their results in size, and the expansion of a file in work.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from armdyn.robot.formats.isolated.serve import Refused

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false


# Characters and elements of a value, those of its elements included.
MAX_SIZE = 1_000_000
# Bits of an integer.
MAX_BITS = 4096
# Digits that `round` and formats may ask for.
MAX_DIGITS = 400
# Operations of a file, and characters and elements of their results: some seconds.
MAX_WORK = 20_000_000

SCALARS = (bool, int, float, str, type(None))
CONTAINERS = (list, tuple, dict)


class Budget:
    """What is left of the work that expanding a file may take."""

    left = MAX_WORK

    @classmethod
    def renew(cls) -> None:
        """Begin a new file."""
        cls.left = MAX_WORK

    @classmethod
    def spend(cls, work: int) -> None:
        """Count work that is done.

        Raises:
            Refused: the file takes more than any arm does.
        """
        cls.left -= work
        if cls.left < 0:
            raise Refused("expanding it takes too much work: macros or expressions without end")


class Function:
    """A function that expressions may call: no value, so nothing else can be done with it.

    Attributes:
        name: the name in expressions.
        call: the function of Python.
        type: what `isinstance` compares with, of functions that convert.
        is_higher: whether arguments may be functions.
    """

    def __init__(
        self, name: str, call: Callable[..., Any], type: type | None = None, is_higher: bool = False
    ) -> None:
        self.name, self.call, self.type, self.is_higher = name, call, type, is_higher


class Namespace(dict[str, Any]):
    """Functions and constants under a common name, as in `math.pi`."""


def checked(value: Any) -> Any:
    """Return a value of the permitted types and size.

    Raises:
        Refused: it is something else, or too large.
    """
    size, rest = 0, [value]
    while rest:
        one = rest.pop()
        kind = type(one)
        size += 1
        if kind is str:
            size += len(one)
        elif kind is int:
            if one.bit_length() > MAX_BITS:
                raise Refused(f"an integer has more than {MAX_BITS} bits")
        elif kind is dict:
            rest += one
            rest += one.values()
        elif kind in CONTAINERS:
            rest += one
        elif kind not in SCALARS:
            raise Refused(f"a value is {kind_of(one)}, expected numbers, text, lists or tables")
        check_size(size + len(rest))
    Budget.spend(size)
    return value


def kind_of(value: object) -> str:
    """Return in words what something is that is no value."""
    if isinstance(value, Function):
        return f"the function {value.name!r}"
    return "a namespace" if isinstance(value, Mapping) else f"of type {type(value).__name__!r}"


def check_size(size: int) -> None:
    """Refuse a value before it is made.

    Raises:
        Refused: it has too many characters or elements.
    """
    if size > MAX_SIZE:
        raise Refused(f"a value has more than {MAX_SIZE} characters and elements")


def elements_of(value: Any) -> list[Any]:
    """Return the elements of a text, a list, a tuple or the keys of a table."""
    if type(value) not in (str, list, tuple, dict):
        raise TypeError(f"{checked(value)!r:.100} has no elements")
    return list(value)


def _range(*ends: int) -> list[int]:
    numbers = range(*ends)
    check_size(len(numbers))
    return list(numbers)


def _rounded(value: float, ndigits: int | None = None) -> float:
    if ndigits is not None and abs(ndigits) > MAX_DIGITS:
        raise Refused(f"`round` is asked for {ndigits} digits")
    return round(value, ndigits)


def _sum(values: Any, start: float = 0) -> float:
    return sum([+value for value in elements_of(values)], start)  # + is for numbers only


def _table(pairs: Any = (), **named: Any) -> dict[Any, Any]:
    return {**(pairs if type(pairs) is dict else dict(map(tuple, elements_of(pairs)))), **named}


def _mapped(function: Any, *sequences: Any) -> list[Any]:
    call = _called(function)
    return [checked(call(*row)) for row in zip(*map(elements_of, sequences), strict=False)]


def _filtered(function: Any, sequence: Any) -> list[Any]:
    call = bool if function is None else _called(function)
    return [item for item in elements_of(sequence) if call(item)]


def _called(function: Any) -> Callable[..., Any]:
    if not isinstance(function, Function) or function.is_higher:
        raise TypeError("expected a function, such as float")
    return function.call


def _is_instance(value: Any, type: Any) -> bool:
    if not isinstance(type, Function) or type.type is None:
        raise TypeError("`isinstance` takes a value and a type, such as float")
    return isinstance(value, type.type)


def _factorial(n: int) -> int:
    if n > 170:  # that of 171 is above every float
        raise Refused(f"the factorial of {n} is asked for")
    return math.factorial(n)


def _replaced(text: str, old: str, new: str, count: int = -1) -> str:
    places = text.count(old) if count < 0 else min(count, text.count(old))
    check_size(len(text) + places * len(new))
    return text.replace(old, new, count)


def _joined(separator: str, texts: Any) -> str:
    items = elements_of(texts)
    check_size(len(items) * len(separator))
    return separator.join(items)


_TEXT_METHODS = (  # their results are not much larger than the text
    "capitalize", "count", "endswith", "find", "index", "isalnum", "isalpha", "isdecimal",
    "isdigit", "isidentifier", "islower", "isnumeric", "isspace", "isupper", "lower", "lstrip",
    "partition", "removeprefix", "removesuffix", "rfind", "rindex", "rpartition", "rsplit",
    "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
)  # fmt: skip
METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    str: {name: getattr(str, name) for name in _TEXT_METHODS}
    | {"join": _joined, "replace": _replaced},
    list: {"count": list.count, "index": list.index},
    tuple: {"count": tuple.count, "index": tuple.index},
    dict: {
        "get": dict.get, "items": lambda x: list(x.items()), "keys": list,
        "values": lambda x: list(x.values()),
    },
}  # fmt: skip

_PYTHON: dict[str, Callable[..., Any]] = {
    "abs": abs, "all": lambda x: all(elements_of(x)), "any": lambda x: any(elements_of(x)),
    "divmod": divmod, "enumerate": lambda x, start=0: list(enumerate(elements_of(x), start)),
    "len": len, "max": max, "min": min, "ord": ord, "range": _range, "repr": repr,
    "reversed": lambda x: elements_of(x)[::-1], "round": _rounded,
    "sorted": lambda x, reverse=False: sorted(elements_of(x), reverse=reverse), "sum": _sum,
    "zip": lambda *x: list(zip(*map(elements_of, x), strict=False)),
}  # fmt: skip
_TYPES: dict[str, tuple[type, Callable[..., Any]]] = {
    "bool": (bool, bool), "dict": (dict, _table), "float": (float, float), "int": (int, int),
    "list": (list, lambda x=(): elements_of(x)), "str": (str, str),
    "tuple": (tuple, lambda x=(): tuple(elements_of(x))),
}  # fmt: skip
_HIGHER = {"filter": _filtered, "isinstance": _is_instance, "map": _mapped}

# Functions of Python, bounded.
PYTHON = Namespace(
    {name: Function(name, call) for name, call in _PYTHON.items()}
    | {name: Function(name, call, type=type) for name, (type, call) in _TYPES.items()}
    | {name: Function(name, call, is_higher=True) for name, call in _HIGHER.items()}
    | {"True": True, "False": False}
)

_MATH = (
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "copysign", "cos", "cosh",
    "degrees", "dist", "erf", "erfc", "exp", "expm1", "fabs", "floor", "fmod", "fsum", "gamma",
    "gcd", "hypot", "isclose", "isfinite", "isinf", "isnan", "isqrt", "lcm", "ldexp", "lgamma",
    "log", "log10", "log1p", "log2", "modf", "pow", "radians", "remainder", "sin", "sinh", "sqrt",
    "tan", "tanh", "trunc",
)  # fmt: skip

# Functions and constants of the module `math`, bounded.
MATH = Namespace(
    {name: Function(name, getattr(math, name)) for name in _MATH}
    | {"factorial": Function("factorial", _factorial)}
    | {name: getattr(math, name) for name in ("pi", "e", "tau", "inf", "nan")}
)
