"""Every error that armdyn raises on purpose, as one tree.

ArmdynError
├── RobotError          the description of a robot is wrong (also a ValueError)
├── InputError          an argument of a call is wrong (also a ValueError); carries ``argument``
│   └── MethodError     the requested quantity, method or option is unknown; carries ``choices``
├── FileError           a file cannot be read or written (also a ValueError); carries ``path``
│   ├── RobotFileError  ... as a robot: its content is wrong; also a RobotError
│   └── LogError        ... as a log of an arm; carries ``line``; also an InputError
├── NumericalError      an answer is not a finite number (also an ArithmeticError)
│   └── UnreachedError  ... or not found: no joint positions reach a pose; carries the nearest
├── MissingExtraError   an optional package is not installed; carries ``extra``
└── GraphError          a traced program is invalid: a bug of armdyn

Every error has ``argument``: the Python name of the wrong argument; None if the error is not about
one argument.

Warnings: RobotWarning, for a suspect description that ``strict=False`` accepts, and for a bundled
arm that is known to be wrong; CacheWarning, if the cache on disk cannot be used as requested;
LogWarning, for a log that was read although a part of it is lost or suspect; SettingWarning, for an
environment variable whose name or value is outdated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

# Maximum length of a wrong value in a message.
LONGEST_SHOWN = 80


def shown(value: object) -> str:
    """Return any value as messages show it: on one line, truncated if it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # an integer of thousands of digits, or a class with a broken __repr__
        text = f"<{type(value).__name__}>"
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


class ArmdynError(Exception):
    """Base of every error that armdyn raises on purpose.

    Attributes:
        argument: the name of the wrong argument; None if the error is not about one argument.
    """

    argument: str | None = None

    def __init__(self, *args: object, argument: str | None = None) -> None:
        super().__init__(*args)
        if argument is not None:
            self.argument = argument

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle message and attributes, so that errors can pass between processes."""
        return (_rebuilt, (type(self), self.args, self.__dict__))


def _rebuilt(
    kind: type[ArmdynError], args: tuple[object, ...], attributes: dict[str, object]
) -> ArmdynError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(attributes)
    return error


class RobotError(ArmdynError, ValueError):
    """The description of a robot is wrong: no possible robot has it."""


class InputError(ArmdynError, ValueError):
    """An argument of a call is wrong: its shape, its values or its name."""


class MethodError(InputError):
    """The requested method, quantity or option does not exist; ``choices`` lists the valid ones."""

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
    """A file does not hold the log of an arm; ``path`` and, for text, ``line`` say where.

    ``columns`` are those that `Log.read` may read it with, as the message says; empty if unknown.
    """

    def __init__(
        self,
        path: str | Path,
        message: str,
        line: int | None = None,
        *,
        columns: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(path, message)
        self.columns = dict(columns or {})
        if line is not None:
            self.args = (f"{path}, line {line}: {message}",)
        self.line = line


class NumericalError(ArmdynError, ArithmeticError):
    """An answer is not a finite number: the mass matrix is singular, or a state is too large."""


class UnreachedError(NumericalError):
    """No joint positions were found that reach a pose.

    ``q`` are the nearest ones; the pose is ``position`` [m] and ``rotation`` [rad] away.
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
    """An optional package is needed; ``extra`` installs it, or the command ``install``."""

    def __init__(self, package: str, extra: str, why: str, install: str | None = None) -> None:
        self.extra = extra
        self.install = install or f"pip install 'armdyn[{extra}]'"
        super().__init__(
            f"{why} needs the package {package!r}, which is not installed: {self.install}."
        )


class GraphError(ArmdynError):
    """A traced program is invalid. This is a bug of armdyn: please report it."""


class SettingWarning(UserWarning):
    """An environment variable has a name or a value that armdyn no longer uses."""


class RobotWarning(UserWarning):
    """A robot was accepted although something about it is suspect."""


class CacheWarning(UserWarning):
    """Compiled functions are not cached on disk as requested; results are not affected."""


class LogWarning(UserWarning):
    """A log was read although a part of it was lost or something about it is suspect."""
