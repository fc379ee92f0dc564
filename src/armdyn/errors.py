"""Every error that armdyn raises on purpose, as one tree.

ArmdynError
├── RobotError          the description of a robot is wrong (also a ValueError)
├── InputError          an argument of a call is wrong (also a ValueError); carries ``argument``
│   └── MethodError     the quantity, method or option asked for does not exist; carries ``choices``
├── FileError           a file cannot be read or written (also a ValueError); carries ``path``
│   ├── RobotFileError  ... as a robot: what it says is wrong; also a RobotError
│   └── LogError        ... as a log of an arm; carries ``line``; also an InputError
├── NumericalError      an answer is not a finite number (also an ArithmeticError)
│   └── UnreachedError  ... or not found: no joint positions have a pose; says how near it got
├── MissingExtraError   an optional package is not installed; carries ``extra``
└── GraphError          a traced program breaks the law of the graph: a bug of armdyn

Every error has ``argument``: the name of the argument that is wrong, as Python calls it; None if
the error is not about one argument.

RobotWarning is the warning of a description that is suspect but was asked for with
``strict=False``; CacheWarning that of a cache on disk that cannot be used as asked for;
LogWarning that of a log that was read although a part of it was lost or is suspect; SettingWarning
that of an environment variable whose name or value is out of date.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

# How much of a wrong value a message shows.
LONGEST_SHOWN = 80


def shown(value: object) -> str:
    """Return a value as messages show it: on one line, cut where it is long, whatever it is."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, or a class with a broken __repr__
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


class ArmdynError(Exception):
    """Base of every error that armdyn raises on purpose.

    Attributes:
        argument: the name of the argument that is wrong; None if the error is not about one.
    """

    argument: str | None = None

    def __init__(self, *args: object, argument: str | None = None) -> None:
        super().__init__(*args)
        if argument is not None:
            self.argument = argument

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by message and attributes, so that errors travel between processes."""
        return (_rebuilt, (type(self), self.args, self.__dict__))


def _rebuilt(
    kind: type[ArmdynError], args: tuple[object, ...], attributes: dict[str, object]
) -> ArmdynError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class RobotError(ArmdynError, ValueError):
    """The description of a robot is not one of a possible robot."""


class InputError(ArmdynError, ValueError):
    """An argument of a call is wrong: its shape, its values or its name."""


class MethodError(InputError):
    """The method, quantity or option asked for does not exist; ``choices`` are those that do."""

    def __init__(
        self, what: str, given: object, choices: Iterable[str], *, argument: str | None = None
    ) -> None:
        self.choices = tuple(choices)
        super().__init__(
            f"there is no {what} {shown(given)}; choose one of: {', '.join(self.choices)}.",
            argument=argument,
        )


class FileError(ArmdynError, ValueError):
    """A file cannot be read or written; ``path`` says which."""

    def __init__(self, path: str | Path, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = Path(path)


class RobotFileError(FileError, RobotError):
    """A file does not describe a robot; ``path`` says which."""


class LogError(FileError, InputError):
    """A file does not hold the log of an arm; ``path`` and, for text, ``line`` say where."""

    def __init__(self, path: str | Path, message: str, line: int | None = None) -> None:
        super().__init__(path, message)
        if line is not None:
            self.args = (f"{path}, line {line}: {message}",)
        self.line = line


class NumericalError(ArmdynError, ArithmeticError):
    """An answer is not a finite number: the mass matrix is singular, or a state is too large."""


class UnreachedError(NumericalError):
    """No joint positions were found that have a pose.

    ``q`` are those that come nearest; the pose is ``position`` [m] and ``rotation`` [rad] away.
    """

    def __init__(
        self, starts: int, q: Iterable[float], position: float, rotation: float, where: str = ""
    ) -> None:
        self.starts = starts
        self.q = tuple(float(x) for x in q)
        self.position, self.rotation = position, rotation
        values = ", ".join(f"{x:.6g}" for x in self.q)
        super().__init__(
            f"the pose{where} was not reached within the joint limits from {starts} start"
            f"{'s' if starts != 1 else ''}: the nearest is {position:.3g} m and {rotation:.3g} rad "
            f"away, at q = [{values}]."
        )


class MissingExtraError(ArmdynError, ImportError):
    """An optional package is needed; ``extra`` installs it."""

    def __init__(self, package: str, extra: str, why: str) -> None:
        self.extra = extra
        super().__init__(
            f"{why} needs the package {package!r}, which is not installed: "
            f"pip install 'armdyn[{extra}]'."
        )


class GraphError(ArmdynError):
    """A traced program breaks the law of the graph. This is a bug of armdyn: please report it."""


class SettingWarning(UserWarning):
    """An environment variable is set by a name or to a value that armdyn no longer uses."""


class RobotWarning(UserWarning):
    """A robot was accepted although something about it is suspect."""


class CacheWarning(UserWarning):
    """Compiled functions are not kept on disk as asked for; answers are not affected."""


class LogWarning(UserWarning):
    """A log was read although a part of it was lost or something about it is suspect."""
