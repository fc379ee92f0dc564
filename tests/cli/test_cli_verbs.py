"""Every verb: it is there, its help shows how it is used, and wrong words end in an error."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.text import Text

import armdyn
from armdyn.cli.app import _imported, main
from armdyn.cli.usage import VERBS as USAGE
from armdyn.identification.payload.payload import loaded
from support.identification import recorded, small_arm

VERBS = {verb: _imported(verb) for verb in USAGE}
EXAMPLES = {verb: usage.examples for verb, usage in USAGE.items()}

# Their examples are what test_bench and test_demo run.
TAKES_LONG = ("bench", "demo", "view")

WRONG = [
    (["info", "nobody"], "nobody"),
    (["info", "puma560", "--plot", "arm.jpg"], ".png"),
    (["info", "puma560", "--plot", "nowhere/arm.png"], "make it first"),
    (["convert", "nobody", "arm.urdf"], "nobody"),
    (["convert", "puma560", "arm.step"], "arm.step: .step files cannot be written"),
    (["convert", "puma560", "arm"], "files without a suffix cannot be written"),
    (["convert", "puma560", "nowhere/arm.urdf"], "make it first"),
    (["convert", "puma560", "file/arm.urdf"], "file"),
    (["ops", "nobody"], "nobody"),
    (["tables", "--frobnicate"], "frobnicate"),
    (["claims", "--paper", "lin_1990"], "--paper"),
    (["claims", "--plot", "claims.jpg"], ".png"),
    (["verify", "puma560", "--states", "-1"], "states"),
    (["minimal", "puma560", "--latex", "--json"], "--latex"),
    (["symbolic", "puma560"], "up to 3 joints"),
    (["symbolic", "planar2", "--matrices", "mass"], "inverse_mass_matrix"),
    (["symbolic", "planar2", "--latex", "--python"], "choose one"),
    (["symbolic", "planar2", "-o", "file/model.py"], "file"),
    (["excite", "puma560", "--duration", "-1"], "--duration"),
    (["excite", "puma560", "--velocity", "fast"], "--velocity"),
    (["excite", "puma560", "-o", "motion.doc"], ".csv"),
    (["move", "puma560", "--through", "nothing.csv"], "nothing.csv: cannot be read"),
    (["move", "puma560", "--through", "file"], "has 0 way-points"),
    (["move", "puma560", "--through", "file", "-o", "motion.doc"], ".csv"),
    (["identify", "puma560", "nothing.csv", "-o", "out"], "nothing.csv"),
    (["identify", "puma560"], "LOG"),
    (["identify", "puma560", "a", "-o", "out", "--payload"], "armdyn payload"),
    (["identify", "log.csv", "puma560"], "armdyn identify puma560 log.csv"),
    (
        ["identify", "--cutoff=5", "log.csv", "arm.urdf", "-o", "out"],
        "armdyn identify --cutoff=5 arm.urdf log.csv -o out",
    ),
    (["page", "log.csv"], "armdyn page ROBOT log.csv"),
    (["identify", "puma560", "a", "-o", "out", "--friction", "true", "--no-friction"], "give one"),
    (["payload", "puma560", "a", "--empty", "a"], "--empty is a"),
    (["payload", "puma560", "nothing.csv"], "nothing.csv"),
    (["gains", "puma560", "a", "--empty", "a", "--mass", "2"], "--empty is a"),
    (["gains", "puma560", "a", "--empty", "b", "--mass", "0"], "--mass is 0"),
    (["gains", "puma560", "a", "--empty", "b", "--mass", "2", "--com", "1,2"], "--com is"),
    (["gains", "puma560", "a", "--empty", "b"], "mass"),
    (["check", "nothing.csv", "--robot", "puma560"], "nothing.csv"),
    (["check", "a.csv", "b.csv", "--out", "one.png"], "a folder"),
    (["check", "a.csv", "--tip", "tool0"], "--robot"),
    (["fleet", "nothing/*/", "--robot", "puma560", "-o", "table.csv"], "nothing"),
    (["fleet", "nothing/*/", "--robot", "puma560", "-o", "table.doc"], ".parquet"),
    (["observe", "puma560", "nothing.csv"], "nothing.csv"),
    (["observe", "puma560", "a", "--plot", "seen.jpg"], ".png"),
    (["simulate", "puma560", "--q0", "1,2"], "6 joints"),
    (["simulate", "puma560", "--q0", "0,-30,30,0,0,0"], "--degrees"),
    (["simulate", "puma560", "--target", "0,-30,30,0,0,0"], "--radians"),
    (["simulate", "puma560", "--until", "-1"], "--until is -1.0"),
    (["simulate", "puma560", "--kp", "9"], "--target"),
    (["simulate", "puma560", "--wrench", "1,2,3"], "a force and a moment: 6"),
    (["simulate", "puma560", "--stiction", "0.5"], "--stiction is 0.5"),
    (["simulate", "puma560", "--noise-q", "1e-3", "--seed", "1"], "--noise-q, --seed: of"),
    (["simulate", "puma560", "--measured", "log.doc"], "runs are written as"),
    (["simulate", "puma560", "--until", "5e4", "--integrator", "rk4"], "are wanted by --rate"),
    (["simulate", "puma560", "--step", "0.01"], "rk45, which chooses its steps"),
    (["simulate", "puma560", "--rtol", "1e-3", "--integrator", "rk4"], "steps are fixed"),
    (["simulate", "puma560", "--integrator", "euler"], "rk45"),
    (["study", "nothing"], "ascher"),
    (["paper", "nothing"], "lin_fang_1999"),
    (["page", "puma560", "-o", "arm.png"], "pages are written as .html"),
    (["view", "puma560", "--no-browser", "--port", "70000"], "--port is 70000"),
    (["view", "puma560", "--no-browser", "--loop"], "no log"),
    (["page", "puma560", "--units", "deg", "-o", "arm.html"], "no log"),
    (["codegen", "puma560", "--functions", "mass", "--out", "c"], "mass_matrix"),
    (["codegen", "puma560", "--functions", ",", "--out", "c"], "--functions is empty"),
    (["controller", "puma560", "-o", "c"], "have no limit of torque; give --limit"),
    (["bench", "--robots", "nobody", "--quick"], "nobody"),
    (["bench", "--peers", "nobody"], "pinocchio"),
    (["bench", "--quick", "--out", "nowhere/times.json"], "make it first"),
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
    verbs = (
        "info convert ops tables claims verify minimal symbolic excite check identify fleet "
        "payload gains observe simulate move page view study codegen controller bench paper cache "
        "demo"
    )
    assert set(VERBS) == set(verbs.split())


@pytest.mark.parametrize("verb", VERBS)
def test_help_ends_with_examples_whose_options_exist(monkeypatch, capsys, verb) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    status, out, _ = run(monkeypatch, capsys, verb, "--help")
    shown = re.findall(rf"armdyn[\w-]* {verb}\b.*", out.partition("Example")[2])
    assert status == 0 and shown
    known = {name for option in VERBS[verb].params for name in option.opts}
    for line in shown:
        assert set(re.findall(r"(?<= )--?[a-z][a-z0-9-]*", line)) <= known, line


def test_examples_belong_to_verbs() -> None:
    assert set(EXAMPLES) == set(VERBS)
    for verb, lines in EXAMPLES.items():
        assert all(line.startswith(f"armdyn {verb}") for line in lines)


@pytest.mark.parametrize("verb", [verb for verb in VERBS if EXAMPLES[verb]])
def test_help_shows_every_option_in_a_panel_with_its_unit(monkeypatch, capsys, verb) -> None:
    """Units in square brackets are no markup, which would vanish."""
    monkeypatch.setenv("COLUMNS", "250")
    _, out, _ = run(monkeypatch, capsys, verb, "--help")
    panels = {"Options"}
    for parameter in VERBS[verb].params:
        if not getattr(parameter, "hidden", False):
            assert Text.from_markup(parameter.help).plain in out, parameter.name
            panels.add(getattr(parameter, "rich_help_panel", None) or "Options")
    assert all(f"─ {panel} ─" in out for panel in panels)
    if "robot" in {parameter.name for parameter in VERBS[verb].params}:
        assert "Robot" in panels


FORMER = [
    (verb, old, new)
    for verb, command in VERBS.items()
    for old, new in getattr(command, "_renamed", {}).items()
]


def test_options_have_one_name_for_one_thing() -> None:
    """A former name is in no help, and the new one is an option of the verb."""
    assert {old for _, old, _ in FORMER} == {
        "--output", "--without", "--strict", "--torque", "--json"
    }  # fmt: skip
    for verb, old, new in FORMER:
        known = {name for parameter in VERBS[verb].params for name in parameter.opts}
        assert new in known and old not in known, (verb, old, new)
    for verb, command in VERBS.items():
        flags = [p.is_flag for p in command.params if "--json" in p.opts]
        assert flags in ([], [True]), verb


@pytest.mark.parametrize(("verb", "old", "new"), FORMER)
@pytest.mark.parametrize("form", ["{} x", "{}=x"])
def test_former_names_work_with_a_warning(capsys, verb, old, new, form) -> None:
    words = VERBS[verb]._with_new_names([*form.format(old).split(), "--", old])
    assert words == [*form.format(new).split(), "--", old]
    (line,) = capsys.readouterr().err.splitlines()
    assert old in line and new in line and line.startswith("warning: ")


def test_a_value_is_not_taken_for_a_former_name(capsys) -> None:
    assert VERBS["page"]._with_new_names(["--units", "--output"]) == ["--units", "--output"]
    assert capsys.readouterr().err == ""


def test_a_former_name_does_what_it_did(monkeypatch, capsys, tmp_path: Path) -> None:
    run(monkeypatch, capsys, "symbolic", "planar2", "--python", "--out", str(tmp_path / "new.py"))
    status, _, err = run(
        monkeypatch, capsys, "symbolic", "planar2", "--python", "--output", str(tmp_path / "old.py")
    )
    assert status == 0 and "--out" in err
    assert (tmp_path / "old.py").read_text() == (tmp_path / "new.py").read_text()


def test_positions_of_more_than_a_turn_are_taken_if_the_unit_is_given(monkeypatch, capsys) -> None:
    words = ("simulate", "planar2", "--q0", "0,-30", "--until", "0.01", "--json")
    assert run(monkeypatch, capsys, *words)[0] == 2
    ends = [
        json.loads(run(monkeypatch, capsys, *words, unit)[1])["q"]
        for unit in ("--degrees", "--radians")
    ]
    assert np.allclose(ends, [[0.0, np.radians(-30.0)], [0.0, -30.0]], atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb", [verb for verb in VERBS if EXAMPLES[verb] and verb not in TAKES_LONG]
)
def test_examples_of_the_help_run(monkeypatch, capsys, tmp_path: Path, verb) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ARMDYN_CACHE", str(tmp_path / "cache"))
    arm = small_arm()
    tool = np.eye(4)
    tool[:3, 3] = 0.1, 0.0, 0.0
    file = Path("arm.urdf")
    armdyn.save(armdyn.Arm(replace(arm.robot, tool=tool)), file)
    file.write_text(file.read_text().replace('"tip"', '"tool0"'))
    for name in ("run.csv", "other.csv"):
        recorded(arm).save(name)
    for name in ("episodes/1.csv", "logs/arm1/1.csv", "logs/arm2/1.csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        recorded(arm).save(name)
    armdyn.save(arm, "identified.toml")
    steps = np.linspace(0.1, 0.4, 3)[:, None] * np.ones(arm.n)
    np.savetxt("points.csv", steps, delimiter=",")
    effort = "current" if verb == "gains" else "torque"
    for name, one in (("held.csv", loaded(arm, armdyn.Load(mass=2.5))), ("empty.csv", arm)):
        replace(recorded(one), effort=effort).save(name)
    for line in EXAMPLES[verb]:
        status, out, err = run(monkeypatch, capsys, *shlex.split(line)[1:])
        assert status == 0, (line, err)
        if "--json" in line:
            assert json.loads(out), line


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
               "from armdyn.cli.app import main; main()"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.split() == [expected], done.stderr
