"""What is kept on disk belongs to the text of the modules that made it."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import armdyn
from armdyn.kernel import cached as _written
from armdyn.kernel.cached import source_digest

CALL = """\
import armdyn
from armdyn.kernel import jit as _jit, kernel as _kernel
calls = []
for module in (_kernel, _jit):
    make = module.compile_object
    module.compile_object = lambda *given, make=make: (calls.append(given), make(*given))[1]
arm = armdyn.load("planar2")
print(arm.mass_matrix([0.1, 0.2]).tolist(), len(calls), armdyn.__file__.endswith(".pyc"))
"""


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A package as some installations have it: what Python made of the text, without the text."""
    folder = tmp_path / "bare"
    source = Path(armdyn.__file__).parent
    shutil.copytree(source, folder / "armdyn", ignore=shutil.ignore_patterns("__pycache__"))
    assert compileall.compile_dir(folder, quiet=2, legacy=True)
    for text in folder.rglob("*.py"):
        text.unlink()
    return folder


def _called(folder: Path, cache: Path) -> list[str]:
    settings = {**os.environ, "PYTHONPATH": str(folder), "ARMDYN_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", CALL], env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.rsplit(maxsplit=2)


def test_an_installation_without_text_computes_and_keeps(bare: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    expected = str(armdyn.load("planar2").mass_matrix([0.1, 0.2]).tolist())
    assert _called(bare, cache) == [expected, "1", "True"]
    assert _called(bare, cache) == [expected, "0", "True"]
    changed = bare / "armdyn" / "kernel" / "straight" / "emit.pyc"
    changed.write_bytes(changed.read_bytes() + b"\0")  # as good as another compiler
    assert _called(bare, cache) == [expected, "1", "True"]


def test_a_digest_belongs_to_every_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "written_of"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("__init__", "a", "b"):
        (package / f"{name}.py").write_text("x = 1\n")

    def digest(*names: str) -> str:
        source_digest.cache_clear()
        return source_digest("written_of", names or None)

    first = digest()
    assert first == digest() and digest("a") != digest("b") != first
    of_b = digest("b")
    (package / "a.py").write_text("x = 2\n")
    assert digest() != first and digest("b") == of_b
    (package / "c.py").write_text("")
    assert digest() not in (first, of_b)


def test_what_has_no_text_and_no_code_is_never_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert _written._source("armdyn", "nothing") != _written._source("armdyn", "nothing")
