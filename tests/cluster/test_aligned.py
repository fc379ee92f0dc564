"""Arrays of messages lie at any byte; results must not depend on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from armdyn.cluster import aligned


def shifted(x: np.ndarray, order: str = "C") -> np.ndarray:
    """A copy of an array whose numbers begin one byte after where they should."""
    room = np.empty(x.nbytes + 9, np.uint8)
    start = (-room.ctypes.data) % 8 + 1
    made = np.ndarray(x.shape, x.dtype, room, start, order=order)
    made[...] = x
    assert not made.flags.aligned
    return made


class Pair(NamedTuple):
    a: np.ndarray
    b: np.ndarray


@dataclass(frozen=True)
class Held:
    x: np.ndarray
    words: str


def test_arrays_are_aligned_wherever_they_are() -> None:
    x = np.random.default_rng(0).normal(size=(7, 5))
    held, other = Held(shifted(x), "a"), Held(x, "b")
    value = [{"x": shifted(x)}, (Pair(shifted(x), x), held, other), "words", 3]
    made = aligned(value)
    arrays = [made[0]["x"], made[1][0].a, made[1][0].b, made[1][1].x]
    assert all(y.flags.aligned and np.array_equal(y, x) for y in arrays)
    assert made[1][0].b is x and made[1][2].x is x and made[2:] == ["words", 3]


def test_products_have_the_bits_of_arrays_that_were_never_sent() -> None:
    rng = np.random.default_rng(1)
    x = np.asfortranarray(rng.normal(size=(97, 290)))
    v = rng.normal(size=60)
    sent = aligned(shifted(x, "F"))
    assert sent.strides == x.strides
    assert np.array_equal(sent[:, 50:110] @ v, x[:, 50:110] @ v)
