"""The command `armdyn-papers`, and the verbs of armdyn that forward to it."""

from __future__ import annotations

import json
import re
import sys

import pytest
import typer

from armdyn.cli.app import main as armdyn_main
from armdyn.cli.usage import VERBS
from armdyn.companions import PAPERS
from armdyn_papers.app import EXAMPLES, app, main

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


def run(monkeypatch, capsys, *words: str) -> tuple[int, str, str]:
    monkeypatch.setattr(sys, "argv", list(words))
    with pytest.raises(SystemExit) as stop:
        (armdyn_main if words[0] == "armdyn" else main)()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def test_every_verb_of_armdyn_for_papers_is_a_command() -> None:
    forwarded = {verb for verb, usage in VERBS.items() if usage.companion is PAPERS}
    assert {"tables", "claims", "study", "paper"} <= forwarded & set(COMMANDS)
    assert set(COMMANDS) == {"tables", "claims", "study", "paper", "errata"}


@pytest.mark.parametrize(
    "words",
    [
        ("tables", "--paper", "saha_1999", "--lines"),
        pytest.param(("claims", "--paper", "saha_1999", "--json"), marks=pytest.mark.slow),
        ("paper", "lin_1994"),
        ("paper", "--json"),
        ("study", "nothing"),
    ],
)
def test_armdyn_forwards_all_words(monkeypatch, capsys, words) -> None:
    mine = run(monkeypatch, capsys, "armdyn-papers", *words)
    assert run(monkeypatch, capsys, "armdyn", *words) == mine
    assert mine[0] == (2 if "nothing" in words else 0)


def test_errata_are_a_command_of_their_own(monkeypatch, capsys) -> None:
    for words in ((), ("--json",)):
        status, out, _ = run(monkeypatch, capsys, "armdyn-papers", "errata", *words)
        assert status == 0 and ("lin_fang_1999" if words else "[LinFang1999]") in out
        assert run(monkeypatch, capsys, "armdyn-papers", "paper", "errata", *words)[1] == out


@pytest.mark.parametrize("name", COMMANDS)
def test_help_ends_with_examples_whose_options_exist(monkeypatch, capsys, name) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(monkeypatch, capsys, "armdyn-papers", name, "--help")
    examples = [line.strip() for line in out.partition("Examples:")[2].splitlines() if line.strip()]
    (expected,) = (lines for command, lines in EXAMPLES.items() if command.__name__ == name)
    assert status == 0 and examples == list(expected)
    known = {option for parameter in COMMANDS[name].params for option in parameter.opts}
    for line in examples:
        assert line.startswith(f"armdyn-papers {name}")
        assert set(re.findall(r"(?<= )--?[a-z][a-z0-9-]*", line)) <= known, line


def test_tables_have_a_verdict_for_every_row(monkeypatch, capsys) -> None:
    status, out, _ = run(monkeypatch, capsys, "armdyn-papers", "tables", "--json")
    tables = json.loads(out)
    assert status == 0 and tables
    for table in tables:
        for row in table["rows"]:
            assert row["verdict"] in ("equal", "beaten", "above", "not measured"), row
            assert (row["measured"] is None) == (row["verdict"] == "not measured")
    status, out, _ = run(monkeypatch, capsys, "armdyn-papers", "tables")
    assert status == 0 and all(table["reference"] in out for table in tables)
