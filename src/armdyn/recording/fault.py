"""A fault of a recording, and a row of the table of checks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armdyn.recording.recording import Recording


@dataclass(frozen=True)
class Fault:
    """Something wrong with a recording, or worth knowing about it.

    Attributes:
        kind: of the fault: the name of its check, such as "gap" or "torque sign".
        what: a sentence on what is wrong, with its numbers.
        joints: numbers of the joints that it concerns, from 1; empty if it concerns all.
        option: the option of the command line, or the action, that mends it; may be empty.
        spans: where it is: start and end times [s], at most a few dozen.
        is_remark: it does not make the recording unusable or misleading.

    Examples:
        >>> t = np.arange(400) / 100
        >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])), tau=np.ones((400, 2)))
        >>> fault = armdyn.check_log(log, None).faults[0]
        >>> fault.kind, fault.joints
        ('constant torque', (1, 2))
    """

    kind: str
    what: str
    joints: tuple[int, ...] = ()
    option: str = ""
    spans: tuple[tuple[float, float], ...] = ()
    is_remark: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fault as plain data for JSON.

        Returns:
            Numbers and strings by their names.

        Examples:
            >>> t = np.arange(400) / 100
            >>> log = armdyn.Log(t, np.sin(np.outer(t, [1.0, 2.0])), tau=np.ones((400, 2)))
            >>> armdyn.check_log(log, None).faults[0].to_dict()["joints"]
            [1, 2]
        """
        return {
            "kind": self.kind,
            "what": self.what,
            "joints": list(self.joints),
            "option": self.option,
            "spans": [list(span) for span in self.spans],
        }


@dataclass(frozen=True)
class Finding:
    """What a check finds: a `Fault` without its kind, with joints from 0."""

    what: str
    joints: tuple[int, ...] = ()
    option: str = ""
    spans: tuple[tuple[float, float], ...] = ()
    is_remark: bool = False

    def fault(self, kind: str) -> Fault:
        """Return the fault of a kind."""
        joints = tuple(j + 1 for j in self.joints)
        return Fault(kind, self.what, joints, self.option, self.spans, self.is_remark)


@dataclass(frozen=True)
class Check:
    """A row of the table of checks.

    Attributes:
        kind: of the faults that it finds.
        find: returns what is wrong with a recording.
        words: what is checked.
        after: kinds of faults that make this check meaningless: it is left out if one was found.
    """

    kind: str
    find: Callable[[Recording], Iterable[Finding]]
    words: str
    after: tuple[str, ...] = ()
