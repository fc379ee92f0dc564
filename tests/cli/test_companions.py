"""Verbs and stages of armdyn-papers: run where it is installed, and a clear error where not."""

from __future__ import annotations

import pickle
import sys

import pytest
from typer.testing import CliRunner

import armdyn
from armdyn import companions as _companions
from armdyn.cli.app import app, main
from armdyn.cli.usage import VERBS
from armdyn.companions import PAPERS

FORWARDED = [verb for verb, usage in VERBS.items() if usage.companion is PAPERS]


@pytest.fixture
def alone(monkeypatch) -> None:
    """No distribution is installed beside armdyn."""
    monkeypatch.setattr(_companions, "find_spec", lambda name: None)


@pytest.mark.parametrize("words", [(), ("--help",), ("--frobnicate", "--json")])
@pytest.mark.parametrize("verb", FORWARDED)
def test_without_the_papers_a_verb_says_how_to_get_them(
    alone, monkeypatch, capsys, verb, words
) -> None:
    monkeypatch.setattr(sys, "argv", ["armdyn", verb, *words])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    assert stop.value.code == 2 and out == ""
    told = " ".join(err.split())
    assert f"armdyn {verb}" in told
    assert "pip install armdyn-papers" in told and "pip install ./papers" in told


def test_without_the_papers_all_verbs_are_listed_and_completed(alone) -> None:
    shown = CliRunner().invoke(app, ["--help"]).output
    assert len(FORWARDED) == 4 and all(verb in shown for verb in FORWARDED)
    settings = {
        "_ARMDYN_COMPLETE": "complete_bash",
        "COMP_WORDS": "armdyn tables --",
        "COMP_CWORD": "2",
    }
    done = CliRunner().invoke(app, [], prog_name="armdyn", env=settings)
    assert done.exit_code == 0 and "--help" in done.output


@pytest.mark.parametrize("stage", ["printed", "simplified"])
def test_without_the_papers_their_stages_are_missing(alone, stage) -> None:
    assert armdyn.operation_counts("mass_matrix", "lin_fang_1", 2).mul > 0
    with pytest.raises(armdyn.MissingExtraError, match=stage) as caught:
        armdyn.operation_counts("mass_matrix", "lin_fang_1", 2, stage=stage)
    assert caught.value.install in str(caught.value)
    assert caught.value.install.startswith("pip install armdyn-papers ")
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_with_the_papers_unknown_options_are_theirs_to_refuse(monkeypatch, capsys) -> None:
    monkeypatch.setattr(sys, "argv", ["armdyn", "tables", "--frobnicate"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2 and "--frobnicate" in capsys.readouterr().err
