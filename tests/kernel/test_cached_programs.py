"""Programs kept on disk: the same program, and never one that is out of date."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from armdyn.errors import GraphError
from armdyn.graph.program import Instruction, Program, Slot
from armdyn.kernel.cached import (
    cached_choice,
    cached_program,
    program_from_text,
    program_text,
    source_digest,
)
from armdyn.programs import programs as _programs
from armdyn.programs import tracing as _tracing
from armdyn.programs.key import ProgramKey
from armdyn.programs.methods import methods
from armdyn.programs.programs import program, resolve
from armdyn.programs.sized_lru import PROGRAMS
from armdyn.robot.chain import Chain, Link, chain_of
from armdyn.robot.library import generic
from armdyn.robot.model import IDENTITY
from armdyn.scalar import Op, symbol
from support.says import facts

CHAIN = chain_of(generic(3))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    place = tmp_path / "cache"
    monkeypatch.setenv("ARMDYN_CACHE", str(place))
    _forget()
    yield place
    _forget()


def _forget() -> None:
    """Be as a new process."""
    PROGRAMS.clear()
    source_digest.cache_clear()


def _no_tracing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> Program:
        raise AssertionError("traced again")

    monkeypatch.setattr(_tracing, "trace", refuse)


def test_a_program_comes_back_to_the_last_bit() -> None:
    code = (
        Instruction(Op.INPUT, (), 0.0),
        Instruction(Op.CONST, (), -0.0),
        Instruction(Op.CONST, (), 0.1 + 0.2),
        Instruction(Op.CONST, (), 5e-324),
        Instruction(Op.MUL, (0, 2)),
        Instruction(Op.SIN, (4,)),
    )
    given = Program("p", (Slot("x", ()),), (Slot("y", (2, 2)),), code, (5, 1, 3, 4))
    back = program_from_text(program_text(given))
    assert back == given
    assert str(back.code[1].value) == "-0.0"
    for quantity in ("forward_dynamics", "regressor"):
        traced = program(resolve(ProgramKey(CHAIN, quantity)))
        assert program_from_text(program_text(traced)) == traced


@pytest.mark.parametrize(
    "text",
    ("", "[]", "{}", "nonsense", '{"name": 1}', b"\xff\xfe",
     '{"name":"p","inputs":[],"outputs":[["y",[1]]],"code":[["?",[],0.0]],"results":[0]}',
     '{"name":"p","inputs":[],"outputs":[["y",[1]]],"code":[["neg",[0],0.0]],"results":[0]}',
     '{"name":"p","inputs":[],"outputs":[["y",[2]]],"code":[["const",[],1.0]],"results":[0]}',
     '{"name":"p","inputs":[],"outputs":[["y",[1]]],"code":[["const",[],1.0]],"results":[0.0]}',
     '{"name":"p","inputs":[],"outputs":[["y",[1e999]]],"code":[["const",[],1.0]],"results":[0]}'),
)  # fmt: skip
def test_what_is_no_program_is_refused(text: str | bytes) -> None:
    with pytest.raises(GraphError):
        program_from_text(text)


def test_another_process_need_not_trace(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = resolve(ProgramKey(CHAIN, "mass_matrix"))
    first = program(key)
    # the choice and the program, not all that were compared
    assert len(list(folder.iterdir())) == 2
    _forget()
    _no_tracing(monkeypatch)
    assert resolve(ProgramKey(CHAIN, "mass_matrix")) == key
    assert program(key) == first


def test_other_questions_have_other_answers(folder: Path) -> None:
    longer = chain_of(generic(4))
    questions = [
        (CHAIN, "pose", 4, True),
        (CHAIN, "pose", 3, True),
        (longer, "pose", 4, True),
        (CHAIN, "inverse_dynamics", 4, True),
        (CHAIN, "inverse_dynamics", 4, False),
    ]
    asked = [
        ProgramKey(chain, quantity, methods(quantity)[0], frame, friction)
        for chain, quantity, frame, friction in questions
    ]
    first = [program(key) for key in asked]
    assert len(list(folder.iterdir())) == len(asked)
    _forget()
    assert [program(key) for key in asked] == first


def test_a_changed_method_is_traced_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = resolve(ProgramKey(CHAIN, "gravity"))
    program(key)
    _forget()
    monkeypatch.setattr(_programs, "TRACING", (("armdyn", ("scalar",)),))  # other text than before
    _no_tracing(monkeypatch)
    with pytest.raises(AssertionError, match="traced again"):
        program(key)


def test_what_is_spoiled_is_made_again(folder: Path) -> None:
    key = resolve(ProgramKey(CHAIN, "gravity"))
    first = program(key)
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:-1] + b"?")
    _forget()
    assert resolve(ProgramKey(CHAIN, "gravity")) == key
    assert program(key) == first


def test_sound_files_with_senseless_contents_are_made_again(folder: Path) -> None:
    made = program_from_text(program_text(program(ProgramKey(CHAIN, "gravity", "newton_euler"))))
    assert cached_choice(("x",), ("a", "b"), lambda: "a") == "a"
    assert cached_choice(("x",), ("a", "b"), lambda: "b") == "a"
    assert cached_choice(("x",), ("b", "c"), lambda: "c") == "c"
    assert cached_program(("x",), lambda: made) == made
    assert cached_program(("x",), lambda: pytest.fail("made again")) == made


def test_unknown_constants_are_not_kept(folder: Path) -> None:
    link = Link(True, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, symbol("m"), (0.1, 0.0, 0.0), (0.1,) * 6)
    chain = Chain((link,), (0.0, -9.81, 0.0), IDENTITY, IDENTITY)
    with pytest.raises(GraphError, match=facts("inputs")):
        program(ProgramKey(chain, "gravity", methods("gravity")[0], friction=False))
    assert not folder.exists()


def test_no_cache_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARMDYN_CACHE", "off")
    _forget()
    assert resolve(ProgramKey(CHAIN, "gravity")).method in methods("gravity")
