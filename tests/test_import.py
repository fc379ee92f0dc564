"""What `import armdyn` does, and does not do."""

from __future__ import annotations

import importlib
import importlib.util
import pickle
import subprocess
import sys

import pytest

import armdyn


def _run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_loads_nothing_else() -> None:
    shown = "import sys, armdyn; print('numpy' in sys.modules, 'armdyn.arm' in sys.modules)"
    assert _run(shown) == "False False"


def test_an_arm_is_made_without_what_it_does_not_need() -> None:
    """Nothing of the compiler, of SciPy or of the command line; nor the methods, which trace."""
    others = ["llvmlite", "scipy", "typer", "defusedxml"]
    parts = ["algorithms", "export", "graph", "identification", "kernel", "log", "minimal"]
    code = (
        "import sys; from armdyn import load; load('puma560')\n"
        f"unwanted = {[*others, *(f'armdyn.{part}' for part in parts)]}\n"
        "print([m for m in unwanted if m in sys.modules])"
    )
    assert _run(code) == "[]"


@pytest.mark.parametrize("part", ["armdyn.control", "armdyn.motion", "armdyn.view"])
def test_every_name_of_a_part_is_there(part: str) -> None:
    module = importlib.import_module(part)
    assert all(getattr(module, name) is getattr(module, name) for name in module.__all__)
    assert not hasattr(module, "nothing")


@pytest.mark.parametrize("name", armdyn.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(armdyn, name) is getattr(armdyn, name)
    assert name in dir(armdyn)


def test_star_import_brings_all() -> None:
    assert _run("from armdyn import *; print(Arm.__name__, robots.__name__)").startswith("Arm ")
    scope: dict[str, object] = {}
    exec("from armdyn import *", scope)
    assert set(armdyn.__all__) <= set(scope)


def test_parts_are_attributes_without_another_import() -> None:
    assert _run("import armdyn; print(armdyn.errors.InputError is armdyn.InputError)") == "True"
    shown = "import armdyn; print(armdyn.motion.time_optimal.__name__)"
    assert _run(shown) == "time_optimal"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'armdyn' has no attribute 'nothing'"):
        _ = importlib.import_module("armdyn").nothing
    assert not hasattr(armdyn, "numpy")


@pytest.mark.parametrize("module", ["armdyn.arm._arm", "armdyn.robot._robot", "armdyn._lazy"])
def test_a_pickle_of_another_version_says_so(module: str) -> None:
    written = f"c{module}\nArm\n.".encode()  # a pickle that refers to a class
    with pytest.raises(ModuleNotFoundError, match=r"another version .* `armdyn\.save`") as caught:
        pickle.loads(written)
    assert caught.value.name == module and "\n" not in str(caught.value)


def test_modules_that_do_not_exist_are_merely_not_found() -> None:
    for name in ("armdyn.nothing", "armdyn.arm.nothing", "armdyn_nothing", "armdyn.arm.__main__"):
        assert importlib.util.find_spec(name) is None
    assert importlib.util.find_spec("armdyn.arm.arm") is not None
    with pytest.raises(ImportError, match="cannot import name '_nothing'"):
        exec("from armdyn.arm import _nothing")
