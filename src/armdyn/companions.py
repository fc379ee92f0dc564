"""Code beside armdyn that adds to it where it is: distributions, and folders of its repository.

armdyn never imports it: each package is found here, by name, when a verb asks for it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import armdyn
from armdyn.errors import ArmdynError, MissingExtraError


class Companion(NamedTuple):
    """A package that may be installed, or a folder of the clone that armdyn is installed from.

    Attributes:
        folder: of armdyn's repository that has it.
        verbs: the module of its verbs, relative to the package or the folder.
        package: None for modules in the folder itself.
    """

    folder: str
    verbs: str
    package: str | None = None

    @property
    def is_installed(self) -> bool:
        """Whether its modules can be imported."""
        if self.package is not None:
            return find_spec(self.package) is not None
        return _source().name == "src" and (self._place / f"{self.verbs}.py").is_file()

    def module(self, name: str, why: str) -> ModuleType:
        """Import a module.

        Args:
            name: the module, relative to the package or the folder.
            why: what needs it, for the message.

        Raises:
            MissingExtraError: the package is not installed.
            ArmdynError: armdyn is not installed from a clone that has the folder.
        """
        if not self.is_installed:
            raise self._missing(why)
        if self.package is not None:
            return import_module(f"{self.package}.{name}")
        if str(self._place) not in sys.path:
            sys.path.insert(0, str(self._place))
        return import_module(name)

    @property
    def _place(self) -> Path:
        return _source().parent / self.folder

    def _missing(self, why: str) -> ArmdynError:
        if self.package is None:
            return ArmdynError(
                f"the {self.folder} are in the repository of armdyn and not in the installed "
                f"package: clone the repository and run there: make {self.verbs}"
            )
        distribution = self.package.replace("_", "-")
        install = (
            f"pip install {distribution} (from a clone of armdyn: pip install ./{self.folder})"
        )
        return MissingExtraError(distribution, self.folder, why, install)


def _source() -> Path:
    """Return the folder that armdyn is in: `src` of a clone, or another one."""
    return Path(armdyn.__file__).resolve().parents[1]


# The papers that armdyn follows: printed recursions, tables, claims, studies, errata.
PAPERS = Companion("papers", "app", package="armdyn_papers")

# Timings beside other libraries.
BENCHMARKS = Companion("benchmarks", "bench")
