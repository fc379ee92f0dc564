"""`symbolic`: closed forms of an arm's dynamics, with its constants as symbols."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

from armdyn.arm.arm import Arm
from armdyn.arm.files import load
from armdyn.checks import checked_choice, checked_flag, checked_mapping
from armdyn.errors import InputError, shown
from armdyn.files import imported
from armdyn.robot.mechanism import check_serial
from armdyn.robot.model import Robot
from armdyn.symbolics import description as _dynamics
from armdyn.symbolics.description import Described, described
from armdyn.symbolics.named import Factors, Named, coriolis, gravity, natural, to_latex, to_python
from armdyn.symbolics.readable import Readable
from armdyn.symbolics.series import Powers, Series, Term

# What a user puts in the place of parameters: numbers and polynomials, as series.

# How names of constant angles begin.
ANGLES = ("beta", "theta")


def replaced_by(
    sympy: Any, replacements: Mapping[Any, Any], names: Collection[str]
) -> dict[str, Series]:
    """Return the series for each replaced parameter; `names` are those of all."""
    given = checked_mapping(replacements, "replacements", what="a dict such as {'b2': 0.4}")
    free = [name for name in names if not name.startswith(ANGLES)]
    known: dict[str, Series] = {}
    for key, value in given.items():
        name = checked_choice(_name(key), "replacements", free, what="parameter")
        known[name] = _series(sympy, name, value)
    return known


def _name(key: Any) -> Any:
    """Return the name of a parameter that is given as a symbol."""
    return getattr(key, "name", key)


def _series(sympy: Any, name: str, value: Any) -> Series:
    try:
        exact = sympy.nsimplify(sympy.sympify(value, strict=True), rational=True)
        symbols = sorted(exact.free_symbols, key=str)
        terms = sympy.Poly(exact, *symbols).terms() if symbols else [((), exact)]
        found: dict[Term, Fraction] = {}
        for exponents, x in terms:
            pairs = zip(symbols, exponents, strict=True)
            powers: Powers = tuple((s.name, int(e)) for s, e in pairs if e)
            found[powers, ()] = Fraction(int(x.p), int(x.q))
    except (sympy.SympifyError, sympy.PolynomialError, AttributeError, TypeError, ValueError):
        raise InputError(
            f"`replacements` has {shown(value)} for {name!r}, expected a number or a polynomial of "
            "SymPy symbols.",
            argument="replacements",
        ) from None
    return Series(found)


# What there is: the symbol of the matrix in LaTeX, the states it depends on, and its meaning.
MATRICES = {
    "mass_matrix": ("M", ("q",), "M(q), rotor inertias included"),
    "coriolis_matrix": ("C", ("q", "qd"), "C(q, qd) in Christoffel form"),
    "gravity": ("G", ("q",), "the torques g(q) that hold the arm still"),
    "U": ("U", ("q",), "U of M = U D U^T, unit upper triangular"),
    "D": ("D", ("q",), "D of M = U D U^T, diagonal"),
    "inverse_mass_matrix": ("M^{-1}", ("q",), "the inverse of M(q)"),
}


def symbolic(robot: str | Path | Robot | Arm, *, general: bool = False) -> SymbolicModel:
    """Return the dynamics of a small arm in closed form, with its constants as symbols.

    For arms of up to three joints, and of any number if all revolute axes are parallel. Joint i has
    the position q<i>, the speed qd<i>, the lengths b<i> and d<i>, the mass m<i>, the centre of mass
    c<i>x, c<i>y, c<i>z and the inertia I<i>xx, I<i>xy, ... about it, as in `Joint`; Jm<i> is the
    inertia of its rotor, and g the gravitational acceleration (gx, gy, gz if it is along no axis of
    E_0). A number that is zero in the description stays zero, and a right angle stays one; other
    angles are beta<i> and theta<i>. Friction is left out.

    Args:
        robot: a name of ``armdyn.robots()``, the path of a file, a `Robot` or an `Arm`.
        general: give symbols also to masses, centres of mass and inertias that are zero.

    Returns:
        The model.

    Raises:
        InputError: the arm has too many joints.
        MissingExtraError: SymPy is not installed.

    Examples:
        >>> model = armdyn.symbolic("planar2")
        >>> model.mass_matrix[0, 1]
        I2zz + c2x*m2*(b2*cos(q2) + c2x)
        >>> model.gravity[1]
        c2x*g*m2*cos(q1 + q2)
    """
    general = checked_flag(general, "general")
    imported("sympy", "a symbolic model")
    if isinstance(robot, Arm):
        robot = robot.robot
    elif not isinstance(robot, Robot):
        robot = _loaded(robot)
    check_serial(robot, "Symbolic models")
    return SymbolicModel(robot.name, described(robot, general=general))


def _loaded(source: object) -> Robot:
    if not isinstance(source, str | Path):
        raise InputError(
            f"`robot` is {shown(source)}, expected the name of a robot, the path of a file, an "
            "armdyn.Robot or an armdyn.Arm.",
            argument="robot",
        )
    return load(source).robot


class SymbolicModel:
    """Closed forms of an arm: SymPy matrices, LaTeX and Python; made by `armdyn.symbolic`.

    Attributes:
        name: of the robot.
        n: number of joints.
        values: for each symbol, the number that the description has for it.

    Examples:
        >>> model = armdyn.symbolic("planar2")
        >>> model
        <SymbolicModel 'planar2': 2 joints, 10 symbols>
        >>> model.values["b2"]
        1.0
        >>> model.mass_matrix.subs(model.values)[1, 1]
        0.333333333333333
    """

    def __init__(self, name: str, arm: Described) -> None:
        self.name = name
        self.n = arm.n
        self._arm = arm
        self._readable = Readable(arm)
        self._sympy = self._readable.sympy
        self._named: dict[str, Named] = {}
        self._replaced: dict[str, Series] = {}

    @property
    def values(self) -> dict[str, float]:
        """The numbers of the description, by the names of the symbols."""
        names = (name for name in self._arm.values if name not in self._replaced)
        return {name: self._arm.values[name] for name in sorted(names, key=natural)}

    @cached_property
    def mass_matrix(self) -> Any:
        """M(q), n x n, rotor inertias included."""
        return self.named("mass_matrix").expanded()

    @cached_property
    def coriolis_matrix(self) -> Any:
        """C(q, qd), n x n, in Christoffel form: dM/dt - 2C is skew."""
        return self.named("coriolis_matrix").expanded()

    @cached_property
    def gravity(self) -> Any:
        """g(q), n x 1: the torques that hold the arm still."""
        return self.named("gravity").expanded()

    @cached_property
    def U(self) -> Any:
        """The unit upper triangular factor of M = U D U^T, n x n. [Saha1999] (45)."""
        return self.named("U").expanded()

    @cached_property
    def D(self) -> Any:
        """The diagonal factor of M = U D U^T, n x n. [Saha1999] (45)."""
        return self.named("D").expanded()

    @cached_property
    def inverse_mass_matrix(self) -> Any:
        """The inverse of M(q), n x n, by [Saha1999] (48), corrected."""
        return self.named("inverse_mass_matrix").expanded()

    def named(self, name: str) -> Named:
        """Return a result with names for its subexpressions.

        Args:
            name: "mass_matrix", "coriolis_matrix", "gravity", "U", "D" or "inverse_mass_matrix".

        Returns:
            The matrix and the definitions of the names.

        Raises:
            MethodError: there is no such result.

        Examples:
            >>> named = model.named("inverse_mass_matrix")
            >>> named.matrix[1, 1]
            alphap12**2/mh1 + 1/mh2
            >>> [str(name) for name in named.terms]
            ['M11', 'M12', 'M22', 'mh2', 'alpha12', 'mh1', 'alphap12']
        """
        checked_choice(name, "name", MATRICES, what="matrix")
        if name not in self._named:
            self._named[name] = self._made(name)
        return self._named[name]

    def latex(self, name: str) -> str:
        r"""Return a result in LaTeX, as an ``aligned`` environment.

        Args:
            name: "mass_matrix", "coriolis_matrix", "gravity", "U", "D" or "inverse_mass_matrix".

        Returns:
            LaTeX source.

        Raises:
            MethodError: there is no such result.

        Examples:
            >>> print(model.latex("gravity"))
            \begin{aligned}
            ...
        """
        return to_latex(self._sympy, self._about(name)[0], self.named(name))

    def python(self, name: str) -> str:
        """Return a result as a Python function that needs only the standard library.

        It takes the states and a mapping from names of parameters to numbers, such as `values`.

        Args:
            name: "mass_matrix", "coriolis_matrix", "gravity", "U", "D" or "inverse_mass_matrix".

        Returns:
            Python source.

        Raises:
            MethodError: there is no such result.

        Examples:
            >>> text = model.python("mass_matrix")
            >>> scope = {}
            >>> exec(text, scope)
            >>> scope["mass_matrix"]([0.0, 0.0], model.values)
            [[2.66..., 0.83...], [0.83..., 0.33...]]
        """
        _, states, what = self._about(name)
        summary = f"Return {what}, of {self.name!r}."
        return to_python(self._sympy, name, summary, self.named(name), self.n, states)

    def subs(self, replacements: Mapping[Any, Any]) -> SymbolicModel:
        """Return the model with parameters replaced by other symbols or numbers.

        Results are written anew, in a form that is short for the new symbols.

        Args:
            replacements: for a parameter, by name or as a symbol, a number or a polynomial of other
                symbols. Joints and angles cannot be replaced.

        Returns:
            The new model.

        Raises:
            MethodError: there is no parameter of this name.

        Examples:
            >>> import sympy
            >>> m, l = sympy.symbols("m l")
            >>> rods = {"b2": l, "c1x": l / 2, "c2x": l / 2, "m1": m, "m2": m}
            >>> inertias = {"I1zz": m * l**2 / 12, "I2zz": m * l**2 / 12}
            >>> model.subs({**rods, **inertias}).mass_matrix[0, 0]
            l**2*m*(cos(q2) + 5/3)
        """
        known = replaced_by(self._sympy, replacements, self.values)
        other = SymbolicModel(self.name, self._arm)
        other._replaced = {name: x.replaced(known) for name, x in self._replaced.items()} | known
        return other

    def _about(self, name: str) -> tuple[str, tuple[str, ...], str]:
        return MATRICES[checked_choice(name, "name", MATRICES, what="matrix")]

    def _made(self, name: str) -> Named:
        match name:
            case "coriolis_matrix":
                symbols = _dynamics.christoffel(self._arm, self._M)
                return coriolis(self._readable, symbols)
            case "gravity":
                torques = _dynamics.gravity(self._arm)
                return gravity(self._readable, [x.replaced(self._replaced) for x in torques])
            case _:
                factors = Factors(self._sympy, self._entries)
                made = {
                    "mass_matrix": factors.mass_matrix, "U": factors.U, "D": factors.D,
                    "inverse_mass_matrix": factors.inverse,
                }  # fmt: skip
                return made[name]()

    @cached_property
    def _M(self) -> _dynamics.Table:
        M = _dynamics.mass_matrix(self._arm)
        return [[x.replaced(self._replaced) for x in row] for row in M]

    @cached_property
    def _entries(self) -> list[list[Any]]:
        """The rows of M from their diagonal entry on, as expressions."""
        joints = range(self.n)
        return [
            [self._readable.written(self._M[i][j], by_masses=True) for j in joints[i:]]
            for i in joints
        ]

    def __repr__(self) -> str:
        words = f"{self.n} joints, {len(self.values)} symbols"
        return f"<SymbolicModel {self.name!r}: {words}>"
