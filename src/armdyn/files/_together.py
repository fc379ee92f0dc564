"""Write several files into a folder together: all of them, or leave the folder unchanged.

If the process is killed, the folder has the old files, the new ones, or only some of either. It
never has old files beside new ones.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from armdyn.errors import FileError
from armdyn.files._temporary import temporary_file
from armdyn.files._whole import encoded, sync, whole_file, write_whole


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
        data = [encoded(path, text) for path, text in zip(paths, texts.values(), strict=True)]
        with ExitStack() as stack:
            for path, content in zip(paths, data, strict=True):
                file = stack.enter_context(whole_file(path))
                file.write(content)
                sync(file)
            # the end of the block replaces the last file first, then the others
            for path in paths[:-1]:
                _unlink(path)
    except BaseException:
        for path, old in before.items():
            with suppress(OSError, FileError):
                _put_back(path, old)
        with suppress(OSError):
            for new in reversed(made):
                new.rmdir()
        raise
    return tuple(paths)


def check_writable(folder: Path, names: Iterable[str]) -> None:
    """Raise an error if files of these names cannot be written into a folder; change nothing.

    Call this before long computations, so that they do not fail at the end.
    """
    made = _make(folder)
    try:
        with temporary_file(folder):
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
    elif not path.exists() or path.read_bytes() != old:
        write_whole(path, old)


def _unlink(path: Path) -> None:
    """Remove the old file, not the link to it."""
    try:
        Path(os.path.realpath(path)).unlink(missing_ok=True)
    except OSError as error:
        raise FileError(path, f"cannot be replaced: {error.strerror or error}.") from error
