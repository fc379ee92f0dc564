"""Pages whose code and commands are run as a reader would: in order, in one empty folder."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from armdyn.cli.app import main

ROOT = Path(__file__).parents[2]
Run = Callable[[str], None]


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """The blocks of a page that are to be run: their language and what is in them."""
    yield from re.findall(r"^```(python|console)\n(.*?)^```", text, re.S | re.M)


def commands(block: str) -> list[str]:
    """The commands of a block: lines that begin with a dollar sign, and go on after a backslash."""
    lines = block.replace("\\\n", " ").splitlines()
    return [line[2:] for line in lines if line.startswith("$ ")]


def spoken(text: str) -> list[str]:
    """What stands in sentences as code: not in blocks, fenced or indented."""
    prose = re.sub(r"^```.*?^```|^    .*?$", "", text, flags=re.S | re.M)
    return [" ".join(words.split()) for words in re.findall(r"`([^`]+)`", prose)]


def not_installed(code: str) -> list[str]:
    """The packages that code imports and that are not here; some are optional."""
    names = re.findall(r"^(?:import|from) (\w+)", code, re.M)
    return [name for name in names if find_spec(name) is None]


def run_page(text: str, monkeypatch) -> int:
    """Run a page in the folder where we are; return how many commands and blocks there were."""
    scope: dict = {}
    done = 0
    for language, block in blocks(text):
        if language == "python":
            needed = re.match(r"# needs (\w+)\n", block)
            if needed is None or find_spec(needed[1]):
                exec(compile(block, "page", "exec"), scope)
            done += 1
            continue
        for command in commands(block):
            run_command(command, monkeypatch)
            done += 1
    return done


def run_command(command: str, monkeypatch) -> None:
    """Run a command: armdyn's in this process, a compiler and what it made if there is one."""
    words = shlex.split(command, comments=True)
    if words[0] == "armdyn":
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code, command
    elif words[0] == "cc" or words[0].startswith("./"):
        if shutil.which("cc"):
            subprocess.run(words, check=True, capture_output=True)
    else:
        raise AssertionError(f"a page may run armdyn, cc and what it made, not: {command}")
