"""Small logs as text, and the error that reading one raises: shared by the tests of logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from armdyn import Log, LogError

HEADER = "t,q_a,q_b,tau_a,tau_b"
ROWS = ["0,0.1,0.2,1,2", "0.01,0.2,0.4,3,4", "0.02,0.3,0.6,5,6"]


def text(*lines: str, end: str = "\n") -> str:
    return end.join(lines) + end


def written(folder: Path, content: str | bytes, name: str = "run.csv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def fault(path: Path, **options: object) -> LogError:
    with pytest.raises(LogError) as caught:
        Log.read(path, **options)  # type: ignore[arg-type]
    return caught.value
