"""Object code on disk: keys, what is kept, where, how much; many processes; `armdyn cache`."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from armdyn.cli.app import main
from armdyn.errors import ArmdynError, CacheWarning, InputError
from armdyn.kernel.cache import OVERHEAD, Cache, default_cache, key
from armdyn.writing import whole_file
from support.cache import (
    DATA,
    KEY,
    OTHER,
    age,
    entry_file,
    isolate,
    kept,
    names,
    numbered,
    posix,
    sealed,
)
from support.says import facts, says


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    isolate(monkeypatch, tmp_path / "cache")


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def test_a_key_is_the_digest_of_parts_and_their_lengths() -> None:
    parts = bytes([0, 0, 0, 0, 0, 0, 0, 2]) + b"ab" + bytes([0, 0, 0, 0, 0, 0, 0, 1]) + b"\xff"
    first = b"armdyn object\n\0\0" + bytes([0, 0, 0, 1])
    assert key("ab", b"\xff") == hashlib.sha256(first + parts).hexdigest()


def test_parts_of_a_key_do_not_run_into_each_other() -> None:
    tuples = [(), ("",), ("", ""), ("ab", "c"), ("a", "bc"), ("abc",), ("a", "b", "c"), ("abc", "")]
    assert len({key(*parts) for parts in tuples}) == len(tuples)
    assert key("ä") == key("ä".encode())
    assert key("\ud800") != key("")  # a name of a file that is not text


@pytest.mark.parametrize("wrong", ["", "a" * 63, "A" * 64, "../" * 21 + "a", "a" * 64 + "\n"])
def test_what_is_no_key_cannot_name_a_file(cache: Cache, wrong: str) -> None:
    with pytest.raises(InputError, match="not the key"):
        cache.get(wrong)
    with pytest.raises(InputError, match="not the key"):
        cache.put(wrong, DATA)


@pytest.mark.parametrize("data", [b"", b"\0", DATA], ids=["empty", "one byte", "25 kB"])
def test_what_is_put_is_got(cache: Cache, data: bytes) -> None:
    assert cache.get(KEY) is None
    cache.put(KEY, data)
    assert cache.get(KEY) == data
    assert cache.get(OTHER) is None
    assert Cache(cache.folder).get(KEY) == data
    assert entry_file(cache).read_bytes() == sealed(KEY, data)
    cache.put(KEY, b"newer")
    assert cache.get(KEY) == b"newer"
    assert names(cache) == [f"{KEY}.o"]


def test_looking_makes_no_folder(cache: Cache) -> None:
    assert cache.get(KEY) is None and cache.entries() == [] and cache.size() == 0
    assert cache.clear() == 0 and cache.fault() is None
    assert not cache.folder.exists()


@posix
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_folders_and_files_are_the_users_alone(tmp_path: Path, umask: int) -> None:
    cache = Cache(tmp_path / "a" / "b" / "armdyn")
    before = os.umask(umask)
    try:
        cache.put(KEY, DATA)
    finally:
        os.umask(before)
    for folder in (cache.folder, cache.folder.parent, cache.folder.parent.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry_file(cache).stat().st_mode) == 0o600
    assert cache.get(KEY) == DATA


def test_entries_tell_key_size_and_order_of_use(cache: Cache) -> None:
    cache.put(KEY, DATA)
    cache.put(OTHER, b"")
    age(cache, KEY, 50)
    age(cache, OTHER, 100)
    assert [entry.key for entry in cache.entries()] == [OTHER, KEY]
    assert [entry.size for entry in cache.entries()] == [OVERHEAD, OVERHEAD + len(DATA)]
    assert cache.size() == 2 * OVERHEAD + len(DATA)
    cache.get(OTHER)
    assert [entry.key for entry in cache.entries()] == [KEY, OTHER]


def filled(cache: Cache, count: int, size: int) -> None:
    """Put entries of which the first is the least recently used."""
    for k in range(count):
        cache.put(numbered(k), bytes(size))
        age(cache, numbered(k), 1000 - k)


def test_the_least_recently_used_go_when_there_are_too_many(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", max_entries=4)
    filled(cache, 4, 10)
    assert cache.get(numbered(0)) is not None
    cache.put(numbered(4), b"")
    assert kept(cache) == {0, 2, 3, 4}


def test_the_least_recently_used_go_when_they_are_too_large(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", max_bytes=4 * (OVERHEAD + 1000))
    filled(cache, 4, 1000)
    assert kept(cache) == {0, 1, 2, 3}
    cache.put(numbered(4), bytes(1001))
    assert kept(cache) == {2, 3, 4}
    assert cache.size() <= cache.max_bytes


def test_the_newest_stays_even_where_clocks_disagree(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", max_entries=2)
    filled(cache, 2, 10)
    for k in range(2):
        age(cache, numbered(k), -1000)
    cache.put(numbered(2), b"")
    assert 2 in kept(cache) and len(kept(cache)) == 2


def test_what_is_larger_than_the_cache_is_not_kept_and_drives_nothing_out(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache", max_bytes=OVERHEAD + 100)
    cache.put(KEY, bytes(100))
    cache.put(OTHER, bytes(101))
    assert cache.get(KEY) == bytes(100) and cache.get(OTHER) is None


def test_the_environment_bounds_the_size(monkeypatch, tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    assert Cache(folder).max_bytes == 256 * 2**20 and Cache(folder).max_entries == 2000
    monkeypatch.setenv("ARMDYN_CACHE_SIZE", "1.5")
    assert Cache(folder).max_bytes == 3 * 2**19
    monkeypatch.setenv("ARMDYN_CACHE_SIZE", "0")
    Cache(folder).put(KEY, b"")
    assert not folder.exists()
    for wrong in ("-1", "large", "nan", "inf"):
        monkeypatch.setenv("ARMDYN_CACHE_SIZE", wrong)
        with pytest.warns(CacheWarning, match=f"ARMDYN_CACHE_SIZE is '{wrong}', expected"):
            assert Cache(folder).max_bytes == 256 * 2**20
        Cache(folder)  # said once


def test_temporary_files_of_the_dead_are_removed_and_those_of_the_living_stay(cache: Cache) -> None:
    cache.put(KEY, DATA)
    (cache.folder / f".armdyn-{'a' * 16}.tmp").write_bytes(b"half")
    with whole_file(cache.folder / "living"):
        cache.put(KEY, DATA)
        [living] = set(names(cache)) - {f"{KEY}.o"}
    assert names(cache) == sorted([f"{KEY}.o", "living"]) and living.endswith(".tmp")
    assert len(cache.entries()) == 1


def test_the_environment_chooses_the_folder(monkeypatch, tmp_path: Path) -> None:
    def folder(**environment: str) -> Path | None:
        for name in ("ARMDYN_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(name, raising=False)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        chosen = default_cache()
        return chosen.folder if chosen else None

    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setattr(sys, "platform", "linux")
    assert folder() == home / ".cache" / "armdyn"
    assert folder(ARMDYN_CACHE="") == home / ".cache" / "armdyn"
    assert folder(XDG_CACHE_HOME=str(tmp_path / "xdg")) == tmp_path / "xdg" / "armdyn"
    assert folder(XDG_CACHE_HOME="relative") == home / ".cache" / "armdyn"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert folder() == home / "Library" / "Caches" / "armdyn"
    monkeypatch.setattr(sys, "platform", "win32")
    assert folder(LOCALAPPDATA=str(tmp_path / "local")) == tmp_path / "local" / "armdyn"
    assert folder() == home / "AppData" / "Local" / "armdyn"
    assert folder(ARMDYN_CACHE=str(tmp_path / "mine")) == tmp_path / "mine"
    assert folder(ARMDYN_CACHE="~/mine") == home / "mine"
    assert folder(ARMDYN_CACHE="off") is None and folder(ARMDYN_CACHE="OFF") is None
    for wrong in ("0", "false", "relative/folder"):
        with pytest.warns(CacheWarning, match=f"ARMDYN_CACHE is '{wrong}', expected `off` or"):
            assert folder(ARMDYN_CACHE=wrong) is None
    assert not home.exists()


def test_a_user_without_a_home_has_no_cache(monkeypatch) -> None:
    for name in ("ARMDYN_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert default_cache() is None
    with pytest.raises(ArmdynError, match="no home directory"):
        Cache()


def test_clearing_removes_the_caches_own_files_only(cache: Cache) -> None:
    cache.put(KEY, DATA)
    cache.put(OTHER, DATA)
    entry_file(cache, OTHER).write_bytes(b"spoiled")
    (cache.folder / f".armdyn-{'0' * 16}.tmp").write_bytes(b"half")
    foreign = ["notes.txt", f"{KEY}.o.bak", f"{KEY[:-1]}.o", "a.o", ".hidden", f"{KEY}.tmp"]
    for name in foreign:
        (cache.folder / name).write_bytes(b"mine")
    (cache.folder / "folder").mkdir()
    assert cache.clear() == 2
    assert names(cache) == sorted([*foreign, "folder"])
    assert cache.clear() == 0


def test_clearing_goes_on_past_what_cannot_be_removed_and_says_so(cache: Cache) -> None:
    for k in range(5):
        cache.put(numbered(k), DATA)
    for k in (0, 3):
        entry_file(cache, numbered(k)).unlink()
        entry_file(cache, numbered(k)).mkdir()
        (entry_file(cache, numbered(k)) / "precious").write_bytes(b"mine")
    with pytest.raises(ArmdynError, match=facts("3 entries", "Directory not empty")):
        cache.clear()
    assert len(names(cache)) == 2 and cache.entries() == []


KEYS = [key("shared", str(k)) for k in range(6)]
SHARED_BYTES = 4 * (OVERHEAD + 60_000)  # too few for all keys


def work(folder: Path, worker: int, rounds: int) -> tuple[int, int]:
    """Write, read and clear keys that others do the same to; return hits and wrong answers."""
    cache = Cache(folder, max_bytes=SHARED_BYTES)
    hits = wrong = 0
    for k in range(rounds):
        this = KEYS[(k * 5 + worker) % len(KEYS)]
        before = cache.get(this)
        cache.put(this, payload(this, worker))
        for data in (before, cache.get(this)):
            if data is not None:
                hits += 1
                wrong += data != payload(this, data[0])
        if worker == 0 and k % 25 == 24:
            cache.clear()
        if worker == 1 and k % 10 == 9:  # spoil what is there, as a failing disk does
            (folder / f"{this}.o").write_bytes(bytes(1000))
    return hits, wrong


def payload(key: str, worker: int) -> bytes:
    """Return what a worker writes under a key: its length differs from worker to worker."""
    return bytes([worker]) + bytes.fromhex(key) * (1000 + 200 * worker)


def test_processes_that_share_keys_never_see_half_an_entry(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    workers = 4
    with multiprocessing.get_context("spawn").Pool(workers) as pool:
        told = pool.starmap(work, [(folder, worker, 150) for worker in range(workers)], 1)
    assert sum(hits for hits, _ in told) > 0
    assert [wrong for _, wrong in told] == [0] * workers
    cache = Cache(folder, max_bytes=SHARED_BYTES)
    cache.put(KEYS[0], DATA)
    assert cache.get(KEYS[0]) == DATA
    assert set(names(cache)) <= {f"{k}.o" for k in KEYS}
    assert cache.size() <= SHARED_BYTES


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_the_command_shows_and_clears(monkeypatch, capsys, cache: Cache) -> None:
    cache.put(KEY, bytes(2048 - OVERHEAD))
    cache.put(OTHER, bytes(1024 - OVERHEAD))
    status, out, err = run(monkeypatch, capsys, "cache")
    assert (status, err) == (0, "")
    assert out.splitlines()[1].split() == ["folder", "entries", "size", "limit"]
    row = out.splitlines()[3].split()
    assert row == [str(cache.folder), "2", "3", "KiB", "256", "MiB,", "2000", "entries"]
    state = {
        "folder": str(cache.folder), "entries": 2, "size": 3072, "max_size": 256 * 2**20,
        "max_entries": 2000, "removed": None, "warnings": [],
    }  # fmt: skip
    status, out, _ = run(monkeypatch, capsys, "cache", "--json")
    assert (status, json.loads(out)) == (0, state)
    status, out, err = run(monkeypatch, capsys, "cache", "--clear")
    assert (status, out, err) == (0, f"2 entries removed from {cache.folder}.\n", "")
    assert cache.entries() == []
    cache.put(KEY, DATA)
    status, out, _ = run(monkeypatch, capsys, "cache", "--clear", "--json")
    assert (status, json.loads(out)) == (0, {**state, "entries": 0, "size": 0, "removed": 1})


def test_the_command_says_when_no_cache_is_in_use(monkeypatch, capsys) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", "off")
    status, out, err = run(monkeypatch, capsys, "cache")
    assert (status, err) == (0, "") and says(out, "no cache")
    status, out, _ = run(monkeypatch, capsys, "cache", "--json")
    assert status == 0 and json.loads(out)["folder"] is None
    status, out, err = run(monkeypatch, capsys, "cache", "--clear")
    assert (status, out) == (2, "") and says(err, "cleared")
    monkeypatch.setenv("ARMDYN_CACHE", "no")
    status, out, err = run(monkeypatch, capsys, "cache")
    assert status == 0 and err.startswith("warning: ARMDYN_CACHE is 'no'")


@posix
def test_the_command_says_why_a_folder_is_refused(monkeypatch, capsys, cache: Cache) -> None:
    cache.put(KEY, DATA)
    cache.folder.chmod(0o777)
    status, out, err = run(monkeypatch, capsys, "cache", "--json")
    told = json.loads(out)
    assert status == 0 and told["entries"] == 0
    assert told["warnings"] == [cache.fault()]
    assert err.startswith("warning:") and says(err, str(cache.folder), "other users")
    status, _, err = run(monkeypatch, capsys, "cache", "--clear")
    assert status == 2 and "error:" in err
    assert names(cache) == [f"{KEY}.o"]


def test_the_command_works_as_a_program(cache: Cache) -> None:
    cache.put(KEY, DATA)
    done = subprocess.run(
        [sys.executable, "-c", "from armdyn.cli.app import main; main()", "cache", "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["entries"] == 1
