"""LLVM intrinsics that kernels call."""

from __future__ import annotations

from armdyn.kernel.ir._codegen import Codegen

# Their numbers of arguments.
INTRINSICS = {"llvm.fma": 3, "llvm.fabs": 1, "llvm.sqrt": 1, "llvm.copysign": 2}


def declarations(codegen: Codegen) -> str:
    """Return the declarations of the intrinsics, for every width up to the full one."""
    lines: list[str] = []
    element = codegen.element
    w = 1
    while w <= codegen.width:
        kind, suffix = element.vector(w), element.suffix(w)
        for name, arity in INTRINSICS.items():
            lines.append(f"declare {kind} @{name}.{suffix}({', '.join([kind] * arity)})")
        if w > 1:
            lines.append(f"declare i1 @llvm.vector.reduce.or.v{w}i1(<{w} x i1>)")
        w *= 2
    return "\n".join(lines) + "\n"
