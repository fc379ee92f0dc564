"""What the tests of the cache share: a cache of their own, its files and their form."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from armdyn.errors import ArmdynError, CacheWarning
from armdyn.kernel import cache as _cache
from armdyn.kernel.cache import FORMAT, MAGIC, Cache, key

KEY = key("panda", "mass_matrix")
OTHER = key("panda", "bias")
DATA = bytes(range(256)) * 100

posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="owners and modes are POSIX's")


def isolate(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let no test see the user's cache, or what another test was warned of."""
    monkeypatch.setattr(_cache, "_warned", set())
    monkeypatch.setenv("ARMDYN_CACHE", str(folder))
    monkeypatch.delenv("ARMDYN_CACHE_SIZE", raising=False)


def entry_file(cache: Cache, key: str = KEY) -> Path:
    return cache.folder / f"{key}.o"


def sealed(key: str, data: bytes, magic: bytes = MAGIC, format: int = FORMAT) -> bytes:
    """Return a file of the documented form, made here independently of the writer."""
    head = magic + format.to_bytes(4, "big") + bytes.fromhex(key) + len(data).to_bytes(8, "big")
    return head + hashlib.sha256(head + data).digest() + data


def names(cache: Cache) -> list[str]:
    return sorted(path.name for path in cache.folder.iterdir())


def age(cache: Cache, key: str, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(entry_file(cache, key), (then, then))


def numbered(k: int) -> str:
    return key("numbered", str(k))


def kept(cache: Cache) -> set[int]:
    there = {entry.key for entry in cache.entries()}
    return {k for k in range(100) if numbered(k) in there}


def check_refused(cache: Cache, why: str) -> None:
    """Check that a folder is not used, for this reason, and that this is said once."""
    with pytest.warns(CacheWarning) as caught:
        assert cache.get(KEY) is None
        assert cache.get(OTHER) is None
        cache.put(KEY, DATA)
        assert cache.entries() == []
    assert len(caught) == 1
    sentence = str(caught[0].message)
    assert sentence.startswith(f"{cache.folder} {why}, ")
    assert "ARMDYN_CACHE" in sentence
    assert cache.fault() == sentence
    with pytest.raises(ArmdynError, match=why):
        cache.clear()
