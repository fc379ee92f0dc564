"""The pictures of the site: the build runs the code of some pages, and shows what it draws."""

import os
import re
import shlex
import subprocess
import sys
import tempfile
from contextlib import chdir
from functools import lru_cache
from pathlib import Path

from mkdocs.structure.files import File

SOURCES = ("gallery.md", "low_cost.md")
"""Pages whose code draws pictures."""

MADE = "made"
"""Folder of the site with the files that the code has written."""


def on_files(files, config):
    """Add all files that the code of these pages writes."""
    for source in SOURCES:
        text = (Path(config["docs_dir"]) / source).read_text(encoding="utf-8")
        for name, content in _written_by(source, text).items():
            files.append(File.generated(config, f"{MADE}/{name}", content=content))
    return files


@lru_cache(maxsize=2)  # while a site is served, only a changed page is drawn again
def _written_by(source, text):
    scope = {}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for language, block in re.findall(r"^```(python|console)\n(.*?)^```", text, re.S | re.M):
            if language == "python":
                exec(compile(block, source, "exec"), scope)
            else:
                _command(source, block)
        return {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}


def _command(source, block):
    for line in block.replace("\\\n", " ").splitlines():
        if line.startswith("$ armdyn "):
            words = shlex.split(line[2:], comments=True)[1:]
            command = [sys.executable, "-m", "armdyn", *words]
            done = subprocess.run(command, capture_output=True, text=True, env=os.environ)
            if done.returncode:
                raise RuntimeError(f"{source}: {line}\n{done.stderr}")
