"""Functions as operators of PyTorch. `make test-torch` installs it and runs these tests."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import armdyn
from armdyn.arm import kernel_op as _kernel_op
from armdyn.arm import torch_ops as _torch
from support.says import facts

torch = pytest.importorskip(
    "torch", reason="PyTorch is not installed; `make test-torch` installs it and runs these tests"
)

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch warns of its own deprecated parts

RNG = np.random.default_rng(7)
QUANTITIES = ["inverse_dynamics", "forward_dynamics", "mass_matrix", "gravity", "udu"]
FRICTION = {
    "viscous": 0.4, "coulomb": 0.7, "load_friction": 0.05, "stribeck": 0.3,
    "stribeck_velocity": 0.5, "root_friction": 0.2,
}  # fmt: skip


def rubbing_arm() -> armdyn.Arm:
    """A turning and a sliding joint, with every term of friction."""
    turning = armdyn.Joint(
        kind="revolute", b=0.4, beta=0.7, mass=3.0, com=(0.1, 0.02, 0.05),
        inertia=(0.2, 0.01, 0.0, 0.3, 0.02, 0.25), rotor_inertia=0.01,
        **FRICTION,
    )  # fmt: skip
    sliding = armdyn.Joint(
        kind="prismatic", theta=0.3, mass=2.0, com=(0.05, 0.1, 0.2),
        inertia=(0.1, 0.0, 0.01, 0.12, 0.0, 0.09), **FRICTION,
    )  # fmt: skip
    return armdyn.Arm(armdyn.Robot([turning, sliding], name="rubbing"))


ARM = rubbing_arm()


def parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]


def tensors(f: armdyn.Function, *lead: int, grad: bool = False) -> list[Any]:
    """States away from rest, where friction jumps."""
    found = [RNG.uniform(0.2, 1.2, (*lead, slot.size)) for slot in f.program.inputs]
    signs = [RNG.choice([-1.0, 1.0], x.shape) for x in found]
    return [torch.tensor(x * s, requires_grad=grad) for x, s in zip(found, signs, strict=True)]


def arrays(states: list[Any]) -> list[np.ndarray]:
    return [x.detach().numpy() for x in states]


def same_bits(got: Any, expected: Any) -> bool:
    pairs = zip(parts(got), parts(expected), strict=True)
    return all(np.array_equal(a.detach().numpy(), b) for a, b in pairs)


def operator(f: armdyn.Function) -> Any:
    return _torch._operator(_kernel_op.kernel_op_of(f.program))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_values_have_the_bits_of_numpy(quantity: str) -> None:
    f = ARM.function(quantity)
    g = f.torch()
    for lead in ((), (1,), (37,), (2, 9), (0,), (700,)):
        states = tensors(f, *lead)
        assert same_bits(g(*states), f(*arrays(states)))
        strided = [x.new_zeros((*lead, 2 * x.shape[-1]))[..., ::2].copy_(x) for x in states]
        assert same_bits(g(*strided), f(*arrays(states)))
    states = tensors(f, 4, 6)
    assert same_bits(torch.vmap(torch.vmap(g), in_dims=1, out_dims=1)(*states), f(*arrays(states)))


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_gradients_in_both_modes_twice(quantity: str) -> None:
    f = ARM.function(quantity)
    states = tensors(f, 2, grad=True)
    for function in (f.torch(), operator(f)):
        both = function is not operator(f)
        assert torch.autograd.gradcheck(
            function, states, check_forward_ad=both, check_batched_grad=True
        )
        assert torch.autograd.gradgradcheck(function, states, check_fwd_over_rev=both)


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_operators_keep_the_rules_of_pytorch(quantity: str) -> None:
    f = ARM.function(quantity)
    torch.library.opcheck(operator(f), tuple(tensors(f, 3, grad=True)))
    torch.library.opcheck(operator(f), tuple(tensors(f)))
    gradient = _torch._operator(_kernel_op.kernel_op_of(f.program).vjp)
    weights = [torch.ones(3, slot.size, dtype=torch.float64) for slot in f.program.outputs]
    torch.library.opcheck(gradient, (*tensors(f, 3, grad=True), *weights))


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "mass_matrix"])
def test_jacobians_by_every_transformation(quantity: str) -> None:
    f = ARM.function(quantity)
    g = f.torch()
    states = tensors(f, 5)
    expected = [
        torch.stack(rows)
        for rows in zip(
            *[torch.autograd.functional.jacobian(g, tuple(x[k] for x in states)) for k in range(5)],
            strict=True,
        )
    ]
    by = tuple(range(len(states)))
    for mode in (torch.func.jacrev, torch.func.jacfwd):
        got = torch.vmap(mode(g, argnums=by))(*states)
        for a, b in zip(got, expected, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


def test_tensors_beside_those_that_are_transformed() -> None:
    """What a transformation does not differentiate by, tracked by autograd or not."""
    f = ARM.function("inverse_dynamics")
    g = f.torch()
    q, qd, qdd = tensors(f, 3)
    expected = torch.autograd.functional.jacobian(lambda x: g(q, x, qdd).sum(0), qd).sum(0)
    for beside in (q, q.clone().requires_grad_()):
        got = torch.func.grad(lambda x, beside=beside: g(beside, x, qdd).sum())(qd)
        torch.testing.assert_close(got, expected, rtol=1e-12, atol=1e-12)

        def unrelated(x: Any, beside: Any = beside) -> Any:
            return (x**2).sum() + g(beside, qd, qdd).sum()

        torch.testing.assert_close(torch.func.grad(unrelated)(qd), 2 * qd)


def test_hessians() -> None:
    f = ARM.function("potential_energy")
    g = f.torch()
    q = tensors(f)[0]
    expected = torch.autograd.functional.hessian(g, q)
    torch.testing.assert_close(torch.func.hessian(g)(q), expected, rtol=1e-12, atol=1e-12)
    other = torch.func.jacfwd(torch.func.jacfwd(g))(q)
    torch.testing.assert_close(other, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("quantity", QUANTITIES)
@pytest.mark.parametrize("backend", ["aot_eager"])
def test_compiled_functions_give_the_same_values_and_gradients(quantity: str, backend: str) -> None:
    f = ARM.function(quantity)
    g = f.torch()

    def loss(*states: Any) -> Any:
        return sum((torch.sin(x) ** 2).sum() for x in parts(g(*states)))

    torch._dynamo.reset()
    compiled = torch.compile(loss, fullgraph=True, backend=backend)
    found = []
    states = tensors(f, 3, grad=True)
    for function in (loss, compiled):
        value = function(*states)
        gradients = torch.autograd.grad(value, states, allow_unused=True, materialize_grads=True)
        found.append([value, *gradients])
    for a, b in zip(*found, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-13, atol=1e-13)
    mapped = torch.compile(torch.vmap(g), fullgraph=True, backend=backend)
    states = tensors(f, 4)
    assert same_bits(mapped(*states), f(*arrays(states)))


def test_the_compiler_of_pytorch_takes_an_operator_with_its_neighbours() -> None:
    """The default compiler, which makes machine code of what is around the operator."""
    f = ARM.function("inverse_dynamics")
    g = f.torch()
    states = tensors(f, 3, grad=True)
    torch._dynamo.reset()
    compiled = torch.compile(lambda *x: (torch.sin(g(*x)) ** 2).sum(), fullgraph=True)
    got = torch.autograd.grad(compiled(*states), states)
    expected = torch.autograd.grad((torch.sin(g(*states)) ** 2).sum(), states)
    for a, b in zip(got, expected, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-12, atol=1e-12)


def test_forward_mode_is_refused_while_compiling() -> None:
    """PyTorch would take it for zero."""
    g = ARM.function("gravity").torch()
    q = tensors(ARM.function("gravity"))[0]
    torch._dynamo.reset()
    with pytest.raises(Exception, match="has a tangent"):
        torch.compile(torch.func.jacfwd(g), fullgraph=True, backend="eager")(q)
    torch._dynamo.reset()
    got = torch.compile(torch.func.jacfwd(g), backend="eager")(q)  # not compiled: computed
    torch.testing.assert_close(got, torch.autograd.functional.jacobian(g, q))


def test_no_number_is_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    f = ARM.function("bias")
    op = _kernel_op.kernel_op_of(f.program)
    seen: list[Any] = []
    real = op.unchecked

    def watch(given: Any, threads: int) -> Any:
        results = real(given, threads)
        seen.append((given, results))
        return results

    monkeypatch.setattr(op, "unchecked", watch)
    q = torch.rand(900, 1, 4, dtype=torch.float64)[..., ::2]
    qd = torch.rand(5, 2, dtype=torch.float64)
    result = f.torch()(q, qd)
    ((given, results),) = seen
    assert [x.ctypes.data for x in given] == [q.data_ptr(), qd.data_ptr()]
    assert results[0].ctypes.data == result.data_ptr() and result.shape == (900, 5, 2)
    assert np.array_equal(result.numpy(), f(q.numpy(), qd.numpy()))


def test_broadcast_states_have_gradients_of_their_own_shape() -> None:
    f = ARM.function("inverse_dynamics")
    states = [torch.rand(4, 1, 2), torch.rand(3, 2), torch.rand(2)]
    states = [x.double().requires_grad_() for x in states]
    assert f.torch()(*states).shape == (4, 3, 2)
    assert torch.autograd.gradcheck(f.torch(), states)


def test_floats_are_computed_in_double_precision_and_rounded() -> None:
    f = ARM.function("forward_dynamics")
    single = [x.float().requires_grad_() for x in tensors(f, 6)]
    double = [x.detach().double().requires_grad_() for x in single]
    got, exact = f.torch()(*single), f.torch()(*double)
    assert got.dtype == torch.float32 and torch.equal(got, exact.float())
    got.sum().backward()
    exact.sum().backward()
    for a, b in zip(single, double, strict=True):
        assert a.grad.dtype == torch.float32 and torch.equal(a.grad, b.grad.float())


def test_arms_in_single_precision_compute_in_it() -> None:
    f = ARM.astype(np.float32).function("inverse_dynamics")
    g = f.torch()
    for n_states in (3, 40_000):
        states = [x.float() for x in tensors(f, n_states)]
        got = g(*states)
        assert got.dtype == torch.float32 and same_bits(got, f(*arrays(states)))
    states = [x.float().requires_grad_() for x in tensors(f, 5)]
    double = [x.detach().double().requires_grad_() for x in states]
    g(*states).sum().backward()
    ARM.function("inverse_dynamics").torch()(*double).sum().backward()
    for a, b in zip(states, double, strict=True):
        assert a.grad.dtype == torch.float32
        torch.testing.assert_close(a.grad, b.grad.float(), rtol=1e-4, atol=1e-4)
    torch.library.opcheck(
        _torch._operator(_kernel_op.kernel_op_of(f.program, f.dtype)), tuple(states)
    )
    with pytest.raises(armdyn.InputError, match=facts("float32", "`.float()`")):
        g(*double)


def test_numbers_that_are_not_finite_pass_through_in_their_own_state() -> None:
    f = ARM.function("inverse_dynamics")
    for n_states in (5, 900):
        states = tensors(f, n_states)
        expected = torch.tensor(f(*arrays(states)))
        states[0][3, 0], states[1][1, 1] = float("nan"), float("inf")
        got = f.torch()(*states)
        bad = ~torch.isfinite(got).all(-1)
        assert bad.nonzero().ravel().tolist() == [1, 3]
        assert torch.equal(got[~bad], expected[~bad])


def test_link_parameters_are_learned_from() -> None:
    f = ARM.function("inverse_dynamics", friction=False)
    states = tensors(f, 3)
    p = torch.tensor(ARM.parameters, requires_grad=True)
    g = f.torch(parameters=True)
    got = torch.autograd.functional.jacobian(lambda p: g(*states, p), p)
    expected = torch.tensor(ARM.regressor(*arrays(states)))
    torch.testing.assert_close(got, expected, rtol=1e-11, atol=1e-11)


def test_other_devices_types_and_shapes_are_refused() -> None:
    f = ARM.function("bias")
    g = f.torch()
    q = torch.ones(3, 2, dtype=torch.float64)
    for wrong, words in (
        (q.numpy(), r"`qd` is of type ndarray; expected a tensor: `torch\.as_tensor`"),
        (q.to("meta"), r"`qd` is on the device meta; kernels compute on the CPU.*`\.cpu\(\)`"),
        (q.int(), r"`qd` is a tensor of torch\.int32, .*expected a dense one of float64 or"),
        (q.half(), r"`qd` is a tensor of torch\.float16"),
        (q + 1j, r"`qd` is a tensor of torch\.complex128"),
        (q.to_sparse(), r"`qd` is a tensor of torch\.float64, torch\.sparse_coo"),
        (q.float(), r"`qd` holds torch\.float32 and `q` torch\.float64; expected the same"),
        (q[:, :1], r"`qd` has shape \(3, 1\); expected \(\.\.\., 2\)"),
        (q[0, 0], r"`qd` has shape \(\); expected \(\.\.\., 2\)"),
    ):
        with pytest.raises(armdyn.InputError, match=words) as caught:
            g(q, wrong)
        assert caught.value.argument == "qd"
    with pytest.raises(armdyn.InputError, match=facts("q (2), qd (2)")):
        g(q)
    with pytest.raises(armdyn.InputError, match=facts("broadcast", "q (3, 2), qd (4, 2)")):
        g(q, torch.ones(4, 2, dtype=torch.float64))
    with pytest.raises(armdyn.InputError, match="`parameters`"):
        f.torch(parameters=1)  # type: ignore[arg-type]


def test_equal_functions_are_one_operator_also_after_a_copy() -> None:
    f = ARM.function("gravity")
    copied = pickle.loads(pickle.dumps(f))
    assert operator(f) is operator(copied) is operator(rubbing_arm().function("gravity"))
    assert operator(f) is not operator(armdyn.load("planar2").function("gravity"))
