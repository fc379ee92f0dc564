"""How strictly a description is read: the checks that can be waived, and what becomes of faults."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from armdyn.checks import Raises, checked_choice, checked_flag, checked_names
from armdyn.errors import InputError, RobotWarning

# The checks that can be waived by name, for all formats.
WAIVABLE: dict[str, str] = {
    "triangle": "the triangle inequality of principal moments of inertia",
    "limits": "limits of position, velocity and effort",
}


@dataclass(frozen=True)
class PhysicalFault:
    """What is wrong with a description, and the name of the check in `WAIVABLE`, if it has one."""

    text: str
    check: str | None = None


@dataclass(frozen=True)
class Leniency:
    """Which faults of a description are accepted with a warning.

    Attributes:
        strict: False accepts all of them.
        waive: names of checks in `WAIVABLE` whose faults are accepted.
    """

    strict: bool = True
    waive: tuple[str, ...] = ()

    def accepts(self, check: str | None) -> bool:
        """Whether the faults of a check are accepted."""
        return not self.strict or check in self.waive

    def judge(
        self,
        faults: Iterable[PhysicalFault],
        error: Callable[[str], Exception],
        *,
        about: str = "",
        stacklevel: int = 2,
    ) -> bool:
        """Raise an error for faults that are not accepted, warn of the others.

        Args:
            faults: all faults of a description.
            error: makes the error from its message.
            about: the beginning of the message.
            stacklevel: of the warning.

        Returns:
            Whether there were faults.
        """
        found = list(faults)
        refused = [fault for fault in found if not self.accepts(fault.check)]
        if refused:
            text = "; ".join(fault.text for fault in refused)
            raise error(f"{about}{text}. {_advice(refused)}")
        if found:
            text = "; ".join(fault.text for fault in found)
            warnings.warn(
                f"{about}{text}: used all the same, as asked for.",
                RobotWarning,
                stacklevel=stacklevel + 1,
            )
        return bool(found)


STRICT = Leniency()


def checked_leniency(strict: object, waive: object, *, error: Raises = InputError) -> Leniency:
    """Return the two arguments, checked."""
    names = checked_names(
        (waive,) if isinstance(waive, str) else waive, "waive",
        what=f"names of checks: {', '.join(map(repr, WAIVABLE))}", error=error,
    )  # fmt: skip
    for name in names:
        checked_choice(name, "waive", WAIVABLE, error=error)
    return Leniency(checked_flag(strict, "strict", error=error), names)


def _advice(refused: list[PhysicalFault]) -> str:
    said = "Correct it, or pass strict=False to use it all the same"
    checks = list(dict.fromkeys(fault.check for fault in refused))
    if None in checks:
        return f"{said}."
    listed = ", ".join(f'"{check}"' for check in checks) + "," * (len(checks) == 1)
    return f"{said}; waive=({listed}) waives nothing else."
