"""The minimal sets: counts and row spaces against the rank and row space of the regressor."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import armdyn
from armdyn import Robot
from armdyn.algorithms.link_parameters import PARAMETER_NAMES
from armdyn.algorithms.regressor import regressor
from armdyn.algorithms.structure import structure
from armdyn.minimal.check import (
    judge,
    numerical_set,
    random_states,
    rank,
    stacked_regressor,
    structural_regressor,
)
from armdyn.minimal.closed_form import LinearSet, closed_form, gravity_only
from armdyn.minimal.drives import with_drives
from armdyn.minimal.invisible import invisible
from armdyn.minimal.khalil_gautier import khalil_gautier
from armdyn.robot.chain import Chain, chain_of
from support.beside import beside
from support.minimal import (
    KNOWN,
    RX90,
    Known,
    arm_of,
    regressor_at_rest,
    regressor_with_drives,
    special_chain,
)
from support.robots import random_robots, relative_error


def check_theorem(chain: Chain) -> LinearSet:
    """Count and row space of the closed form are those of the regressor; B is unit triangular."""
    chosen = closed_form(chain)
    k, W = len(chosen.terms), structural_regressor(chain)
    size = np.abs(W).max(initial=1e-300)
    assert rank(W) == k
    assert np.abs(W - W @ chosen.right_inverse @ chosen.matrix).max() < 1e-9 * size
    assert np.abs(np.tril(chosen.B) - np.eye(k)).max(initial=0.0) < 1e-12
    assert judge(chosen, W).agrees
    return chosen


def check_at_rest(chain: Chain, chosen: LinearSet) -> None:
    names = gravity_only(chain, structure(chain))
    W = regressor_at_rest(chain)
    assert (rank(W) if any(chain.g) else 0) == len(names)
    rows = chosen.matrix[[k for k, term in enumerate(chosen.terms) if term.name in names]]
    assert len(rows) == len(names)
    if names:
        left = W - W @ np.linalg.pinv(rows) @ rows
        assert np.abs(left).max() < 1e-9 * np.abs(W).max()


def check_drives(chain: Chain, chosen: LinearSet) -> int:
    """The sets with rotors and friction are those of the regressor, too; return their size."""
    sizes: list[int] = []
    for rotor, friction in ((True, False), (False, True), (True, True)):
        full = with_drives(chosen, chain, structure(chain), rotor, friction)
        W = regressor_with_drives(chain, rotor, friction)
        assert rank(W) == len(full.terms)
        assert np.abs(W - W @ full.right_inverse @ full.matrix).max() < 1e-9 * np.abs(W).max()
        sizes.append(len(full.terms))
    assert sizes[1] == len(chosen.terms) + 3 * chain.n
    return sizes[0]


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.robot.name)
def test_known_arms_have_the_known_numbers(known: Known) -> None:
    chain = chain_of(known.robot)
    chosen = check_theorem(chain)
    assert len(chosen.terms) == known.minimal
    assert check_drives(chain, chosen) == known.with_rotors
    assert len(gravity_only(chain, structure(chain))) == known.at_rest
    check_at_rest(chain, chosen)


@pytest.mark.parametrize("robot", random_robots(2), ids=lambda robot: robot.name)
def test_random_arms_agree_with_the_regressor(robot: Robot) -> None:
    for chain in (chain_of(robot), replace(chain_of(robot), g=(0.0, 0.0, 0.0))):
        chosen = check_theorem(chain)
        check_at_rest(chain, chosen)
        check_drives(chain, chosen)


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 10**9), n=st.integers(1, 6))
def test_any_special_arm_agrees_with_the_regressor(seed: int, n: int) -> None:
    chain = special_chain(np.random.default_rng(seed), n)
    chosen = check_theorem(chain)
    check_at_rest(chain, chosen)
    check_drives(chain, chosen)


@pytest.mark.slow
def test_two_thousand_special_arms_agree_with_the_regressor() -> None:
    rng = np.random.default_rng(20)
    sizes = rng.choice([1, 2, 3, 4, 5, 6], 2000, p=[0.1, 0.2, 0.3, 0.2, 0.15, 0.05])
    for k, n in enumerate(sizes):
        chain = special_chain(rng, int(n))
        chosen = check_theorem(chain)
        if k % 2 == 0:
            check_at_rest(chain, chosen)
        if k % 4 == 0:
            check_drives(chain, chosen)


def test_sampled_regressor_is_the_regressor() -> None:
    for robot in random_robots(0, (1, 3, 5)):
        chain = chain_of(robot)
        states = random_states(chain.n, 2)
        for k, got in enumerate(stacked_regressor(chain, *states)):
            expected = regressor(chain, *(x[k].tolist() for x in states))
            assert relative_error(got, expected) < 1e-13


def test_set_found_in_numbers_spans_the_same() -> None:
    for known in KNOWN:
        chain = chain_of(known.robot)
        W, theorem = structural_regressor(chain), closed_form(chain)
        found = numerical_set(chain, W, theorem)
        assert len(found.terms) == known.minimal
        assert judge(found, W).agrees
        change = found.matrix @ theorem.right_inverse
        assert relative_error(change @ theorem.matrix, found.matrix) < 1e-8
        assert abs(np.linalg.det(change)) > 1e-9


def test_verdict_refuses_a_set_with_too_few_or_too_many() -> None:
    chain = chain_of(arm_of("puma", "RRRRRR", RX90))
    W, right = structural_regressor(chain), closed_form(chain)
    few = LinearSet(right.terms[1:], right.matrix[1:], right.carriers[:, 1:])
    assert not judge(few, W).agrees
    weightless = replace(chain, g=(0.0, 0.0, 0.0))
    assert not judge(right, structural_regressor(weightless)).agrees


def test_khalil_gautier_set_is_ours_times_a_nonsingular_matrix() -> None:
    rng = np.random.default_rng(8)
    chains = [chain_of(known.robot) for known in KNOWN]
    chains += [special_chain(rng, int(rng.integers(1, 7))) for _ in range(150)]
    with_kappa = 0
    for chain in chains:
        ours = closed_form(chain)
        theirs = khalil_gautier(chain, structure(chain), ours)
        assert relative_error(theirs.change @ ours.matrix, theirs.matrix) < 1e-11
        assert np.linalg.matrix_rank(theirs.change) == len(ours.terms)
        kappa = any(term.symbol == "kappa1" for term in ours.terms)
        with_kappa += kappa
        if not kappa:
            assert relative_error(theirs.change, np.linalg.inv(ours.B)) < 1e-11
        if all(link.rotational for link in chain.links):
            assert relative_error(theirs.change, np.eye(len(ours.terms))) < 1e-11
    assert with_kappa > 5


def test_statements_on_the_invisible_are_the_whole_null_space() -> None:
    rng = np.random.default_rng(9)
    chains = [chain_of(known.robot) for known in KNOWN]
    chains += [special_chain(rng, int(rng.integers(1, 6))) for _ in range(100)]
    for chain in chains:
        chosen = closed_form(chain)
        statements = invisible(chain, structure(chain), chosen)
        directions = np.vstack([s.directions for s in statements])
        assert np.abs(chosen.matrix @ directions.T).max(initial=0.0) < 1e-10
        assert np.linalg.matrix_rank(directions) == 10 * chain.n - len(chosen.terms)
        for s in statements:
            unseen = not np.any(chosen.matrix[:, [_column(p) for p in s.parameters]])
            assert unseen == (not s.seen_in)
            assert f"link {s.link}" in str(s)


def _column(parameter: str) -> int:
    name, _, link = parameter.partition("_")
    return 10 * (int(link) - 1) + PARAMETER_NAMES.index(name)


def test_published_groupings_of_the_rx90_are_identifiable() -> None:
    file = beside("data/rx90/RX90_regp.txt")
    chain = chain_of(arm_of("rx90", "RRRRRR", RX90))
    groupings = _groupings(file.read_text(), D3=0.45, RL4=0.45)
    assert len(groupings) == 40
    W = regressor_with_drives(chain, True, False)
    merged = with_drives(closed_form(chain), chain, structure(chain), True, False)
    G = np.array(groupings)
    assert np.abs(G - G @ merged.right_inverse @ merged.matrix).max() < 1e-12
    assert rank(np.vstack([W, G])) == rank(W) == np.linalg.matrix_rank(G) == 40


def _groupings(text: str, **lengths: float) -> list[np.ndarray]:
    """The rows of the table of grouped parameters, as combinations of links' and rotors'."""
    theirs = {"M": "m", "MX": "mx", "MY": "my", "MZ": "mz", "XX": "Ixx", "XY": "Ixy", "YY": "Iyy",
              "XZ": "Ixz", "YZ": "Iyz", "ZZ": "Izz"}  # fmt: skip
    unit = np.eye(66)
    known: dict[str, object] = dict(lengths)
    for i in range(1, 7):
        known |= {f"{k}{i}": unit[_column(f"{v}_{i}")] for k, v in theirs.items()}
        known |= {f"IA{i}": unit[60 + i - 1], f"C{i}": 0.0, f"S{i}": 0.0}
    equations, _, table = text.partition("grouped inertia parameters")
    for line in equations.partition("Equations:")[2].splitlines():
        name, equals, value = line.partition(" = ")
        if equals and not name.startswith(("C", "S")):
            known[name] = eval(value, {"__builtins__": {}}, known)
    rows = [line.split()[1:] for line in table.splitlines() if line[:1] in tuple("123456")]
    cells = [cell for row in rows if len(row) == 11 for cell in row if cell != "0"]
    return [np.asarray(known[cell]) for cell in cells if cell in known and cell[0] in "XYZMI"]


def test_the_former_name_of_the_right_inverse_works_and_warns() -> None:
    base = armdyn.load("planar2").minimal
    with pytest.warns(DeprecationWarning, match="right_inverse"):
        np.testing.assert_array_equal(base.spread, base.right_inverse)
