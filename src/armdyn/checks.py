"""All checks of plain arguments, in one place.

A check takes a value and the name of its argument. It returns the value as armdyn uses it, or
raises an error that says what is wrong and what is expected, and that carries ``argument``. The
error class can be chosen: anything that takes a message and ``argument=``.

NumPy is imported when an array is checked, not with this module.
"""

from __future__ import annotations

import math
import operator
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from armdyn.errors import ArmdynError, InputError, MethodError, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from armdyn.arrays import Array

# The largest seed that a random generator uses in full.
LARGEST_SEED = 2**128 - 1

# Array kinds that hold real numbers: signed and unsigned integers, and floats.
REAL = "iuf"


LARGEST_FLOAT = sys.float_info.max

# Description of a number without bounds, in messages.
FINITE = "a finite number"


class Raises(Protocol):
    """An error class, or a function that returns an error."""

    def __call__(self, message: str, /, *, argument: str) -> ArmdynError:
        """Return the error with its message and the argument that it is about."""
        ...


def about(who: str, error: Raises) -> Raises:
    """Return a factory of the same errors whose messages begin with `who`."""

    def made(message: str, /, *, argument: str) -> ArmdynError:
        return error(f"{who}: {message}", argument=argument)

    return made


def checked_number(
    value: object,
    name: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
    infinite: bool = False,
    what: str = "",
    error: Raises = InputError,
) -> float:
    """Return a number as a float.

    Integers and NumPy scalars are numbers; booleans, text and complex numbers are not.

    Args:
        value: value of the argument.
        name: name of the argument.
        least: inclusive lower bound.
        above: exclusive lower bound.
        most: inclusive upper bound.
        below: exclusive upper bound.
        infinite: accept infinity, within the bounds.
        what: description of the expected value in the message; default is the bounds.
        error: makes the error.
    """
    number = _real(value)
    if (
        not (math.isfinite(number) or (infinite and math.isinf(number)))
        or (least is not None and number < least)
        or (above is not None and number <= above)
        or (most is not None and number > most)
        or (below is not None and number >= below)
    ):
        what = what or _bounds_in_words(least, above, most, below)
        if what == FINITE and (isinstance(value, bool) or not isinstance(value, Real)):
            what = "a number"
        raise _wrong(value, name, what, error)
    return number


def checked_positive(value: object, name: str, *, what: str = "a positive number") -> float:
    """Return a number above zero as a float."""
    return checked_number(value, name, above=0.0, what=what)


def checked_whole(
    value: object,
    name: str,
    least: int = 0,
    most: int | None = None,
    *,
    what: str = "",
    error: Raises = InputError,
) -> int:
    """Return an integer within bounds; booleans and floats are refused."""
    number = None if isinstance(value, bool) else _index(value)
    if number is None or number < least or (most is not None and number > most):
        upto = "" if most is None else f" to {most}"
        raise _wrong(value, name, what or f"a whole number from {least}{upto}", error)
    return number


def checked_seed(value: object) -> int:
    """Return the argument `seed` of a random generator."""
    return checked_whole(value, "seed", 0, LARGEST_SEED, what="a whole number from 0, below 2**128")


def checked_flag(value: object, name: str, *, error: Raises = InputError) -> bool:
    """Return a boolean; NumPy booleans are accepted too."""
    if isinstance(value, bool):
        return value
    if _kind(value) != "b" or _ndim(value) or _has_masked(value):
        raise _wrong(value, name, "True or False", error)
    return bool(value)


def checked_choice(
    value: object, name: str, choices: Iterable[str], *, what: str = "", error: Raises | None = None
) -> str:
    """Return one of some names.

    Args:
        value: value of the argument.
        name: name of the argument.
        choices: the accepted names.
        what: description of a choice in the message; default is the name of the argument.
        error: makes the error; default is a `MethodError`, which carries the choices.
    """
    listed = tuple(choices)
    if isinstance(value, str) and value in listed:
        return str(value)
    if error is None:
        raise MethodError(what or name, value, listed, argument=name)
    raise _wrong(value, name, f"one of {', '.join(map(repr, listed))}", error)


# Characters of the name of a joint or robot. Readers of robot files take names of twice this
# length, so that names which writers make of them, such as those of links, can be read back.
LONGEST_NAME = 500


def checked_text(
    value: object,
    name: str,
    *,
    empty: bool = False,
    longest: int | None = None,
    what: str = "",
    error: Raises = InputError,
) -> str:
    """Return a string; an empty one, or one of more than `longest` characters, is refused."""
    if not isinstance(value, str) or not (value or empty):
        raise _wrong(value, name, what or "a string", error)
    if longest is not None and len(value) > longest:
        words = f"`{name}` has {len(value)} characters, expected at most {longest}."
        raise error(words, argument=name)
    return value


def checked_names(
    value: object, name: str, n: int | None = None, *, what: str = "", error: Raises = InputError
) -> tuple[str, ...]:
    """Return distinct names; exactly `n` of them if `n` is given."""
    what = what or ("different names" if n is None else f"{n} different names")
    listed = checked_items(value, name, what=what, error=error)
    texts = [item for item in listed if isinstance(item, str)]
    if len(texts) != len(listed) or len(set(texts)) != len(texts) or n not in (None, len(texts)):
        raise _wrong(value, name, what, error)
    return tuple(texts)


def checked_items(
    value: object, name: str, *, what: str = "a sequence", error: Raises = InputError
) -> tuple[object, ...]:
    """Return the items of a sequence; strings, sets and generators are refused."""
    if not isinstance(value, Sequence) or isinstance(value, str | bytes | bytearray):
        raise _wrong(cast(object, value), name, what, error)
    return tuple(cast("Sequence[object]", value))


def checked_mapping(
    value: object, name: str, *, what: str = "a mapping of names", error: Raises = InputError
) -> dict[str, object]:
    """Return a mapping whose keys are strings, as a dict."""
    if not isinstance(value, Mapping):
        raise _wrong(value, name, what, error)
    items = cast("Mapping[object, object]", value).items()
    if not all(isinstance(key, str) for key, _ in items):
        raise _wrong(cast(object, value), name, what, error)
    return {cast(str, key): item for key, item in items}


def checked_function(value: object, name: str, *, what: str = "a function") -> Callable[..., Any]:
    """Return a function or another callable."""
    if not callable(value):
        raise _wrong(value, name, what, InputError)
    return value


def checked_path(value: object, name: str = "path", *, what: str = "the path of a file") -> Path:
    """Return a path; do not check whether a file exists."""
    text: object = None
    if isinstance(value, str | os.PathLike):
        try:
            text = os.fspath(cast("str | os.PathLike[str]", value))
        except Exception:  # whatever a class of the caller raises
            text = None
    if not isinstance(text, str) or not text or "\0" in text:
        raise _wrong(cast(object, value), name, what, InputError)
    return Path(text)


def checked_array(
    value: object,
    name: str,
    *shapes: tuple[int | str, ...],
    finite: bool = True,
    empty: bool = False,
    frozen: bool = False,
    what: str = "",
    error: Raises = InputError,
) -> Array:
    """Return an array of real numbers as a new, C-ordered array of float64.

    With `frozen`, such an array that is read-only and owns its numbers is returned itself.

    Integers and floats are accepted, in arrays and nested lists. Masked entries, complex numbers,
    times, text, booleans, other objects and lists of unequal length are refused.

    Args:
        value: value of the argument.
        name: name of the argument.
        shapes: the accepted shapes; a string stands for any length, e.g. ``("N", 6)``. Without
            shapes, every shape is accepted.
        finite: refuse non-finite numbers.
        empty: accept length 0 for axes of any length.
        frozen: return a read-only array.
        what: description of the expected array in the message; default is its shape.
        error: makes the error.
    """
    import numpy as np

    what = what or _shapes_in_words(shapes)
    array = real_array(value, name, what, error)
    if shapes and not any(_fits(array.shape, shape, empty) for shape in shapes):
        if not array.ndim:
            raise _wrong(value, name, what, error)
        raise error(f"`{name}` has shape {array.shape}, expected {what}.", argument=name)
    check_memory(8 * array.size, f"`{name}`", name)
    flags = array.flags
    is_shared = frozen and flags.owndata and flags.c_contiguous and not flags.writeable
    with np.errstate(over="ignore"):  # a long double that overflows is refused as infinite
        floats = array.astype(np.float64, order="C", copy=not is_shared)
    if finite and not np.isfinite(floats).all():
        at = tuple(int(k) for k in np.argwhere(~np.isfinite(floats))[0])
        where = f" at index {at[0] if len(at) == 1 else at}" if at else ""
        raise error(
            f"`{name}` has {floats[at]}{where}, which is not finite; expected {what}.",
            argument=name,
        )
    floats.flags.writeable = not frozen
    return floats


def checked_per_joint(
    value: object,
    name: str,
    n: int,
    *,
    least: float | None = None,
    above: float | None = None,
    infinite: bool = False,
) -> Array:
    """Return an array ``(n,)`` of one number per joint, given as one number or as n."""
    import numpy as np

    what = f"{_bounds_in_words(least, above, None, None)} or {n} of them, one a joint"
    array = checked_array(value, name, (), (n,), finite=False, what=what)
    if (
        not (~np.isnan(array) if infinite else np.isfinite(array)).all()
        or (least is not None and (array < least).any())
        or (above is not None and (array <= above).any())
    ):
        raise _wrong(value, name, what, InputError)
    return np.broadcast_to(array, (n,)).copy()


def check_memory(n_bytes: int, what: str, name: str | None = None) -> None:
    """Raise an error if an array would not fit into the memory of this machine.

    Args:
        n_bytes: its size.
        what: description of the array in the message.
        name: name of the argument that requests it.
    """
    if n_bytes > _memory():
        raise InputError(
            f"{what} would take {n_bytes / 2**30:.3g} GB, and this machine has "
            f"{_memory() / 2**30:.3g} GB of memory; give fewer rows at a time.",
            argument=name,
        )


@cache
def _memory() -> int:
    """Return the bytes of memory of this machine; a very large number if it is unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 1 << 46


def _wrong(value: object, name: str, what: str, error: Raises) -> ArmdynError:
    huge = isinstance(value, int) and abs(value) > LARGEST_FLOAT
    given = "an integer beyond the range of floats" if huge else shown(value)
    return error(f"`{name}` is {given}, expected {what}.", argument=name)


def _real(value: object) -> float:
    """Return a real number as a float; NaN if it is not one, or too large for a float."""
    if type(value) is float:
        return value
    if hasattr(value, "dtype"):
        if _kind(value) not in tuple(REAL) or _ndim(value) or _has_masked(value):
            return math.nan
    elif isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(cast(Any, value))
    except Exception:  # an integer that is too large, or whatever a class of the caller raises
        return math.nan


def _index(value: object) -> int | None:
    if hasattr(value, "dtype") and (_kind(value) not in ("i", "u") or _has_masked(value)):
        return None
    try:
        return operator.index(cast(Any, value))
    except Exception:  # a TypeError, or whatever a class of the caller raises
        return None


def _kind(value: object) -> object:
    """Return the dtype kind of an array or NumPy scalar; None for anything else."""
    return getattr(getattr(value, "dtype", None), "kind", None)


def _ndim(value: object) -> object:
    return getattr(value, "ndim", 0)


def _has_masked(value: object) -> bool:
    if not hasattr(value, "mask"):
        return False
    import numpy as np

    return bool(np.ma.is_masked(value))


def real_array(value: object, name: str, what: str, error: Raises) -> NDArray[Any]:
    """Return an array of integers or floats, not copied."""
    import numpy as np

    if (found := _not_real(value)) is not None:
        if isinstance(value, str | bytes | bool | complex):
            raise _wrong(value, name, what, error)
        raise error(f"`{name}` has {found}, expected {what}.", argument=name)
    try:
        array = np.asarray(cast(Any, value))
        if array.dtype.kind == "O" and array.ndim:  # integers beyond 64 bits, perhaps
            flat = [_real(x) for x in array.ravel()]
            if not any(map(math.isnan, flat)):
                array = np.array(flat).reshape(array.shape)
    except Exception:  # lists of unequal length, or whatever a class of the caller raises
        raise _wrong(value, name, what, error) from None
    if array.dtype.kind not in REAL:
        raise _wrong(value, name, what, error)
    return array


def _not_real(value: object) -> str | None:
    """Return a description of entries that NumPy would silently convert to numbers, if any."""
    if _has_masked(value):
        return "masked entries (drop or mend them first)"
    if isinstance(value, list | tuple):
        for item in cast("Sequence[object]", value):
            if type(item) is float or type(item) is int:
                continue
            if (found := _not_real(item)) is not None:
                return found
        return None
    if isinstance(value, bool) or _kind(value) == "b":
        return "truth values"
    if isinstance(value, complex) or _kind(value) == "c":
        return "complex numbers"
    if _kind(value) in ("M", "m"):
        return "dates or durations (convert them to seconds first)"
    return "text" if isinstance(value, str | bytes) or _kind(value) in ("U", "S") else None


def _fits(shape: tuple[int, ...], wanted: tuple[int | str, ...], empty: bool) -> bool:
    return len(shape) == len(wanted) and all(
        length == want if isinstance(want, int) else length > 0 or empty
        for length, want in zip(shape, wanted, strict=True)
    )


def _shapes_in_words(shapes: Sequence[tuple[int | str, ...]]) -> str:
    if not shapes:
        return "an array of real numbers"
    listed = [f"({', '.join(map(str, s))}{',' if len(s) == 1 else ''})" for s in shapes]
    return f"real numbers of shape {' or '.join(listed)}"


def _bounds_in_words(
    least: float | None, above: float | None, most: float | None, below: float | None
) -> str:
    if above == 0.0 and most is None and below is None:
        return "a positive number"
    words = FINITE if (least, above, most, below) == (None,) * 4 else "a number"
    if least is not None:
        words += f" from {least:g}"
    if above is not None:
        words += f" above {above:g}"
    if most is not None:
        words += f" to {most:g}" if least is not None else f" up to {most:g}"
    if below is not None:
        words += f" to below {below:g}" if least is not None else f" below {below:g}"
    return words
