"""A cache that fails is one that misses: full disks, missing rights, systems that offer less."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from armdyn import writing as _temporary
from armdyn.kernel.cache import Cache
from support.cache import (
    DATA,
    KEY,
    OTHER,
    age,
    check_refused,
    entry_file,
    isolate,
    kept,
    names,
    numbered,
    posix,
)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path / "cache")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def failing(number: int):
    def fail(*_: object, **__: object):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize("call", ["lstat", "open", "replace", "scandir", "unlink", "utime"])
@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS, errno.EIO, errno.ENOENT])
def test_trouble_with_any_call_is_a_miss_at_worst(
    cache: Cache, monkeypatch, call: str, number: int
) -> None:
    cache.put(KEY, DATA)
    original = getattr(os, call)
    fail = failing(number)
    for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        if original in supported:
            supported.add(fail)
    monkeypatch.setattr(os, call, fail)
    assert cache.get(KEY) in (DATA, None)
    cache.put(OTHER, DATA)
    assert cache.get(OTHER) in (DATA, None)
    cache.entries()
    monkeypatch.undo()
    for supported in (os.supports_dir_fd, os.supports_fd, os.supports_follow_symlinks):
        supported.discard(fail)
    assert Cache(cache.folder).get(KEY) == DATA  # trouble with reading removes nothing


class FullDisk:
    """A file that takes some bytes and then no more."""

    def __init__(self, file, when: str) -> None:
        self.file, self.when = file, when

    def writelines(self, parts) -> None:
        self.file.write(b"".join(parts)[:100])
        self.fail("writing")

    def flush(self) -> None:
        self.file.flush()
        self.fail("flushing")

    def fail(self, when: str) -> None:
        if self.when == when:
            raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("when", ["writing", "flushing"])
def test_a_full_disk_leaves_the_old_entry_and_no_half_one(
    cache: Cache, monkeypatch, when: str
) -> None:
    cache.put(KEY, DATA)
    original = _temporary.Temporary.__init__

    def full(self, path: str, file, descriptor: int | None) -> None:
        original(self, path, FullDisk(file, when), descriptor)

    monkeypatch.setattr(_temporary.Temporary, "__init__", full)
    cache.put(KEY, b"newer")
    cache.put(OTHER, DATA)
    assert names(cache) == [f"{KEY}.o"]
    assert cache.get(KEY) == DATA


def test_an_interrupted_write_leaves_nothing(cache: Cache, monkeypatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    cache.put(OTHER, DATA)
    monkeypatch.setattr(_temporary.Temporary, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        cache.put(KEY, DATA)
    assert names(cache) == [f"{OTHER}.o"]


def test_a_folder_that_vanishes_is_a_miss_and_is_made_again(cache: Cache) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).unlink()
    cache.folder.rmdir()
    assert cache.get(KEY) is None
    cache.put(KEY, DATA)
    assert cache.get(KEY) == DATA


def test_a_folder_that_cannot_be_made_is_a_miss(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    for cache in (Cache(tmp_path / "file" / "armdyn"), Cache(tmp_path / ("x" * 300))):
        cache.put(KEY, DATA)
        assert cache.get(KEY) is None and cache.entries() == []


@posix
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_a_read_only_folder_is_read_from(cache: Cache) -> None:
    cache.put(KEY, DATA)
    cache.folder.chmod(0o500)
    try:
        cache.put(OTHER, DATA)
        assert cache.get(KEY) == DATA and cache.get(OTHER) is None
    finally:
        cache.folder.chmod(0o700)


def test_no_descriptor_is_left_open(cache: Cache) -> None:
    listing = Path("/proc/self/fd")
    if not listing.is_dir():
        pytest.skip("needs /proc")
    cache.put(KEY, DATA)
    before = len(list(listing.iterdir()))
    for _ in range(20):
        cache.put(KEY, DATA)
        cache.get(KEY)
        cache.get(OTHER)
        entry_file(cache).write_bytes(b"")
        cache.get(KEY)
        cache.entries()
    assert len(list(listing.iterdir())) == before


@pytest.fixture
def bare_system(monkeypatch) -> None:
    for name in ("geteuid", "O_NOFOLLOW", "O_NONBLOCK", "O_DIRECTORY"):
        monkeypatch.delattr(os, name, raising=False)
    for name in ("supports_dir_fd", "supports_fd", "supports_follow_symlinks"):
        monkeypatch.setattr(os, name, {os.stat} if name == "supports_follow_symlinks" else set())


def test_a_bare_system_keeps_bounds_and_clears(cache: Cache, bare_system: None) -> None:
    cache.max_entries = 2
    for k in range(3):
        cache.put(numbered(k), DATA)
        age(cache, numbered(k), 100 - k)
    assert kept(cache) == {1, 2}
    assert cache.get(numbered(1)) == DATA
    assert [entry.key for entry in cache.entries()] == [numbered(2), numbered(1)]
    entry_file(cache, numbered(2)).write_bytes(b"spoiled")
    assert cache.get(numbered(2)) is None
    assert cache.clear() == 1
    assert names(cache) == []


@posix
def test_a_bare_system_follows_no_links_either(
    cache: Cache, tmp_path: Path, bare_system: None
) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).rename(tmp_path / "elsewhere.o")
    entry_file(cache).symlink_to(tmp_path / "elsewhere.o")
    assert cache.get(KEY) is None
    (tmp_path / "link").symlink_to(cache.folder)
    check_refused(Cache(tmp_path / "link"), "is a symbolic link")
