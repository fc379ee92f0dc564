"""Object code on disk is code that will run: entries and folders that are not believed."""

from __future__ import annotations

import hashlib
import os
import signal
from pathlib import Path

import pytest

from armdyn.kernel import cache as _cache
from armdyn.kernel.cache import FORMAT, HEAD, OVERHEAD, Cache
from support.cache import (
    DATA,
    KEY,
    OTHER,
    check_refused,
    entry_file,
    isolate,
    names,
    posix,
    sealed,
)


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path / "cache")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


WHOLE = sealed(KEY, DATA)
UNSOUND = {
    "empty": b"",
    "head cut": WHOLE[: OVERHEAD - 1],
    "data cut": WHOLE[:-1],
    "data missing": WHOLE[:OVERHEAD],
    "something appended": WHOLE + b"\0",
    "zeros, as after a crash": bytes(len(WHOLE)),
    "tail of zeros": WHOLE[:4096] + bytes(len(WHOLE) - 4096),
    "first bit of the data flipped": WHOLE[:OVERHEAD] + b"\x01" + WHOLE[OVERHEAD + 1 :],
    "digest flipped": WHOLE[: OVERHEAD - 1] + bytes([WHOLE[OVERHEAD - 1] ^ 1]) + DATA,
    "other key": sealed(OTHER, DATA),
    "other magic": sealed(KEY, DATA, magic=b"another object\n\0"),
    "other format": sealed(KEY, DATA, format=FORMAT + 1),
    "no header": DATA,
    "digest of the data alone": WHOLE[: HEAD.size] + hashlib.sha256(DATA).digest() + DATA,
}


@pytest.mark.parametrize("content", UNSOUND.values(), ids=UNSOUND)
def test_an_unsound_entry_is_never_returned_and_goes(cache: Cache, content: bytes) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).write_bytes(content)
    assert cache.get(KEY) is None
    assert not entry_file(cache).exists()
    cache.put(KEY, DATA)
    assert cache.get(KEY) == DATA


def test_every_byte_of_the_file_is_checked(cache: Cache) -> None:
    cache.put(KEY, b"code")
    whole = entry_file(cache).read_bytes()
    for k in range(len(whole)):
        entry_file(cache).write_bytes(whole[:k] + bytes([whole[k] ^ 0x10]) + whole[k + 1 :])
        assert cache.get(KEY) is None, k


def test_an_entry_renamed_to_another_key_is_never_returned(cache: Cache) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).rename(entry_file(cache, OTHER))
    assert cache.get(OTHER) is None
    assert names(cache) == []


def test_a_file_larger_than_the_cache_is_not_read(cache: Cache) -> None:
    cache.put(KEY, DATA)
    os.truncate(entry_file(cache), 2**40)  # a hole: takes no room
    assert cache.get(KEY) is None
    assert names(cache) == []


@posix
@pytest.mark.parametrize("dangling", [False, True])
def test_a_link_in_place_of_an_entry_goes_and_where_it_leads_stays(
    cache: Cache, tmp_path: Path, dangling: bool
) -> None:
    cache.put(KEY, DATA)
    elsewhere = tmp_path / "elsewhere.o"
    entry_file(cache).rename(elsewhere)
    entry_file(cache).symlink_to(tmp_path / "nowhere" if dangling else elsewhere)
    assert cache.entries() == []
    assert cache.get(KEY) is None
    assert not entry_file(cache).is_symlink()
    assert elsewhere.read_bytes() == WHOLE


@posix
def test_a_link_put_in_place_after_the_first_look_is_not_followed(
    cache: Cache, tmp_path: Path, monkeypatch
) -> None:
    cache.put(KEY, DATA)
    elsewhere = tmp_path / "elsewhere.o"
    sound = entry_file(cache).stat()
    entry_file(cache).rename(elsewhere)
    entry_file(cache).symlink_to(elsewhere)
    monkeypatch.setattr(_cache.PrivateFolder, "stat", lambda folder, name: sound)
    assert cache.get(KEY) is None


@posix
def test_writing_replaces_a_link_and_not_where_it_leads(cache: Cache, tmp_path: Path) -> None:
    cache.put(OTHER, DATA)
    precious = tmp_path / "precious"
    precious.write_bytes(b"mine")
    entry_file(cache).symlink_to(precious)
    cache.put(KEY, DATA)
    assert precious.read_bytes() == b"mine"
    assert cache.get(KEY) == DATA


@posix
def test_a_pipe_in_place_of_an_entry_does_not_block(cache: Cache) -> None:
    def too_long(*_: object) -> None:
        raise AssertionError("blocked")

    cache.put(KEY, DATA)
    sound = entry_file(cache).stat()
    previous = signal.signal(signal.SIGALRM, too_long)
    signal.alarm(5)
    try:
        for look in (None, lambda folder, name: sound):  # also if put there after the first look
            entry_file(cache).unlink()
            os.mkfifo(entry_file(cache), 0o600)
            with pytest.MonkeyPatch.context() as patch:
                if look:
                    patch.setattr(_cache.PrivateFolder, "stat", look)
                assert cache.get(KEY) is None
            assert not entry_file(cache).exists()
            cache.put(KEY, DATA)
            assert cache.get(KEY) == DATA
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def test_a_folder_in_place_of_an_entry_is_a_miss_and_keeps_what_is_in_it(cache: Cache) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).unlink()
    entry_file(cache).mkdir()
    precious = entry_file(cache) / "precious"
    precious.write_bytes(b"mine")
    assert cache.get(KEY) is None and cache.entries() == []
    cache.put(KEY, DATA)
    assert precious.read_bytes() == b"mine"
    assert cache.get(KEY) is None
    precious.unlink()
    assert cache.get(KEY) is None
    assert names(cache) == []


@posix
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_an_entry_that_others_could_write_is_never_returned(cache: Cache, mode: int) -> None:
    cache.put(KEY, DATA)
    entry_file(cache).chmod(mode)
    assert cache.get(KEY) is None
    assert names(cache) == []


@posix
def test_an_entry_of_another_user_is_never_returned(cache: Cache) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    cache.put(KEY, DATA)
    os.chown(entry_file(cache), 12345, -1)
    assert cache.get(KEY) is None
    assert names(cache) == []


@posix
def test_a_file_put_in_place_after_the_first_look_is_checked_too(cache: Cache, monkeypatch) -> None:
    cache.put(KEY, DATA)
    sound = entry_file(cache).stat()
    entry_file(cache).chmod(0o602)
    monkeypatch.setattr(_cache.PrivateFolder, "stat", lambda folder, name: sound)
    assert cache.get(KEY) is None


@posix
@pytest.mark.parametrize("mode", [0o770, 0o777, 0o702, 0o1777])
def test_a_folder_that_others_can_write_to_is_refused(cache: Cache, mode: int) -> None:
    cache.put(KEY, DATA)
    cache.folder.chmod(mode)
    check_refused(cache, "can be written to by other users")
    assert names(cache) == [f"{KEY}.o"]


@posix
@pytest.mark.parametrize("mode", [0o700, 0o755, 0o2750])
def test_a_folder_that_others_can_only_read_is_used(cache: Cache, mode: int) -> None:
    cache.put(KEY, DATA)
    cache.folder.chmod(mode)
    assert cache.get(KEY) == DATA


@posix
def test_a_folder_of_another_user_is_refused(cache: Cache, monkeypatch) -> None:
    cache.put(KEY, DATA)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    check_refused(cache, "belongs to another user")
    assert names(cache) == [f"{KEY}.o"]


@posix
def test_a_link_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    Cache(tmp_path / "real").put(KEY, DATA)
    (tmp_path / "link").symlink_to(tmp_path / "real")
    check_refused(Cache(tmp_path / "link"), "is a symbolic link")
    assert names(Cache(tmp_path / "real")) == [f"{KEY}.o"]


@posix
def test_a_link_to_nowhere_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    check_refused(Cache(tmp_path / "link"), "is a symbolic link")
    assert not (tmp_path / "nowhere").exists()


@posix
def test_a_folder_may_be_below_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    cache = Cache(tmp_path / "link" / "armdyn")
    cache.put(KEY, DATA)
    assert cache.get(KEY) == DATA


def test_a_file_in_place_of_the_folder_is_refused(cache: Cache) -> None:
    cache.folder.write_bytes(b"mine")
    check_refused(cache, "is not a folder")
    assert cache.folder.read_bytes() == b"mine"


@posix
def test_a_folder_exchanged_after_the_check_changes_nothing(
    cache: Cache, tmp_path: Path, monkeypatch
) -> None:
    """The folder that was checked is the one that is read, whatever its path means by then."""
    cache.put(KEY, DATA)
    read = Cache._read

    def exchanged(self: Cache, folder, key: str) -> bytes | None:
        cache.folder.rename(tmp_path / "moved")
        cache.folder.mkdir()
        entry_file(cache).write_bytes(sealed(KEY, b"foreign"))
        return read(self, folder, key)

    monkeypatch.setattr(Cache, "_read", exchanged)
    assert cache.get(KEY) == DATA
