"""Numbers in pages: what the script reads is what was stored."""

from __future__ import annotations

import json
import shutil
import subprocess

import numpy as np
import pytest

from armdyn.present.curves import Curve, Panel, placed, zoomable
from armdyn.present.html import Packed
from armdyn.present.script import SCRIPT

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(NODE is None, reason="node is not there")


def read_by_node(packed: Packed, ask: str) -> object:
    """What the functions of the script say, in a page without drawings."""
    page = "const document = { querySelectorAll: () => [] };"
    script = f"{page}{packed.script()}{SCRIPT};console.log(JSON.stringify({ask}));"
    done = subprocess.run([NODE, "-"], input=script, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@needs_node
def test_the_script_reads_the_numbers_to_a_ten_millionth_of_their_range() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.normal(size=1000), np.arange(50) * 0.01 + 3.0, np.zeros(5), np.array([2.5])]
    packed = Packed()
    keys = [packed.key(x) for x in columns]
    assert keys == [0, 1, 2, 3]
    for key, x in zip(keys, columns, strict=True):
        read = read_by_node(packed, f"[...column({key})]")
        np.testing.assert_allclose(read, x, atol=1e-7 * max(np.ptp(x), 1e-3))


def test_equal_steps_take_no_room_and_equal_arrays_are_stored_once() -> None:
    packed, t = Packed(), np.arange(100_000) * 1e-3
    assert packed.key(t) == packed.key(t) == 0
    assert len(packed.script()) < 60
    assert packed.key(np.sin(t)) == 1
    assert len(packed.script()) == pytest.approx(400_000, rel=1e-3)


@needs_node
def test_the_visible_part_has_every_sample_or_the_extremes() -> None:
    y = np.sin(np.arange(100_000) * 0.01)
    y[70_001], y[12_345] = 7.0, -9.0
    packed = Packed()
    packed.key(np.arange(1e5)), packed.key(y)
    few = read_by_node(packed, "shown(column(0), column(1), 500, 900)")
    assert few == list(range(499, 901))
    many = read_by_node(packed, "shown(column(0), column(1), 0, 99999)")
    assert len(many) <= 1600 and sorted(many) == many
    assert {70_001, 12_345} <= set(many)


def test_pieces_are_placed_one_after_the_other() -> None:
    first, second = placed([np.array([5.0, 6.0, 9.0]), np.array([100.0, 106.0])])
    np.testing.assert_allclose(first, [0.0, 1.0, 4.0])
    np.testing.assert_allclose(second, [4.1, 10.1])


def test_drawings_hold_thinned_lines_and_keys_of_all_samples() -> None:
    packed = Packed()
    t = np.linspace(0.0, 20.0, 20_000)
    curve = Curve("measured <b>", "is", [(t, np.sin(t))])
    text = zoomable([Panel([curve], 100, "N m")], "g", "label", packed)
    assert 'data-x="0" data-y="1"' in text and "&lt;b&gt;" in text
    assert packed.count == 40_000
    assert text.count(",") < 900
