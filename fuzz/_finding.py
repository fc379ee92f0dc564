"""What a case may find, and when a refusal is one."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from armdyn.errors import ArmdynError


class Finding(AssertionError):
    """A result is wrong."""


def check(right: object, what: str) -> None:
    """Raise a finding if something is not right."""
    if not right:
        raise Finding(what)


@contextmanager
def must(what: str) -> Generator[None]:
    """Turn a refusal into a finding: nothing here may be refused."""
    try:
        yield
    except ArmdynError as error:
        raise Finding(f"{what}: {type(error).__name__}: {error}") from error
