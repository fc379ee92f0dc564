"""A test of the C code: compile it and run its self-test, if there is a compiler."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from armdyn.files import scratch_folder

COMPILERS = ("cc", "gcc", "clang")
PATIENCE = 120.0


@dataclass(frozen=True)
class SelfTest:
    """The result of the self-test.

    Attributes:
        compiler: its name; None if there is none.
        passed: whether the code compiled and its self-test passed; True if there is no compiler.
        said: the output of the self-test, or the last lines of the compiler.
    """

    compiler: str | None
    passed: bool
    said: tuple[str, ...]


def run_self_test(sources: Sequence[Path]) -> SelfTest:
    """Compile C files together and run the program."""
    compiler = next((path for name in COMPILERS if (path := shutil.which(name))), None)
    if compiler is None:
        return SelfTest(None, True, ("no C compiler here: not run",))
    with scratch_folder() as folder:
        program = folder / "selftest"
        said: tuple[str, ...] = ()
        command = [compiler, "-std=c99", "-O2", *map(str, sources), "-lm", "-o", str(program)]
        for words in (command, [str(program)]):
            try:
                ended = subprocess.run(
                    words, capture_output=True, encoding="utf-8", errors="replace",
                    timeout=PATIENCE, check=False,
                )  # fmt: skip
            except (OSError, subprocess.TimeoutExpired) as error:
                return SelfTest(Path(compiler).name, False, (str(error),))
            said = tuple((ended.stdout + ended.stderr).strip().splitlines())
            if ended.returncode:
                return SelfTest(Path(compiler).name, False, said[-8:])
    return SelfTest(Path(compiler).name, True, said)
