"""Distributions beside armdyn that add to it where they are installed.

armdyn imports none of them by itself: each is found here, by name, when it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

from armdyn.errors import MissingExtraError


class Companion(NamedTuple):
    """A distribution, its package, and the folder of armdyn's repository that has it."""

    distribution: str
    package: str
    folder: str

    @property
    def is_installed(self) -> bool:
        """Whether the package can be imported."""
        return find_spec(self.package) is not None

    def module(self, name: str, why: str) -> ModuleType:
        """Import a module of the package.

        Args:
            name: the module, relative to the package.
            why: what needs it, for the message.

        Raises:
            MissingExtraError: the distribution is not installed.
        """
        if not self.is_installed:
            raise MissingExtraError(
                self.distribution,
                self.folder,
                why,
                f"pip install {self.distribution} (from a clone of armdyn: "
                f"pip install ./{self.folder})",
            )
        return import_module(f"{self.package}.{name}")


PAPERS = Companion("armdyn-papers", "armdyn_papers", "papers")
"""The papers that armdyn follows: printed recursions, tables, claims, studies, errata."""
