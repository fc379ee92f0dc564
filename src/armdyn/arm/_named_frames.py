"""Frames of a robot's file by their names: the chain whose tip they are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from armdyn.robot import IDENTITY, Chain, NamedFrame

# Names that a message lists.
MOST_LISTED = 12


def at_frame(chain: Chain, frame: NamedFrame) -> Chain:
    """Return a chain whose tip is the frame."""
    base = chain.base if frame.link else IDENTITY  # frames of the base are given in its frame
    return replace(chain, base=base, tool=frame.placement, carrier=frame.link)


def frame_in_words(given: object, names: Sequence[str], n: int) -> str:
    """Return what a frame may be, for a message; names near a wrong one come first."""
    import difflib

    near = difflib.get_close_matches(given, names, n=3) if isinstance(given, str) else []
    listed = ", ".join(near or names[:MOST_LISTED])
    if near:
        listed = f"a frame such as {listed}"
    elif len(names) > MOST_LISTED:
        listed = f"a frame ({listed} and {len(names) - MOST_LISTED} more)"
    else:
        listed = f"a joint or frame ({listed})"
    return f"'tip', {listed} or a number from 0 to {n}"
