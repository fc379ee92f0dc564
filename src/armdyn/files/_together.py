"""Write several files into a folder together: all of them, or leave the folder unchanged."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from armdyn.errors import FileError
from armdyn.files._whole import write_whole


def write_together(
    folder: Path, texts: Mapping[str, str] | Mapping[str, str | bytes], mark: str | None
) -> tuple[Path, ...]:
    """Write files by name into a folder, created if missing; return their paths.

    Args:
        folder: the target folder.
        texts: contents of the files by name; "inner/name" is a file in a subfolder.
        mark: only files that begin with this may be replaced; None to replace any file.
    """
    paths = [folder / name for name in texts]
    made: list[Path] = []
    before: dict[Path, bytes | None] = {}
    try:
        for inner in dict.fromkeys([folder, *(path.parent for path in paths)]):
            made += _make(inner)
        for path in paths:
            before[path] = _replaceable(path, mark)
        for path, text in zip(paths, texts.values(), strict=True):
            write_whole(path, text)
    except BaseException:
        with suppress(OSError):
            for path, old in before.items():
                _put_back(path, old)
            for new in reversed(made):
                new.rmdir()
        raise
    return tuple(paths)


def check_writable(folder: Path, names: Iterable[str]) -> None:
    """Raise an error if files of these names cannot be written into a folder; change nothing.

    Call this before long computations, so that they do not fail at the end.
    """
    made = _make(folder)
    probe = folder / f".{secrets.token_hex(6)}.tmp"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
        for name in names:
            _replaceable(folder / name, None)
    except FileError:
        raise
    except OSError as error:
        raise FileError(folder, f"cannot be written to: {error.strerror or error}.") from error
    finally:
        for new in reversed(made):
            new.rmdir()


def _make(folder: Path) -> list[Path]:
    """Create the folder; return the folders that were missing, outermost first."""
    made: list[Path] = []
    try:
        for new in [f for f in (folder, *folder.parents) if not f.exists()][::-1]:
            new.mkdir()
            made.append(new)
        if not folder.is_dir():
            raise NotADirectoryError(0, "it is not a folder")
    except OSError as error:
        for new in reversed(made):
            new.rmdir()
        raise FileError(folder, f"cannot be made a folder: {error.strerror or error}.") from error
    return made


def _replaceable(path: Path, mark: str | None) -> bytes | None:
    """Return the current content, None if there is no file; refuse a file without the mark."""
    try:
        if not path.exists():
            return None
        if not path.is_file():
            raise FileError(path, "is not a regular file and will not be replaced by one.")
        old = path.read_bytes()
    except OSError as error:
        raise FileError(path, f"cannot be replaced: {error.strerror or error}.") from error
    if mark is not None and not old.startswith(mark.encode()):
        raise FileError(
            path,
            f"was not written by armdyn (its first line does not begin with {mark!r}) and will not "
            "be replaced; choose another folder, or say force=True.",
        )
    return old


def _put_back(path: Path, old: bytes | None) -> None:
    if old is None:
        path.unlink(missing_ok=True)
    elif path.read_bytes() != old:
        path.write_bytes(old)
