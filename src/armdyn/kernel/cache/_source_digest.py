"""Digests of armdyn's own modules: cached results are valid while the digests stay the same."""

from __future__ import annotations

import hashlib
import marshal
import secrets
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path

SUFFIXES = (".py", ".pyc")


@lru_cache(maxsize=16)
def source_digest(package: str, modules: tuple[str, ...] | None = None) -> str:
    """Return a digest of the source of modules.

    The source is read without importing the modules.

    Args:
        package: the package that contains them.
        modules: their names, dotted if they are in subpackages; default is all modules of the
            package without its subpackages.
    """
    digest = hashlib.sha256()
    for name in modules or _modules_of(package):
        content = _content(package, name)
        digest.update(f"{package}/{name}/{len(content)}/".encode() + content)
    return digest.hexdigest()


def _folder(package: str) -> Path:
    """Return the folder of a package, if the top package is in a folder."""
    top, *inner = package.split(".")
    return Path(import_module(top).__file__ or "").parent.joinpath(*inner)


def _modules_of(package: str) -> list[str]:
    with suppress(OSError):
        found = {file.stem for file in _folder(package).iterdir() if file.suffix in SUFFIXES}
        return ["__init__", *sorted(found - {"__init__"})]
    from pkgutil import iter_modules

    listed = iter_modules(import_module(package).__path__)
    return ["__init__", *sorted(module.name for module in listed if not module.ispkg)]


def _content(package: str, name: str) -> bytes:
    """Return the source of a module, or its compiled code if the source is not installed."""
    path = _folder(package) / name.replace(".", "/")
    for suffix in SUFFIXES:
        with suppress(OSError):
            return path.with_name(path.name + suffix).read_bytes()
    from importlib.util import find_spec

    full = package if name == "__init__" else f"{package}.{name}"
    spec = find_spec(full)
    get_code = getattr(spec.loader, "get_code", None) if spec else None
    code = get_code(full) if get_code else None
    # Without source and code, versions cannot be distinguished: no cached result is used.
    return marshal.dumps(code) if code is not None else secrets.token_bytes(16)
