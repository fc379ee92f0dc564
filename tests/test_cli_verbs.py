"""Every verb: it is there, its help shows how it is used, and wrong words end in an error."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from armdyn.cli._app import app, main
from armdyn.cli._examples import EXAMPLES

VERBS = get_command(app).commands  # type: ignore[attr-defined]

WRONG = [
    (["info", "nobody"], "nobody"),
    (["info", "puma560", "--plot", "arm.jpg"], ".png"),
    (["info", "puma560", "--plot", "nowhere/arm.png"], "make it first"),
    (["ops", "nobody"], "nobody"),
    (["tables", "--frobnicate"], "frobnicate"),
    (["verify", "puma560", "--states", "-1"], "states"),
    (["minimal", "puma560", "--latex", "--json"], "--latex"),
    (["excite", "puma560", "--duration", "-1"], "--duration"),
    (["excite", "puma560", "--velocity", "fast"], "--velocity"),
    (["excite", "puma560", "-o", "motion.doc"], ".csv"),
    (["identify", "puma560", "nothing.csv", "-o", "out"], "nothing.csv"),
    (["identify", "puma560"], "LOG"),
    (["identify", "puma560", "a", "-o", "out", "--payload", "--without", "a"], "--without is a"),
    (["simulate", "puma560", "--q0", "1,2"], "6 joints"),
    (["simulate", "puma560", "--until", "-1"], "backwards"),
    (["simulate", "puma560", "--integrator", "euler"], "rk45"),
    (["study", "nothing"], "ascher"),
    (["codegen", "puma560", "--functions", "mass", "--out", "c"], "mass_matrix"),
    (["bench", "--robots", "nobody", "--quick"], "nobody"),
    (["bench", "--peers", "nobody"], "pinocchio"),
    (["bench", "--quick", "--json", "nowhere/times.json"], "make it first"),
    (["cache", "--frobnicate"], "frobnicate"),
    (["demo", "-o", "file"], "file"),
]


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", ["armdyn", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_all_verbs_of_the_contract_are_there() -> None:
    verbs = "info ops tables verify minimal excite identify simulate study codegen bench cache demo"
    assert set(VERBS) == set(verbs.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_ends_with_examples_whose_options_exist(monkeypatch, capsys, verb) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(monkeypatch, capsys, verb, "--help")
    shown = re.findall(rf"armdyn {verb}\b.*", out.partition("Example")[2])
    assert status == 0 and shown
    known = {name for option in VERBS[verb].params for name in option.opts}
    for line in shown:
        assert set(re.findall(r"(?<= )--?[a-z][a-z0-9-]*", line)) <= known, line


def test_examples_belong_to_verbs() -> None:
    assert set(EXAMPLES) <= set(VERBS)
    for verb, lines in EXAMPLES.items():
        assert all(line.startswith(f"armdyn {verb}") for line in lines)


@pytest.mark.parametrize(("words", "text"), WRONG, ids=[" ".join(words) for words, _ in WRONG])
def test_wrong_words_are_an_error_without_a_traceback(
    monkeypatch, capsys, tmp_path: Path, words, text
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    status, out, err = run(monkeypatch, capsys, *words)
    assert (status, out) == (2, "")
    assert text in err and "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_every_verb_has_a_case_of_wrong_words() -> None:
    assert {words[0] for words, _ in WRONG} == set(VERBS)


@pytest.mark.parametrize(
    ("line", "expected"), [("armdyn st", "study"), ("armdyn info pu", "puma560")]
)
def test_a_shell_completes_verbs_and_bundled_robots(line, expected) -> None:
    environment = {
        **os.environ,
        "_ARMDYN_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(line.count(" ")),
    }
    command = [sys.executable, "-c", "import sys; sys.argv[0] = 'armdyn'; "
               "from armdyn.cli import main; main()"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == [expected], done.stderr
