"""Digests of our own modules: what is kept on disk is of use as long as they are the same."""

from __future__ import annotations

import hashlib
import marshal
import secrets
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pkgutil import iter_modules


@lru_cache(maxsize=16)
def source_digest(package: str, modules: tuple[str, ...] | None = None) -> str:
    """Return a digest of the text of modules, which decides what they do.

    Args:
        package: where they are.
        modules: their names, dotted where they are in subpackages; default is all of the package
            without its subpackages.
    """
    digest = hashlib.sha256()
    for name in modules or _modules_of(package):
        content = _content(package, name)
        digest.update(f"{package}/{name}/{len(content)}/".encode() + content)
    return digest.hexdigest()


def _modules_of(package: str) -> list[str]:
    found = iter_modules(import_module(package).__path__)
    return ["__init__", *sorted(module.name for module in found if not module.ispkg)]


def _content(package: str, name: str) -> bytes:
    """Return the text of a module, or what Python made of it where nothing else is installed."""
    for suffix in (".py", ".pyc"):
        with suppress(OSError):
            return files(package).joinpath(f"{name.replace('.', '/')}{suffix}").read_bytes()
    full = package if name == "__init__" else f"{package}.{name}"
    spec = find_spec(full)
    get_code = getattr(spec.loader, "get_code", None) if spec else None
    code = get_code(full) if get_code else None
    # Of what cannot be told from its next version nothing that was kept is used.
    return marshal.dumps(code) if code is not None else secrets.token_bytes(16)
