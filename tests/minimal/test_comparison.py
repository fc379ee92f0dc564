"""Corollary 6 of [Lin1994]: is a user's set a minimal set; and (9), against ranks of regressors."""

from __future__ import annotations

import numpy as np
import pytest

import armdyn
from armdyn import MinimalParameters
from armdyn.errors import InputError
from armdyn.minimal.check import checked_set, rank, structural_regressor
from armdyn.minimal.comparison import compared
from armdyn.robot.chain import Chain
from support.minimal import special_chain

KINDS = ("minimal", "missing", "dependent", "wrong")
NAMES = [f"p{k}" for k in range(100)]


def by_rank(W: np.ndarray, Q: np.ndarray) -> bool:
    """Whether a set is minimal, by singular values alone."""
    size = np.linalg.norm(W, axis=0)
    size = np.where(size > 1e-9 * size.max(), size, size.max())  # rounding
    rows = Q / size
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    k = rank(W)
    together = np.concatenate([W / size / np.linalg.norm(W / size, 2), rows])
    values, own = (np.linalg.svd(X, compute_uv=False) for X in (together, rows))
    independent = own[-1] > 1e-9 * own[0]
    return len(Q) == k and independent and int(np.sum(values > 1e-9 * values[0])) == k


def random_set(kind: str, P: np.ndarray, hidden: np.ndarray, rng: np.random.Generator):
    """A set of one kind, in random units of its rows, and the row that is wrong."""
    k = len(P)
    Q = (rng.normal(size=(k, k)) + 3.0 * np.eye(k)) @ P
    row = int(rng.integers(k))
    if kind == "missing":
        Q = np.delete(Q, row, axis=0)
    elif kind == "dependent":
        others = [i for i in range(k) if i != row]
        Q[row] = rng.normal(size=k - 1) @ Q[others]
    elif kind == "wrong":
        Q[row] += 0.1 * np.abs(Q[row]).max() * hidden
    return Q * 10.0 ** rng.uniform(-3.0, 3.0, (len(Q), 1)), row


def chains() -> list[Chain]:
    found: list[Chain] = []
    seed = 0
    while len(found) < 50:
        chain = special_chain(np.random.default_rng([seed, 30]), 2 + seed % 5)
        ours, _ = checked_set(chain)
        if 2 <= len(ours.terms) < 10 * chain.n:
            found.append(chain)
        seed += 1
    return found


def test_two_hundred_random_sets_of_fifty_arms_agree_with_ranks() -> None:
    seen = {kind: 0 for kind in KINDS}
    for at, chain in enumerate(chains()):
        rng = np.random.default_rng([at, 6])
        ours, _ = checked_set(chain)
        W = structural_regressor(chain)
        P = ours.matrix
        # a direction in the space of parameters that no torque shows
        hidden = np.linalg.svd(P)[2][len(P) :]
        for kind in KINDS:
            Q, row = random_set(kind, P, rng.normal(size=len(hidden)) @ hidden, rng)
            found = compared(ours, ours.right_inverse, NAMES[: P.shape[1]], Q, 1e-9)
            assert found.is_minimal == by_rank(W, Q) == (kind == "minimal"), (at, kind)
            assert bool(found.missing) == (kind != "minimal")
            assert bool(found.dependent) == (kind == "dependent")
            assert list(found.unseen) == ([row] if kind == "wrong" else [])
            seen[kind] += 1
    assert sum(seen.values()) == 200


def test_published_sets_are_minimal_sets() -> None:
    for name in ("puma560", "stanford", "planar3"):
        base = armdyn.load(name).minimal
        assert base.is_minimal(base.matrix)
        assert base.is_minimal(base.khalil_gautier().matrix)
        assert not base.is_minimal(base.inertia_only().matrix) or len(base) == len(
            base.inertia_only().names
        )


def test_sets_with_rotors_and_friction() -> None:
    base = armdyn.load("puma560").minimal_with(rotor=True, friction=True)
    assert base.is_minimal(base.matrix[::-1])
    less = base.explain(base.matrix[:-1])
    assert less.missing == (base.names[-1],) and not less.is_minimal


def test_the_explanation_names_what_is_wrong() -> None:
    base = armdyn.load("planar2").minimal
    found = base.explain(base.matrix)
    assert found.is_minimal and np.allclose(found.M, np.eye(6))
    assert "determine all torques" in str(found)
    assert base.explain(base.matrix[1:]).missing == (base.names[0],)
    Q = base.matrix
    Q[2] = 2.0 * Q[0] - 0.5 * Q[1]
    found = base.explain(Q)
    assert found.dependent == {2: "it is 2 × row 0 - 0.5 × row 1"}
    assert found.rank == 5 and found.missing == (base.names[2],)
    Q = base.matrix
    Q[3, base.parameter_names.index("Ixx_1")] = 0.25
    found = base.explain(Q)
    assert found.unseen == {3: "0.25 Ixx_1"} and "row 3" in str(found)
    Q[4] = 0.0
    assert base.explain(Q).dependent == {4: "it is zero"}


def test_rounded_coefficients_need_a_tolerance() -> None:
    base = armdyn.load("puma560").minimal
    Q = base.matrix
    rounded = np.round(Q, 6)
    assert not base.is_minimal(rounded) or np.array_equal(rounded, Q)
    assert base.is_minimal(rounded, tolerance=1e-3)


def test_wrong_sets_are_refused() -> None:
    base = armdyn.load("planar2").minimal
    for wrong in (np.zeros((6, 19)), np.zeros(20), np.full((6, 20), np.nan), "text", None):
        with pytest.raises(InputError, match="`matrix`"):
            base.is_minimal(wrong)  # type: ignore[arg-type]
    for wrong in (0.0, 0.5, np.nan, "small"):
        with pytest.raises(InputError, match="`tolerance`"):
            base.explain(base.matrix, tolerance=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_partition_9_gives_the_set_of_the_inertia_matrix(seed: int) -> None:
    chain = special_chain(np.random.default_rng([seed, 9]), 1 + seed % 6)
    base = MinimalParameters(chain, lambda program, method: program)
    if not base.closed_form:
        return
    split, only = base.partition(), base.inertia_only()
    assert set(split.w) | set(split.w_g) == set(base.names)
    assert len(split.w) + len(split.P2) == len(only.names)
    rows = {name: np.eye(len(base))[k] for k, name in enumerate(base.names)}
    w, w_g = (
        np.array([rows[name] for name in names]).reshape(len(names), len(base))
        for names in (split.w, split.w_g)
    )
    both = np.concatenate([w + split.P1 @ w_g, split.P2 @ w_g])
    assert rank(both) == rank(only.change) == rank(np.concatenate([both, only.change]))
