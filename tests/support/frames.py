"""The Python frames of a call."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def frames_of(call: Callable[..., Any]) -> list[str]:
    """Return the Python functions that run in a call, without those of garbage collection."""
    seen: list[str] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen.append(frame.f_code.co_name)

    was_on = gc.isenabled()
    gc.disable()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(None)
        if was_on:
            gc.enable()
    return seen
