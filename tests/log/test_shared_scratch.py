"""Rows in named scratch files, which other processes can read."""

from __future__ import annotations

import gc
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from armdyn.errors import FileError, InputError
from armdyn.log.rows import FileRows, done_in, scratch_in, scratch_path, shared_scratch


def filled(rows: np.ndarray) -> FileRows:
    made = FileRows(rows.shape[1])
    for part in np.array_split(rows, 3):
        made.append(part)
    return made


ROWS = np.arange(30.0).reshape(10, 3)


def test_rows_are_sent_by_name_and_removed_with_the_last_user() -> None:
    with shared_scratch():
        made = filled(ROWS)
        folder = scratch_path()
        assert folder is not None and made.is_shared
        data = pickle.dumps(made.part(2, 8))
        assert len(data) < 500
        again = pickle.loads(data)
        assert np.array_equal(again[0:6], ROWS[2:8])
        del made
        gc.collect()
        assert np.array_equal(again[0:6], ROWS[2:8])
        assert len(list(folder.iterdir())) == 1
        del again
        gc.collect()
        assert not list(folder.iterdir())
    assert not folder.exists() and scratch_path() is None


def test_another_process_reads_and_writes_rows() -> None:
    code = (
        "import pickle, sys; from pathlib import Path\n"
        "from armdyn.log.rows import FileRows, done_in\n"
        "def twice(rows):\n"
        "    made = FileRows(3); made.append(2 * rows[0:len(rows)]); return pickle.dumps(made)\n"
        "rows = pickle.loads(sys.stdin.buffer.read())\n"
        "sys.stdout.buffer.write(done_in(Path(sys.argv[1]), twice, rows))\n"
    )
    with shared_scratch():
        rows = filled(ROWS)
        words = [sys.executable, "-c", code, str(scratch_path())]
        done = subprocess.run(words, input=pickle.dumps(rows), capture_output=True)
        assert not done.returncode, done.stderr
        made = pickle.loads(done.stdout)
        assert np.array_equal(made[0:10], 2 * ROWS)


def test_blocks_within_blocks_share_a_folder() -> None:
    with shared_scratch():
        outer = scratch_path()
        with shared_scratch():
            assert scratch_path() == outer
        assert outer is not None and outer.is_dir()


def test_without_a_shared_folder_rows_are_unnamed() -> None:
    made = filled(ROWS)
    assert not made.is_shared and np.array_equal(made[0:10], ROWS)
    with pytest.raises(InputError, match="send its path"):
        pickle.dumps(made)
    assert done_in(None, len, made) == 10


def test_a_folder_that_a_worker_does_not_see_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="Set TMPDIR"), scratch_in(tmp_path / "nowhere"):
        pass
