"""Sine and cosine together, in every lane of a vector, within 1 ulp for angles up to 1e5 rad.

x is reduced to r + e = x - k pi/2 with |r| <= pi/4, k the nearest integer and e the rounding error
of r, and sine and cosine of r + e are minimax polynomials of z = r r:

    sin = r + (r z S(z) + e (1 - z/2)),        cos = 1 - z/2 + (z z C(z) - r e)

pi/2 is subtracted in parts (Cody and Waite). With fused multiplication the first difference is
exact and the error of the second product is known exactly; without, the parts are so short that
their products with k (16 bits) are exact. Floats are too short for such parts: without fused
multiplication they are reduced as doubles. Close to a multiple of pi/2 only r and e together are
accurate.

Larger angles, infinity and NaN go to the C library, floats as doubles; the other lanes of the
vector do not. So the result for an angle does not depend on the other lanes.
"""

from __future__ import annotations

from dataclasses import dataclass

from armdyn.kernel.element import DOUBLE, LINK, ElementType
from armdyn.kernel.ir.codegen import Codegen
from armdyn.kernel.ir.writer import Writer


@dataclass(frozen=True)
class Constants:
    """The numbers of an element type.

    Attributes:
        limit: the largest angle that is reduced here [rad].
        round: adding this to a number leaves the nearest integer in the low bits of the sum.
        two_over_pi: 2/pi.
        fused_parts: pi/2 as a sum of numbers.
        short_parts: pi/2 as a sum of short doubles, whose products with k are exact, and a
            remainder.
        sine: coefficients of S.
        cosine: coefficients of C.
    """

    limit: float
    round: float
    two_over_pi: float
    fused_parts: tuple[float, ...]
    short_parts: tuple[float, ...]
    sine: tuple[float, ...]
    cosine: tuple[float, ...]


# By the name of the element type. Short parts have 37 bits. The coefficients are from the Remez
# algorithm, rounded to the type. On |r| <= pi/4, for doubles the relative error of sin(r)/r is
# 2**-57.1 and the absolute error of cos(r) is 2**-59.9; for floats they are 2**-26.2 and 2**-30.7.
CONSTANTS = {
    "double": Constants(
        limit=1e5,
        round=1.5 * 2.0**52,
        two_over_pi=float.fromhex("0x1.45f306dc9c883p-1"),
        fused_parts=(
            float.fromhex("0x1.921fb54442d18p+0"),
            float.fromhex("0x1.1a62633145c07p-54"),
            float.fromhex("-0x1.f1976b7ed8fbcp-110"),
        ),
        short_parts=(
            float.fromhex("0x1.921fb54440000p+0"),
            float.fromhex("0x1.68c234c4c0000p-39"),
            float.fromhex("0x1.98a2e03700000p-77"),
            float.fromhex("0x1.cd129024e088ap-115"),
        ),
        sine=(
            -0.16666666666666632,
            0.008333333333322398,
            -0.00019841269829794542,
            2.755731368712625e-06,
            -2.5050757337040934e-08,
            1.5896749007759495e-10,
        ),
        cosine=(
            0.0416666666666666,
            -0.0013888888888874103,
            2.4801587289468307e-05,
            -2.755731434814473e-07,
            2.087572268110423e-09,
            -1.1359616025121134e-11,
        ),
    ),
    "float": Constants(
        limit=1e5,
        round=1.5 * 2.0**23,
        two_over_pi=float.fromhex("0x1.45f306p-1"),
        fused_parts=(
            float.fromhex("0x1.921fb6p+0"),
            float.fromhex("-0x1.777a5cp-25"),
            float.fromhex("-0x1.ee59dap-50"),
        ),
        short_parts=(
            float.fromhex("0x1.921fb54440000p+0"),
            float.fromhex("0x1.68c234c4c6629p-39"),
        ),
        sine=(-0.166666642, 0.00833274610, -0.000195873872),
        cosine=(0.0416666642, -0.00138883002, 2.45474366e-05),
    ),
}

SLOW = "armdyn_slow_sincos"
LIBRARY = "armdyn_library"
# The addresses of the C library's functions, stored at run time: loaded code needs no linker.
_LIBRARY = f"""\
@{LIBRARY} = internal global [4 x ptr] zeroinitializer
define void @{LINK}(ptr %sine, ptr %cosine, ptr %malloc, ptr %free) nounwind {{
  store ptr %sine, ptr @{LIBRARY}, align 8
  %second = getelementptr ptr, ptr @{LIBRARY}, i64 1
  store ptr %cosine, ptr %second, align 8
  %third = getelementptr ptr, ptr @{LIBRARY}, i64 2
  store ptr %malloc, ptr %third, align 8
  %fourth = getelementptr ptr, ptr @{LIBRARY}, i64 3
  store ptr %free, ptr %fourth, align 8
  ret void
}}
"""


def out_of_range(w: Writer, x: str) -> str:
    """Return a flag for each lane: the angle is too large or NaN.

    It compares bits: a floating-point comparison would raise an exception flag for NaN.
    """
    size = w.new(f"bitcast {w.type} {w.call('llvm.fabs', x)} to {w.integer}")
    return w.new(f"icmp sgt {w.integer} {size}, {w.whole(limit_pattern(w.element))}")


def limit_pattern(element: ElementType) -> int:
    """Return the bits of the largest angle that is in range."""
    return element.pattern(CONSTANTS[element.name].limit)


def sincos(w: Writer, x: str) -> tuple[str, str]:
    """Emit sine and cosine of angles that are in range."""
    constants = CONSTANTS[w.element.name]
    shifted = w.muladd(x, w.const(constants.two_over_pi), w.const(constants.round))
    k = w.sub(shifted, w.const(constants.round))
    if w.fma:
        r, e = _reduced_fused(w, x, k, constants.fused_parts)
    elif w.element == DOUBLE:
        r, e = _reduced_short(w, x, k, constants.short_parts)
    else:
        r, e = _reduced_as_doubles(w, x, k, constants.short_parts)
    z = w.mul(r, r)
    zz = w.mul(z, z)
    half = w.mul(z, w.const(0.5))
    one_less_half = w.sub(w.const(1.0), half)
    s = w.muladd(w.mul(z, r), _polynomial(w, z, zz, constants.sine), w.mul(e, one_less_half))
    s = w.add(r, s)
    lost = w.sub(w.sub(w.const(1.0), one_less_half), half)
    c = w.muladd(zz, _polynomial(w, z, zz, constants.cosine), w.muladd(w.neg(r), e, lost))
    c = w.add(one_less_half, c)
    return _quadrant(w, shifted, s, c)


def _reduced_fused(w: Writer, x: str, k: str, parts: tuple[float, ...]) -> tuple[str, str]:
    p1, p2, p3 = (w.const(part) for part in parts)
    first = w.muladd(w.neg(k), p1, x)
    second = w.mul(k, p2)
    rest = w.muladd(k, p3, w.muladd(k, p2, w.neg(second)))
    r = w.sub(first, second)
    return r, w.sub(w.sub(w.sub(first, r), second), rest)


def _reduced_short(w: Writer, x: str, k: str, parts: tuple[float, ...]) -> tuple[str, str]:
    p1, p2, p3, p4 = (w.const(part) for part in parts)
    first = w.sub(x, w.mul(k, p1))
    second = w.mul(k, p2)
    r = w.sub(first, second)
    e = w.sub(w.sub(w.sub(first, r), second), w.mul(k, p3))
    return r, w.sub(e, w.mul(k, p4))


def _reduced_as_doubles(w: Writer, x: str, k: str, parts: tuple[float, ...]) -> tuple[str, str]:
    v = w.of_type(DOUBLE)
    p1, p2 = (v.const(part) for part in parts)
    whole = v.converted(k, w)
    reduced = v.sub(v.sub(v.converted(x, w), v.mul(whole, p1)), v.mul(whole, p2))
    r = w.converted(reduced, v)
    return r, w.converted(v.sub(reduced, v.converted(r, w)), v)


def _polynomial(w: Writer, z: str, zz: str, coefficients: tuple[float, ...]) -> str:
    """Emit a polynomial as its even and odd parts, which are independent of each other."""
    even, odd = (_horner(w, zz, coefficients[k::2]) for k in (0, 1))
    return w.muladd(odd, z, even)


def _horner(w: Writer, x: str, coefficients: tuple[float, ...]) -> str:
    value = w.const(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = w.muladd(value, x, w.const(c))
    return value


def _quadrant(w: Writer, shifted: str, s: str, c: str) -> tuple[str, str]:
    """Swap and negate for the quadrant k mod 4: (s, c), (c, -s), (-s, -c), (-c, s)."""
    k = w.new(f"bitcast {w.type} {shifted} to {w.integer}")
    last = w.new(f"and {w.integer} {k}, {w.whole(1)}")
    odd = w.new(f"icmp ne {w.integer} {last}, {w.whole(0)}")
    raised = w.new(f"shl {w.integer} {k}, {w.whole(w.element.bits - 2)}")
    # the same for k + 1
    raised_next = w.new(f"add {w.integer} {raised}, {w.whole(2 ** (w.element.bits - 2))}")
    return (
        _signed(w, w.select(odd, c, s), raised),
        _signed(w, w.select(odd, s, c), raised_next),
    )


def _signed(w: Writer, value: str, raised: str) -> str:
    """Negate the lanes whose sign bit is set in `raised`."""
    sign = w.new(f"and {w.integer} {raised}, {w.whole(-(2 ** (w.element.bits - 1)))}")
    as_integer = w.new(f"bitcast {w.type} {value} to {w.integer}")
    flipped = w.new(f"xor {w.integer} {as_integer}, {sign}")
    return w.new(f"bitcast {w.integer} {flipped} to {w.type}")


def slow_function(codegen: Codegen) -> str:
    """Return `SLOW`, which computes n angles one by one, and `LINK`.

    `LINK` must be called before, with the addresses of the C library's functions.
    """
    w = Writer(1, codegen)
    w.begin("entry")
    w.jump("head")
    w.begin("head")
    w.do("%i = phi i64 [ 0, %entry ], [ %next, %tail ]")
    places = [w.address_of(p, "%i") for p in ("%x", "%s", "%c")]
    angle = w.load(places[0], 0)
    w.branch(out_of_range(w, angle), "far", "near")
    w.begin("near")
    s, c = sincos(w, angle)
    w.jump("tail")
    w.begin("far")
    second = w.new(f"getelementptr ptr, ptr @{LIBRARY}, i64 1")
    v = w.of_type(DOUBLE)
    wide = v.converted(angle, w)
    far_s, far_c = (
        w.converted(
            v.new(f"call {v.type} {w.new(f'load ptr, ptr {place}, align 8')}({v.type} {wide})"), v
        )
        for place in (f"@{LIBRARY}", second)
    )
    w.jump("tail")
    w.begin("tail")
    sine = w.phi(w.type, (s, "near"), (far_s, "far"))
    cosine = w.phi(w.type, (c, "near"), (far_c, "far"))
    w.store(sine, places[1], 0)
    w.store(cosine, places[2], 0)
    w.do("%next = add i64 %i, 1")
    w.do("%more = icmp ult i64 %next, %n")
    w.branch("%more", "head", "done")
    w.begin("done")
    w.do("ret void")
    # rarely called; optimising it would take a tenth of the compile time of everything else
    how = "noinline optnone cold nounwind"
    return _LIBRARY + w.text(f"internal void @{SLOW}(ptr %x, ptr %s, ptr %c, i64 %n) {how}")
