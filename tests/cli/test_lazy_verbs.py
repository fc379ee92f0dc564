"""The command line imports a verb when it runs, and lists all verbs without importing one."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from armdyn.cli.app import _imported, app
from armdyn.cli.usage import VERBS

RUN = """\
import sys
from armdyn.cli.app import main
sys.argv = ["armdyn", *{arguments!r}]
try:
    main()
except SystemExit as end:
    print("EXIT", end.code)
print("MODULES", *sys.modules)
"""


def _run(*arguments: str) -> tuple[str, set[str]]:
    """Return what is printed, and the modules that are loaded in the end."""
    code = RUN.format(arguments=arguments)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    text, _, modules = done.stdout.partition("MODULES ")
    assert "EXIT 0" in text
    return text, set(modules.split())


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_is_printed_without_a_verb_imports_no_verb(option: str) -> None:
    text, modules = _run(option)
    assert "armdyn 0." in text if option == "--version" else all(verb in text for verb in VERBS)
    assert "numpy" not in modules and "scipy" not in modules
    ours = {name for name in modules if name.startswith("armdyn.")}
    parts = ("armdyn.cli", "armdyn.companions", "armdyn.errors", "armdyn.fork_safe")
    assert sorted(name for name in ours if not name.startswith(parts)) == []
    assert sorted(name for name in ours if "verbs" in name or "options" in name) == []


def test_a_verb_imports_no_other_verb() -> None:
    _, modules = _run("cache", "--help")
    verbs = {name.rpartition(".")[2] for name in modules if "cli.verbs." in name}
    assert verbs == {"cache"}


@pytest.mark.parametrize("verb", VERBS)
def test_the_summary_is_the_first_line_of_the_verb(verb: str) -> None:
    first = (_imported(verb).help or "").split("\n\n")[0]
    assert VERBS[verb].summary == " ".join(first.split())


def test_the_help_of_a_verb_has_its_options_and_examples() -> None:
    shown = CliRunner().invoke(app, ["info", "--help"]).output
    assert "--tip" in shown and "armdyn info puma560" in shown


def test_verbs_are_listed_in_order_and_suggested() -> None:
    shown = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "120"}).output
    places = [shown.index(usage.summary) for usage in VERBS.values()]
    assert places == sorted(places)
    assert "Did you mean 'info'?" in CliRunner().invoke(app, ["infro"]).output


@pytest.mark.parametrize(
    ("words", "expected"),
    [("armdyn i", ["info", "identify"]), ("armdyn info --st", ["--strict"])],
)
def test_shells_complete_verbs_and_their_options(words: str, expected: list[str]) -> None:
    settings = {
        **os.environ,
        "_ARMDYN_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    code = "import sys; sys.argv = ['armdyn']; from armdyn.cli.app import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code], env=settings, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == expected
